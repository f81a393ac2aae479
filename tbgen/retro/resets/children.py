"""Children: the values that the blocks of a wave need, read into memory.

Tables that captures lead to are read once and held whole. Of those that promotions lead to, and of
the blocks of the table itself, a wave holds what its own blocks can reach, and no more. What plain
promotions lead to is copied from the child's cells to where the block's own cells will look for it.

Three arrays hold the values, and each has a `start` that says where the cells begin (`AtHand`). A
*half* is the cells of one block with one side to move, as many as a plane of the table itself has.

    planes      | own plane | own plane | free half | ... | KRvK, all planes | KPvK, all planes |
                  halves, which waves share                 captures, read once
    promotions  | block 7, pawn 0, queen | block 7, pawn 0, rook | block 8, pawn 0, queen | ...
                  halves, new for each wave
    en passant  | block 3, White to move, file d | block 4, Black to move, file e | ...
                  halves, filled as their blocks are solved
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.index.layout import Layout
from tbgen.index.placements import HOW_BITS
from tbgen.index.resets import NO_SLOT
from tbgen.material import Material
from tbgen.retro.resets.destinations import (
    NOT_HERE,
    AtHand,
    ChildLayouts,
    ChildTables,
    empty_child_tables,
    new_at_hand,
)
from tbgen.retro.resets.promotions import (
    ROUTE,
    SQUARE,
    PlaneRequest,
    PromotionReader,
    Target,
    copy_box,
)
from tbgen.score import Color
from tbgen.table import Box, Child, Distances, Entries

ValuesSource = Callable[[int, int], tuple[Entries, Distances]]
"""Entry values and distances of cells of the table itself, from a first one to before another.

