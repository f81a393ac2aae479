"""The values of a block with its colours reversed: upside down, and the sides changed.

A table has colours of its own, and knows the values of primary cells alone. Its block is brought
into the colours of a reader by filling in all cells first, then moving every axis to where the man
of the other colour has his.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbgen.compiled.arrays import SignedBytes
from tbgen.index.layout import Layout
from tbgen.index.placements import BY_KING, HOW_MASK, MIRRORED, Squares
from tbgen.index.resets import UPSIDE_DOWN, slots_there

Cube = SignedBytes
"""The entry values of a plane beside pawns: an axis of 64 squares for each man but the pawns."""


def reversed_slots(layout: Layout) -> tuple[int, ...]:
    """[slot of the reversed material] -> slot of the man that is he here."""
    return slots_there(dict(enumerate(layout.slots)), layout.material.flipped(), flip=True)


def reversed_pawns(layout: Layout, pawns: Squares) -> Squares:
    """The squares of pawns here, given those of the reversed material in its order."""
    squares = [0] * layout.pawns
    for slot, square in zip(reversed_slots(layout), pawns, strict=False):
        squares[slot] = square ^ UPSIDE_DOWN
    return tuple(squares)


def reversed_plane(layout: Layout, address: int, entries: SignedBytes) -> SignedBytes:
    """The entry values of a plane, as the reversed material has them with the other side to move.

    `address` is that of the pawns, with how a board is turned that has them.
    """
    men = len(layout.slots) - layout.pawns
    cube = entries.reshape((64,) * men)
    for first, second in _swaps(layout):
        cube = _filled_by_swapping(cube, first, second)
    how = address & HOW_MASK
    if how == BY_KING:
        cube = _filled_by_mirroring(cube)
    elif how == MIRRORED:
        cube = _flipped(cube, files=True)
    axes = [slot - layout.pawns for slot in reversed_slots(layout)[layout.pawns :]]
    turned = _flipped(cube.transpose(axes), files=False)
    return (-turned).ravel()


def _swaps(layout: Layout) -> Iterator[tuple[int, int]]:
    """The neighbouring axes of equal men, in the order in which bubble sort compares them."""
    for start, end in layout.twins:
        first_axis = start - layout.pawns
        for last in range(end - start - 1, 0, -1):
            for axis in range(first_axis, first_axis + last):
                yield axis, axis + 1


def _filled_by_swapping(cube: Cube, first: int, second: int) -> Cube:
    """The cells in which the first of two equal men stands higher, from those with both swapped."""
    moved = np.moveaxis(cube, (first, second), (0, 1))
    filled = moved.copy()
    for square in range(64):
        filled[square, :square] = moved[:square, square]
    return np.moveaxis(filled, (0, 1), (first, second))


def _filled_by_mirroring(cube: Cube) -> Cube:
    """The cells with the white king on the files e-h, from their mirror images."""
    mirrored = _flipped(cube, files=True)
    filled = cube.copy()
    for king in range(64):
        if king % 8 >= 4:
            filled[king] = mirrored[king]
    return filled


def _flipped(cube: Cube, *, files: bool) -> Cube:
    """All men mirrored in the middle of their files, or of their ranks."""
    boards = cube.reshape((8, 8) * cube.ndim)  # ranks, files, ranks, files ...
    flipped_axes = range(1 if files else 0, boards.ndim, 2)
    return np.flip(boards, tuple(flipped_axes)).reshape(cube.shape)
