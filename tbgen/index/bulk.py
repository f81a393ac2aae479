"""The cells of many positions at once, and which of the positions are legal.

`squares[n, slot]` are positions by the slots of a layout; `sides[n]` is 0 if White is to move.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bools, Ints
from tbgen.index.layout import ON_DIAGONAL, TURNS, Layout
from tbgen.index.placements import HOW_BITS, HOW_MASK
from tbgen.index.squares import PAWN_ATTACKS, SYMMETRY, TRANSPOSE, TRIANGLE_INDEX, rays_of
from tbgen.men import Role
from tbgen.score import Color

_BITS: Final = np.left_shift(np.uint64(1), np.arange(64, dtype=np.uint64))


def cells_of(layout: Layout, sides: npt.ArrayLike, squares: npt.ArrayLike) -> Ints:
    """The primary cell of each position; ValueError if pawns stand where none can."""
    men = np.asarray(squares, np.int64)
    pawns = men[:, : layout.pawns]
    address = layout.addresses_of(pawns)
    if (address < 0).any():
        raise ValueError(f"no pawns stand on {pawns[address < 0][0].tolist()}")
    block = address >> HOW_BITS
    symmetry = TURNS[address & HOW_MASK, men[:, layout.pawns]]
    images = SYMMETRY[symmetry[:, None], men[:, layout.pawns :]]
    king = images[:, 0]
    rest = _sorted(layout, images[:, 1:])
    if not layout.pawns:
        rest = _primary(layout, king, rest)
        king = TRIANGLE_INDEX[king]
    axes = (block, np.asarray(sides, np.int64), king, *rest.T)
    cells: Ints = np.ravel_multi_index(axes, layout.shape)
    return cells


def are_in_scope(layout: Layout, squares: npt.ArrayLike) -> Bools:
    """Which positions have their pawns where the layout has a block."""
    pawns = np.asarray(squares, np.int64)[:, : layout.pawns]
    are_known: Bools = layout.addresses_of(pawns) >= 0
    return are_known


def _primary(layout: Layout, king: Ints, rest: Ints) -> Ints:
    """With the white king on the diagonal, the lesser of the other men and their mirror image."""
    rows = np.flatnonzero(ON_DIAGONAL[king])
    squares = rest[rows]
    images = _sorted(layout, SYMMETRY[TRANSPOSE, squares])
    powers = 64 ** np.arange(rest.shape[1] - 1, -1, -1, dtype=np.int64)
    is_image_less = images @ powers < squares @ powers
    rest[rows] = np.where(is_image_less[:, None], images, squares)
    return rest


def weights_of(layout: Layout, squares: npt.ArrayLike) -> Ints:
    """[position of a primary cell] -> how many placements of labelled men are it by symmetry."""
    men = np.asarray(squares, np.int64)
    if layout.pawns:
        return np.full(len(men), 2 * layout.orders)
    images = np.full(len(men), 8)
    on_diagonal = np.flatnonzero(ON_DIAGONAL[men[:, 0]])
    rest = men[on_diagonal, 1:]
    image = _sorted(layout, SYMMETRY[TRANSPOSE, rest])
    is_its_own_image = np.all(image == _sorted(layout, rest.copy()), axis=1)
    images[on_diagonal[is_its_own_image]] = 4
    return images * layout.orders


def _sorted(layout: Layout, rest: Ints) -> Ints:
    for start, end in layout.twins:
        group = slice(start - layout.pawns - 1, end - layout.pawns - 1)
        rest[:, group] = np.sort(rest[:, group], axis=1)
    return rest


def are_legal(layout: Layout, sides: npt.ArrayLike, squares: npt.ArrayLike) -> Bools:
    """Which positions have each man on an allowed square, and the side not to move out of check."""
    men = np.asarray(squares, np.int64)
    to_move = np.asarray(sides, np.int64)
    bits = _BITS[men]
    occupied = np.bitwise_or.reduce(bits, axis=1)
    legal: Bools = np.all(np.diff(np.sort(men, axis=1), axis=1) > 0, axis=1)
    legal &= np.all((men[:, : layout.pawns] > 7) & (men[:, : layout.pawns] < 56), axis=1)
    white_king = men[:, layout.pawns]
    black_king = men[:, -1]
    for slot, (color, kind) in enumerate(layout.slots):
        square = men[:, slot]
        prey = black_king if color is Color.WHITE else white_king
        rays = rays_of([kind])
        if kind is Role.PAWN:
            reached = PAWN_ATTACKS[int(color), square]
        else:
            reached = rays.reached[0, square]
        is_reached = reached & _BITS[prey] != 0
        is_clear = rays.between[0, square, prey] & occupied == 0
        legal &= (to_move != int(color)) | ~(is_reached & is_clear)
    return legal
