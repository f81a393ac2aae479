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

A *route* says how promotions are copied: one promotion, one symmetry, one assignment of equal men.
In KRPvK the pawn on e7 becomes a queen on e8, and the value lies in KQRvK. There the white king
stands in the triangle a1-d1-d4, so the board may have been turned by any of eight symmetries: eight
routes. On each, the digit of every man there (the index of its square on its axis) adds a fixed
number to the cell here: the square, turned back, times the stride of the man's axis in KRPvK. The
queen adds nothing, since the pawn is no axis. Only cells there that have the queen on e8, as that
symmetry turns it, are read.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Shorts, SignedBytes, Word
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.index.kernels import are_in_order, beside_image, primary_black_kings
from tbgen.index.layout import HOW_BITS, HOW_MASK, INTO_TRIANGLE, Layout
from tbgen.index.squares import FLIP_FILE, INVERSE, SYMMETRY, TRIANGLE
from tbgen.index.words import NOTHING, ONE
from tbgen.material import Material
from tbgen.retro.resets.destinations import (
    NOT_HERE,
    AtHand,
    ChildLayouts,
    Reset,
    empty_child_tables,
    first_twins,
    new_at_hand,
)
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color
from tbgen.table import Box, Child, Distances, Entries

EITHER_WAY = (0, FLIP_FILE)
EVERY_SYMMETRY = tuple(range(8))
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


class Target(NamedTuple):
    """Where cells of a plane are copied to."""

    route: int
    square: int
    """The square of the new man in the child."""
    start: int
    """Where the cells begin that it is read for."""


ROUTE, SQUARE, START = range(3)
"""The fields of a target, as kernels read them."""

Targets = dict[PlaneRequest, list[Target]]


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
        self.tables = {reset: child_layouts.number_of(reset.material) for reset in self.resets}
        self.routes_of: dict[Reset, list[tuple[int, int]]] = {reset: [] for reset in self.resets}
        """[reset] -> its routes, and the symmetry of each."""
        self.routes = {table: self._routes(table) for table in set(self.tables.values())}

    def _routes(self, table: int) -> Routes:
        """All routes from one child, and which of them belong to a reset and a symmetry."""
        child = self.child_layouts.layouts[table]
        symmetries = EITHER_WAY if child.pawns else EVERY_SYMMETRY
        adds = list[Ints]()
        axes = list[int]()
        signs = list[int]()
        for reset in self.resets:
            if self.tables[reset] != table:
                continue
            for symmetry in symmetries:
                for new, slots in _assignments(child, reset):
                    self.routes_of[reset].append((len(adds), symmetry))
                    adds.append(self._adds(child, reset, symmetry, slots))
                    axes.append(new)
                    signs.append(-1 if reset.flip else 1)
        return Routes(
            adds=np.stack(adds),
            axis=np.array(axes, np.int64),
            sign=np.array(signs, np.int64),
            twin_start=first_twins(child)[child.pawns :] - child.pawns,
        )

    def _adds(self, child: Layout, reset: Reset, symmetry: int, slots: Sequence[int]) -> Ints:
        """[axis, digit there] -> what it adds to the cell here."""
        adds = np.zeros((len(slots), 64), np.int64)
        last = len(self.layout.slots) - 1
        for axis, slot in enumerate(slots):
            if slot == reset.promoted:
                continue
            in_triangle = axis == 0 and not child.pawns
            squares = np.array(TRIANGLE if in_triangle else range(64), np.int64)
            here = SYMMETRY[symmetry, squares] ^ (56 * reset.flip)
            adds[axis, : len(squares)] = here << (6 * (last - slot))
        return adds

    def requests(self, blocks: Sequence[int], start: Ints) -> tuple[Targets, int]:
        """All that some blocks ask for, and how many cells it fills.

        start[block, pawn, role] becomes the first cell of each promotion.
        """
        requests = Targets()
        cells = 0
        for reset in self.resets:
            up = 8 if self.layout.slots[reset.promoted][0] is Color.WHITE else -8
            for number in blocks:
                pawns = self.layout.blocks[number]
                to = pawns[reset.promoted] + up
                if not 8 <= to < 56:
                    start[number, reset.promoted, int(reset.role)] = cells
                    self._ask(requests, reset, pawns, to, cells)
                    cells += self.layout.block_words * 64
        return requests, cells

    def _ask(
        self, requests: Targets, reset: Reset, pawns: Sequence[int], to: int, start: int
    ) -> None:
        """Ask for what one pawn of one block can become."""
        table = self.tables[reset]
        child = self.child_layouts.layouts[table]
        flip = 56 * reset.flip
        pawns_there = [pawns[slot] ^ flip for slot in reset.slots[: child.pawns]]
        address = child.address_of(pawns_there)
        how = address & HOW_MASK
        mover = self.layout.slots[reset.promoted][0]
        side = mover if reset.flip else mover.other
        request = PlaneRequest(table, address >> HOW_BITS, side, how)
        targets = requests.setdefault(request, [])
        for route, symmetry in self.routes_of[reset]:
            if symmetry in BOARDS_OF_CELL[how]:
                square = int(SYMMETRY[INVERSE[symmetry], to ^ flip])
                targets.append(Target(route, square, start))


