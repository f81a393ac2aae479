"""The eight symmetries of the board, and the triangle into which they bring every square.

A symmetry is a sum of FLIP_FILE, FLIP_RANK and TRANSPOSE: first the flips, then the transposition (a1-h8 stays).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tbgen.compiled.arrays import Ints

FLIP_FILE: Final = 1
FLIP_RANK: Final = 2
TRANSPOSE: Final = 4

_SQUARES: Final = np.arange(64, dtype=np.int64)


def _images(symmetry: int) -> Ints:
    """[square] -> where a symmetry brings it."""
    squares = _SQUARES ^ (7 if symmetry & FLIP_FILE else 0) ^ (56 if symmetry & FLIP_RANK else 0)
    return squares % 8 * 8 + squares // 8 if symmetry & TRANSPOSE else squares


def _inverse_of(there: int) -> int:
    return next(back for back in range(8) if np.array_equal(SYMMETRY[back, SYMMETRY[there]], _SQUARES))


SYMMETRY: Final = np.stack([_images(symmetry) for symmetry in range(8)])
"""[symmetry, square] -> where it brings the square."""
INVERSE: Final = np.array([_inverse_of(symmetry) for symmetry in range(8)], np.int64)

TRIANGLE: Final = tuple(8 * rank + file for rank in range(4) for file in range(rank, 4))
"""a1-d1-d4: one of the eight symmetries brings any square here."""

TRIANGLE_INDEX: Final = np.array([TRIANGLE.index(s) if s in TRIANGLE else -1 for s in range(64)], np.int64)
TO_TRIANGLE: Final = np.argmax(TRIANGLE_INDEX[SYMMETRY] >= 0, axis=0)
"""[square] -> the first symmetry that brings it into the triangle."""
