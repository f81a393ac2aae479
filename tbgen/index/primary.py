"""The primary cell: which of a position's cells a table keeps. This file and its kernels are the rule's one place.

A position has as many cells as there are symmetries that bring it into some block. A table keeps one of them:

1. Its pawns' address (or that there are no pawns) says *how* the board is turned: as it is, mirrored, by the white king
   to the files a-d where the pawns equal their own mirror image, or by the white king into the triangle a1-d1-d4.
2. Equal men stand in ascending order.
3. If there are no pawns and the white king then stands on the long diagonal, the image in that diagonal has a cell as
   well. The primary one is the lesser: the first man that differs, in the order of the slots, has the lower square.

What needs no compiler is here, what kernels ask is in `primary_kernels.py`. The verifier has its own copy, on purpose.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tbgen.compiled.arrays import Int
from tbgen.index.symmetry import FLIP_FILE, SYMMETRY, TO_TRIANGLE, TRANSPOSE, Table

UNMIRRORED: Final = 0
MIRRORED: Final = 1
BY_KING: Final = 2
INTO_TRIANGLE: Final = 3
"""How a board is turned. Within one block: it has every cell (the first two), none with the white king on the files
e-h (BY_KING), or none beyond the long diagonal (INTO_TRIANGLE)."""

HOW_BITS: Final = 2
HOW_MASK: Final = 3
"""An address is a block's number, shifted by these bits, and how the board is turned."""


def _turns() -> Table:
    """[how, white king's square] -> the symmetry that turns the board."""
    squares = np.arange(64, dtype=np.int64)
    by_king = np.where(squares % 8 < 4, 0, FLIP_FILE)
    return np.stack([np.zeros_like(squares), np.full_like(squares, FLIP_FILE), by_king, TO_TRIANGLE])


TURNS: Final = _turns()

ON_DIAGONAL: Final = SYMMETRY[TRANSPOSE] == np.arange(64)
"""[square] -> whether it lies on the long diagonal, which the transposition leaves as it is."""


def how_turned(pawns: Int, own_mirror: Int) -> int:
    """How boards are turned within a block of so many pawns; `own_mirror` says that they equal their mirror image."""
    if pawns == 0:
        return INTO_TRIANGLE
    return BY_KING if own_mirror else UNMIRRORED
