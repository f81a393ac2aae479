"""Helper: solves runs of blocks of a table that another process makes.

What captures lead to is read once and shared by its threads. Each of them has a place for the planes that its run asks
for, which are sent with it, and reads what the run's promotions lead to from the children.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np

from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.drive.hand_out import Needed
from tbgen.retro.drive.run_solver import RunSolver, SolvedRun, en_passant_of, most_run_blocks
from tbgen.retro.resets.children import Supply
from tbgen.retro.resets.family import NOT_HERE, Family, empty_family, kinship_of
from tbgen.score import Mobility
from tbgen.table import Child


def most_planes_sent(layout: Layout) -> int:
    """The most planes of the table itself that a run asks for: a pawn's single and its double step, of each block."""
    return 2 * layout.pawns * most_run_blocks(layout)


class _Place(NamedTuple):
    """What a thread has to itself."""

    family: Family
    """Its own `start` of planes and promotions; the rest is shared."""
    first: int
    """Where the planes that are sent begin."""


class Helper:
    """Solves as many runs at a time as there are threads."""

    def __init__(
        self, material: Material, children: Mapping[Material, Child], threads: int, pool: Executor, game: Mobility
    ) -> None:
        layout = layout_of(material)
        self.layout, most = layout, most_planes_sent(layout)
        self.half = layout.block_words * 64
        self.solver = RunSolver(layout, game)
        self.supply = Supply(kinship_of(layout), children, pool, threads * most)
        family = self.supply.with_captures(empty_family(self.supply.kinship))
        self._idle = [_Place(_own_starts(family), number * most * self.half) for number in range(threads)]

    def solve(self, needed: Needed) -> SolvedRun:
        """Solve a run of blocks."""
        place = self._idle.pop()
        try:
            self._enter(place, needed)
            family = self.supply.with_promotions(place.family, range(*needed.blocks))
            return self.solver.solve(family, needed.blocks)
        finally:
            self._idle.append(place)

    def _enter(self, place: _Place, needed: Needed) -> None:
        """Put what was sent where kernels look for it."""
        planes, cells = place.family.planes, len(needed.entry)
        planes.start[: 2 * len(self.layout.blocks)] = NOT_HERE
        planes.start[needed.planes] = place.first + np.arange(len(needed.planes)) * self.half
        planes.entry[place.first : place.first + cells] = needed.entry
        planes.dtg[place.first : place.first + cells] = needed.dtg
        start = 0
        for block in np.unique(needed.planes >> 1).tolist():
            entry, dtg = en_passant_of(place.family.en_passant, (block, block + 1), 2 * self.half)
            entry[:], dtg[:] = (column[start : start + len(entry)] for column in needed.en_passant)
            start += len(entry)


def _own_starts(family: Family) -> Family:
    """The same family with arrays of its own that say where values begin."""
    planes = family.planes._replace(start=family.planes.start.copy())
    return family._replace(planes=planes, promotions=family.promotions._replace(start=family.promotions.start.copy()))
