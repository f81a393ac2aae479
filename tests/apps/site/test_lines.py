"""Lines played by the compiled board, held against python-chess and the rules."""

from __future__ import annotations

import chess
import pytest

from tbgen.apps.records.making import replay
from tbgen.apps.records.record import Longest, Record
from tbgen.apps.site.lines import changes_of, played, step_of
from tbgen.errors import MoveError


def lines_of(record: Record) -> list[Longest]:
    return [each.longest for side in record.sides.values() for each in side.values()]


def test_lines_are_what_python_chess_and_the_rules_make_of_them(some: list[Record]) -> None:
    promotions = 0
    for longest in (each for record in some for each in lines_of(record)[::3]):
        moves = longest.moves or ()
        board, steps = chess.Board(longest.fen), []
        for text in moves:
            move = board.parse_san(text)
            steps.append(step_of(board, move))
            promotions += move.promotion is not None
            board.push(move)
        found = played(longest.fen, moves)
        assert found.steps == tuple(steps)
        assert found.accrued == replay(longest.fen, moves).outcomes
    assert promotions > 10


def test_a_pawn_taken_in_passing_is_taken_first() -> None:
    found = played("8/8/8/8/1p6/8/P7/K1k5 w - - 0 1", ["a4", "bxa3", "Ka2"])
    assert found.steps == ("a2a4", "a4,b4a3", "a1a2")


def test_every_piece_that_a_pawn_becomes_has_its_letter() -> None:
    for letter in "NBRQ":
        assert played("8/P7/8/8/8/8/8/K1k5 w - - 0 1", [f"a8={letter}"]).steps == (f"a7a8{letter.lower()}",)


def test_the_accrued_score_is_told_where_it_changes() -> None:
    found = played("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", ["Ke5", "Kh4", "Kf4"])
    assert [str(each) for each in found.accrued] == ["-G14.5", "G3.5", "G3.5", "G1.5"]
    assert changes_of(found.accrued) == "0 -G14.5 1 G3.5 3 G1.5"


def test_a_line_that_cannot_be_played_is_refused_at_its_move() -> None:
    with pytest.raises(MoveError, match="Kh8") as caught:
        played("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", ["Ke5", "Kh8"])
    assert caught.value.ply == 2
    assert played("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", []).steps == ()
