"""Destinations: which table a reset leads to, and which cell the position has there.

A *reset* says, for a man gone, a pawn promoted and its new role, which table the position falls into and
which of the men goes where in it. A *plane* is the cells of one block with one side to move; planes are
numbered through all the tables of a family, those of the table that is being solved first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedInts32
from tbgen.compiled.jit import by_address, inlined
from tbgen.index.layout import Layout, Slot, layout_of
from tbgen.index.primary import HOW_BITS, HOW_MASK, TURNS
from tbgen.index.primary_kernels import beside_image, sort_twins
from tbgen.index.squares import SYMMETRY, TRIANGLE_INDEX
from tbgen.material import PROMOTIONS, Material, Role
from tbgen.retro.words.movelist import MOST_SLOTS, NO_SLOT
from tbgen.score import Color


@by_address
class Shapes(NamedTuple):
    """How each table of a family is laid out; [table] first, table 0 is the one that is being solved."""

    pawns: Ints
    """[table] how many pawns."""
    others: Ints
    """[table] how many men that are neither pawns nor kings."""
    twin_start: Ints
    """[table, slot] -> first slot of its group of equal men."""
    twin_end: Ints
    """[table, slot] -> the slot after the last of that group."""
    addresses: SignedInts32
    """The addresses of all the layouts, one after another."""
    address_start: Ints
    """[table] -> where its addresses begin there."""
    plane_start: Ints
    """[table] -> the number of its first plane."""


@by_address
class Destinations(NamedTuple):
    """[gone slot + 1, promoted slot + 1, new role] -> where that leads; new role 0 where none is promoted."""

    table: Ints
    """[...] -> the number of the table."""
    flip: Ints
    """[...] -> 56 where the colours change sides there, else 0: a square's image is square ^ flip."""
    slots: Ints
    """[..., slot there] -> slot here."""


class Reset(NamedTuple):
    """What one reset leads to."""

    gone: int
    promoted: int
    role: Role
    """The new role; KING where none is promoted."""
    material: Material
    flip: bool
    slots: tuple[int, ...]
    """[slot there] -> slot here."""


def resets_of(layout: Layout) -> list[Reset]:
    """Every reset there is."""
    return [Reset(*reset, *_destination(layout, *reset)) for reset in _resets(layout)]


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


def pack_destinations(resets: Sequence[Reset], tables: Sequence[Material]) -> Destinations:
    """Destinations as kernels read them; `tables` are the materials by number."""
    shape = (MOST_SLOTS, MOST_SLOTS, 8)
    packed = Destinations(
        np.full(shape, -1, np.int64), np.zeros(shape, np.int64), np.zeros((*shape, MOST_SLOTS), np.int64)
    )
    for reset in resets:
        key = (
            reset.gone + 1,
            reset.promoted + 1,
            int(reset.role) if reset.promoted != NO_SLOT else 0,
        )
        packed.table[key], packed.flip[key] = tables.index(reset.material), 56 * reset.flip
        packed.slots[key][: len(reset.slots)] = reset.slots
    return packed


def shapes_of(layouts: Sequence[Layout]) -> Shapes:
    """The shapes of some tables."""
    axes = [_axes(each) for each in layouts]
    return Shapes(
        pawns=np.array([each.pawns for each in layouts], np.int64),
        others=np.array([each.others for each in layouts], np.int64),
        twin_start=np.stack([start for start, _ in axes]),
        twin_end=np.stack([end for _, end in axes]),
        addresses=np.concatenate([each.addresses for each in layouts]),
        address_start=np.cumsum([0, *[len(each.addresses) for each in layouts]], dtype=np.int64),
        plane_start=np.cumsum([0, *[2 * len(each.blocks) for each in layouts]], dtype=np.int64),
    )


def _axes(layout: Layout) -> tuple[Ints, Ints]:
    """[slot] -> first slot of its group of equal men, and the slot after the last."""
    start, end = np.arange(MOST_SLOTS, dtype=np.int64), np.arange(1, MOST_SLOTS + 1, dtype=np.int64)
    for a, b in layout.twins:
        start[a:b], end[a:b] = a, b
    return start, end


@inlined
def address_of(shapes: Shapes, table: Int, squares: Ints) -> Int:
    """The address of a position's pawns: block << HOW_BITS | how the board is turned."""
    digits = 0
    for n in range(shapes.pawns[table]):
        digits = digits * 64 + squares[n]
    return np.int64(shapes.addresses[shapes.address_start[table] + digits])


@inlined
def is_mirrored(shapes: Shapes, table: Int, squares: Ints) -> bool:
    """Whether a position's pawns come to their block by the mirror."""
    return bool(TURNS[address_of(shapes, table, squares) & HOW_MASK, squares[shapes.pawns[table]]] != 0)


@inlined
def find_plane_and_cell(shapes: Shapes, table: Int, side: Int, squares: Ints) -> tuple[Int, Int]:
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
