"""The men of a material for kernels, the results of its captures and promotions, and its cells."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints, Words
from tbgen.compiled.jit import by_address, inner, small
from tbgen.index.layout import Layout, layout_of
from tbgen.index.placements import BY_KING, MIRRORED
from tbgen.index.squares import (
    FLIP_FILE,
    SYMMETRY,
    TO_TRIANGLE,
    TRANSPOSE,
    TRIANGLE,
    TRIANGLE_INDEX,
    Rays,
    rays_of,
)
from tbgen.material import Material, Scope
from tbgen.men import PROMOTIONS, AnyMan, Role
from tbgen.score import Color

by_address(Rays)

NO_SLOT: Final = -1
NO_CHILD: Final = -1
# How an entry of `addresses` is packed: below the block, how a placement is turned. A second copy
# of what index/layout says, on purpose: the verifier finds cells by itself.
_HOW_BITS: Final = 2
_HOW_MASK: Final = 3


@by_address
class Men(NamedTuple):
    """The men of a material and the numbering of their cells.

    There is an entry for each slot, pawns first.
    """

    color: Ints
    rays: Rays
    """Of all men but pawns."""
    attacks: Words
    """[slot, square] -> the squares that a man there attacks on an empty board."""
    king: Ints
    """[colour] -> slot."""
    twins: Ints
    """[n] -> first and last + 1 of equal men, counted from the man after the white king."""
    pawns: int
    addresses: npt.NDArray[np.int32]
    blocks: Ints
    """[block, pawn] -> square."""
    king_squares: int


@by_address
class Links(NamedTuple):
    """Captures and promotions, by the men that they remove and add.

    Link 0 stays within the material.
    """

    at: Ints
    """[captured slot + 1, promoted slot + 1, role or 0] -> link."""
    child: Ints
    """[link] -> number of the child.

    -1 for the material itself, and for links without a legal move.
    """
    reversed: Ints
    """[link] -> whether the child's table has the colours exchanged."""
    order: Ints
    """[link, slot of the child] -> slot of the parent."""


def men_of(layout: Layout) -> Men:
    """The men in the order of the layout's slots, and the numbering of their cells."""
    pawns = layout.pawns
    colors = np.array([int(color) for color, _ in layout.slots])
    rays = rays_of([role for _, role in layout.slots])
    kings = [layout.slots.index((color, Role.KING)) for color in Color]
    twins = np.array(layout.twins, np.int64).reshape(-1, 2)
    return Men(
        color=colors,
        rays=rays,
        attacks=np.concatenate([_PAWN_ATTACKS[colors[:pawns]], rays.reached[pawns:]]),
        king=np.array(kings, np.int64),
        twins=twins - (pawns + 1),
        pawns=pawns,
        addresses=layout.placing.addresses,
        blocks=np.array(layout.blocks, np.int64).reshape(len(layout.blocks), pawns),
        king_squares=layout.shape[2],
    )


def links_of(layout: Layout) -> Links:
    """Every capture, promotion and capture with promotion.

    Children are numbered as `Material.children`.
    """
    count = len(layout.slots)
    captures = [NO_SLOT]
    captures += [slot for slot, (_, role) in enumerate(layout.slots) if role is not Role.KING]
    promotions: list[tuple[int, Role | None]] = [(NO_SLOT, None)]
    promotions += itertools.product(range(layout.pawns), PROMOTIONS)
    at = np.zeros((count + 1, count + 1, 7), np.int64)
    links = list[_Link]()
    for captured, (promoted, role) in itertools.product(captures, promotions):
        at[captured + 1, promoted + 1, role or 0] = len(links)
        links.append(_link(layout, captured, promoted, role))
    return Links(
        at,
        child=np.array([link.child for link in links], np.int64),
        reversed=np.array([link.reversed for link in links], np.int64),
        order=np.array([link.order for link in links], np.int64),
    )


class _Link(NamedTuple):
    """One of the links, with the fields of `Links`."""

    child: int
    reversed: bool
    order: list[int]


