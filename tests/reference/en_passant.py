"""Positions in which a pawn that has just jumped can be captured en passant.

A table keeps them apart from the plain ones: the capture counts in their own score.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = tuple[NDArray[np.int64], ...]

NO_ROW = -1


@dataclass(frozen=True)
class EnPassant:
    """Positions with a legal en passant capture, as parallel arrays in ascending order of key."""

    index: Index
    """The side to move, then the square of each man: indices into the table's arrays."""
    square: NDArray[np.int64]
    """The square that the pawn has jumped over."""
    own: NDArray[np.uint8]
    entry: NDArray[np.int16]
    dtg: NDArray[np.int16]

    def find(self, index: Index, square: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each position with its en passant square.

        It is `NO_ROW` where no en passant capture is legal.
        """
        if len(self.square) == 0:
            return np.full(len(square), NO_ROW)
        keys = en_passant_key(self.index, self.square)
        wanted = en_passant_key(index, square)
        rows = np.searchsorted(keys, wanted)
        rows[rows == len(keys)] = 0
        return np.where(keys[rows] == wanted, rows, NO_ROW)


def en_passant_key(index: Index, square: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for a position and its en passant square."""
    key = np.asarray(index[0], dtype=np.int64)
    for squares in index[1:]:
        key = key * 64 + squares
    return key * 64 + square


def mirrored(positions: EnPassant) -> EnPassant:
    """The same positions with left and right exchanged."""
    side, *squares = positions.index
    index = (side, *[square ^ 7 for square in squares])
    return EnPassant(index, positions.square ^ 7, positions.own, positions.entry, positions.dtg)


def no_en_passant(men: int) -> EnPassant:
    """No positions, of a material with so many men."""
    no_squares = np.zeros(0, dtype=np.int64)
    return EnPassant(
        index=(no_squares,) * (1 + men),
        square=no_squares,
        own=np.zeros(0, dtype=np.uint8),
        entry=np.zeros(0, dtype=np.int16),
        dtg=np.zeros(0, dtype=np.int16),
    )


def join_en_passant(parts: list[EnPassant]) -> EnPassant:
    """The positions of all parts, in ascending order of key."""
    axes = zip(*[part.index for part in parts], strict=True)
    index = tuple(np.concatenate(axis) for axis in axes)
    square = np.concatenate([part.square for part in parts])
    own = np.concatenate([part.own for part in parts])
    entry = np.concatenate([part.entry for part in parts])
    dtg = np.concatenate([part.dtg for part in parts])
    order = np.argsort(en_passant_key(index, square), kind="stable")
    ordered_index = tuple(axis[order] for axis in index)
    return EnPassant(ordered_index, square[order], own[order], entry[order], dtg[order])
