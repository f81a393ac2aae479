"""What points say about strength: share, Elo and its error, likelihood of superiority.

Means and variances are exact; what needs a logarithm or the normal distribution is a float.

>>> games = Distribution.of_games([WIN] * 136 + [LOSS] * 96 + [DRAW] * 111)
>>> strength = games.strength()
>>> f"{strength.elo:.2f} +/- {strength.error:.2f}, superior with {strength.superiority:.2%}"
'40.70 +/- 30.43, superior with 99.60%'
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from tbgen.rules.points import DRAW, LOSS, WIN

_NORMAL = NormalDist()
_CONFIDENCE = 0.95
_BOUND = _NORMAL.inv_cdf((1 + _CONFIDENCE) / 2)
_QUARTERS = 4


def elo_of(share: float) -> float:
    """The difference in Elo at which `share` of the points is expected; infinite at 0 and 1.

    >>> round(elo_of(0.75), 2)
    190.85
    """
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else 400 * math.log10(share / (1 - share))


def share_of(elo: float) -> float:
    """The share of the points that a difference in Elo promises."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True, slots=True)
class Strength:
    """One side's result. `error` is half of the 95 % interval, None where it has no bound or nothing varies."""

    games: int
    points: Fraction
    elo: float
    error: float | None
    superiority: float | None
    """The likelihood that the side is the stronger one; None where nothing varies."""

    @property
    def share(self) -> Fraction:
        return self.points / self.games if self.games else DRAW


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often a unit of `games_each` games brought which share of its points.

    A unit is a game (the trinomial model, if points are 0, 1/2 and 1) or a pair of games with one opening and
    colours swapped (the pentanomial model).
    """

    counts: Mapping[Fraction, int]
    games_each: int = 1

    @classmethod
    def of_games(cls, points: Iterable[Fraction]) -> Distribution:
        return cls(Counter(points))

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[Fraction, Fraction]]) -> Distribution:
        return cls(Counter((first + second) / 2 for first, second in pairs), games_each=2)

    @property
    def units(self) -> int:
        return sum(self.counts.values())

    @property
    def games(self) -> int:
        return self.units * self.games_each

    @property
    def total(self) -> Fraction:
        """All points."""
        return sum((share * count for share, count in self.counts.items()), Fraction(0)) * self.games_each

    @property
    def mean(self) -> Fraction:
        return self.total / self.games

    @property
    def variance(self) -> Fraction:
        """The variance of a game's points; from pairs it leaves out what the opening decides."""
        mean = self.mean
        spread = sum(((share - mean) ** 2 * count for share, count in self.counts.items()), Fraction(0))
        return spread / self.units * self.games_each

    def strength(self) -> Strength:
        """Share, Elo, error and likelihood of superiority."""
        if not self.units:
            return Strength(0, Fraction(0), 0.0, None, None)
        share, deviation = float(self.mean), math.sqrt(self.variance / self.games)
        elo = elo_of(share)
        if not deviation:
            return Strength(self.games, self.total, elo, None, None)
        low, high = (elo_of(share + side * _BOUND * deviation) for side in (-1, 1))
        error = (high - low) / 2 if math.isfinite(high - low) else None
        return Strength(self.games, self.total, elo, error, _NORMAL.cdf((share - 0.5) / deviation))

    def by_quarters(self) -> tuple[int, ...]:
        """Units that brought about 0, 1/4, 1/2, 3/4 and 1 of their points: with pairs, the pentanomial counts."""
        buckets = [0] * (_QUARTERS + 1)
        for share, count in self.counts.items():
            buckets[math.floor(share * _QUARTERS + DRAW)] += count
        return tuple(buckets)

    def wins_draws_losses(self) -> tuple[int, int, int]:
        """Units that brought more than half of the points, half, and less."""
        wins = sum(count for share, count in self.counts.items() if share > DRAW)
        draws = self.counts.get(DRAW, 0)
        return wins, draws, self.units - wins - draws


__all__ = ["DRAW", "LOSS", "WIN", "Distribution", "Strength", "elo_of", "share_of"]
