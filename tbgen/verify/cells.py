"""The men of a material as kernels take them, where its captures and promotions lead, and its cells."""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import by_address, inner, small
from tbgen.index.layout import BY_KING, MIRRORED, Layout, layout_of
from tbgen.index.squares import FLIP_FILE, MOVES, SYMMETRY, TO_TRIANGLE, TRANSPOSE, TRIANGLE, TRIANGLE_INDEX
from tbgen.material import PROMOTIONS, Material, Role
from tbgen.score import Color

Int64s = npt.NDArray[np.int64]

BLACK_PAWN: Final = 0
WHITE_PAWN: Final = 1
"""A kind is a role, except that the pawns of the two sides differ."""


@by_address
class Men(NamedTuple):
    """The men of a material, one entry a slot."""

    color: Int64s
    kind: Int64s
    king: Int64s
    """[colour] -> slot."""


@by_address
class Numbering(NamedTuple):
    """How a layout names its cells."""

    addresses: npt.NDArray[np.int32]
    blocks: Int64s
    """[block, pawn] -> square."""
    twins: Int64s
    """[n] -> first and last + 1 of equal men, counted from the man after the white king."""
    pawns: int
    men: int
    king_squares: int


@by_address
class Links(NamedTuple):
    """Captures and promotions, by what they take off and put on; link 0 stays within the material."""

    at: Int64s
    """[captured slot + 1, promoted slot + 1, role or 0] -> link, -1 where there is none."""
    child: Int64s
    """[link] -> number of the child, -1 for the material itself."""
    reversed: Int64s
    """[link] -> whether the child's table has the colours exchanged."""
    order: Int64s
    """[link, slot of the child] -> slot of the parent."""


def men_of(layout: Layout) -> Men:
    """The men in the order of the layout's slots."""
    kinds = [BLACK_PAWN if slot == (Color.BLACK, Role.PAWN) else int(slot[1]) for slot in layout.slots]
    color = np.array([int(color) for color, _ in layout.slots], np.int64)
    kings = np.array([layout.slots.index((color, Role.KING)) for color in Color], np.int64)
    return Men(color, np.array(kinds, np.int64), kings)


def numbering_of(layout: Layout) -> Numbering:
    """How the layout's cells are numbered."""
    twins = np.array(layout.twins, np.int64).reshape(-1, 2) - layout.pawns - 1
    blocks = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
    return Numbering(layout.addresses, blocks, twins, layout.pawns, len(layout.slots), layout.shape[2])


def links_of(layout: Layout) -> Links:
    """Every capture, promotion and capture with promotion; children are numbered as `Material.children`."""
    count = len(layout.slots)
    at = np.full((count + 1, count + 1, 7), -1, np.int64)
    at[0, 0, 0] = 0
    rows = [(-1, False, list(range(count)))]
    promotions: list[tuple[int, Role | None]] = [(-1, None)]
    promotions += itertools.product(range(layout.pawns), PROMOTIONS)
    for captured, (promoted, role) in itertools.product(range(-1, count), promotions):
        if _can_happen(layout, captured, promoted):
            at[captured + 1, promoted + 1, role or 0] = len(rows)
            rows.append(_link(layout, captured, promoted, role))
    return Links(at, *[np.array(column, np.int64) for column in zip(*rows, strict=True)])


def _can_happen(layout: Layout, captured: int, promoted: int) -> bool:
    if captured < 0:
        return promoted >= 0
    color, role = layout.slots[captured]
    if role is Role.KING:
        return False
    return promoted < 0 or (role is not Role.PAWN and color is not layout.slots[promoted][0])


def _link(layout: Layout, captured: int, promoted: int, role: Role | None) -> tuple[int, bool, list[int]]:
    """Number of the child, whether colours are exchanged, and the parent's slot of each of its men, then -1."""
    left = dict(enumerate(layout.slots))
    if role is not None:
        left[promoted] = (layout.slots[promoted][0], role)
    left.pop(captured, None)
    white, black = ([role for color, role in left.values() if color is side] for side in Color)
    material = Material.of(white, black)
    turned, child, order = not material.is_canonical, material.canonical(), list[int]()
    for color, role_there in layout_of(child).slots:
        wanted = (color.other if turned else color, role_there)
        order.append(next(slot for slot, man in left.items() if man == wanted and slot not in order))
    order += [-1] * (len(layout.slots) - len(order))
    return layout.material.children().index(child), turned, order