def _assignments(child: Layout, reset: Reset) -> Iterator[tuple[int, list[int]]]:
    """The new man's axis, and [axis there] -> slot here; equal men in every order."""
    slots = reset.slots[child.pawns :]
    kinds = child.slots[child.pawns :]
    for order in itertools.permutations(range(len(slots))):
        if [kinds[axis] for axis in order] == list(kinds):
            slots_there = [slots[axis] for axis in order]
            yield slots_there.index(reset.promoted), slots_there


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


# targets[n, field]. The loop runs over the child's cells, not over the block's, because a child's
# cell is unpacked once and asked for by many routes. digits, images: scratch space, the men of the
# cell at hand by axes, and their images in the long diagonal.
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
    last = len(box.first) - 1
    for n in range(len(targets)):
        route = targets[n, ROUTE]
        new = routes.axis[route]
        for axis in range(len(box.first)):
            digits[axis] = box.first[axis]
        digits[new] = targets[n, SQUARE]
        has_more = True
        while has_more:
            if are_in_order(digits, routes.twin_start, 1, last):
                compared = -1
                if how == INTO_TRIANGLE:
                    compared = beside_image(digits, routes.twin_start, 1, last, images)
                there = np.int64(0)
                here = targets[n, START]
                for axis in range(1, last):
                    there += (digits[axis] - box.first[axis]) * box.stride[axis]
                    here += routes.adds[route, axis, digits[axis]]
                _copy_words(box, routes, route, how, compared, there, here, promotions)
            has_more = _next_men(digits, box.first, box.size, new)


@inlined
def _copy_words(
    box: BoxValues,
    routes: Routes,
    route: Int,
    how: Int,
    compared: Int,
    there: Int,
    here: Int,
    promotions: AtHand,
) -> None:
    """Copy the cells of all kings beside the same other men, word by word."""
    for king in range(box.first[0], box.first[0] + box.size[0]):
        square = TRIANGLE[king] if how == INTO_TRIANGLE else king
        kings = primary_black_kings(how, square, compared)
        if kings != NOTHING:
            index = there + (king - box.first[0]) * box.stride[0]
            cell = here + routes.adds[route, 0, king]
            _copy_word(box, routes, route, kings, index, cell, promotions)


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
    """Copy the primary cells that differ in the black king alone; `kings` are its squares there."""
    last = len(box.first) - 1
    sign = routes.sign[route]
    for king in range(box.first[last], box.first[last] + box.size[last]):
        if (kings >> np.uint64(king)) & ONE:
            here = cell + routes.adds[route, last, king]
            promotions.entry[here] = sign * box.entry[index]
            if len(promotions.dtg):
                promotions.dtg[here] = box.dtg[index]
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
    values = BoxValues(*box.read(), box.first, box.size, box.stride)
    digits = np.zeros(len(box.first), np.int64)
    images = np.zeros(len(box.first), np.int64)
    copy_promotions(values, routes, how, targets, promotions, digits, images)


ValuesSource = Callable[[int, int], tuple[Entries, Distances]]
"""Entry values and distances of cells of the table itself, from a first one to before another.

They are not to be changed.
"""


