"""Outcomes as numbers, for arrays; for kernels see kernels.py, for everything else score.py.

* *signed*: +(code + 1) where White holds the score, -(code + 1) where Black does, 0 where there is
  no outcome. Accrued scores are written alike. Codes that tables store fit a signed byte.
* *row*: the signed byte + 128, an index into arrays of 256 rows.
* *rank*: `Score.rank`, the greater the better for White.
"""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np

from tbgen.compiled.arrays import Bools, Ints
from tbgen.score import MOST_CODE

Number = TypeVar("Number", int, np.int64, Ints)

ROWS: Final = 256
NO_OUTCOME_ROW: Final = 128


def row_of_byte(byte: Number) -> Number:
    """The row of an outcome's signed byte."""
    return byte + NO_OUTCOME_ROW


def byte_of_row(row: Number) -> Number:
    """The signed byte that a row belongs to."""
    return row - NO_OUTCOME_ROW


def codes_of(signed: Ints) -> Ints:
    return abs(signed) - 1


def are_white(signed: Ints) -> Bools:
    return signed > 0


def signed_of(are_white: Bools, codes: Ints) -> Ints:
    """The signed outcomes of some codes, White's or Black's."""
    return np.where(are_white, codes + 1, -codes - 1)


def ranks_of(signed: Ints) -> Ints:
    """The rank of each signed outcome; 0 for none."""
    return np.sign(signed) * (MOST_CODE + 2 - abs(signed))
