"""Destinations: where the resets of index/resets.py lead to, for kernels.

A *plane* is the cells of one block with one side to move; planes are numbered through all child
tables; those of the table that is being solved come first.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Shorts, SignedBytes, SignedInts32, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.index.kernels import SYMMETRY_ROWS, TURNS_ROWS, how_turned, turn_to_primary
from tbgen.index.layout import Layout, layout_of
from tbgen.index.placements import HOW_BITS, HOW_MASK, MIRROR, MIRRORED, double_steps
from tbgen.index.resets import NO_SLOT, Reset, resets_of
from tbgen.index.squares import TRIANGLE_INDEX
from tbgen.index.words import NOTHING, square_bit
from tbgen.material import Material
from tbgen.retro.words.geometry import BLACK, WHITE
from tbgen.retro.words.moves import MOST_SLOTS, NO_ROLE
from tbgen.score import Color

MOST_ROLES = 8
"""New roles, as an index: every role is below it."""

FREE = -1
"""In place of an address, where no pawns have been entered."""

MIXER = np.uint64(0x9E3779B97F4A7C15)
OTHER_MIXER = np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers that scatter sets of squares over the entries of a table."""


@by_address
class Shapes(NamedTuple):
    """How a table and its children are laid out. Table 0 is the one that is being solved."""

    pawns: Ints
    """[table] how many pawns."""
    others: Ints
    """[table] how many men that are neither pawns nor kings."""
    white_pawns: Ints
    """[table] how many of the pawns are White's; they are the first ones."""
    twin_start: Ints
    """[table, slot] -> first slot of its group of equal men."""
    pawn_sets: Words
    """[entry, side] the squares of a side's pawns. Each table has some entries, a power of two."""
    addresses: SignedInts32
    """[entry] the address of those pawns, or FREE."""
    address_start: Ints
    """[table] -> its first entry."""
    plane_start: Ints
    """[table] -> the number of its first plane."""


@by_address
class Destinations(NamedTuple):
    """[gone slot + 1, promoted slot + 1, new role] -> where that leads.

    Where none is gone or promoted, the index is 0, and so is that of the role.
    """

    table: Ints
    """[...] -> the number of the table."""
    flip: Ints
    """[...] -> 56 where colours change sides, else 0: a square's image is square ^ flip."""
    slots: Ints
    """[..., slot there] -> slot here."""


def pack_destinations(resets: Sequence[Reset], tables: Sequence[Material]) -> Destinations:
    """Destinations as kernels read them; `tables` are the materials by number."""
    slots = tables[0].men
    shape = (slots, slots, MOST_ROLES)
    packed = Destinations(
        np.full(shape, -1, np.int64),
        np.zeros(shape, np.int64),
        np.zeros((*shape, slots), np.int64),
    )
    for reset in resets:
        role = int(reset.role) if reset.promoted != NO_SLOT else NO_ROLE
        key = (reset.gone + 1, reset.promoted + 1, role)
        packed.table[key] = tables.index(reset.material)
        packed.flip[key] = reset.turn
        packed.slots[key][: len(reset.slots)] = reset.slots
    return packed


def shapes_of(layouts: Sequence[Layout]) -> Shapes:
    entries = [_entries_for(layout) for layout in layouts]
    starts = np.cumsum([0, *entries], dtype=np.int64)
    pawn_sets = np.zeros((starts[-1], 2), np.uint64)
    addresses = np.full(starts[-1], FREE, np.int32)
    twin_start = np.zeros((len(layouts), MOST_SLOTS), np.int64)
    for table, layout in enumerate(layouts):
        here = slice(starts[table], starts[table + 1])
        placements = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
        enter_addresses(placements, _white_pawns(layout), pawn_sets[here], addresses[here])
        twin_start[table, : len(layout.slots)] = layout.twin_start
    planes = [2 * len(layout.blocks) for layout in layouts]
    return Shapes(
        pawns=np.array([layout.pawns for layout in layouts], np.int64),
        others=np.array([layout.others for layout in layouts], np.int64),
        white_pawns=np.array([_white_pawns(layout) for layout in layouts], np.int64),
        twin_start=twin_start,
        pawn_sets=pawn_sets,
        addresses=addresses,
        address_start=starts,
        plane_start=np.cumsum([0, *planes], dtype=np.int64),
    )


def _white_pawns(layout: Layout) -> int:
    return sum(color is Color.WHITE for color, _ in layout.slots[: layout.pawns])


def _entries_for(layout: Layout) -> int:
    """Entries for all placements and their mirror images, of which at most half are taken."""
    return 1 << (4 * len(layout.blocks) - 1).bit_length()


@borrowing
def enter_addresses(
    placements: Ints, white_pawns: int, pawn_sets: Words, addresses: SignedInts32
) -> None:
    """Enter the address of each block of a table, and of its mirror image."""
    pawns = placements.shape[1]
    for block in range(len(placements)):
        squares = placements[block]
        own = sets_of(squares, white_pawns, pawns, 0)
        mirrored = sets_of(squares, white_pawns, pawns, MIRROR)
        is_own_mirror = own[0] == mirrored[0] and own[1] == mirrored[1]
        how = how_turned(pawns, is_own_mirror)
        enter_address(own, (block << HOW_BITS) | how, pawn_sets, addresses)
        if not is_own_mirror:
            enter_address(mirrored, (block << HOW_BITS) | MIRRORED, pawn_sets, addresses)


@inlined
def enter_address(
    sets: tuple[Word, Word], address: int, pawn_sets: Words, addresses: SignedInts32
) -> None:
    entry = entry_of(sets, pawn_sets, addresses)
    pawn_sets[entry, WHITE] = sets[WHITE]
    pawn_sets[entry, BLACK] = sets[BLACK]
    addresses[entry] = address


