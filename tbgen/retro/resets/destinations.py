"""Destinations: which table a reset leads to, which cell the position has there, and where that cell's value lies.

A *reset* says, for a man gone, a pawn promoted and its new role, which table the position falls into and
which of the men goes where in it. A *plane* is the cells of one block with one side to move; planes are
numbered through all child tables; those of the table that is being solved come first.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Shorts, SignedBytes, SignedInts32
from tbgen.compiled.jit import by_address, inlined
from tbgen.index.kernels import beside_image, sort_twins
from tbgen.index.layout import HOW_BITS, HOW_MASK, TURNS, Layout, layout_of, slots_of
from tbgen.index.squares import SYMMETRY, TRIANGLE_INDEX
from tbgen.material import Material
from tbgen.men import PROMOTIONS, Role
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.retro.words.moves import MOST_SLOTS
from tbgen.score import Color


@by_address
class Shapes(NamedTuple):
    """How a table and its children are laid out; [table] first, table 0 is the one that is being solved."""

    pawns: Ints
    """[table] how many pawns."""
    others: Ints
    """[table] how many men that are neither pawns nor kings."""
    twin_start: Ints
    """[table, slot] -> first slot of its group of equal men."""
    digits: Ints
    """[table, pawn, square] -> what a pawn there adds to the pawns' number."""
    addresses: SignedInts32
    """[pawns' number] the addresses of all the layouts, one after another."""
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


def resets_of(
    layout: Layout, turned: Callable[[Material], Material] = Material.canonical
) -> list[Reset]:
    """Every reset there is; `turned` says which side is White in the table of a material."""
    return [Reset(*reset, *_destination(layout, *reset, turned)) for reset in _resets(layout)]


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


def _destination(
    layout: Layout, gone: int, promoted: int, role: Role, turned: Callable[[Material], Material]
) -> tuple[Material, bool, tuple[int, ...]]:
    """The table's material after a reset, whether colours are reversed, and [slot there] -> slot here."""
    men = [
        ((color, role if n == promoted else was), n)
        for n, (color, was) in enumerate(layout.slots)
        if n != gone
    ]
    sides = [[kind for (color, kind), _ in men if color is side] for side in Color]
    material = Material(sides[0], sides[1])
    there, order = turned(material), list[int]()
    flip = there != material
    for color, kind in slots_of(there):
        wanted = (color.other if flip else color, kind)
        order.append(next(n for slot, n in men if slot == wanted and n not in order))
    return there, flip, tuple(order)


def pack_destinations(resets: Sequence[Reset], tables: Sequence[Material]) -> Destinations:
    """Destinations as kernels read them; `tables` are the materials by number."""
    shape = (MOST_SLOTS, MOST_SLOTS, 8)
    packed = Destinations(
        np.full(shape, -1, np.int64),
        np.zeros(shape, np.int64),
        np.zeros((*shape, MOST_SLOTS), np.int64),
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
    return Shapes(
        pawns=np.array([each.pawns for each in layouts], np.int64),
        others=np.array([each.others for each in layouts], np.int64),
        twin_start=np.stack([first_twins(each) for each in layouts]),
        digits=np.stack(
            [np.pad(each.digits, ((0, MOST_SLOTS - len(each.digits)), (0, 0))) for each in layouts]
        ),
        addresses=np.concatenate([each.addresses for each in layouts]),
        address_start=np.cumsum([0, *[len(each.addresses) for each in layouts]], dtype=np.int64),
        plane_start=np.cumsum([0, *[2 * len(each.blocks) for each in layouts]], dtype=np.int64),
    )


def first_twins(layout: Layout) -> Ints:
    """[slot] -> first slot of its group of equal men."""
    first = np.arange(MOST_SLOTS, dtype=np.int64)
    for start, end in layout.twins:
        first[start:end] = start
    return first


@inlined
def address_of(shapes: Shapes, table: Int, squares: Ints) -> Int:
    """The address of a position's pawns: block << HOW_BITS | how the board is turned."""
    number = shapes.address_start[table]
    for n in range(shapes.pawns[table]):
        number += shapes.digits[table, n, squares[n]]
    return np.int64(shapes.addresses[number])


@inlined
def is_mirrored(shapes: Shapes, squares: Ints) -> bool:
    """Whether the pawns of a position of the table itself come to their block by the mirror."""
    return bool(TURNS[address_of(shapes, 0, squares) & HOW_MASK, squares[shapes.pawns[0]]] != 0)


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


NOT_HERE = -1


@by_address
class AtHand(NamedTuple):
    """Entry values that are in memory, half a block each, and distances, unless nobody asks for these."""

    start: Ints
    """[where from] -> where its cells begin below, or NOT_HERE."""
    entry: SignedBytes
    dtg: Shorts


@by_address
class ChildTables(NamedTuple):
    """A table and its children, for kernels."""

    shapes: Shapes
    destinations: Destinations
    planes: AtHand
    """[plane]"""
    promotions: AtHand
    """[block, pawn, new role], cell beside cell with the block and side to move they come from, in its colours."""
    en_passant: AtHand
    """[block, side to move, file of the pawn just moved], with the right to take it; 0 where nobody can."""


class ChildLayouts(NamedTuple):
    """A table and its children by number, and which resets lead to which."""

    layouts: Sequence[Layout]
    resets: Sequence[Reset]

    def number_of(self, material: Material) -> int:
        return [layout.material for layout in self.layouts].index(material)


def child_layouts_of(layout: Layout) -> ChildLayouts:
    """Which tables a table needs; itself is number 0."""
    layouts = [layout, *[layout_of(material) for material in layout.material.children()]]
    return ChildLayouts(layouts, resets_of(layout))


def empty_child_tables(child_layouts: ChildLayouts) -> ChildTables:
    """Child tables of which no value is in memory yet."""
    layout, nothing = child_layouts.layouts[0], (np.zeros(0, np.int8), np.zeros(0, np.uint16))
    shapes = shapes_of(child_layouts.layouts)
    start, cells = en_passant_starts(layout)
    return ChildTables(
        shapes=shapes,
        destinations=pack_destinations(
            child_layouts.resets, [each.material for each in child_layouts.layouts]
        ),
        planes=AtHand(np.full(shapes.plane_start[-1], NOT_HERE, np.int64), *nothing),
        promotions=AtHand(
            np.full((len(layout.blocks), max(layout.pawns, 1), 8), NOT_HERE, np.int64), *nothing
        ),
        en_passant=AtHand(start, np.zeros(cells, np.int8), np.zeros(cells, np.uint16)),
    )


def en_passant_starts(layout: Layout) -> tuple[Ints, int]:
    """Room for the values of blocks in which a pawn may just have made a double step beside an enemy pawn."""
    start, cells = np.full((len(layout.blocks), 2, 8), NOT_HERE, np.int64), 0
    for number, block in enumerate(layout.blocks):
        for (color, _), square in zip(layout.slots, block, strict=False):
            rank = 3 if color is Color.WHITE else 4
            enemies = [
                s for (other, _), s in zip(layout.slots, block, strict=False) if other is not color
            ]
            if square // 8 == rank and any(
                s // 8 == rank and abs(s - square) == 1 for s in enemies
            ):
                start[number, color.other, square % 8] = cells
                cells += layout.block_words * 64
    return start, cells
