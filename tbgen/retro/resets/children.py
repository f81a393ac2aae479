"""Children: the values that the blocks of a wave need, read into memory.

Tables that captures lead to are read once and held whole. Of those that promotions lead to, and of the blocks of the
table itself, a wave holds what its own blocks can reach, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Protocol

import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.handover import Box, Distances, Entries
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.retro.resets.family import NOT_HERE, Family, Kinship, Planes, Promotions
from tbgen.retro.resets.promotions import BoxValues, Gathered, Gathering, Promoter, gather_promotions
from tbgen.retro.words.block import enter_block, new_block
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.primary import clear_blanks
from tbgen.score import Color
from tbgen.table import Child


class SolvedValues(Protocol):
    """Where the blocks of the table itself are found once they are solved."""

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        """Entry values and distances of cells first to end; not to be changed."""


class Supply:
    """Brings values to hand, wave by wave."""

    def __init__(
        self, kinship: Kinship, children: Mapping[Material, Child], pool: Executor, room: int | None = None
    ) -> None:
        """There is room for so many planes of the table itself, or for the most that any wave asks for."""
        self.kinship, self.children, self.pool = kinship, children, pool
        self.layout = kinship.layouts[0]
        self.half = self.layout.block_words * 64
        self.own = own_planes(self.layout)
        self.room = most_own_planes(self.layout, self.own) if room is None else room
        self.promoter = Promoter(kinship)

    def with_captures(self, family: Family) -> Family:
        """The family with all that captures lead to, and room for planes of the table itself."""
        tables, layouts = self.kinship.captures, self.kinship.layouts
        starts = np.cumsum([self.room * self.half, *[layouts[table].cells for table in tables]])
        planes = Planes(family.planes.start, np.zeros(starts[-1], np.int8), np.zeros(starts[-1], np.uint16))
        for table, start in zip(tables, starts.tolist(), strict=False):
            layout, plane = layouts[table], int(family.shapes.plane_start[table])
            here = slice(start, start + layout.cells)
            values = self.children[layout.material].values()
            planes.entry[here], planes.dtg[here] = values.entry, values.dtg
            clear_table(layout, planes.entry[here], self.pool)
            steps = np.arange(2 * len(layout.blocks)) * layout.block_words * 64
            planes.start[plane : plane + len(steps)] = start + steps
        return family._replace(planes=planes)

    def with_wave(self, family: Family, blocks: Sequence[int], solved: SolvedValues) -> Family:
        """The family with all that some blocks of a wave ask for."""
        self._bring_own(family.planes, blocks, solved)
        return self.with_promotions(family, blocks)

    def with_promotions(self, family: Family, blocks: Sequence[int]) -> Family:
        """The family with what the promotions of some blocks lead to."""
        return family._replace(promotions=self._promotions(family.promotions.start, blocks))

    def _bring_own(self, planes: Planes, blocks: Sequence[int], solved: SolvedValues) -> None:
        """Bring planes of the table itself to hand, in the places of those that nobody asks for any more."""
        wanted = wanted_planes(self.own, blocks)
        mine = planes.start[: 2 * len(self.layout.blocks)]
        kept = {plane: int(mine[plane]) for plane in wanted if mine[plane] != NOT_HERE}
        free = sorted(set(range(0, self.room * self.half, self.half)) - set(kept.values()))
        mine[:] = NOT_HERE
        for plane in wanted:
            mine[plane] = kept[plane] if plane in kept else free.pop(0)

        def bring(plane: int) -> None:
            there, here = plane * self.half, slice(mine[plane], mine[plane] + self.half)
            planes.entry[here], planes.dtg[here] = solved.values(there, there + self.half)

        list(self.pool.map(bring, [plane for plane in wanted if plane not in kept]))

    def _promotions(self, start: Ints, blocks: Sequence[int]) -> Promotions:
        """What the promotions of some blocks lead to."""
        start[:] = NOT_HERE
        asked, cells = self.promoter.gatherings(blocks, start)
        promotions = Promotions(start, np.zeros(cells, np.int8), np.zeros(cells, np.uint16))
        jobs = [(gathering, box) for gathering in asked for box in self._boxes(gathering)]
        list(self.pool.map(lambda job: self._take(job[0], job[1], promotions), jobs))
        return promotions

    def _boxes(self, gathering: Gathering) -> Sequence[Box]:
        child = self.children[self.kinship.layouts[gathering.table].material]
        return child.boxes(gathering.block, gathering.side)

    def _take(self, gathering: Gathering, box: Box, promotions: Promotions) -> None:
        """Take from a box what is asked for; it is not read if that is nothing."""
        ways, targets = self.promoter.ways[gathering.table], np.array(gathering.targets, np.int64)
        axis, square = ways.axis[targets[:, 0]], targets[:, 1]
        targets = targets[(square >= box.first[axis]) & (square < box.first[axis] + box.size[axis])]
        if len(targets):
            there, axes = BoxValues(*box.read(), box.first, box.size, box.stride), len(box.first)
            digits, images = np.zeros(axes, np.int64), np.zeros(axes, np.int64)
            here = Gathered(promotions.entry, promotions.dtg, digits, images)
            gather_promotions(there, ways, gathering.how, targets, here)


def own_planes(layout: Layout) -> Ints:
    """[block, step] -> the plane of the table itself that a pawn's single or double step leads to, or NOT_HERE."""
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    powers = 64 ** np.arange(layout.pawns - 1, -1, -1, dtype=np.int64)
    columns = [np.full(len(pawns), NOT_HERE, np.int64)]
    for pawn, steps in ((pawn, steps) for pawn in range(layout.pawns) for steps in (1, 2)):
        color = layout.slots[pawn][0]
        up, home = (8, 1) if color is Color.WHITE else (-8, 6)
        to = pawns[:, pawn] + steps * up
        may = (to >= 8) & (to < 56) & ((steps == 1) | (pawns[:, pawn] >> 3 == home))
        moved = pawns.copy()
        moved[:, pawn] = np.where(may, to, 8)
        address = layout.addresses[moved @ powers].astype(np.int64)
        columns.append(np.where(may & (address >= 0), (address >> 2) * 2 + color.other, NOT_HERE))
    return np.stack(columns, axis=1)


def wanted_planes(own: Ints, blocks: Sequence[int]) -> list[int]:
    """The planes of the table itself that some blocks ask for."""
    planes = np.unique(own[blocks])
    return [int(plane) for plane in planes if plane != NOT_HERE]


def most_own_planes(layout: Layout, own: Ints) -> int:
    """The most that any wave asks for."""
    waves = zip(layout.waves, layout.waves[1:], strict=False)
    return max(len(wanted_planes(own, range(first, end))) for first, end in waves)


def clear_table(layout: Layout, entry: Entries, pool: Executor) -> None:
    """Let only cells that hold a position, and the primary one of each, keep their entry values."""
    geometry, size = geometry_of(layout), layout.block_words * 128
    step = -(-len(layout.blocks) // 16)

    def clear(first: int) -> None:
        block = new_block(geometry)
        for number, pawns in enumerate(layout.blocks[first : first + step], first):
            enter_block(block, number, np.array(pawns, np.int64))
            clear_blanks(block, layout.is_own_mirror(pawns), entry[number * size : (number + 1) * size])

    list(pool.map(clear, range(0, len(layout.blocks), step)))
