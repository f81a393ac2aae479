"""Strength from points: share, Elo and its error, likelihood of superiority, and sequential tests.

Means and variances are exact; what needs a logarithm or the normal distribution is a float.

The sequential probability ratio tests take points that are real numbers. A game worth p points counts as
(p - 1/2) / (1/2) wins and (1 - p) / (1/2) draws if p >= 1/2, else as (1/2 - p) / (1/2) losses and p / (1/2) draws:
nothing changes where p is 0, 1/2 or 1. docs/matches.md has the formulas of the models and their sources.

>>> from tbgen.rules.points import LOSS, WIN
>>> games = Distribution({WIN: 136, LOSS: 96, DRAW: 111})
>>> f"{games.elo:.2f} +/- {games.error:.2f}, superior with {games.superiority:.2%}"
'40.70 +/- 30.43, superior with 99.60%'
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Literal

from tbgen.rules.points import DRAW

_NORMAL = NormalDist()
_BOUND = _NORMAL.inv_cdf(0.975)
"""Of the 95 % interval, in standard errors."""
_PRIOR = 1e-3
"""The weight in the generalised ratio of a result that has not occurred."""
_ELO_PER_T = 800 / math.log(10)
_ROUNDS = 10
_MOST_STEPS = 200


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
class Distribution:
    """How often a unit of `games_each` games brought which share of its points.

    A unit is a game (the trinomial model, if points are 0, 1/2 and 1) or a pair of games with one opening and
    colours swapped (the pentanomial model).
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
        return (
            sum((share * count for share, count in self.counts.items()), Fraction(0))
            * self.games_each
        )

    @property
    def share(self) -> Fraction:
        """The share of all points; half of them without a game."""
        return self.points / self.games if self.units else DRAW

    @property
    def variance(self) -> Fraction:
        """The variance of a game's points; from pairs it leaves out what the opening decides."""
        mean = self.share
        spread = sum(
            ((share - mean) ** 2 * count for share, count in self.counts.items()), Fraction(0)
        )
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
        bounds = [elo_of(float(self.share) + side * _BOUND * self.deviation) for side in (-1, 1)]
        width = bounds[1] - bounds[0]
        return width / 2 if width and math.isfinite(width) else None

    @property
    def superiority(self) -> float | None:
        """The likelihood that the side is the stronger one; None where nothing varies."""
        return _NORMAL.cdf(float(self.share - DRAW) / self.deviation) if self.deviation else None

    def by_quarters(self) -> tuple[int, ...]:
        """Units that brought about 0, 1/4, 1/2, 3/4 and 1 of their points: with pairs, the pentanomial counts."""
        quarters = [(math.floor(share * 4 + DRAW), count) for share, count in self.counts.items()]
        return tuple(
            sum(count for quarter, count in quarters if quarter == each) for each in range(5)
        )

    def wins_draws_losses(self) -> tuple[int, int, int]:
        """Units that brought more than half of the points, half, and less."""
        wins = sum(count for share, count in self.counts.items() if share > DRAW)
        draws = self.counts.get(DRAW, 0)
        return wins, draws, self.units - wins - draws


Law = list[tuple[float, float]]
"""Values and their probabilities."""


class Model(enum.Enum):
    """The meaning of the bounds, and how to compute the ratio."""

    CUTECHESS = "cutechess"
    """Elo, over wins, draws and losses as real numbers: cutechess-cli and its fork for r-mobility."""
    BAYESIAN = "bayesian"
    """As `cutechess`, but the bounds are BayesElo."""
    LOGISTIC = "logistic"
    """Elo, generalised ratio over pairs of games."""
    NORMALIZED = "normalized"
    """Normalised Elo, generalised ratio over pairs of games."""


Conclusion = Literal["open", "H0 accepted", "H1 accepted"]
"""Where a test stands."""


