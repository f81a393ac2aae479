"""Bounds: the least and the greatest that a position is worth, and the bits that give bounds.

A *cut* is a score that White gets at least, or does not. A large block is solved at a few cuts, a
bit a cell for each. The lower bound of a value is the best cut that White gets. The upper bound is
the next score below the worst cut that White does not get.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes
from tbgen.index.outcomes import ranks_of
from tbgen.rules.points import Scoring, points_facts
from tbgen.score import MOST_STORED_CODE, Color, Score
from tbgen.table import Entries


@dataclass(frozen=True, slots=True)
class Bracket:
    """Proved bounds of the value of a position. Equal bounds prove the value.

    Raises:
        ValueError: The lower bound is better for White than the upper bound.

    >>> bracket = Bracket(Score("G5.5"), Score("G4.0"))
    >>> str(bracket), bracket.is_exact, bracket.exact
    ('G5.5 to G4.0', False, None)
    >>> bracket.facts()["lower"]["outcome"]
    'G5.5'
    >>> str(bracket.flipped())
    '-G4.0 to -G5.5'
    """

    lower: Score
    """White gets at least this score."""
    upper: Score
    """White gets at most this score."""

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"{self.lower} is better for White than {self.upper}")

    def __str__(self) -> str:
        if self.is_exact:
            return str(self.lower)
        return f"{self.lower} to {self.upper}"

    @property
    def ends(self) -> tuple[Score, Score]:
        """Both bounds, the lower one first."""
        return self.lower, self.upper

    @property
    def is_exact(self) -> bool:
        """Whether the value is proved."""
        return self.lower == self.upper

    @property
    def exact(self) -> Score | None:
        """The value; None unless it is proved."""
        return self.lower if self.is_exact else None

    def flipped(self) -> Self:
        """The bracket of the colour-reversed position.

        Returns:
            Both ends, flipped and exchanged.
        """
        return type(self)(self.upper.flipped(), self.lower.flipped())

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """Both bounds as JSON has them.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            Outcome and points of each bound, and whether they prove the value.
        """
        rule = Scoring() if scoring is None else scoring
        facts = dict[str, Any]()
        for name, end in (("lower", self.lower), ("upper", self.upper)):
            facts[name] = {"outcome": str(end), "points": points_facts(rule.points(end))}
        return {**facts, "exact": self.is_exact}


ANYTHING: Final = Bracket(Score("-G0.0"), Score("G0.0"))
"""The bracket of a position that nothing is known of."""


class Bound(enum.IntEnum):
    """The bound that replaces the value of an unsolved promotion, seen by White."""

    LOWER = 0
    UPPER = 1

    @property
    def other(self) -> "Bound":
        """The other bound."""
        return Bound(1 - self)


UNKNOWN: Final = (-1, 1)
"""[bound] the signed outcome that replaces a value that is not known."""

Cuts = tuple[Score, ...]
"""Scores that White gets at least or does not, from White's best on."""

ENDS: Final[Cuts] = (Score("G0.5"), Score("-G1.0"))
"""[color] whether White mates or stalemates, and whether Black does not."""

SCORES: Final = sorted(
    (Score(code, color) for code in range(MOST_STORED_CODE + 1) for color in Color), reverse=True
)
"""All scores, from White's best on."""

CELLS_AT_ONCE: Final = 1 << 18
"""Cells whose bounds are found at a time."""

VALUES_AT_ONCE: Final = 1 << 16
"""Values are compared with cuts in parts, as each takes eight bytes then."""


class CutQuestion(NamedTuple):
    """Some cuts, asked with one bound in place of unsolved promotions."""

    bound: Bound
    cuts: Cuts


ALL_OUTCOMES: Final = CutQuestion(Bound.LOWER, ())
"""No cuts: blocks are solved with all their outcomes, and with both bounds."""


def threshold_of(cut: Score) -> tuple[Score, bool]:
    """The score by whose holder a cut is decided, and whether White gets the cut without it.

    That is Black's next better score for a cut that Black holds.
    """
    if cut.holder is Color.WHITE:
        return cut, False
    return Score(cut.code - 1, Color.BLACK), True


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
        _, is_opposite = threshold_of(cut)
        met.append(is_reached != is_opposite)
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
