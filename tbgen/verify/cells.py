"""Kernels of cells: the men that a cell stands for, the cell of some men, and what a cell counts for."""

from __future__ import annotations

from tbgen._jit import inner, small
from tbgen.index.layout import BY_KING, MIRRORED
from tbgen.index.squares import FLIP_FILE, SYMMETRY, TO_TRIANGLE, TRANSPOSE, TRIANGLE, TRIANGLE_INDEX

_EIGHT = 8
_MIRROR_PAIR = 2


@small
def set_up(place, cell, squares):
    """Put the men of a cell on their squares; returns the side to move."""
    for slot in range(place.men - 1, place.pawns, -1):
        squares[slot] = cell & 63
        cell >>= 6
    king = cell % place.king_squares
    cell //= place.king_squares
    squares[place.pawns] = king if place.pawns else TRIANGLE[king]
    for slot in range(place.pawns):
        squares[slot] = place.blocks[cell >> 1, slot]
    return cell & 1


@inner
def side_of(place, cell):
    """The side to move."""
    return (cell >> 6 * (place.men - place.pawns - 1)) // place.king_squares & 1


@inner
def sort_twins(place, rest):
    """Equal men in ascending order."""
    for twin in range(place.twins.shape[0]):
        for last in range(place.twins[twin, 0] + 1, place.twins[twin, 1]):
            n = last
            while n > place.twins[twin, 0] and rest[n - 1] > rest[n]:
                rest[n - 1], rest[n] = rest[n], rest[n - 1]
                n -= 1


@inner
def digits_of_rest(place, squares, symmetry, rest):
    """The men after the white king as digits to base 64, seen through a symmetry."""
    count = place.men - place.pawns - 1
    for n in range(count):
        rest[n] = SYMMETRY[symmetry, squares[place.pawns + 1 + n]]
    sort_twins(place, rest)
    digits = 0
    for n in range(count):
        digits = digits << 6 | rest[n]
    return digits


@small
def cell_of(place, side, squares, rest):
    """The primary cell of a position; `rest` is room for four numbers."""
    king = squares[place.pawns]
    address = 0
    for slot in range(place.pawns):
        address = address << 6 | squares[slot]
    address = int(place.addresses[address])
    if place.pawns:
        mirror = address & 3
        symmetry = FLIP_FILE if mirror == MIRRORED or (mirror == BY_KING and king & 4) else 0
        king = SYMMETRY[symmetry, king]
        digits = digits_of_rest(place, squares, symmetry, rest)
    else:
        symmetry = TO_TRIANGLE[king]
        king = SYMMETRY[symmetry, king]
        digits = digits_of_rest(place, squares, symmetry, rest)
        if king % 9 == 0:
            digits = min(digits, digits_of_rest(place, squares, symmetry ^ TRANSPOSE, rest))
        king = TRIANGLE_INDEX[king]
    return (((address >> 2) * 2 + side) * place.king_squares + king) << 6 * (place.men - place.pawns - 1) | digits


@small
def images_of(place, squares, rest):
    """How many placements the symmetries make of a position, its equal men not told apart."""
    if place.pawns:
        return _MIRROR_PAIR
    king = squares[0]
    if king % 9:
        return _EIGHT
    here = digits_of_rest(place, squares, 0, rest)
    return _EIGHT // 2 if digits_of_rest(place, squares, TRANSPOSE, rest) == here else _EIGHT
