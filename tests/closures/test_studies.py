"""Published studies of pawns: a win is a mate in r-mobility, and a draw is proved to be none.

Bounds of a draw may leave open what it is worth.
"""

import csv
from pathlib import Path

import chess
import pytest

from tbgen.apps.hold.answers import HoldBracket
from tbgen.apps.hold.ladder import hold
from tbgen.closures.bounds import ANYTHING, Bracket
from tbgen.closures.solver import PositionSolver
from tbgen.score import Color, Score
from tests.closures.test_solving import PIECES, Folder, folder_of

__all__ = ["folder_of"]

GOLDEN = Path(__file__).parents[1] / "golden" / "pawn_studies.csv"
STUDIES = list(csv.DictReader(GOLDEN.read_text().splitlines()))
OF_THREE_MEN = [study for study in STUDIES if study["tables"] == "3"]
OF_FOUR_MEN = [study for study in STUDIES if study["tables"] == "4"]
"""Studies that are solved from tables of so many men."""
WHITE_WINS = "1-0"
BLACK_WINS = "0-1"
MATE_BY_WHITE = Score("G0.0")
MATE_BY_BLACK = Score("-G0.0")
HOLD_NODES = 200
FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
FIRST_SECONDS_OF_FINE_70 = 5.0
"""The CPU seconds of its first way, its plan included (measured with Black to move)."""
SECONDS_OF_FINE_70 = 43
"""Those of the two ways that it takes (measured)."""


def fens(studies: list[dict[str, str]]) -> list[str]:
    """Their positions, as names of tests."""
    return [study["fen"] for study in studies]


def ends_as_published(bracket: Bracket, result: str) -> bool:
    """Whether a bracket proves a win of ordinary chess, or leaves a draw possible."""
    if result == WHITE_WINS:
        return bracket.exact == MATE_BY_WHITE
    if result == BLACK_WINS:
        return bracket.exact == MATE_BY_BLACK
    return bracket.lower != MATE_BY_WHITE and bracket.upper != MATE_BY_BLACK


def bracket_by_hold(fen: str) -> HoldBracket:
    """What both sides can be proved to hold without tables."""
    board = chess.Board(fen)
    white, black = (hold(board, side, goal="best", nodes=HOLD_NODES) for side in Color)
    return HoldBracket(white, black)


@pytest.mark.parametrize("study", OF_THREE_MEN, ids=fens(OF_THREE_MEN))
def test_a_study_ends_as_published(folder_of: Folder, study: dict[str, str]) -> None:
    with PositionSolver(folder_of(*PIECES, "KPvK"), threads=1) as solver:
        bracket = solver.solve(study["fen"]).bracket
    assert bracket != ANYTHING
    assert ends_as_published(bracket, study["result"])
    held = bracket_by_hold(study["fen"])
    assert held.low <= bracket.upper
    assert held.high >= bracket.lower


@pytest.mark.slow
@pytest.mark.parametrize("study", OF_FOUR_MEN, ids=fens(OF_FOUR_MEN))
def test_a_study_from_tables_of_four_men_ends_as_published(
    own_four_men: Path, study: dict[str, str]
) -> None:
    with PositionSolver(own_four_men) as solver:
        bracket = solver.solve(study["fen"]).bracket
    assert bracket.is_exact
    assert ends_as_published(bracket, study["result"])
    held = bracket_by_hold(study["fen"])
    assert held.low <= bracket.upper
    assert held.high >= bracket.lower


@pytest.mark.slow
def test_a_plan_says_what_a_first_answer_took_within_a_factor_of_two(own_four_men: Path) -> None:
    with PositionSolver(own_four_men) as solver:
        plan = solver.plan(FINE_70)
    assert FIRST_SECONDS_OF_FINE_70 / 2 < plan.first_seconds < FIRST_SECONDS_OF_FINE_70 * 2
    assert plan.expected_seconds > SECONDS_OF_FINE_70
