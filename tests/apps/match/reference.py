"""Statistics of matches by slow means: no root finding, decimals of forty digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 40

_PRIOR = Decimal("0.001")
_GOLDEN = (Decimal(5).sqrt() - 1) / 2


def decimal(value: Fraction | float) -> Decimal:
    exact = Fraction(value)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def power_of_ten(exponent: Decimal) -> Decimal:
    return (exponent * Decimal(10).ln()).exp()


def expected_share(elo: float) -> Decimal:
    return 1 / (1 + power_of_ten(-decimal(elo) / 400))


def elo_of(share: Decimal) -> Decimal:
    return 400 * (share / (1 - share)).ln() / Decimal(10).ln()


def mean_and_variance(points: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Of the points of single games, listed one by one."""
    mean = sum(points, Fraction(0)) / len(points)
    return mean, sum(((each - mean) ** 2 for each in points), Fraction(0)) / len(points)


def variance_in_pairs(pairs: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Of a game's points, if games come in pairs: that of a pair's sum, shared out."""
    sums = [first + second for first, second in pairs]
    mean = sum(sums, Fraction(0)) / len(sums)
    return sum(((each - mean) ** 2 for each in sums), Fraction(0)) / len(sums) / 2


def generalised_ratio(
    shares: Sequence[Fraction], games_each: int, elo0: float, elo1: float
) -> Decimal:
    """The empirical likelihood ratio for the mean: golden sections maximise the dual function."""
    ordinary = 2 * games_each
    weights = {Fraction(step, ordinary): _PRIOR for step in range(ordinary + 1)}
    weights.update({share: Decimal(shares.count(share)) for share in shares})
    law = [(decimal(share), weight) for share, weight in weights.items()]

    def best(elo: float) -> Decimal:
        mean = expected_share(elo)
        low, high = -1 / (1 - mean), 1 / mean

        def dual(tilt: Decimal) -> Decimal:
            return sum(
                (weight * (1 + tilt * (share - mean)).ln() for share, weight in law), Decimal(0)
            )

        return dual(_maximum(dual, low, high))

    return best(elo0) - best(elo1)


def _maximum(curve: Callable[[Decimal], Decimal], low: Decimal, high: Decimal) -> Decimal:
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left = curve(left)
    at_right = curve(right)
    for _ in range(60):
        if at_left > at_right:
            high = right
            right = left
            at_right = at_left
            left = high - _GOLDEN * (high - low)
            at_left = curve(left)
        else:
            low = left
            left = right
            at_left = at_right
            right = low + _GOLDEN * (high - low)
            at_right = curve(right)
    return (low + high) / 2
