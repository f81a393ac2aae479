"""Children: the values that the blocks of a wave need, read into memory.

Tables that captures lead to are read once and held whole. Of those that promotions lead to, and of the blocks of the
table itself, a wave holds what its own blocks can reach, and no more. What plain promotions lead to is copied from the
child's cells to where the block's own cells will look for it.

A *route* says how: one promotion, one symmetry, one assignment of equal men. In KRPvK the pawn on e7 becomes a queen on
e8, and the value lies in KQRvK. There the white king stands in the triangle a1-d1-d4, so the board may have been turned
by any of eight symmetries: eight routes. On each, the digit of every man there (the index of its square on its axis)
adds a fixed number to the cell here: the square, turned back, times the stride of the man's axis in KRPvK. The queen
adds nothing, since the pawn is no axis. Only cells there that have the queen on e8, as that symmetry turns it, are
read.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Shorts, SignedBytes, Word
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.index.handover import Box, Child, Distances, Entries
from tbgen.index.kernels import are_in_order, beside_image, primary_black_kings
from tbgen.index.layout import HOW_BITS, HOW_MASK, INTO_TRIANGLE, Layout
from tbgen.index.squares import FLIP_FILE, INVERSE, SYMMETRY, TRIANGLE
from tbgen.index.words import NOTHING, ONE
from tbgen.material import Material
from tbgen.retro.resets.destinations import (
    NOT_HERE,
    AtHand,
    ChildLayouts,
    ChildTables,
    Reset,
    first_twins,
)
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color

EITHER_WAY, EVERY_SYMMETRY = (0, FLIP_FILE), tuple(range(8))
BOARDS_OF_CELL = ((0,), (FLIP_FILE,), EITHER_WAY, EVERY_SYMMETRY)
"""[how the board is turned] -> by which symmetries boards may have come to a cell."""


@by_address
class Routes(NamedTuple):
    """All routes from one child: where its cells go in the blocks whose promotions lead to it."""

    adds: Ints
    """[route, axis, digit there] -> what it adds to the cell here."""
    axis: Ints
    """[route] -> the axis of the new man."""
    sign: Ints
    """[route] -> -1 where the colours change sides, else 1."""
    twin_start: Ints
    """[axis] -> the first axis of its group of equal men, in the child."""


class PlaneRequest(NamedTuple):
    """What is to be read from one plane of a child."""

    table: int
    block: int
    side: Color
    how: int
    """How boards are turned that come there, see index/layout.py."""


Targets = dict[PlaneRequest, list[tuple[int, int, int]]]
"""[request] -> route, square of the new man in the child, and where the cells begin that it is read for."""


class PromotionReader:
    """Knows for every block what its promotions ask of the children."""

    def __init__(self, child_layouts: ChildLayouts) -> None:
        self.child_layouts = child_layouts
        self.layout = child_layouts.layouts[0]
        self.resets = [
            reset
            for reset in child_layouts.resets
            if reset.promoted != NO_SLOT and reset.gone == NO_SLOT
        ]
        self.routes_of: dict[Reset, list[tuple[int, int]]] = {reset: [] for reset in self.resets}
        """[reset] -> its routes, and the symmetry of each."""
        self.tables = {reset: child_layouts.number_of(reset.material) for reset in self.resets}
        self.routes = {number: self._routes(number) for number in set(self.tables.values())}

    def _routes(self, table: int) -> Routes:
        """All routes from one child, and which of them belong to a reset and a symmetry."""
        child = self.child_layouts.layouts[table]
        routes = [
            (reset, symmetry, new, slots)
            for reset in self.resets
            if self.tables[reset] == table
            for symmetry in (EITHER_WAY if child.pawns else EVERY_SYMMETRY)
            for new, slots in _assignments(child, reset)
        ]
        for number, (reset, symmetry, _, _) in enumerate(routes):
            self.routes_of[reset].append((number, symmetry))
        return Routes(
            adds=np.stack(
                [self._adds(child, reset, symmetry, slots) for reset, symmetry, _, slots in routes]
            ),
            axis=np.array([new for _, _, new, _ in routes], np.int64),
            sign=np.array([-1 if reset.flip else 1 for reset, *_ in routes], np.int64),
            twin_start=first_twins(child)[child.pawns :] - child.pawns,
        )

    def _adds(self, child: Layout, reset: Reset, symmetry: int, slots: Sequence[int]) -> Ints:
        """[axis, digit there] -> what it adds to the cell here."""
        part, last = np.zeros((len(slots), 64), np.int64), len(self.layout.slots) - 1
        for axis, slot in enumerate(slots):
            squares = np.array(TRIANGLE if axis == 0 and not child.pawns else range(64), np.int64)
            if slot != reset.promoted:
                part[axis, : len(squares)] = (SYMMETRY[symmetry, squares] ^ (56 * reset.flip)) << (
                    6 * (last - slot)
                )
        return part

    def requests(self, blocks: Sequence[int], start: Ints) -> tuple[Targets, int]:
        """All that some blocks ask for, and how many cells it fills; start[block, pawn, role] is its first cell."""
        found, cells = Targets(), 0
        for reset in self.resets:
            up = 8 if self.layout.slots[reset.promoted][0] is Color.WHITE else -8
            for number in blocks:
                pawns = self.layout.blocks[number]
                to = pawns[reset.promoted] + up
                if not 8 <= to < 56:
                    start[number, reset.promoted, int(reset.role)] = cells
                    self._ask(found, reset, pawns, to, cells)
                    cells += self.layout.block_words * 64
        return found, cells

    def _ask(self, found: Targets, reset: Reset, pawns: Sequence[int], to: int, start: int) -> None:
        """Ask for what one pawn of one block can become."""
        table, flip = self.tables[reset], 56 * reset.flip
        child, color = self.child_layouts.layouts[table], self.layout.slots[reset.promoted][0]
        address = child.address_of([pawns[slot] ^ flip for slot in reset.slots[: child.pawns]])
        how, side = address & HOW_MASK, color if reset.flip else color.other
        targets = found.setdefault(PlaneRequest(table, address >> HOW_BITS, side, how), [])
        for route, symmetry in self.routes_of[reset]:
            if symmetry in BOARDS_OF_CELL[how]:
                targets.append((route, int(SYMMETRY[INVERSE[symmetry], to ^ flip]), start))


def _assignments(child: Layout, reset: Reset) -> Iterator[tuple[int, list[int]]]:
    """The new man's axis, and [axis there] -> slot here; equal men in every order."""
    slots, kinds = reset.slots[child.pawns :], child.slots[child.pawns :]
    for order in itertools.permutations(range(len(slots))):
        if all(kinds[n] == kinds[other] for n, other in enumerate(order)):
            given = [slots[n] for n in order]
            yield given.index(reset.promoted), given


