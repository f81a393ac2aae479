"""Lines of solved positions, against tables of them that the solver does not have."""

import random

import pytest

from tbgen.closures.solver import PositionSolver
from tbgen.probe import Tablebase
from tests.closures.test_solving import PIECES, SEED, Folder, folder_of, pairs

__all__ = ["folder_of"]

pytestmark = pytest.mark.usefixtures("unbundled")

MOST_PLIES = 100
"""More than any line below has."""


def test_a_line_keeps_the_value_until_it_is_reached_or_a_table_has_the_position(
    folder_of: Folder, tables: Tablebase
) -> None:
    with PositionSolver(folder_of(*PIECES)) as solver:
        for board, accrued in pairs(random.Random(SEED), ["KPk", "Kkp"], 6):
            answer = solver.solve(board, accrued, line=True)
            assert answer.line is not None, "all promotions are solved"
            walker = board.copy(stack=False)
            score = accrued
            for step in answer.line:
                known = {move.uci: move for move in tables.probe_moves(walker, score)}
                assert known[step.uci].keeps, (walker.fen(), score, step.uci)
                assert step.accrued == known[step.uci].accrued
                walker.push(step.move)
                score = step.accrued
            assert score == answer.bracket.exact or not walker.pawns
            assert len(answer.line) < MOST_PLIES


def test_a_line_is_asked_for_and_takes_a_proof(folder_of: Folder) -> None:
    fen = "8/8/4P3/4k3/8/8/8/4K3 w - - 0 1"
    with PositionSolver(folder_of("KvK"), budget=1) as solver:
        bounded = solver.solve(fen, line=True)
    assert bounded.bracket.exact is None
    assert bounded.line is None
    with PositionSolver(folder_of(*PIECES)) as solver:
        answer = solver.solve(fen)
    assert answer.bracket.exact is not None
    assert answer.line is None
    assert "line" not in answer.facts()
