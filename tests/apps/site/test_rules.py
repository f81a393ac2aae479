"""The rules in JavaScript against python-chess: legal moves, SAN, positions after them."""

from __future__ import annotations

import json
import random

import chess
import pytest

from tests.apps.site.chromium import NEEDED, Chromium
from tests.positions import random_board

pytestmark = NEEDED

ALL = """(async () => {
  const rules = await import('./rules.js');
  return POSITIONS.map((fen) => {
    const position = rules.parseFen(fen);
    const told = (move) => [
      rules.uciOf(move),
      rules.sanOf(position, move),
      rules.formatFen(rules.play(position, move)),
      rules.isReset(position, move),
    ];
    return [
      rules.formatFen(position),
      rules.brokenRule(position),
      rules.isCheck(position),
      rules.hasEnPassant(position),
      rules.legalMoves(position).map(told).sort((a, b) => (a[0] < b[0] ? -1 : 1)),
    ];
  });
})()"""


def random_boards(number: int, seed: int) -> list[chess.Board]:
    """Legal positions of two to eight men, many with pawns, some with rights to take en passant."""
    draw = random.Random(seed)
    boards = list[chess.Board]()
    for _ in range(number):
        men = "Kk" + "".join(draw.choices("QRBNPPPqrbnppp", k=draw.randrange(7)))
        boards.append(chess.Board(random_board(draw, men, en_passant=0.6).fen()))
    return boards


CASTLING = (
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "4k2r/8/8/8/8/1b6/8/R3K2R w KQk - 0 1",
    "r1b1k2r/6P1/8/8/8/8/8/4K1NR b Kkq - 3 9",
    "4k3/8/8/8/8/8/8/R3K2R w K - 0 1",
)


def told(board: chess.Board) -> list[object]:
    moves = []
    for move in board.legal_moves:
        san = board.san(move)
        resets = board.is_zeroing(move)
        board.push(move)
        moves.append([move.uci(), san, board.fen(), resets])
        board.pop()
    return [board.fen(), None, board.is_check(), board.has_legal_en_passant(), sorted(moves)]


def test_moves_are_those_of_python_chess(page: Chromium, server: str) -> None:
    boards = [*random_boards(400, 7), *map(chess.Board, CASTLING)]
    assert sum(board.is_castling(move) for board in boards for move in board.legal_moves) > 5
    assert any(board.has_legal_en_passant() for board in boards)
    page.open(f"{server}/explorer/")
    found = page.run(ALL.replace("POSITIONS", json.dumps([board.fen() for board in boards])))
    assert found == [told(board) for board in boards]


PASSED = "the en passant square does not follow a double step"
FIRST_SQUARES = "castling rights need king and rook on their first squares"


@pytest.mark.parametrize(
    ("fen", "rule"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has 2 kings"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "a pawn stands on the first or last rank"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "Black is in check, but White is to move"),
        ("kK6/8/8/8/8/8/8/8 b - - 0 1", "White is in check, but Black is to move"),
        ("2k5/8/3n4/3pP3/8/8/3K4/8 w - d6 0 1", PASSED),
        ("2k5/3n4/8/3pP3/8/8/3K4/8 w - d6 0 1", PASSED),
        ("2k5/8/8/4P3/8/8/3K4/8 w - d6 0 1", PASSED),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", PASSED),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e6 0 1", PASSED),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", FIRST_SQUARES),
        ("4k3/8/8/8/8/8/8/R2K4 w Q - 0 1", FIRST_SQUARES),
        ("r2k4/8/8/8/8/8/8/4K3 w q - 0 1", FIRST_SQUARES),
        ("4k2R/8/8/8/8/8/4K3/8 b k - 0 1", FIRST_SQUARES),
    ],
)
def test_a_position_that_cannot_be_played_on_is_told_why(
    page: Chromium, server: str, fen: str, rule: str
) -> None:
    page.open(f"{server}/explorer/")
    found = page.run(
        f"import('./rules.js').then((rules) => rules.brokenRule(rules.parseFen({fen!r})))"
    )
    assert found == rule


@pytest.mark.parametrize("rights", ["x", "KQkqK", "HAha"])
def test_letters_that_name_no_right_to_castle_are_refused(
    page: Chromium, server: str, rights: str
) -> None:
    fen = f"r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1"
    page.open(f"{server}/explorer/")
    found = page.run(f"import('./rules.js').then((rules) => rules.parseFen({fen!r})).catch(String)")
    assert found == f"Error: {rights} names no rights to castle: these are K, Q, k and q"