@by_address
class BoxValues(NamedTuple):
    """What a box of a child's plane holds: the cells of some squares of each man."""

    entry: SignedBytes
    """[sum of (digit - first digit) * stride over all axes]; distances too."""
    dtg: Shorts
    first: Ints
    """[axis] -> the first digit."""
    size: Ints
    """[axis] -> how many digits."""
    stride: Ints
    """[axis] -> cells between one digit and the next."""


# targets[n]: route, square of the new man in the child, first cell here. The loop runs over the child's cells, not over
# the block's, because a child's cell is unpacked once and asked for by many routes. digits, images: scratch space, the
# men of the cell at hand by axes, and their images in the long diagonal.
@borrowing
def copy_promotions(
    box: BoxValues,
    routes: Routes,
    how: Int,
    targets: Ints,
    promotions: AtHand,
    digits: Ints,
    images: Ints,
) -> None:
    """Copy the cells of a box to where they are asked for."""
    first, size, stride = box.first, box.size, box.stride
    for n in range(len(targets)):
        route, square = targets[n, 0], targets[n, 1]
        new = routes.axis[route]
        for axis in range(len(first)):
            digits[axis] = first[axis]
        digits[new] = square
        last, going = len(first) - 1, True
        while going:
            if are_in_order(digits, routes.twin_start, 1, last):
                compared = -1
                if how == INTO_TRIANGLE:
                    compared = beside_image(digits, routes.twin_start, 1, last, images)
                index, cell = 0, targets[n, 2]
                for axis in range(1, last):
                    index += (digits[axis] - first[axis]) * stride[axis]
                    cell += routes.adds[route, axis, digits[axis]]
                for king in range(first[0], first[0] + size[0]):
                    kings = primary_black_kings(
                        how, TRIANGLE[king] if how == INTO_TRIANGLE else king, compared
                    )
                    if kings != NOTHING:
                        start, here = (
                            index + (king - first[0]) * stride[0],
                            cell + routes.adds[route, 0, king],
                        )
                        _copy_word(box, routes, route, kings, start, here, promotions)
            going = _next_men(digits, first, size, new)