@inlined
def sets_of(squares: Ints, white_pawns: Int, pawns: Int, turn: int) -> tuple[Word, Word]:
    """The squares of either side's pawns as sets, each square ^ `turn`."""
    white = NOTHING
    black = NOTHING
    for pawn in range(white_pawns):
        white |= square_bit(squares[pawn] ^ turn)
    for pawn in range(white_pawns, pawns):
        black |= square_bit(squares[pawn] ^ turn)
    return white, black


@inlined
def entry_of(sets: tuple[Word, Word], pawn_sets: Words, addresses: SignedInts32) -> Int:
    """The entry of some pawns among those of one table, or the one that is free for them."""
    mixed = sets[WHITE] * MIXER + sets[BLACK] * OTHER_MIXER
    entry = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(len(addresses) - 1))
    while addresses[entry] != FREE and not (
        pawn_sets[entry, WHITE] == sets[WHITE] and pawn_sets[entry, BLACK] == sets[BLACK]
    ):
        entry = (entry + 1) & (len(addresses) - 1)
    return entry


@inlined
def address_of(shapes: Shapes, table: Int, squares: Ints) -> Int:
    """The address of a position's pawns: block << HOW_BITS | how the board is turned."""
    sets = sets_of(squares, shapes.white_pawns[table], shapes.pawns[table], 0)
    first = shapes.address_start[table]
    end = shapes.address_start[table + 1]
    addresses = shapes.addresses[first:end]
    return np.int64(addresses[entry_of(sets, shapes.pawn_sets[first:end], addresses)])


@inlined
def find_plane_and_cell(shapes: Shapes, table: Int, side: Int, squares: Ints) -> tuple[Int, Int]:
    """The plane of a position given by slots, and its primary cell there.

    Its `squares` are overwritten.
    """
    address = address_of(shapes, table, squares)
    return plane_of(shapes, table, side, address), find_cell(shapes, table, squares, address)


@inlined
def plane_of(shapes: Shapes, table: Int, side: Int, address: Int) -> Int:
    """The plane of a position whose pawns have this address."""
    return shapes.plane_start[table] + (address >> HOW_BITS) * 2 + side


@inlined
def find_cell(shapes: Shapes, table: Int, squares: Ints, address: Int) -> Int:
    """The primary cell of a position in its plane; `address` is that of its pawns.

    Its `squares` are overwritten.
    """
    king = shapes.pawns[table]
    end = king + shapes.others[table] + 2
    images = squares[MOST_SLOTS:]
    twin_start = shapes.twin_start[table]
    how = address & HOW_MASK
    turn_to_primary(squares, images, twin_start, king, end, how, TURNS_ROWS, SYMMETRY_ROWS)
    cell = TRIANGLE_INDEX[squares[king]] if king == 0 else squares[king]
    for n in range(king + 1, end):
        cell = cell * 64 + squares[n]
    return cell


NOT_HERE = -1


@by_address
class AtHand(NamedTuple):
    """Entry values that are in memory, a half of a block each; distances, too, if they count."""

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
    """[block, pawn, new role] what plain promotions lead to, in the order of the cells that they
    come from, and in the colours of these."""
    en_passant: AtHand
    """[block, side to move, file of the pawn just moved] with a right to take; 0 without one."""


class ChildLayouts(NamedTuple):
    """A table and its children by number, and which resets lead to which."""

    layouts: Sequence[Layout]
    resets: Sequence[Reset]

    def number_of(self, material: Material) -> int:
        return [layout.material for layout in self.layouts].index(material)


def child_layouts_of(layout: Layout) -> ChildLayouts:
    """Which tables a table needs; itself is number 0."""
    children = [layout_of(material) for material in layout.material.children()]
    return ChildLayouts([layout, *children], resets_of(layout))


def empty_child_tables(child_layouts: ChildLayouts, *, plies: bool = True) -> ChildTables:
    """Child tables of which no value is in memory yet. Without `plies`, no distance will be."""
    layouts = child_layouts.layouts
    shapes = shapes_of(layouts)
    planes = np.full(shapes.plane_start[-1], NOT_HERE, np.int64)
    rights, cells = en_passant_starts(layouts[0])
    return ChildTables(
        shapes=shapes,
        destinations=pack_destinations(
            child_layouts.resets, [layout.material for layout in layouts]
        ),
        planes=new_at_hand(planes, 0, plies=plies),
        promotions=new_at_hand(promotion_starts(layouts[0]), 0, plies=plies),
        en_passant=new_at_hand(rights, cells, plies=plies),
    )


def new_at_hand(start: Ints, cells: int, *, plies: bool = True) -> AtHand:
    """Room for the values of so many cells, all of them 0."""
    distances = cells if plies else 0
    return AtHand(start, np.zeros(cells, np.int8), np.zeros(distances, np.uint16))


def promotion_starts(layout: Layout) -> Ints:
    """[block, pawn, new role] -> NOT_HERE; a table without pawns has room for one."""
    pawns = max(layout.pawns, 1)
    return np.full((len(layout.blocks), pawns, MOST_ROLES), NOT_HERE, np.int64)


def en_passant_starts(layout: Layout) -> tuple[Ints, int]:
    """[block, side to move, file] -> where cells with a right begin; how many there are in all."""
    start = np.full((len(layout.blocks), 2, 8), NOT_HERE, np.int64)
    cells = 0
    for number, block in enumerate(layout.blocks):
        for color, square in double_steps(layout.slots, block):
            start[number, color.other, square % 8] = cells
            cells += layout.block_words * 64
    return start, cells