def _attacks() -> npt.NDArray[np.uint8]:
    """[kind, a, b] -> whether a man on a attacks b on an empty board."""
    table = np.zeros((7, 64, 64), np.uint8)
    kinds, squares, *_ = there = np.nonzero(MOVES >= 0)
    table[kinds, squares, MOVES[there]] = 1
    for a, b in itertools.product(range(64), range(64)):
        if abs(b % 8 - a % 8) == 1:
            table[WHITE_PAWN, a, b] = b // 8 == a // 8 + 1
            table[BLACK_PAWN, a, b] = b // 8 == a // 8 - 1
    return table


ATTACKS: Final = _attacks()


@small
def set_up(numbering: Numbering, cell: Int, squares: Ints) -> Int:
    """Put the men of a cell on their squares; returns the side to move."""
    for slot in range(numbering.men - 1, numbering.pawns, -1):
        squares[slot] = cell & 63
        cell >>= 6
    king = cell % numbering.king_squares
    cell //= numbering.king_squares
    squares[numbering.pawns] = king if numbering.pawns else TRIANGLE[king]
    for slot in range(numbering.pawns):
        squares[slot] = numbering.blocks[cell >> 1, slot]
    return cell & 1


@inner
def side_of(numbering: Numbering, cell: Int) -> Int:
    """The side to move."""
    return (cell >> 6 * (numbering.men - numbering.pawns - 1)) // numbering.king_squares & 1


@inner
def sort_twins(numbering: Numbering, rest: Ints) -> None:
    """Equal men in ascending order."""
    for twin in range(numbering.twins.shape[0]):
        for last in range(numbering.twins[twin, 0] + 1, numbering.twins[twin, 1]):
            n = last
            while n > numbering.twins[twin, 0] and rest[n - 1] > rest[n]:
                rest[n - 1], rest[n] = rest[n], rest[n - 1]
                n -= 1


@inner
def digits_of_rest(numbering: Numbering, squares: Ints, symmetry: Int, rest: Ints) -> int:
    """The men after the white king as digits to base 64, seen through a symmetry."""
    count = numbering.men - numbering.pawns - 1
    for n in range(count):
        rest[n] = SYMMETRY[symmetry, squares[numbering.pawns + 1 + n]]
    sort_twins(numbering, rest)
    digits = 0
    for n in range(count):
        digits = digits << 6 | rest[n]
    return digits


@small
def cell_of(numbering: Numbering, side: Int, squares: Ints, rest: Ints) -> int:
    """The primary cell of a position; `rest` is room for four numbers."""
    king = squares[numbering.pawns]
    address = 0
    for slot in range(numbering.pawns):
        address = address << 6 | squares[slot]
    address = int(numbering.addresses[address])
    if numbering.pawns:
        mirror = address & 3
        symmetry = FLIP_FILE if mirror == MIRRORED or (mirror == BY_KING and king & 4) else 0
        king = SYMMETRY[symmetry, king]
        digits = digits_of_rest(numbering, squares, symmetry, rest)
    else:
        symmetry = TO_TRIANGLE[king]
        king = SYMMETRY[symmetry, king]
        digits = digits_of_rest(numbering, squares, symmetry, rest)
        if king % 9 == 0:
            digits = min(digits, digits_of_rest(numbering, squares, symmetry ^ TRANSPOSE, rest))
        king = TRIANGLE_INDEX[king]
    return (((address >> 2) * 2 + side) * numbering.king_squares + king) << 6 * (
        numbering.men - numbering.pawns - 1
    ) | digits


@small
def images_of(numbering: Numbering, squares: Ints, rest: Ints) -> int:
    """How many placements the symmetries make of a position, its equal men not told apart."""
    if numbering.pawns:
        return 2
    king = squares[0]
    if king % 9:
        return 8
    here = digits_of_rest(numbering, squares, 0, rest)
    return 4 if digits_of_rest(numbering, squares, TRANSPOSE, rest) == here else 8
