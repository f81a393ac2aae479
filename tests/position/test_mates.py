"""Classes of mates, against whole solves."""

from __future__ import annotations

import pytest

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


def outside(near: Solution, far: Solution) -> list[str]:
    """Which brackets of an answer are not within those of another."""
    others = {each.san: each.bracket for each in far.moves} | {"": far.bracket}
    brackets = [(each.san, each.bracket) for each in near.moves] + [("", near.bracket)]
    return [
        f"{near.fen} {san}: {bracket} is not within {others[san]}"
        for san, bracket in brackets
        if not others[san].lower <= bracket.lower <= bracket.upper <= others[san].upper
    ]


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
            assert outside(near, far) == []
        for n, each in enumerate((wide, close)):
            least, most = (float(Scoring().points(end)[0]) for end in (each.bracket.lower, each.bracket.upper))
            widths[n] += most - least
    assert widths[1] < widths[0]