@inlined
def _copy_word(
    box: BoxValues,
    routes: Routes,
    route: Int,
    kings: Word,
    index: Int,
    cell: Int,
    promotions: AtHand,
) -> None:
    """Copy the primary cells of those that differ in the black king alone; `kings` are its squares in them."""
    last, sign = len(box.first) - 1, routes.sign[route]
    for king in range(box.first[last], box.first[last] + box.size[last]):
        if kings >> np.uint64(king) & ONE:
            promotions.entry[cell + routes.adds[route, last, king]] = sign * box.entry[index]
            if len(promotions.dtg):
                promotions.dtg[cell + routes.adds[route, last, king]] = box.dtg[index]
        index += box.stride[last]


@inlined
def _next_men(digits: Ints, first: Ints, size: Ints, fixed: Int) -> bool:
    """The next men between the kings of a box, one of them fixed; False after the last ones."""
    for axis in range(len(digits) - 2, 0, -1):
        if axis != fixed:
            digits[axis] += 1
            if digits[axis] < first[axis] + size[axis]:
                return True
            digits[axis] = first[axis]
    return False


def copy_box(box: Box, routes: Routes, how: int, targets: Ints, promotions: AtHand) -> None:
    """Read a box, and copy its cells to where they are asked for."""
    there, axes = BoxValues(*box.read(), box.first, box.size, box.stride), len(box.first)
    copy_promotions(
        there, routes, how, targets, promotions, np.zeros(axes, np.int64), np.zeros(axes, np.int64)
    )


ValuesSource = Callable[[int, int], tuple[Entries, Distances]]
"""Entry values and distances of cells from one to before another of the table itself; not to be changed."""


