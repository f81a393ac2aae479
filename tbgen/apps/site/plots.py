"""Plots of distances: how many positions are how far away from their outcomes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tbgen.apps.site.palette import DASHES
from tbgen.score import Color, Score

Distances = Mapping[Score, Sequence[int]]
"""[outcome][plies] -> positions."""

WIDTH: Final = 1000
HEIGHT: Final = 400
"""The units of paths, which begin at the upper left."""

_MOST_NAMED: Final = 7
_COLOR_FROM: Final = (0, 2, 4, 8)
"""[colour] -> the lowest code of lines that have it; with paler ones a line would be hard to see."""
_LOWEST: Final = 0.7
"""A single position stands a little above the edge."""
_FEW_POINTS: Final = 3
"""A line of so few would be overlooked; its points are dots."""
_MOST_TICKS: Final = 8


@dataclass(frozen=True)
class PlotLine:
    """An outcome's line."""

    outcome: Score
    path: str
    dots: str
    """A path of points, where a line would be overlooked."""
    shade: str | None
    """The name of its colour; None if it is one of many in grey."""
    dash: int | None
    """The number of its dash pattern: a score has the same colour and dash in every plot."""
    end: tuple[float, float]
    """The last point, in per cent from the left and the top: the line's name stands there."""


@dataclass(frozen=True)
class Tick:
    """A number at an axis."""

    place: float
    """In per cent, from the left or from the top."""
    text: str


@dataclass(frozen=True)
class Plot:
    """How many positions are how many plies away from their score, a line an outcome, on a log axis."""

    lines: tuple[PlotLine, ...]
    """The grey ones first, then the named ones, best outcome for White first."""
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    words: str
    """The plot for those who cannot see it."""

    @property
    def named(self) -> list[PlotLine]:
        return [line for line in self.lines if line.shade is not None]

    @property
    def grid(self) -> str:
        """The path of the lines across at powers of ten."""
        return "".join(f"M0 {tick.place * HEIGHT / 100:.0f}h{WIDTH}" for tick in self.up)


def plot_of(distances: Distances) -> Plot:
    """The plot of one side to move, which has positions."""
    plies = max(len(counts) for counts in distances.values()) - 1
    most = max(max(counts) for counts in distances.values())
    scale = _Scale(max(plies, 1), most)
    named = _to_name(distances)
    order = [*(each for each in sorted(distances, reverse=True) if each not in named), *named]
    lines = (_line(each, distances[each], scale, named) for each in order)
    return Plot(tuple(lines), _across(plies, scale), _up(most, scale), _words(distances, named))


@dataclass(frozen=True)
class _Scale:
    plies: int
    most: int

    def x(self, plies: float) -> float:
        """From 0 to 1; half a ply is left free at either end."""
        return (plies + 0.5) / (self.plies + 1)

    def y(self, count: float) -> float:
        """From 0 at the top to 1."""
        return 1 - math.log(count / _LOWEST) / math.log(1.4 * self.most / _LOWEST)


def _line(outcome: Score, counts: Sequence[int], scale: _Scale, named: list[Score]) -> PlotLine:
    points = [
        (round(WIDTH * scale.x(plies)), round(HEIGHT * scale.y(count))) for plies, count in enumerate(counts) if count
    ]
    dots = "".join(f"M{x} {y}h0" for x, y in points) if len(points) < _FEW_POINTS else ""
    end = 100 * points[-1][0] / WIDTH, 100 * points[-1][1] / HEIGHT
    if outcome not in named:
        return PlotLine(outcome, _path(points), dots, None, None, end)
    return PlotLine(outcome, _path(points), dots, *_style_of(outcome), end)


def _style_of(outcome: Score) -> tuple[str, int]:
    """The name of a colour and the number of a dash pattern; in two plots of a hundred two scores share both."""
    color = bisect_right(_COLOR_FROM, outcome.code) - 1
    return f"{'w' if outcome.holder is Color.WHITE else 'b'}{color}", outcome.code % len(DASHES)


def _path(points: Sequence[tuple[int, int]]) -> str:
    """A path from point to point, each written as its distance from the one before, which is short.

    >>> _path([(1, 5), (3, 4), (5, 9)])
    'M1 5l2-1 2 5'
    """
    (x, y), *rest = points
    steps = []
    for next_x, next_y in rest:
        steps.append(f"{next_x - x} {next_y - y}".replace(" -", "-"))
        x, y = next_x, next_y
    return f"M{points[0][0]} {points[0][1]}{'l' if steps else ''}{' '.join(steps)}"


def _to_name(distances: Distances) -> list[Score]:
    """The outcomes that most positions have still before them, and the one that is furthest away."""
    ahead = {outcome: sum(counts[1:]) for outcome, counts in distances.items()}
    by_size = sorted(distances, key=lambda outcome: -ahead[outcome])
    named = {*by_size[: _MOST_NAMED - 1], max(by_size, key=lambda outcome: len(distances[outcome]))}
    return sorted(named, reverse=True)


def _across(plies: int, scale: _Scale) -> tuple[Tick, ...]:
    step = next(step for step in _steps() if plies // step < _MOST_TICKS)
    return tuple(Tick(100 * scale.x(each), str(each)) for each in range(0, plies + 1, step))


def _steps() -> Iterable[int]:
    """1, 2, 5, 10, 20 and so on."""
    return (first * 10**zeros for zeros in range(9) for first in (1, 2, 5))


def _up(most: int, scale: _Scale) -> tuple[Tick, ...]:
    powers = range(math.floor(math.log10(most)) + 1)
    return tuple(Tick(100 * scale.y(10**power), in_short(10**power)) for power in powers)


def in_short(count: int) -> str:
    """A power of ten, short enough for the margin of a plot.

    >>> in_short(10), in_short(10_000), in_short(100_000_000)
    ('10', '10 k', '100 M')
    """
    for size, unit in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if count >= size:
            return f"{count // size}{unit}"
    return str(count)


def _words(distances: Distances, named: list[Score]) -> str:
    return "; ".join(f"{outcome}: {_farthest(distances[outcome])}" for outcome in named)


def _farthest(counts: Sequence[int]) -> str:
    plies = len(counts) - 1
    peak = max(range(len(counts)), key=lambda number: counts[number])
    return f"most positions at {peak} plies, the last at {plies}" if plies else "all at once"
