"""Whole closures, cell by cell, against the reference and against tables."""

from pathlib import Path
from typing import Any

import chess
import numpy as np
import numpy.typing as npt
import pytest

from tbgen.closures.bounds import Bound
from tbgen.closures.children import BOTH_SIDES, ClosureReader
from tbgen.closures.closure import Closure
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import RootNode, node_of
from tbgen.closures.policy import Way
from tbgen.closures.reading import Plane
from tbgen.closures.store import BlockStore
from tbgen.material import Material
from tests.closures.made_up import BoundedExcerpt, MadeUpTables, values_of

CLOSURES = {
    "a pawn may be taken en passant": ("KPPvKP", "c3 d2 c4", Bound.UPPER),
    "six men, and both sides promote": ("KPPvKPP", "a6 c7 a7 c2", Bound.LOWER),
    "nine men": ("KPPPPvKPPP", "a4 d7 f2 g2 a5 f4 g5", Bound.UPPER),
}


DEAR = ("six men, and both sides promote", "nine men")
"""`test_truth` compares promotions of both sides with the reference in the ordinary suite."""


@pytest.mark.parametrize(
    ("name", "squares", "bound"),
    [
        pytest.param(*closure, id=title, marks=[pytest.mark.slow] if title in DEAR else [])
        for title, closure in CLOSURES.items()
    ],
)
def test_every_position_of_a_closure_has_the_value_of_the_reference(
    tmp_path: Path, name: str, squares: str, bound: Bound
) -> None:
    material = Material.parse(name)
    root = node_of(material, [chess.parse_square(square) for square in squares.split()])
    closure = Closure(MadeUpTables(material.men), Way(0, 0, 0))
    assert len(closure.add(RootNode(root)).bounds) == 2
    blocks = ClosureSolver(closure, BlockStore(tmp_path / "solved"))
    blocks.solve_all(2, SolvePace())
    assert all(blocks.is_solved(block) for block in closure.blocks.values())
    nodes = [node for node in closure.blocks if node.material == material]
    excerpt = BoundedExcerpt(name, [node.pawns for node in nodes], bound)
    compared = 0
    for node in nodes:
        here, there = values_of(
            excerpt, node, [blocks.plane(Plane(node, side, bound)) for side in range(2)]
        )
        compared += len(here)
        np.testing.assert_array_equal(here, there, str(node))
    assert compared > 4000 * len(nodes)


def test_all_that_a_block_leads_to_lies_in_arrays_that_the_caller_has_made(tmp_path: Path) -> None:
    """The caller puts large arrays into files. numpy would make longer copies of them in memory."""
    material = Material.parse("KPvKP")
    root = node_of(material, [chess.A7, chess.H2])
    closure = Closure(MadeUpTables(material.men), Way(0, 0, 0))
    block = closure.add(RootNode(root))
    made = list[npt.NDArray[Any]]()

    def new(size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        made.append(np.zeros(size, kind))
        return made[-1]

    blocks = ClosureSolver(closure, BlockStore(tmp_path / "solved"))
    reader = ClosureReader([block], blocks, [Bound.UPPER], new, new)
    (tables,) = reader.read([reader.number_of(root)], BOTH_SIDES)
    for entry in (tables.planes.entry, tables.promotions.entry):
        assert entry.any()
        assert any(entry is array for array in made)
