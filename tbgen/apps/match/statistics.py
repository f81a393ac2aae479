"""Strength from points: share, Elo and its error, likelihood of superiority, and sequential tests.

Means and variances are exact; what needs a logarithm or the normal distribution is a float.

The sequential probability ratio tests take points that are real numbers: docs/matches.md has the
formulas and their sources.

>>> from tbgen.rules.points import LOSS, WIN
>>> games = Distribution({WIN: 136, LOSS: 96, DRAW: 111})
>>> f"{games.elo:.2f} +/- {games.error:.2f}, superior with {games.superiority:.2%}"
'40.70 +/- 30.43, superior with 99.60%'
"""

from __future__ import annotations

import enum
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Literal

from tbgen.rules.points import DRAW

_NORMAL = NormalDist()
_BOUND = _NORMAL.inv_cdf(0.975)
"""Half the width of the 95 % interval, in standard errors."""
_PRIOR = 1e-3
"""The weight in the generalised ratio of a result that has not occurred."""
MOST_ELO = 1000
"""The greatest bound of a test: the stronger side would win 997 of 1000 points."""
_MOST_EXPONENT = 300.0
"""The greatest power of ten; ten times a thousandfold more is no float."""
_LEAST_CHANCE = sys.float_info.min
"""In place of the chance 0 of a result that has occurred, whose logarithm would have no bound."""
_ELO_PER_T = 800 / math.log(10)
"""Normalised Elo for each deviation of a game; docs/matches.md."""
_ROUNDS = 10
"""The most rounds of the search for a law whose deviation depends on itself."""
_ENOUGH = 1e-9
"""The search ends when no chance changes by this or more."""
_MOST_STEPS = 200
"""The most steps of Newton's method, which at worst halves an interval of floats."""


def elo_of(share: float) -> float:
    """The difference in Elo at which a share of the points is expected; infinite at 0 and 1.

    >>> round(elo_of(0.75), 2)
    190.85
    """
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return 400 * math.log10(share / (1 - share))


def share_of(elo: float) -> float:
    """The share of the points that a difference in Elo promises."""
    exponent = max(-_MOST_EXPONENT, min(_MOST_EXPONENT, -elo / 400))
    return 1 / (1 + 10**exponent)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Units of `games_each` games, counted by the share of their points that they brought.

    A unit is a game (the trinomial model, if points are 0, 1/2 and 1) or a pair of games with one
    opening and colours swapped (the pentanomial model).
    """

    counts: Mapping[Fraction, int]
    games_each: int = 1

    @property
    def units(self) -> int:
        return sum(self.counts.values())

    @property
    def games(self) -> int:
        return self.units * self.games_each

    @property
    def points(self) -> Fraction:
        points = Fraction(0)
        for share, count in self.counts.items():
            points += share * count
        return points * self.games_each

    @property
    def share(self) -> Fraction:
        """The share of all points; half of them without a game."""
        return self.points / self.games if self.units else DRAW

    @property
    def variance(self) -> Fraction:
        """The variance of a game's points; from pairs it leaves out what the opening decides."""
        mean = self.share
        spread = Fraction(0)
        for share, count in self.counts.items():
            spread += (share - mean) ** 2 * count
        return spread / self.units * self.games_each

    @property
    def deviation(self) -> float:
        """The standard error of the share; 0 without a game."""
        return math.sqrt(self.variance / self.games) if self.units else 0.0

    @property
    def elo(self) -> float:
        return elo_of(float(self.share))

    @property
    def error(self) -> float | None:
        """Half of the 95 % interval of Elo; None where it has no bound or nothing varies."""
        share = float(self.share)
        lower = elo_of(share - _BOUND * self.deviation)
        upper = elo_of(share + _BOUND * self.deviation)
        width = upper - lower
        return width / 2 if width and math.isfinite(width) else None

    @property
    def superiority(self) -> float | None:
        """The likelihood that the side is the stronger one; None where nothing varies."""
        if not self.deviation:
            return None
        return _NORMAL.cdf(float(self.share - DRAW) / self.deviation)

    def by_quarters(self) -> tuple[int, ...]:
        """Units that brought about 0, 1/4, 1/2, 3/4 and 1 of their points.

        With pairs, these are the pentanomial counts.
        """
        quarters = [0] * 5
        for share, count in self.counts.items():
            quarters[math.floor(share * 4 + DRAW)] += count
        return tuple(quarters)

    def wins_draws_losses(self) -> tuple[int, int, int]:
        """Units that brought more than half of the points, half, and less."""
        wins = sum(count for share, count in self.counts.items() if share > DRAW)
        draws = self.counts.get(DRAW, 0)
        losses = self.units - wins - draws
        return wins, draws, losses


Law = list[tuple[float, float]]
"""Values and their probabilities."""


