"""Classes of mates, against whole solves."""

from __future__ import annotations

import pytest

from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.material import Material
from tbgen.position.bracket import Solution
from tbgen.position.solving import PositionSolver
from tbgen.rules.points import Scoring
from tests.position.test_solving import PIECES, Folder, folder_of

__all__ = ["folder_of"]

FENS = (
    ("8/1P6/8/4k3/8/8/4p3/2K5 w - - 0 1", "-G9.5"),
    ("8/6P1/8/1k6/8/8/p7/4K3 w - - 0 1", "-G7.5"),
    ("7k/P7/8/8/8/1K6/7p/8 b - - 0 1", "G5.0"),
)


@pytest.mark.slow
def test_classes_make_bounds_closer_and_never_wrong(folder_of: Folder) -> None:
    folder, answers = folder_of(*PIECES, "KPvK"), list[list[Solution]]()
    for budget, prepares in ((1, False), (100, False), (1, True)):
        with PositionSolver(folder, budget=budget) as solver:
            if prepares:
                solver.prepare(Material.parse("KPvKP"))
                assert solver.preparation(Material.parse("KPvKP")).nodes == 0
            answers.append([solver.solve(*each) for each in FENS])
    widths = [0.0, 0.0]
    for wide, exact, close in zip(*answers, strict=True):
        assert exact.bracket.lower <= exact.bracket.upper
        for near, far in ((close, wide), (exact, close), (exact, wide)):
            assert far.bracket.lower <= near.bracket.lower <= near.bracket.upper <= far.bracket.upper, near.fen
            for move in near.moves:
                (other,) = (each.bracket for each in far.moves if each.move == move.move)
                assert other.lower <= move.bracket.lower <= move.bracket.upper <= other.upper, (near.fen, move.san)
        for n, each in enumerate((wide, close)):
            least, most = (float(Scoring().points(end)[0]) for end in (each.bracket.lower, each.bracket.upper))
            widths[n] += most - least
    assert widths[1] < widths[0]


def test_classes_that_cannot_be_made_are_refused(folder_of: Folder) -> None:
    with PositionSolver(folder_of("KvK")) as solver:
        with pytest.raises(ClosureTooLargeError, match="no promotion"):
            solver.preparation(Material.parse("KPvK"))
        with pytest.raises(MissingTableError, match="tbgen build"):
            solver.preparation(Material.parse("KRPvKRP"))
