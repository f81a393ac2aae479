"""Published studies of pawns: a win is a mate in r-mobility, and a draw is proved to be none.

Bounds of a draw may leave open what it is worth.
"""

import csv
from pathlib import Path

import pytest

from tbgen.closures.bracket import ANYTHING
from tbgen.closures.solving import PositionSolver
from tests.closures.test_solving import PIECES, Folder, folder_of

__all__ = ["folder_of"]

GOLDEN = Path(__file__).parents[1] / "golden" / "pawn_studies.csv"
STUDIES = list(csv.DictReader(GOLDEN.read_text().splitlines()))
DRAWN = "1/2-1/2"
RESULT_OF = {"G0.0": "1-0", "-G0.0": "0-1"}


@pytest.mark.parametrize("study", STUDIES, ids=[study["fen"] for study in STUDIES])
def test_a_study_ends_as_published(folder_of: Folder, study: dict[str, str]) -> None:
    with PositionSolver(folder_of(*PIECES, "KPvK"), threads=1) as solver:
        bracket = solver.solve(study["fen"]).bracket
    if study["result"] == DRAWN:
        assert bracket.lower < ANYTHING.upper
        assert bracket.upper > ANYTHING.lower
    else:
        assert RESULT_OF[str(bracket.exact)] == study["result"]