class Model(enum.Enum):
    """The meaning of the bounds of a test."""

    LOGISTIC = "logistic"
    """Elo."""
    NORMALIZED = "normalized"
    """Normalised Elo."""


Conclusion = Literal["open", "H0 accepted", "H1 accepted"]
"""Where a test stands."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H1 against H0.

    H1 says that the first side is stronger by at least `elo1`, H0 by at most `elo0`.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.LOGISTIC

    @property
    def lower(self) -> float:
        """H0 is accepted below this ratio."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted above this ratio."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, games: Distribution, pairs: Distribution | None = None) -> float:
        """The generalised log-likelihood ratio of the pairs, or of the games if there are none."""
        units = pairs if pairs is not None and pairs.units else games
        return self._generalised(units) if units.units else 0.0

    def conclusion(self, ratio: float) -> Conclusion:
        if ratio >= self.upper:
            return "H1 accepted"
        if ratio <= self.lower:
            return "H0 accepted"
        return "open"

    def _generalised(self, units: Distribution) -> float:
        law, weight = _empirical(units)
        if self.model is Model.LOGISTIC:
            under0 = _likeliest_with_mean(law, share_of(self.elo0))
            under1 = _likeliest_with_mean(law, share_of(self.elo1))
        else:
            t_per_elo = math.sqrt(units.games_each) / _ELO_PER_T
            under0 = _likeliest_with_t(law, self.elo0 * t_per_elo)
            under1 = _likeliest_with_t(law, self.elo1 * t_per_elo)
        return weight * _ratio(_chances(law), _chances(under0), _chances(under1))


def _chances(law: Law) -> list[float]:
    return [chance for _, chance in law]


def _ratio(counts: Iterable[float], under0: Iterable[float], under1: Iterable[float]) -> float:
    """The log-likelihood ratio of results that occurred so often.

    `under0` and `under1` are their chances under H0 and under H1.
    """
    ratio = 0.0
    for count, chance0, chance1 in zip(counts, under0, under1, strict=True):
        if count:
            likelihood = max(chance1, _LEAST_CHANCE) / max(chance0, _LEAST_CHANCE)
            ratio += count * math.log(likelihood)
    return ratio


def _empirical(units: Distribution) -> tuple[Law, float]:
    """The law that was observed, and how many units it stands for.

    The ordinary results of a unit that have not occurred get a small weight, so that every mean is
    possible.
    """
    ordinary = 2 * units.games_each
    weights: dict[Fraction, float] = {}
    for step in range(ordinary + 1):
        weights[Fraction(step, ordinary)] = _PRIOR
    weights.update(units.counts)
    total = sum(weights.values())
    return [(float(share), weight / total) for share, weight in weights.items()], total


def _likeliest_with_mean(law: Law, mean: float) -> Law:
    """The law with a mean under which the observations are likeliest."""
    return _tilted(law, [value - mean for value, _ in law])


def _likeliest_with_t(law: Law, t: float) -> Law:
    """The law whose mean lies t deviations above 1/2 under which the observations are likeliest.

    Where no step leads nearer to so great a t, the law so far stands.
    """
    likeliest: Law = [(value, 1 / len(law)) for value, _ in law]
    for _ in range(_ROUNDS):
        mean = sum(value * chance for value, chance in likeliest)
        deviation = math.sqrt(sum((value - mean) ** 2 * chance for value, chance in likeliest))
        slopes = list[float]()
        for value, _ in law:
            curvature = 1 + ((mean - value) / deviation) ** 2
            slopes.append(value - 0.5 - t * deviation * curvature / 2)
        if min(slopes) >= 0 or max(slopes) <= 0:
            break
        before = likeliest
        likeliest = _tilted(law, slopes)
        pairs = zip(_chances(before), _chances(likeliest), strict=True)
        if max(abs(old - new) for old, new in pairs) < _ENOUGH:
            break
    return likeliest


def _tilted(law: Law, slopes: list[float]) -> Law:
    """The law with mean slope 0 under which the observations are likeliest.

    It takes the root of sum(chance * slope / (1 + x * slope)), which falls between its two outer
    poles, by Newton's steps from 0, halving where one would leave the bracket.
    """
    low = -1 / max(slopes)
    high = -1 / min(slopes)
    x = 0.0
    for _ in range(_MOST_STEPS):
        pull = 0.0
        fall = 0.0
        for (_, chance), slope in zip(law, slopes, strict=True):
            term = slope / (1 + x * slope)
            pull += chance * term
            fall += chance * term * term
        if pull > 0:
            low = x
        else:
            high = x
        following = x + pull / fall
        if not low < following < high:
            following = (low + high) / 2
        if following in (x, low, high):
            break
        x = following
    return [
        (value, chance / (1 + x * slope))
        for (value, chance), slope in zip(law, slopes, strict=True)
    ]