def real_counts(games: Distribution) -> tuple[float, float, float]:
    """Wins, draws and losses as real numbers."""
    wins = sum((2 * points - 1) * count for points, count in games.counts.items() if points > DRAW)
    losses = sum(
        (1 - 2 * points) * count for points, count in games.counts.items() if points < DRAW
    )
    return float(wins), float(games.units - wins - losses), float(losses)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H1, the first side is stronger by at least `elo1`, against H0, by at most `elo0`."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.CUTECHESS

    @property
    def lower(self) -> float:
        """H0 is accepted below this ratio."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted above this ratio."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, games: Distribution, pairs: Distribution | None = None) -> float:
        """The log-likelihood ratio; the generalised models look at pairs if there are any."""
        if self.model in (Model.CUTECHESS, Model.BAYESIAN):
            return self._trinomial(*real_counts(games))
        units = pairs if pairs is not None and pairs.units else games
        return self._generalised(units) if units.units else 0.0

    def conclusion(self, ratio: float) -> Conclusion:
        if ratio >= self.upper:
            return "H1 accepted"
        return "H0 accepted" if ratio <= self.lower else "open"

    def _trinomial(self, wins: float, draws: float, losses: float) -> float:
        if wins < 1 or losses < 1:
            return 0.0
        total = wins + draws + losses
        win, loss = wins / total, losses / total
        draw_elo = 200 * math.log10((1 - loss) / loss * (1 - win) / win) if draws else 0.0
        x = 10 ** (-draw_elo / 400)
        unit = (
            1.0 if self.model is Model.BAYESIAN else 4 * x / (1 + x) ** 2
        )  # so many Elo are a BayesElo near equality
        laws = []
        for elo in (self.elo0, self.elo1):
            won, lost = (share_of(side * elo / unit - draw_elo) for side in (1, -1))
            laws.append((won, 1 - won - lost, lost))
        return _ratio((wins, draws, losses), *laws)

    def _generalised(self, units: Distribution) -> float:
        law, weight = _empirical(units)
        if self.model is Model.LOGISTIC:
            means = (share_of(self.elo0), share_of(self.elo1))
            laws = [_tilted(law, [value - mean for value, _ in law]) for mean in means]
        else:
            step = math.sqrt(units.games_each) / _ELO_PER_T
            laws = [_likeliest_with_t(law, elo * step) for elo in (self.elo0, self.elo1)]
        return weight * _ratio(*([chance for _, chance in each] for each in (law, *laws)))


def _ratio(counts: Iterable[float], under0: Iterable[float], under1: Iterable[float]) -> float:
    """The log-likelihood ratio of results that occurred so often, by their probabilities under H0 and under H1."""
    return sum(
        count * math.log(p1 / p0)
        for count, p0, p1 in zip(counts, under0, under1, strict=True)
        if count
    )


def _empirical(units: Distribution) -> tuple[Law, float]:
    """The law that was observed, and how many units it stands for.

    The ordinary results of a unit that have not occurred get a small weight, so that every mean is possible.
    """
    ordinary = 2 * units.games_each
    weights: Mapping[Fraction, float] = {
        **{Fraction(step, ordinary): _PRIOR for step in range(ordinary + 1)},
        **units.counts,
    }
    total = sum(weights.values())
    return [(float(share), weight / total) for share, weight in weights.items()], total


def _likeliest_with_t(law: Law, t: float) -> Law:
    """The law whose mean lies t deviations above 1/2 under which the observations are likeliest."""
    found: Law = [(value, 1 / len(law)) for value, _ in law]
    for _ in range(_ROUNDS):
        mean = sum(value * chance for value, chance in found)
        deviation = math.sqrt(sum((value - mean) ** 2 * chance for value, chance in found))
        slopes = [
            value - 0.5 - t * deviation * (1 + ((mean - value) / deviation) ** 2) / 2
            for value, _ in law
        ]
        before, found = found, _tilted(law, slopes)
        if max(abs(old - new) for (_, old), (_, new) in zip(before, found, strict=True)) < 1e-9:
            break
    return found


def _tilted(law: Law, slopes: list[float]) -> Law:
    """The law with mean slope 0 under which the observations are likeliest.

    It takes the root of sum(chance * slope / (1 + x * slope)), which falls between its two outer poles, by Newton's
    steps from 0, halving where one would leave the bracket.
    """
    low, high, x = -1 / max(slopes), -1 / min(slopes), 0.0
    for _ in range(_MOST_STEPS):
        terms = [
            (chance, slope / (1 + x * slope))
            for slope, (_, chance) in zip(slopes, law, strict=True)
        ]
        pull = sum(chance * term for chance, term in terms)
        low, high = (x, high) if pull > 0 else (low, x)
        step = x + pull / sum(chance * term * term for chance, term in terms)
        following = step if low < step < high else (low + high) / 2
        if following in (x, low, high):
            break
        x = following
    return [
        (value, chance / (1 + x * slope))
        for slope, (value, chance) in zip(slopes, law, strict=True)
    ]