They are not to be changed.
"""


CELLS_READ_AT_ONCE = 1 << 22
"""Small planes of a child are read together, about so many cells at a time."""


def hold_planes(start: Ints, halves: range, wanted: Sequence[int]) -> list[int]:
    """Keep room for these planes and no others; the planes among them that are to be read.

    `start` is [plane] -> its first cell or NOT_HERE, and is kept up to date. `halves` are the first
    cells of the halves of memory that planes of the table itself take turns in.
    """
    kept = {plane: int(start[plane]) for plane in wanted if start[plane] != NOT_HERE}
    new = [plane for plane in wanted if plane not in kept]
    free = sorted(set(halves) - set(kept.values()))
    start[:] = NOT_HERE
    for plane, first in kept.items():
        start[plane] = first
    for plane, first in zip(new, free, strict=False):
        start[plane] = first
    return new


class ChildReader:
    """Brings values to hand, wave by wave: `tables` has what the blocks of the last wave need."""

    def __init__(
        self,
        child_layouts: ChildLayouts,
        children: Mapping[Material, Child],
        pool: Executor,
        *,
        plies: bool = True,
    ) -> None:
        """Without `plies`, no distances are read, which saves two thirds of the memory."""
        self.plies = plies
        self.child_layouts = child_layouts
        self.children = children
        self.pool = pool
        self.layout = child_layouts.layouts[0]
        self.half = self.layout.block_words * 64
        self.own = own_planes(self.layout)
        waves = [range(*wave) for wave in itertools.pairwise(self.layout.waves)]
        most_planes = max(len(self._own_planes(wave)) for wave in waves)
        self.halves = range(0, most_planes * self.half, self.half)
        """The first cells of the halves that planes of the table itself take turns in."""
        self.tables = empty_child_tables(child_layouts, plies=plies)
        self.promotion_reader = PromotionReader(child_layouts)

    @property
    def readings(self) -> Sequence[ChildTables]:
        """What is at hand, for the only round."""
        return (self.tables,)

    def rounds_of(self, _block: int) -> Sequence[int]:
        return (0,)

    def _own_planes(self, blocks: Sequence[int]) -> list[int]:
        """The planes of the table itself that some blocks ask for."""
        wanted: list[int] = np.setdiff1d(self.own[blocks], NOT_HERE).tolist()
        return wanted

    def read_captures(self) -> None:
        """Read all that captures lead to, and make room for planes of the table itself."""
        layouts, resets = self.child_layouts
        captures = [reset.material for reset in resets if reset.gone != NO_SLOT]
        tables = sorted({self.child_layouts.number_of(material) for material in captures})
        start = self.halves.stop
        cells = start + sum(layouts[table].cells for table in tables)
        planes = self._room(self.tables.planes.start, cells)
        jobs = list[tuple[Child, range, int]]()
        for table in tables:
            layout = layouts[table]
            plane_cells = layout.block_words * 64
            numbers = range(2 * len(layout.blocks))
            first_plane = int(self.tables.shapes.plane_start[table])
            starts = start + np.array(numbers) * plane_cells
            planes.start[first_plane : first_plane + len(numbers)] = starts
            at_once = max(1, CELLS_READ_AT_ONCE // plane_cells)
            for first in range(0, len(numbers), at_once):
                some = numbers[first : first + at_once]
                jobs.append((self.children[layout.material], some, int(starts[first])))
            start += layout.cells

        def read(job: tuple[Child, range, int]) -> None:
            child, numbers, start = job
            put_values(planes, start, child.planes(numbers.start, numbers.stop))

        list(self.pool.map(read, jobs))
        self.tables = self.tables._replace(planes=planes)

    def _room(self, start: Ints, cells: int) -> AtHand:
        """Room for the values of so many cells."""
        return new_at_hand(start, cells, plies=self.plies)

    def read_wave(self, blocks: Sequence[int], solved: ValuesSource) -> None:
        """Read all that some blocks of a wave ask for.

        Planes of the table itself replace those that nobody asks for any more.
        """
        planes = self.tables.planes
        own_starts = planes.start[: 2 * len(self.layout.blocks)]
        new = hold_planes(own_starts, self.halves, self._own_planes(blocks))

        def read(plane: int) -> None:
            values = solved(plane * self.half, (plane + 1) * self.half)
            put_values(planes, int(planes.start[plane]), values)

        list(self.pool.map(read, new))
        self.tables = self.tables._replace(promotions=self._promotions(blocks))

    def _promotions(self, blocks: Sequence[int]) -> AtHand:
        """What the promotions of some blocks lead to."""
        start = self.tables.promotions.start
        start[:] = NOT_HERE
        requests, cells = self.promotion_reader.requests(blocks, start)
        promotions = self._room(start, cells)

        def read(job: tuple[PlaneRequest, Box]) -> None:
            request, box = job
            self._take(request, box, requests[request], promotions)

        jobs = list[tuple[PlaneRequest, Box]]()
        for request in requests:
            child = self.children[self.child_layouts.layouts[request.table].material]
            jobs += [(request, box) for box in child.boxes(request.block, request.side)]
        list(self.pool.map(read, jobs))
        return promotions

    def _take(
        self, request: PlaneRequest, box: Box, asked: Sequence[Target], promotions: AtHand
    ) -> None:
        """Take from a box what is asked for; it is not read if that is nothing."""
        routes = self.promotion_reader.routes[request.table]
        targets = np.array(asked, np.int64)
        axis = routes.axis[targets[:, ROUTE]]
        digit = targets[:, SQUARE] - box.first[axis]
        targets = targets[(digit >= 0) & (digit < box.size[axis])]
        if len(targets):
            copy_box(box, routes, request.how, targets, promotions)


def put_values(at_hand: AtHand, start: int, values: tuple[Entries, Distances]) -> None:
    """Put the values of some cells to where they are at hand, and distances only if these count."""
    entry, dtg = values
    here = slice(start, start + len(entry))
    at_hand.entry[here] = entry
    if len(at_hand.dtg):
        at_hand.dtg[here] = dtg


def own_planes(layout: Layout) -> Ints:
    """[block, step] -> the plane of the table itself that a pawn's step leads to, or NOT_HERE.

    Each pawn has a single and a double step. The first column is NOT_HERE, as for no pawn.
    """
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    planes = [np.full(len(pawns), NOT_HERE, np.int64)]
    for pawn in range(layout.pawns):
        planes.append(_planes_after(layout, pawns, pawn, 1))
        planes.append(_planes_after(layout, pawns, pawn, 2))
    return np.stack(planes, axis=1)


def _planes_after(layout: Layout, pawns: Ints, pawn: int, steps: int) -> Ints:
    """[block] -> the plane of the table itself that one step leads to, or NOT_HERE."""
    color = layout.slots[pawn][0]
    up = 8 if color is Color.WHITE else -8
    home_rank = 1 if color is Color.WHITE else 6
    to = pawns[:, pawn] + steps * up
    may_step = (to >= 8) & (to < 56)
    if steps == 2:
        may_step &= pawns[:, pawn] >> 3 == home_rank
    moved = pawns.copy()
    moved[:, pawn] = np.where(may_step, to, 8)
    addresses = layout.addresses_of(moved)
    planes = (addresses >> HOW_BITS) * 2 + int(color.other)
    return np.where(may_step & (addresses >= 0), planes, NOT_HERE)