def _link(layout: Layout, captured: int, promoted: int, role: Role | None) -> _Link:
    """The link of a capture, a promotion or both. NO_SLOT fills up its order."""
    men = dict(enumerate(layout.slots))
    if role is not None:
        color, _ = men[promoted]
        if not layout.material.may_promote(color):
            return _Link(NO_CHILD, False, [NO_SLOT] * len(layout.slots))
        men[promoted] = (color, role)
    if captured != NO_SLOT:
        del men[captured]
    # What takes a man leads to a whole table.
    scope = layout.material.scope if captured == NO_SLOT else Scope.ALL
    material = Material(_roles_of(men, Color.WHITE), _roles_of(men, Color.BLACK), scope)
    is_reversed = not material.is_canonical
    child = material.canonical()
    order = list[int]()
    for color, role_in_child in layout_of(child).slots:
        man = (color.other if is_reversed else color, role_in_child)
        order.append(next(slot for slot in men if men[slot] == man and slot not in order))
    while len(order) < len(layout.slots):
        order.append(NO_SLOT)
    children = layout.material.children()
    number = children.index(child) if child in children else NO_CHILD
    return _Link(number, is_reversed, order)


def _roles_of(men: Mapping[int, tuple[Color, AnyMan]], side: Color) -> list[AnyMan]:
    return [role for color, role in men.values() if color is side]


def _pawn_attacks() -> npt.NDArray[np.uint64]:
    """[colour, square] -> the squares that a pawn attacks.

    They are computed apart from the solver's table.
    """
    attacks = np.zeros((2, 64), np.uint64)
    for a, b in itertools.product(range(64), repeat=2):
        if abs(b % 8 - a % 8) == abs(b // 8 - a // 8) == 1:
            color = Color.WHITE if b > a else Color.BLACK
            attacks[color, a] |= np.uint64(1 << b)
    return attacks


_PAWN_ATTACKS: Final = _pawn_attacks()


@small
def set_up(men: Men, cell: Int, squares: Ints) -> Int:
    """Put the men of a cell on their squares; return the side to move."""
    for slot in range(men.color.size - 1, men.pawns, -1):
        squares[slot] = cell & 63
        cell >>= 6
    king = cell % men.king_squares
    cell //= men.king_squares
    squares[men.pawns] = king if men.pawns else TRIANGLE[king]
    for slot in range(men.pawns):
        squares[slot] = men.blocks[cell >> 1, slot]
    return cell & 1


@inner
def side_of(men: Men, cell: Int) -> Int:
    others = men.color.size - men.pawns - 1
    return ((cell >> (6 * others)) // men.king_squares) & 1


@inner
def sort_twins(men: Men, rest: Ints) -> None:
    """Equal men in ascending order."""
    for twin in range(men.twins.shape[0]):
        for last in range(men.twins[twin, 0] + 1, men.twins[twin, 1]):
            n = last
            while n > men.twins[twin, 0] and rest[n - 1] > rest[n]:
                rest[n - 1], rest[n] = rest[n], rest[n - 1]
                n -= 1


@inner
def digits_of_rest(men: Men, squares: Ints, symmetry: Int, rest: Ints) -> int:
    """The men after the white king as digits to base 64, under a symmetry."""
    count = men.color.size - men.pawns - 1
    for n in range(count):
        rest[n] = SYMMETRY[symmetry, squares[men.pawns + 1 + n]]
    sort_twins(men, rest)
    digits = 0
    for n in range(count):
        digits = (digits << 6) | rest[n]
    return digits


@small
def cell_of(men: Men, side: Int, squares: Ints, rest: Ints) -> int:
    """The primary cell of a position; `rest` has space for four numbers."""
    king = squares[men.pawns]
    address = 0
    for slot in range(men.pawns):
        address = (address << 6) | squares[slot]
    address = int(men.addresses[address])
    if men.pawns:
        mirror = address & _HOW_MASK
        is_mirrored = mirror == MIRRORED or (mirror == BY_KING and king & 4)
        symmetry = FLIP_FILE if is_mirrored else 0
    else:
        symmetry = TO_TRIANGLE[king]
    king = SYMMETRY[symmetry, king]
    digits = digits_of_rest(men, squares, symmetry, rest)
    if men.pawns == 0:
        if king % 9 == 0:
            digits = min(digits, digits_of_rest(men, squares, symmetry ^ TRANSPOSE, rest))
        king = TRIANGLE_INDEX[king]
    block = address >> _HOW_BITS
    others = men.color.size - men.pawns - 1
    first = ((block * 2 + side) * men.king_squares + king) << (6 * others)
    return first | digits


@small
def images_of(men: Men, squares: Ints, rest: Ints) -> int:
    """The number of placements that the symmetries make of a position.

    Equal men are not told apart.
    """
    if men.pawns:
        return 2
    king = squares[0]
    if king % 9:
        return 8
    digits = digits_of_rest(men, squares, 0, rest)
    is_its_own_image = digits_of_rest(men, squares, TRANSPOSE, rest) == digits
    return 4 if is_its_own_image else 8
