"""The positions in which a pawn has just jumped and can be captured en passant, kept apart from the plain ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = tuple[NDArray[np.int64], ...]


@dataclass(frozen=True)
class EnPassant:
    """Every position with a legal en passant capture, as parallel arrays in ascending order of `key`."""

    index: Index  # side to move, then squares: indices into the table's arrays
    square: NDArray[np.int64]  # the square jumped over
    own: NDArray[np.uint8]
    entry: NDArray[np.int16]
    dtg: NDArray[np.int16]

    def find(self, index: Index, square: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each position with its en passant square, -1 where no en passant capture is legal."""
        wanted, keys = en_passant_key(index, square), en_passant_key(self.index, self.square)
        rows = np.searchsorted(keys, wanted)
        rows[rows == len(keys)] = 0
        return np.where(keys[rows] == wanted, rows, -1) if len(keys) else np.full(len(wanted), -1)


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


def join_en_passant(parts: list[EnPassant], men: int) -> EnPassant:
    """All the positions of several sets in ascending order of key."""
    empty = np.zeros(0, dtype=np.int64)
    parts = parts or [EnPassant((empty,) * (1 + men), empty, *[empty] * 3)]  # type: ignore[arg-type]
    index = tuple(np.concatenate([part.index[axis] for part in parts]) for axis in range(1 + men))
    square = np.concatenate([part.square for part in parts])
    order = np.argsort(en_passant_key(index, square), kind="stable")
    columns = [
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("own", "entry", "dtg")
    ]
    return EnPassant(tuple(axis[order] for axis in index), square[order], *columns)
