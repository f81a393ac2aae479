from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import chess
import pytest
from chess.engine import Cp, Mate

from tbgen.apps.games.tags import Source
from tbgen.apps.match.control import parse_time_control
from tbgen.apps.match.engine import Answer
from tbgen.apps.match.info import Evaluation, Info
from tbgen.apps.match.journal import StoredGame, stored_games
from tbgen.apps.match.openings import Opening
from tbgen.apps.match.pgn import COMMENT_FACTS, to_pgn
from tbgen.apps.match.sheet import Ending, Sheet
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.score import Color, Score
from tests.apps.games.plain import only_game, their_game
from tests.apps.match.matches import sheet_of

SHARED = {"Event": 'The "Open"', "Site": r"C:\here", "MatchId": "0badcafe"}
SHARED |= {"White": 'Ann "the first"', "Black": r"B\ob"}


def opening(fen: str, *moves: str) -> Opening:
    board = chess.Board(fen)
    for move in moves:
        board.push_san(move)
    return Opening(board)


STARTS = [
    Opening(),
    opening(chess.STARTING_FEN, "e4", "c5"),
    Opening(chess.Board("8/8/4K3/5Bk1/8/8/8/8 b - - 33 30"), Score("G4.0")),
    opening("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17", "Ke7"),
]


def sheet_with(opening: Opening, plies: int) -> Sheet:
    """A game in which each side plays its first legal move."""
    game = Game(
        opening.board, accrued=opening.accrued, fifty_moves=FiftyMoves(FiftyMoveSetting.FIDE)
    )
    sheet = sheet_of(game, opening, control=parse_time_control("40/60"))
    sheet.ending = Ending(Score(7, Color.BLACK), Source.GAME, "adjudication", 'cut "short"')
    for _ in range(plies):
        ply = game.push(min(game.board.legal_moves, key=chess.Move.uci))
        sheet.answers[ply.number] = Answer(game.board.peek(), 0.25, Evaluation(Cp(31), 12), 3599.5)
    return sheet


@pytest.mark.parametrize("opening", STARTS, ids=lambda each: each.board.epd())
@pytest.mark.parametrize("plies", [0, 1, 2, 31])
def test_our_reader_another_and_the_match_itself_read_the_same_game(
    opening: Opening, plies: int, tmp_path: Path
) -> None:
    sheet = sheet_with(opening, plies)
    text = to_pgn(sheet, SHARED)
    ours = only_game(text)
    assert ours.replayed.board == sheet.game.board
    assert (ours.replayed.accrued, ours.replayed.last) == (sheet.game.accrued, sheet.game.last)
    other = their_game(text)
    assert list(other.mainline_moves()) == sheet.game.board.move_stack
    assert {name: ours.tags[name] for name in SHARED} == SHARED
    assert ours.tags["TerminationDetails"] == 'cut "short"'
    assert max(map(len, text.splitlines())) <= 79
    path = tmp_path / "games.pgn"
    path.write_text(text)
    moves = len(opening.board.move_stack)
    ending = replace(sheet.ending, plies=moves + plies)
    assert list(stored_games(path, SHARED["MatchId"])) == [
        (
            len(text) - 2,
            StoredGame(sheet.pairing.number, ending, (SHARED["White"], SHARED["Black"])),
        )
    ]
    assert list(stored_games(path, "another")) == [(len(text) - 2, None)]
    clocks = [node.clock() for node in other.mainline()]
    assert clocks == [None] * moves + [3599.5] * plies


@pytest.mark.parametrize(
    ("evaluation", "text"),
    [
        (Evaluation(Cp(31), 12), "+0.31/12"),
        (Evaluation(Cp(-5)), "-0.05"),
        (Evaluation(Cp(0), 1), "+0.00/1"),
        (Evaluation(Mate(-3), 20), "-M3/20"),
        (Evaluation(Mate(2)), "+M2"),
        (Evaluation(None, 9), ""),
    ],
)
def test_evaluations_are_written_as_in_cutechess(evaluation: Evaluation, text: str) -> None:
    assert str(evaluation) == text


LINE = (
    "info depth 12 seldepth 18 score cp 31 nodes 4711 nps 99 hashfull 5 tbhits 0 "
    "pv e2e4 e7e5 e1g1} d7d8q string nodes 7"
)


def test_comments_have_the_facts_of_a_line_that_are_wanted() -> None:
    sheet = sheet_with(Opening(), 1)
    sheet.answers[1] = replace(sheet.answers[1], info=Info.parse(LINE))
    comment = "[%clk 0:59:59.500] +0.31/12 0.250s"
    text = to_pgn(sheet, SHARED, COMMENT_FACTS).replace("\n", " ")
    wanted = 'n=4711, nps=99, pv="e2e4 e7e5"'
    assert f"{{{comment}, {wanted}, accrued" in text
    assert "nps=" not in to_pgn(sheet, SHARED, ["nodes"])
    assert "n=4711" in to_pgn(sheet, SHARED, ["nodes"])
    assert "n=" not in to_pgn(sheet, SHARED)
