"""Wins by a promotion to a rook, because a queen would stalemate.

Where the rook is not solved, the queen bounds it. That bound must leave the win open.
"""

import chess
import pytest

from tbgen.closures import plan
from tbgen.closures.policy import Way
from tbgen.closures.solver import PositionSolver
from tbgen.probe import Tablebase
from tbgen.rules.position import own_score
from tbgen.score import Score
from tests.closures.test_solving import (
    PIECES,
    Folder,
    contradictions,
    folder_of,
    forget_answers,
    outside,
    solved,
)

__all__ = ["folder_of"]

pytestmark = pytest.mark.usefixtures("unbundled")

WITHOUT_ROOKS = ("KvK", "KNvK", "KBvK", "KQvK")
MATE = Score("G0.0")
STALEMATE = Score("G0.5")

BY_ROOK_ALONE = [
    "8/1P6/k7/8/K7/8/8/8 w - - 0 1",
    "8/1P6/k7/8/1K6/8/8/8 w - - 0 1",
    "8/k1P5/8/K7/8/8/8/8 w - - 0 1",
    "8/5P1k/8/7K/8/8/8/8 w - - 0 1",
    "8/6P1/7k/8/6K1/8/8/8 w - - 0 1",
    "8/6P1/7k/8/7K/8/8/8 w - - 0 1",
]
"""All positions of KPvK in which a rook alone wins."""

BESIDE_A_PAWN = "8/1P6/k7/p7/K7/8/8/8 w - - 0 1"
"""The same beside a pawn that cannot move."""


@pytest.mark.parametrize("fen", BY_ROOK_ALONE)
def test_a_queen_that_stalemates_leaves_the_win_by_a_rook_open(
    folder_of: Folder, tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    with PositionSolver(folder_of(*WITHOUT_ROOKS), threads=1) as solver:
        asked = [(each, own_score(each)) for each in (board, board.mirror())]
        assert contradictions(solver, tables, asked) == []
        assert solver.solve(board).bracket.ends == (STALEMATE, MATE)


@pytest.mark.parametrize("fen", BY_ROOK_ALONE)
def test_a_rook_with_a_table_wins(folder_of: Folder, fen: str) -> None:
    solution = solved(folder_of(*PIECES), fen, threads=1)
    assert solution.bracket.exact == MATE
    (best,) = (move.move for move in solution.moves if move.best)
    assert best.promotion == chess.ROOK


def test_a_closure_without_bounds_finds_the_win_that_bounds_leave_open(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(*PIECES)
    monkeypatch.setattr(plan, "ways_of", lambda *_: [Way(3, 3, 2)])
    bounded = solved(folder, BESIDE_A_PAWN)
    forget_answers(folder)
    monkeypatch.setattr(plan, "ways_of", lambda *_: [Way(3, 3, 3)])
    everything = solved(folder, BESIDE_A_PAWN)
    assert outside(everything, bounded) == []
    assert bounded.bracket.ends == (STALEMATE, MATE)
    assert everything.bracket.exact == MATE
