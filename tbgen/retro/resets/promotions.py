"""Promotions: which cells of child tables plain promotions lead to, copied to where they are read.

A *route* says how they are copied: one promotion, one symmetry, one assignment of equal men. In
KRPvK the pawn on e7 becomes a queen on e8, and the value lies in KQRvK. There the white king stands
in the triangle a1-d1-d4, so the board may have been turned by any of eight symmetries: eight
routes. On each, the digit of every man there (the index of its square on its axis) adds a fixed
number to the cell here: the square, turned back, times the stride of the man's axis in KRPvK. The
queen adds nothing, since the pawn is no axis. Only cells there that have the queen on e8, as that
symmetry turns it, are read.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Shorts, SignedBytes, Word
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.index.kernels import are_in_order, beside_image, primary_black_kings
from tbgen.index.layout import Layout
from tbgen.index.placements import HOW_BITS, HOW_MASK, INTO_TRIANGLE
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.index.squares import FLIP_FILE, INVERSE, SYMMETRY, TRIANGLE
from tbgen.index.words import NOTHING, ONE
from tbgen.retro.resets.destinations import (
    AtHand,
    ChildLayouts,
)
from tbgen.score import Color
from tbgen.table import Box

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
            twin_start=np.array(child.twin_start[child.pawns :], np.int64) - child.pawns,
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
            here = SYMMETRY[symmetry, squares] ^ reset.turn
            adds[axis, : len(squares)] = here << (6 * (last - slot))
        return adds

    def requests(self, blocks: Sequence[int], start: Ints, first: int = 0) -> tuple[Targets, int]:
        """All that some blocks ask for, in cells from `first` on, and the cell after the last.

        start[block, pawn, role] becomes the first cell of each promotion.
        """
        requests = Targets()
        cells = first
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
        pawns_there = [pawns[slot] ^ reset.turn for slot in reset.slots[: child.pawns]]
        address = child.address_of(pawns_there)
        how = address & HOW_MASK
        mover = self.layout.slots[reset.promoted][0]
        side = mover if reset.flip else mover.other
        request = PlaneRequest(table, address >> HOW_BITS, side, how)
        targets = requests.setdefault(request, [])
        for route, symmetry in self.routes_of[reset]:
            if symmetry in BOARDS_OF_CELL[how]:
                square = int(SYMMETRY[INVERSE[symmetry], to ^ reset.turn])
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
