"""Kernels of cells: the men that a cell stands for, the cell of some men, and what a cell counts for."""

from __future__ import annotations

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import inner, small
from tbgen.index.layout import BY_KING, MIRRORED
from tbgen.index.squares import FLIP_FILE, SYMMETRY, TO_TRIANGLE, TRANSPOSE, TRIANGLE, TRIANGLE_INDEX
from tbgen.verify.men import Numbering

_EIGHT = 8
_MIRROR_PAIR = 2


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
        return _MIRROR_PAIR
    king = squares[0]
    if king % 9:
        return _EIGHT
    here = digits_of_rest(numbering, squares, 0, rest)
    return _EIGHT // 2 if digits_of_rest(numbering, squares, TRANSPOSE, rest) == here else _EIGHT
