"""Cuts: values known by a bit a cell, and the bounds that such bits give.

A *cut* is a score that White gets at least, or does not. The lower bound of a value is the best cut
that White gets. The upper bound is the next score below the worst cut that White does not get.
"""

import enum
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes
from tbgen.index.outcomes import ranks_of
from tbgen.score import MOST_STORED_CODE, Color, Score
from tbgen.table import Entries

Cuts = tuple[Score, ...]
"""Scores that White gets at least or does not, from White's best on."""

SCORES: Final = sorted(
    (Score(code, color) for code in range(MOST_STORED_CODE + 1) for color in Color), reverse=True
)
"""All scores, from White's best on."""

VALUES_AT_ONCE: Final = 1 << 16
"""Values are compared with cuts in parts, as each takes eight bytes then."""

ENDS: Final[Cuts] = (Score("G0.5"), Score("-G1.0"))
"""Whether White mates or stalemates, and whether Black does not."""

UNKNOWN: Final = (-1, 1)
"""[bound] the signed outcome that replaces a value that is not known."""


class Bound(enum.IntEnum):
    """The bound that replaces the value of an unsolved promotion, seen by White."""

    LOWER = 0
    UPPER = 1

    @property
    def other(self) -> "Bound":
        """The other bound."""
        return Bound(1 - self)


class CutQuestion(NamedTuple):
    """Some cuts, asked with one bound in place of unsolved promotions."""

    bound: Bound
    cuts: Cuts


ALL_OUTCOMES: Final = CutQuestion(Bound.LOWER, ())
"""No cuts: blocks are solved with all their outcomes, and with both bounds."""


class Threshold(NamedTuple):
    """The score by whose holder a cut is decided."""

    score: Score
    is_opposite: bool
    """Whether White gets the cut where the score's holder does not get that score."""


def threshold_of(cut: Score) -> Threshold:
    """The threshold that decides a cut: Black's next better score for a cut that Black holds."""
    if cut.holder is Color.WHITE:
        return Threshold(cut, is_opposite=False)
    return Threshold(Score(cut.code - 1, Color.BLACK), is_opposite=True)


def bounds_of_met(met: Sequence[npt.NDArray[np.bool_]], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of some values, if `met[cut][value]` says whether White gets the cut."""
    # White gets the worst of the cuts first, so the number of cuts that are met says which ones.
    by_number = np.full(len(cuts) + 1, UNKNOWN[bound], np.int8)
    for number, cut in enumerate(reversed(cuts)):
        if bound is Bound.LOWER:
            by_number[number + 1] = cut.signed
        else:
            next_worse = SCORES[SCORES.index(cut) + 1]
            by_number[number] = next_worse.signed
    numbers = np.sum(met, axis=0, dtype=np.uint8)
    bounds: Entries = by_number[numbers]
    return bounds


def bounds_of_bits(
    bits: Sequence[Bytes], cuts: Cuts, bound: Bound, first: int, size: int
) -> Entries:
    """The bounds of some values, from the packed bits of each cut's threshold.

    The first value has the bit number `first`.
    """
    met = []
    for cut, packed in zip(cuts, bits, strict=True):
        is_reached = np.unpackbits(packed, bitorder="little")[first : first + size] != 0
        met.append(is_reached != threshold_of(cut).is_opposite)
    return bounds_of_met(met, cuts, bound)


def bounds_of_values(values: Sequence[Entries], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of some values, from a row of values for each cut; 0 where there is no value.

    A row is only right in whether White gets its cut.
    """
    bounds = np.zeros_like(values[0])
    for first in range(0, len(bounds), VALUES_AT_ONCE):
        rows = [row[first : first + VALUES_AT_ONCE] for row in values]
        met = []
        for cut, row in zip(cuts, rows, strict=True):
            met.append(ranks_of(row.astype(np.int64)) >= cut.rank)
        has_value = rows[0] != 0
        np.copyto(
            bounds[first : first + VALUES_AT_ONCE], bounds_of_met(met, cuts, bound), where=has_value
        )
    return bounds
