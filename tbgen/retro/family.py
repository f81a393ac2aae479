"""Family: the entry values of a table and of the tables its resets lead to, as kernels read them.

All values lie in one flat array, the table's own first, then its children's. A *plan* says, for a man
gone, a pawn promoted and its new role, which table the position falls into and which of the men goes
where in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined
from tbgen.index.layout import BY_KING, MIRRORED, Layout, Slot, layout_of
from tbgen.index.squares import SYMMETRY, TO_TRIANGLE, TRANSPOSE, TRIANGLE_INDEX
from tbgen.material import PROMOTIONS, Material, Role
from tbgen.score import Color

Ints = npt.NDArray[np.int64]
MOST_SLOTS = 8
NO_SLOT = -1


class EntryValues(Protocol):
    """What is asked of a child: entry values and distances by cell."""

    @property
    def entry(self) -> npt.NDArray[np.int8]: ...
    @property
    def dtg(self) -> npt.NDArray[np.uint16]: ...


class Family(NamedTuple):
    """A table and its children, for kernels. Table 0 is the table itself."""

    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    addresses: npt.NDArray[np.int32]
    cell_base: Ints
    address_base: Ints
    pawns: Ints
    others: Ints
    twin_start: Ints
    twin_end: Ints
    plan_table: Ints
    """[gone slot + 1, promoted slot + 1, new role] -> table."""
    plan_flip: Ints
    """[...] -> 56 where the colours change sides there, else 0: a square's image is square ^ flip."""
    plan_slots: Ints
    """[..., slot there] -> slot here."""
    words: int
    """Words of one side to move of one block of the table itself."""
    ep_base: Ints
    """[block, side to move, file of the pawn just moved] -> where its values begin below, or -1."""
    ep_entry: npt.NDArray[np.int8]
    """Entry values with a right to take en passant, one a cell; 0 where nobody can."""
    ep_dtg: npt.NDArray[np.uint16]


def _plan(layout: Layout, gone: int, promoted: int, role: Role) -> tuple[Material, bool, list[int]]:
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
    return material.canonical(), flip, order


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


def family_of(layout: Layout, children: Mapping[Material, EntryValues]) -> Family:
    """The family of a table about to be solved; its own values are still empty."""
    tables = [layout.material, *layout.material.children()]
    layouts = [layout, *[layout_of(material) for material in tables[1:]]]
    sizes = [each.cells for each in layouts]
    base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    entry, dtg = np.zeros(base[-1], np.int8), np.zeros(base[-1], np.uint16)
    for n, material in enumerate(tables[1:], 1):
        entry[base[n] : base[n + 1]] = children[material].entry
        dtg[base[n] : base[n + 1]] = children[material].dtg
    plan_shape = (MOST_SLOTS, MOST_SLOTS, 8)
    plan_table, plan_flip = np.full(plan_shape, -1, np.int64), np.zeros(plan_shape, np.int64)
    plan_slots = np.zeros((*plan_shape, MOST_SLOTS), np.int64)
    for gone, promoted, role in _resets(layout):
        material, flip, order = _plan(layout, gone, promoted, role)
        key = (gone + 1, promoted + 1, int(role) if promoted != NO_SLOT else 0)
        plan_table[key], plan_flip[key] = tables.index(material), 56 * flip
        plan_slots[key][: len(order)] = order
    ep_base, ep_cells = _en_passant_places(layout)
    shapes = [_axes(each) for each in layouts]
    address_sizes = [len(each.addresses) for each in layouts]
    return Family(
        entry,
        dtg,
        np.concatenate([each.addresses for each in layouts]),
        base,
        np.concatenate([[0], np.cumsum(address_sizes)]).astype(np.int64),
        np.array([each.pawns for each in layouts], np.int64),
        np.array([each.others for each in layouts], np.int64),
        np.stack([start for start, _ in shapes]),
        np.stack([end for _, end in shapes]),
        plan_table,
        plan_flip,
        plan_slots,
        layout.block_words,
        ep_base,
        np.zeros(ep_cells, np.int8),
        np.zeros(ep_cells, np.uint16),
    )


def _en_passant_places(layout: Layout) -> tuple[Ints, int]:
    """Room for the values of blocks in which a pawn may just have made a double step beside an enemy pawn."""
    base, cells = np.full((len(layout.blocks), 2, 8), -1, np.int64), 0
    for number, block in enumerate(layout.blocks):
        for (color, _), square in zip(layout.slots, block, strict=False):
            rank = 3 if color is Color.WHITE else 4
            enemies = [s for (other, _), s in zip(layout.slots, block, strict=False) if other is not color]
            if square // 8 == rank and any(s // 8 == rank and abs(s - square) == 1 for s in enemies):
                base[number, color.other, square % 8] = cells
                cells += layout.block_words * 64
    return base, cells


def _axes(layout: Layout) -> tuple[Ints, Ints]:
    """[slot] -> first slot of its group of equal men, and the slot after the last."""
    start, end = np.arange(MOST_SLOTS, dtype=np.int64), np.arange(1, MOST_SLOTS + 1, dtype=np.int64)
    for a, b in layout.twins:
        start[a:b], end[a:b] = a, b
    return start, end


@inlined
def is_mirrored(family, table, squares):
    """Whether a position's pawns come to their block by the mirror."""
    digits = 0
    for n in range(family.pawns[table]):
        digits = digits * 64 + squares[n]
    mirror = family.addresses[family.address_base[table] + digits] & 3
    return mirror == MIRRORED or (mirror == BY_KING and squares[family.pawns[table]] & 4 != 0)


@inlined
def _sort_twins(family, table, squares):
    """Bring equal men into ascending order."""
    first = family.pawns[table] + 1
    for n in range(first + 1, first + family.others[table]):
        place, square = n, squares[n]
        while place > family.twin_start[table, n] and squares[place - 1] > square:
            squares[place] = squares[place - 1]
            place -= 1
        squares[place] = square


@inlined
def _use_mirror(family, table, squares, king):
    """Take the mirror image in the long diagonal if that is the primary cell (the king stands on it)."""
    end = king + family.others[table] + 2
    for n in range(king, end):
        squares[MOST_SLOTS + n] = squares[n]
        squares[n] = SYMMETRY[TRANSPOSE, squares[n]]
    _sort_twins(family, table, squares)
    for n in range(king, end):
        if squares[n] != squares[MOST_SLOTS + n]:
            if squares[n] < squares[MOST_SLOTS + n]:
                return
            break
    for n in range(king, end):
        squares[n] = squares[MOST_SLOTS + n]


@inlined
def family_cell(family, table, side, squares):
    """The primary cell, within the flat arrays, of a position given by slots (its `squares` are overwritten)."""
    king = family.pawns[table]
    address = family.address_base[table]
    digits = 0
    for n in range(king):
        digits = digits * 64 + squares[n]
    address = family.addresses[address + digits]
    mirror = address & 3
    if king == 0:
        symmetry = TO_TRIANGLE[squares[king]]
    else:
        symmetry = 1 if mirror == MIRRORED or (mirror == BY_KING and squares[king] & 4 != 0) else 0
    end = king + family.others[table] + 2
    for n in range(king, end):
        squares[n] = SYMMETRY[symmetry, squares[n]]
    _sort_twins(family, table, squares)
    if king == 0 and squares[king] % 9 == 0:
        _use_mirror(family, table, squares, king)
    cell = (address >> 2) * 2 + side
    cell = cell * 10 + TRIANGLE_INDEX[squares[king]] if king == 0 else cell * 64 + squares[king]
    for n in range(king + 1, end):
        cell = cell * 64 + squares[n]
    return family.cell_base[table] + cell
