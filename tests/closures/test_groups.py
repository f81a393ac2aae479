"""Blocks that are solved in a group, against the same blocks solved alone."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.closures.bounds import Bound
from tbgen.closures.closure import Closure, PlannedBlock
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import root_of
from tbgen.closures.policy import Way
from tbgen.closures.reading import ENTRY, RIGHTS
from tbgen.closures.store import BlockStore
from tbgen.material import Material
from tbgen.rules.position import own_score
from tbgen.storage.arrays import Array
from tests.closures.made_up import MadeUpTables
from tests.closures.test_store import items_of, lose

Kind = tuple[Bound, ...]
LOWER = (Bound.LOWER,)
"""The bound of an exact block, among others."""
UPPER = (Bound.UPPER,)
BOTH = (Bound.LOWER, Bound.UPPER)

BOUNDS_ALONE = Way(queen=0, knight=0, others=0)
WINS_OF_PROMOTERS = Way(queen=3, knight=2, others=2, keeps_pieces=True)
"""Each side's promotions are solved with its own bound."""


def values_of(store: BlockStore, name: str) -> list[Array]:
    """The values of a block, and those with a right to take en passant."""
    return [items_of(store, name, part) for part in (ENTRY, RIGHTS)]


@pytest.mark.parametrize(
    ("fen", "way", "men", "kinds"),
    [
        pytest.param(
            "6k1/8/8/3p4/8/3P4/p3P3/6K1 b - - 0 1",
            WINS_OF_PROMOTERS,
            5,
            {LOWER, UPPER},
            marks=pytest.mark.slow,
        ),
        ("6k1/8/8/3p4/8/3P4/4P3/6K1 w - - 0 1", BOUNDS_ALONE, 4, {LOWER, BOTH}),
    ],
    ids=["exact blocks and those with one bound", "exact blocks and those with both bounds"],
)
def test_a_mixed_group_has_the_values_of_blocks_that_are_solved_alone(
    tmp_path: Path, fen: str, way: Way, men: int, kinds: set[Kind]
) -> None:
    board = chess.Board(fen)
    closure = Closure(MadeUpTables(men), way)
    closure.add(root_of(board, own_score(board)))
    blocks = ClosureSolver(closure, BlockStore(tmp_path / "solved"))
    blocks.solve_all(2, SolvePace())
    groups = defaultdict[Material, list[PlannedBlock]](list)
    for block in closure.blocks.values():
        groups[block.node.material].append(block)
    rights = 0
    compared = 0
    for group in groups.values():
        if {tuple(block.bounds) for block in group} != kinds:
            continue
        for block in group:
            names = [block.name_with(bound) for bound in block.bounds]
            together = [values_of(blocks.store, name) for name in names]
            lose(blocks.store, names)
            ClosureSolver(closure, blocks.store).solve(block)
            for name, (entry, en_passant) in zip(names, together, strict=True):
                entry_alone, en_passant_alone = values_of(blocks.store, name)
                np.testing.assert_array_equal(entry_alone, entry)
                np.testing.assert_array_equal(en_passant_alone, en_passant)
                rights += int(np.count_nonzero(en_passant))
                compared += 1
    assert compared > 3
    assert rights > 0