class ChildReader:
    """Brings values to hand, wave by wave."""

    def __init__(
        self, child_layouts: ChildLayouts, children: Mapping[Material, Child], pool: Executor
    ) -> None:
        self.child_layouts, self.children, self.pool = child_layouts, children, pool
        self.layout = child_layouts.layouts[0]
        self.half = self.layout.block_words * 64
        self.own = own_planes(self.layout)  # [block, step]
        self.room = max(
            len(self._own_planes(range(*wave))) for wave in itertools.pairwise(self.layout.waves)
        )
        """For so many planes of the table itself, the most that any wave asks for."""
        self.promotion_reader = PromotionReader(child_layouts)

    def _own_planes(self, blocks: Sequence[int]) -> list[int]:
        """The planes of the table itself that some blocks ask for."""
        wanted: list[int] = np.setdiff1d(self.own[blocks], NOT_HERE).tolist()
        return wanted

    def with_captures(self, at_hand: ChildTables) -> ChildTables:
        """The same with all that captures lead to, and room for planes of the table itself."""
        (layouts, resets), number_of = self.child_layouts, self.child_layouts.number_of
        tables = sorted({number_of(reset.material) for reset in resets if reset.gone != NO_SLOT})
        starts = np.cumsum([self.room * self.half, *[layouts[table].cells for table in tables]])
        planes = AtHand(
            at_hand.planes.start, np.zeros(starts[-1], np.int8), np.zeros(starts[-1], np.uint16)
        )
        for table, start in zip(tables, starts.tolist(), strict=False):
            layout, plane = layouts[table], int(at_hand.shapes.plane_start[table])
            here = slice(start, start + layout.cells)
            values = self.children[layout.material].values()
            planes.entry[here], planes.dtg[here] = values.entry, values.dtg
            steps = np.arange(2 * len(layout.blocks)) * layout.block_words * 64
            planes.start[plane : plane + len(steps)] = start + steps
        return at_hand._replace(planes=planes)

    def with_wave(
        self, at_hand: ChildTables, blocks: Sequence[int], solved: ValuesSource
    ) -> ChildTables:
        """The same with all that some blocks of a wave ask for.

        Planes of the table itself replace those that nobody asks for any more.
        """
        wanted, planes = self._own_planes(blocks), at_hand.planes
        mine = planes.start[: 2 * len(self.layout.blocks)]
        kept = {plane: int(mine[plane]) for plane in wanted if mine[plane] != NOT_HERE}
        free = sorted(set(range(0, self.room * self.half, self.half)) - set(kept.values()))
        mine[:] = NOT_HERE
        for plane in wanted:
            mine[plane] = kept[plane] if plane in kept else free.pop(0)

        def bring(plane: int) -> None:
            there, here = plane * self.half, slice(mine[plane], mine[plane] + self.half)
            planes.entry[here], planes.dtg[here] = solved(there, there + self.half)

        list(self.pool.map(bring, [plane for plane in wanted if plane not in kept]))
        return at_hand._replace(promotions=self._promotions(at_hand.promotions.start, blocks))

    def _promotions(self, start: Ints, blocks: Sequence[int]) -> AtHand:
        """What the promotions of some blocks lead to."""
        start[:] = NOT_HERE
        asked, cells = self.promotion_reader.requests(blocks, start)
        promotions = AtHand(start, np.zeros(cells, np.int8), np.zeros(cells, np.uint16))
        read = [self.children[layout.material].boxes for layout in self.child_layouts.layouts[1:]]
        jobs = [
            (each, box) for each in asked for box in read[each.table - 1](each.block, each.side)
        ]
        list(self.pool.map(lambda job: self._take(job[0], job[1], asked[job[0]], promotions), jobs))
        return promotions

    def _take(
        self,
        request: PlaneRequest,
        box: Box,
        asked: Sequence[tuple[int, int, int]],
        promotions: AtHand,
    ) -> None:
        """Take from a box what is asked for; it is not read if that is nothing."""
        routes, targets = self.promotion_reader.routes[request.table], np.array(asked, np.int64)
        axis, square = routes.axis[targets[:, 0]], targets[:, 1]
        targets = targets[(square >= box.first[axis]) & (square < box.first[axis] + box.size[axis])]
        if len(targets):
            copy_box(box, routes, request.how, targets, promotions)


def own_planes(layout: Layout) -> Ints:
    """[block, step] -> the plane of the table itself that a pawn's single or double step leads to, or NOT_HERE."""
    pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    columns = [np.full(len(pawns), NOT_HERE, np.int64)]
    for pawn, steps in ((pawn, steps) for pawn in range(layout.pawns) for steps in (1, 2)):
        color = layout.slots[pawn][0]
        up, home = (8, 1) if color is Color.WHITE else (-8, 6)
        to = pawns[:, pawn] + steps * up
        may = (to >= 8) & (to < 56) & ((steps == 1) | (pawns[:, pawn] >> 3 == home))
        moved = pawns.copy()
        moved[:, pawn] = np.where(may, to, 8)
        address = layout.addresses[layout.digits[range(layout.pawns), moved].sum(axis=1)].astype(
            np.int64
        )
        columns.append(
            np.where(may & (address >= 0), (address >> 2) * 2 + int(color.other), NOT_HERE)
        )
    return np.stack(columns, axis=1)
