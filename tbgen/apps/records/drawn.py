"""Drawn endings revalued: what r-mobility makes of positions that ordinary chess calls drawn.

Drawn is what is worth neither G0.0 nor -G0.0: there ordinary chess has no winner, with the fifty-move rule left out.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tbgen.apps.records.record import Record
from tbgen.material import Material
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import Color, Score

BOUNDS = (1, 2, 3, 5, 7, 11, 17)
"""Codes up to which positions count as decided: G0.5, G1.0, G1.5, G2.5, G3.5 (over the board), G5.5, G8.5."""


@dataclass(frozen=True)
class Drawn:
    """The drawn positions of some tables up to symmetry."""

    counts: Mapping[Score, int]
    all: int
    """Positions, drawn or not."""

    @property
    def positions(self) -> int:
        return sum(self.counts.values())

    def decided(self, code: int) -> int:
        """How many are worth a score of this code or a lower one to somebody."""
        return sum(count for outcome, count in self.counts.items() if outcome.code <= code)

    def favour(self) -> Fraction:
        """White's average points above one half, by the exponential formula; exact."""
        rule = Scoring()
        points = sum((rule.points(outcome)[0] * count for outcome, count in self.counts.items()), Fraction(0))
        return points / self.positions - DRAW if self.positions else Fraction(0)


def drawn_in(records: Iterable[Record], sides: Iterable[Color] = tuple(Color)) -> Drawn:
    """The drawn positions of some tables, by default with either side to move."""
    counts: Counter[Score] = Counter()
    positions = 0
    for side, record in itertools.product(sides, records):
        for outcome, each in record.sides[side].outcomes.items():
            positions += each.classes
            if not outcome.is_mate:
                counts[outcome] += each.classes
    return Drawn(counts, positions)


def endings_of(records: Iterable[Record]) -> dict[Material, Drawn]:
    """The drawn positions of each table, those that favour a side most first."""
    found = {record.material: drawn_in([record]) for record in records}
    return dict(sorted(found.items(), key=lambda item: (-abs(item[1].favour()), str(item[0]))))