class PlaneSlots:
    """The halves of memory that planes of the table itself take turns in."""

    def __init__(self, start: Ints, half: int, halves: int) -> None:
        """`start` is [plane] -> its first cell or NOT_HERE, and is kept up to date."""
        self.start = start
        self.firsts = range(0, halves * half, half)

    def hold(self, wanted: Sequence[int]) -> list[int]:
        """Keep room for these planes and no others; the planes among them that are to be read."""
        kept = {plane: int(self.start[plane]) for plane in wanted if self.start[plane] != NOT_HERE}
        new = [plane for plane in wanted if plane not in kept]
        free = sorted(set(self.firsts) - set(kept.values()))
        self.start[:] = NOT_HERE
        for plane, first in kept.items():
            self.start[plane] = first
        for plane, first in zip(new, free, strict=False):
            self.start[plane] = first
        return new


class ChildReader:
    """Brings values to hand, wave by wave: `tables` has what the blocks of the last wave need."""

    def __init__(
        self, child_layouts: ChildLayouts, children: Mapping[Material, Child], pool: Executor
    ) -> None:
        self.child_layouts = child_layouts
        self.children = children
        self.pool = pool
        self.layout = child_layouts.layouts[0]
        self.half = self.layout.block_words * 64
        self.own = own_planes(self.layout)
        waves = [range(*wave) for wave in itertools.pairwise(self.layout.waves)]
        self.halves = max(len(self._own_planes(wave)) for wave in waves)
        """The most planes of the table itself that any wave asks for."""
        self.tables = empty_child_tables(child_layouts)
        own_starts = self.tables.planes.start[: 2 * len(self.layout.blocks)]
        self.plane_slots = PlaneSlots(own_starts, self.half, self.halves)
        self.promotion_reader = PromotionReader(child_layouts)

    def _own_planes(self, blocks: Sequence[int]) -> list[int]:
        """The planes of the table itself that some blocks ask for."""
        wanted: list[int] = np.setdiff1d(self.own[blocks], NOT_HERE).tolist()
        return wanted

    def read_captures(self) -> None:
        """Read all that captures lead to, and make room for planes of the table itself."""
        layouts, resets = self.child_layouts
        captures = [reset.material for reset in resets if reset.gone != NO_SLOT]
        tables = sorted({self.child_layouts.number_of(material) for material in captures})
        cells = self.halves * self.half + sum(layouts[table].cells for table in tables)
        planes = new_at_hand(self.tables.planes.start, cells)
        start = self.halves * self.half
        for table in tables:
            layout = layouts[table]
            values = self.children[layout.material].values()
            here = slice(start, start + layout.cells)
            planes.entry[here] = values.entry
            planes.dtg[here] = values.dtg
            steps = np.arange(2 * len(layout.blocks)) * layout.block_words * 64
            first_plane = int(self.tables.shapes.plane_start[table])
            planes.start[first_plane : first_plane + len(steps)] = start + steps
            start += layout.cells
        self.tables = self.tables._replace(planes=planes)

    def read_wave(self, blocks: Sequence[int], solved: ValuesSource) -> None:
        """Read all that some blocks of a wave ask for.

        Planes of the table itself replace those that nobody asks for any more.
        """
        planes = self.tables.planes
        new = self.plane_slots.hold(self._own_planes(blocks))

        def read(plane: int) -> None:
            first = int(planes.start[plane])
            here = slice(first, first + self.half)
            entry, dtg = solved(plane * self.half, (plane + 1) * self.half)
            planes.entry[here] = entry
            planes.dtg[here] = dtg

        list(self.pool.map(read, new))
        self.tables = self.tables._replace(promotions=self._promotions(blocks))

    def _promotions(self, blocks: Sequence[int]) -> AtHand:
        """What the promotions of some blocks lead to."""
        start = self.tables.promotions.start
        start[:] = NOT_HERE
        requests, cells = self.promotion_reader.requests(blocks, start)
        promotions = new_at_hand(start, cells)

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
    numbers = layout.digits[range(layout.pawns), moved].sum(axis=1)
    addresses = layout.addresses[numbers].astype(np.int64)
    planes = (addresses >> HOW_BITS) * 2 + int(color.other)
    return np.where(may_step & (addresses >= 0), planes, NOT_HERE)
