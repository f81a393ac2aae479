"""Closures of small pawn endings, every position of them against the reference."""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.closures.bounds import UNKNOWN, Bound
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import Node, node_of
from tbgen.closures.reading import Plane
from tbgen.closures.store import BlockStore
from tbgen.index.outcomes import ranks_of
from tbgen.material import Material
from tests.closures.endings import MOTIFS, Ending, endings
from tests.closures.reference_closure import ReferenceClosure, always, drawn

SEED = 101
ENDINGS = 300
SAMPLE = (1, 3, 4, 6, 9)
"""Endings of the ordinary suite: of the slow one's first ten, those that take least."""
LEAST_OF_A_KIND = 30


def node(name: str, squares: str) -> Node:
    """A placement by the names of squares, White's pawns first."""
    return node_of(Material.parse(name), [chess.parse_square(square) for square in squares.split()])


WITH_PIECES = [
    Ending(node("KPPvKNP", "c6 b7 c7"), 5, ("promotions with capture",)),
    Ending(node("KBPvKPP", "e5 e6 d2"), 5, ("promotions of Black with capture",)),
]


def mistakes(ending: Ending, folder: Path) -> tuple[int, list[str]]:
    """How many positions were compared, and the blocks in which some are wrong.

    Each bound is compared with the reference. Whatever unsolved promotions are worth, the value
    lies between both bounds.
    """
    closure = ending.closure()
    blocks = ClosureSolver(closure, BlockStore(folder))
    blocks.solve_all(1, SolvePace())
    men = ending.most_made_up_men
    bounds = [ReferenceClosure(closure.blocks, men, always(UNKNOWN[bound])) for bound in Bound]
    truth = ReferenceClosure(closure.blocks, men, drawn(SEED))
    compared = 0
    found = list[str]()
    for placed in closure.blocks:
        worths = list[np.ndarray]()
        for bound in Bound:
            planes = [blocks.plane(Plane(placed, side, bound)) for side in range(2)]
            here, there = bounds[bound].values_of(placed, planes)
            if not np.array_equal(here, there):
                found.append(f"{ending}: {placed} has a wrong bound, {bound.name}")
            worths.append(ranks_of(here))
        _, value = truth.values_of(placed, planes)
        worth = ranks_of(value)
        is_outside = (worths[Bound.LOWER] > worth) | (worth > worths[Bound.UPPER])
        if is_outside.any():
            found.append(f"{ending}: {placed} excludes a value")
        compared += len(value)
    return compared, found


@cache
def sample() -> list[Ending]:
    return [*endings(random.Random(SEED), max(SAMPLE) + 1)]


@pytest.mark.parametrize("number", SAMPLE)
def test_a_closure_has_the_values_of_the_reference(tmp_path: Path, number: int) -> None:
    compared, found = mistakes(sample()[number], tmp_path)
    assert found == []
    assert compared > 0


@pytest.mark.slow
def test_closures_of_three_hundred_endings_have_the_values_of_the_reference(
    tmp_path: Path,
) -> None:
    kinds = Counter[str]()
    for number, ending in enumerate(endings(random.Random(SEED), ENDINGS)):
        compared, found = mistakes(ending, tmp_path / str(number))
        assert found == []
        assert compared > 0
        kinds.update(set(ending.motifs))
    assert min(kinds[motif.__name__] for motif in MOTIFS) >= LEAST_OF_A_KIND


@pytest.mark.slow
@pytest.mark.parametrize("ending", WITH_PIECES, ids=str)
def test_promotions_with_capture_have_the_values_of_the_reference(
    tmp_path: Path, ending: Ending
) -> None:
    compared, found = mistakes(ending, tmp_path)
    assert found == []
    assert compared > 0
