"""Plans: where a reset leads, and which cell the position has there.

A *plan* says, for a man gone, a pawn promoted and its new role, which table the position falls into and
which of the men goes where in it. A *plane* is the cells of one block with one side to move; planes are
numbered through all the tables of a family, those of the table that is being solved first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined
from tbgen.index.layout import Layout, Slot, layout_of
from tbgen.index.primary import HOW_BITS, HOW_MASK, TURNS
from tbgen.index.primary_kernels import beside_image, sort_twins
from tbgen.index.squares import SYMMETRY, TRIANGLE_INDEX
from tbgen.material import PROMOTIONS, Material, Role
from tbgen.retro.words.movelist import MOST_SLOTS, NO_SLOT
from tbgen.score import Color

Ints = npt.NDArray[np.int64]


class Shapes(NamedTuple):
    """How each table of a family lies; [table] first, table 0 is the one that is being solved."""

    pawns: Ints
    others: Ints
    twin_start: Ints
    """[table, slot] -> first slot of its group of equal men."""
    twin_end: Ints
    addresses: npt.NDArray[np.int32]
    """The addresses of all the layouts, one after another."""
    address_start: Ints
    plane_start: Ints
    """The number of its first plane."""


class Plans(NamedTuple):
    """[gone slot + 1, promoted slot + 1, new role] -> where that leads; new role 0 where none is promoted."""

    table: Ints
    flip: Ints
    """56 where the colours change sides there, else 0: a square's image is square ^ flip."""
    slots: Ints
    """[..., slot there] -> slot here."""


class Plan(NamedTuple):
    """What one reset leads to."""

    gone: int
    promoted: int
    role: Role
    """The new role; KING where none is promoted."""
    material: Material
    flip: bool
    slots: tuple[int, ...]
    """[slot there] -> slot here."""


def plans_of(layout: Layout) -> list[Plan]:
    """Every reset there is."""
    return [Plan(*reset, *_destination(layout, *reset)) for reset in _resets(layout)]


def _resets(layout: Layout) -> Iterator[tuple[int, int, Role]]:
    """Every (gone slot, promoted slot, new role) there is; NO_SLOT where none is gone or promoted."""
    pieces = [n for n, (_, role) in enumerate(layout.slots) if role is not Role.KING]
    yield NO_SLOT, NO_SLOT, Role.KING
    for gone in pieces:
        yield gone, NO_SLOT, Role.KING
    for promoted in range(layout.pawns):
        prey = [n for n in pieces if layout.slots[n][0] is not layout.slots[promoted][0]]
        for gone in (NO_SLOT, *[n for n in prey if n >= layout.pawns]):
            for role in PROMOTIONS:
                yield gone, promoted, role


def _destination(layout: Layout, gone: int, promoted: int, role: Role) -> tuple[Material, bool, tuple[int, ...]]:
    """The canonical material after a reset, whether colours are reversed, and [slot there] -> slot here."""
    men: list[tuple[Slot, int]] = []
    for number, (color, was) in enumerate(layout.slots):
        if number != gone:
            men.append(((color, role if number == promoted else was), number))
    sides = [[kind for (color, kind), _ in men if color is side] for side in Color]
    material = Material.of(sides[0], sides[1])
    flip = not material.is_canonical
    slots = layout_of(material.canonical()).slots
    left, order = list(men), []
    for color, kind in slots:
        wanted = (color.other if flip else color, kind)
        place = next(n for n, (slot, _) in enumerate(left) if slot == wanted)
        order.append(left.pop(place)[1])
    return material.canonical(), flip, tuple(order)


def pack_plans(plans: Sequence[Plan], tables: Sequence[Material]) -> Plans:
    """Plans as kernels read them; `tables` are the materials by number."""
    shape = (MOST_SLOTS, MOST_SLOTS, 8)
    packed = Plans(np.full(shape, -1, np.int64), np.zeros(shape, np.int64), np.zeros((*shape, MOST_SLOTS), np.int64))
    for plan in plans:
        key = (plan.gone + 1, plan.promoted + 1, int(plan.role) if plan.promoted != NO_SLOT else 0)
        packed.table[key], packed.flip[key] = tables.index(plan.material), 56 * plan.flip
        packed.slots[key][: len(plan.slots)] = plan.slots
    return packed


def shapes_of(layouts: Sequence[Layout]) -> Shapes:
    """The shapes of some tables."""
    axes = [_axes(each) for each in layouts]
    return Shapes(
        np.array([each.pawns for each in layouts], np.int64),
        np.array([each.others for each in layouts], np.int64),
        np.stack([start for start, _ in axes]),
        np.stack([end for _, end in axes]),
        np.concatenate([each.addresses for each in layouts]),
        np.cumsum([0, *[len(each.addresses) for each in layouts]], dtype=np.int64),
        np.cumsum([0, *[2 * len(each.blocks) for each in layouts]], dtype=np.int64),
    )


def _axes(layout: Layout) -> tuple[Ints, Ints]:
    """[slot] -> first slot of its group of equal men, and the slot after the last."""
    start, end = np.arange(MOST_SLOTS, dtype=np.int64), np.arange(1, MOST_SLOTS + 1, dtype=np.int64)
    for a, b in layout.twins:
        start[a:b], end[a:b] = a, b
    return start, end


@inlined
def address_of(shapes, table, squares):
    """The address of a position's pawns: block << HOW_BITS | how the board is turned."""
    digits = 0
    for n in range(shapes.pawns[table]):
        digits = digits * 64 + squares[n]
    return np.int64(shapes.addresses[shapes.address_start[table] + digits])


@inlined
def is_mirrored(shapes, table, squares):
    """Whether a position's pawns come to their block by the mirror."""
    return TURNS[address_of(shapes, table, squares) & HOW_MASK, squares[shapes.pawns[table]]] != 0


@inlined
def place_of(shapes, table, side, squares):
    """The plane of a position given by slots, and its primary cell there (its `squares` are overwritten)."""
    king = shapes.pawns[table]
    address = address_of(shapes, table, squares)
    symmetry = TURNS[address & HOW_MASK, squares[king]]
    end = king + shapes.others[table] + 2
    for n in range(king, end):
        squares[n] = SYMMETRY[symmetry, squares[n]]
    twin_start = shapes.twin_start[table]
    sort_twins(squares, twin_start, king + 1, end - 1)
    if king == 0 and squares[king] % 9 == 0:
        images = squares[MOST_SLOTS:]
        if beside_image(squares, twin_start, king + 1, end, images) > 0:
            for n in range(king + 1, end):
                squares[n] = images[n]
    cell = TRIANGLE_INDEX[squares[king]] if king == 0 else squares[king]
    for n in range(king + 1, end):
        cell = cell * 64 + squares[n]
    return shapes.plane_start[table] + (address >> HOW_BITS) * 2 + side, cell
