"""The plain script that replays games on their pages, in node."""

from __future__ import annotations

import chess
import pytest

from tbgen.apps.records.record import step_of
from tests.apps.site.node import NEEDED, run
from tests.project import ROOT

SCRIPT = ROOT / "tbgen" / "apps" / "pages" / "static" / "replay.js"
FENS = """import vm from 'node:vm';

({ script, men, fen, steps }) => {
  const page = {};
  vm.runInNewContext(`${script}; this.tools = { firstPosition, play, fenOf };`, page);
  const { firstPosition, play, fenOf } = page.tools;
  const position = firstPosition(men, fen);
  return steps.map((step) => {
    play(position, step);
    return fenOf(position);
  });
}"""
GAMES = {
    "both castle": "e4 e5 Nf3 Nf6 Bc4 d6 O-O Bg4 d3 Qe7 Nc3 Nc6 Be3 O-O-O",
    "rooks move and are taken": "a4 h5 a5 h4 a6 h3 axb7 hxg2 bxa8=Q gxh1=N Ra6 Rh5",
    "a king moves, and a pawn takes in passing": "e4 d5 exd5 e5 dxe6 Ke7 d4",
}


def men_on(board: chess.Board) -> list[dict[str, object]]:
    men = []
    for square, piece in board.piece_map().items():
        x = 45 * chess.square_file(square)
        y = 45 * (7 - chess.square_rank(square))
        color = chess.COLOR_NAMES[piece.color]
        role = chess.piece_name(piece.piece_type)
        men.append({"color": color, "role": role, "x": x, "y": y, "isTaken": False})
    return men


@NEEDED
@pytest.mark.parametrize("moves", GAMES.values(), ids=GAMES)
def test_each_position_of_a_replayed_game_has_the_fen_that_python_chess_gives(moves: str) -> None:
    board = chess.Board()
    asked = {"script": SCRIPT.read_text(), "men": men_on(board), "fen": board.fen()}
    steps = []
    expected = []
    for san in moves.split():
        move = board.parse_san(san)
        steps.append(step_of(board, move))
        board.push(move)
        expected.append(board.fen(en_passant="xfen"))
    assert run(FENS, {**asked, "steps": steps}) == expected
