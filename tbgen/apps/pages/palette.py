"""Colours and words of outcomes, warm for White and cool for Black; plots of distances."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tbgen.score import Color, Score

SHADE_FROM: Final = (0, 1, 2, 4, 6, 8, 12, 18)
"""[shade] -> the lowest code that has it."""

DASHES: Final = 7
"""The number of patterns of lines in plots; style.css has them."""


def shade_of(outcome: Score, lowest: Sequence[int] = SHADE_FROM) -> str:
    """The name of an outcome's colour, such as `w0` for White's mates.

    `lowest` has the lowest code of each shade.

    >>> shade_of(Score(7, Color.BLACK))
    'b4'
    """
    side = "w" if outcome.holder is Color.WHITE else "b"
    shade = bisect_right(lowest, outcome.code) - 1
    return f"{side}{shade}"


def signed(words: Score | str) -> str:
    """An outcome, or a text that names some, with minus signs instead of hyphens.

    >>> signed(Score(7, Color.BLACK)), signed("well-known -G3.5")
    ('−G3.5', 'well-known −G3.5')
    """
    return str(words).replace("-G", "\N{MINUS SIGN}G")


class BarPart(NamedTuple):
    """A part of a bar: the outcomes of one colour."""

    shade: str
    start: float
    """In per cent of the bar, as the length."""
    length: float
    label: str


def bar_of(counts: Mapping[Score, int]) -> list[BarPart]:
    """The parts of a bar, best outcome for White first."""
    total = sum(counts.values())
    parts = list[BarPart]()
    before = 0
    for shade, group in itertools.groupby(sorted(counts, reverse=True), shade_of):
        outcomes = list(group)
        size = sum(counts[outcome] for outcome in outcomes)
        label = signed(outcomes[0])
        if len(outcomes) > 1:
            label += f" to {signed(outcomes[-1])}"
        part = BarPart(
            shade,
            start=100 * before / total,
            length=100 * size / total,
            label=f"{label} {percent(size, total)}",
        )
        parts.append(part)
        before += size
    return parts


def told(counts: Mapping[Score, int], most: int = 4) -> str:
    """A bar in words: the most frequent outcomes.

    >>> told({Score(0, Color.WHITE): 3, Score(5, Color.BLACK): 1})
    'G0.0 75.0 %, −G2.5 25.0 %'
    """
    total = sum(counts.values())
    most_frequent = Counter(counts).most_common(most)
    words = list[str]()
    for outcome, count in most_frequent:
        words.append(f"{signed(outcome)} {percent(count, total)}")
    if len(counts) > most:
        words.append(f"and {len(counts) - most} more")
    return ", ".join(words)


def percent(part: int, whole: int) -> str:
    """A share for people, never 0 or 100 unless it is.

    >>> percent(1, 3), percent(1, 10**6), percent(5, 5), percent(999_999, 10**6)
    ('33.3 %', '< 0.1 %', '100 %', '> 99.9 %')
    """
    if part == 0:
        return "0 %"
    if part == whole:
        return "100 %"
    share = 100 * part / whole
    if share < 0.1:
        return "< 0.1 %"
    if share > 99.9:
        return "> 99.9 %"
    return f"{share:.1f} %"


# Plots.

WIDTH: Final = 1000
HEIGHT: Final = 400
"""The units of paths, which start at the upper left."""

_MOST_NAMED: Final = 7
_COLOR_FROM: Final = (0, 2, 4, 8)
"""[colour] -> the lowest code of lines in it; lines in paler colours would be hard to see."""
_LOWEST: Final = 0.7
"""A single position is drawn a little above the lower edge."""
_HIGHEST: Final = 1.4
"""The most frequent is drawn a little below the upper edge."""
_MOST_TICKS: Final = 8
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Plies between ticks; a file has at most 65,535 plies."""
_PREFIXES: Final = ("", " k", " M", " G", " T")
"""[power of a thousand] -> its letter."""

PlyCounts = Mapping[Score, Sequence[int]]
"""[outcome][plies] -> the number of positions of one side to move."""
Curve = list[tuple[int, int]]
"""The points of a line, from left to right."""


def plot_of(distances: PlyCounts) -> dict[str, Any]:
    """The plot of positions by their plies to the score, on a log axis, for the macro `plot`.

    The most frequent outcomes and the most distant are `named`: they have a colour, a dash and a
    name. Numbers at the axes come with their position in per cent from the left and from the top.
    """
    last = max(map(len, distances.values())) - 1
    most = max(map(max, distances.values()))
    named = _outcomes_to_name(distances)
    others = [outcome for outcome in sorted(distances, reverse=True) if outcome not in named]
    lines = {outcome: _points(distances[outcome], last, most) for outcome in others + named}
    step = next(step for step in _STEPS if last // step < _MOST_TICKS)
    across = [(100 * _x(ply, last), str(ply)) for ply in range(0, last + 1, step)]
    powers = range(math.floor(math.log10(most)) + 1)
    up = [(100 * _y(10**power, most), power_of_ten(power)) for power in powers]
    words = "; ".join(f"{signed(outcome)}: {_in_words(distances[outcome])}" for outcome in named)
    return {"lines": lines, "named": named, "across": across, "up": up, "words": words}


def _outcomes_to_name(distances: PlyCounts) -> list[Score]:
    """The most frequent outcomes and the most distant one, best outcome for White first."""

    def size(outcome: Score) -> int:
        """Positions without those that have the score on the board."""
        return sum(distances[outcome][1:])

    by_size = sorted(distances, key=size, reverse=True)
    farthest = max(by_size, key=lambda outcome: len(distances[outcome]))
    return sorted({*by_size[: _MOST_NAMED - 1], farthest}, reverse=True)


def _x(plies: int, last: int) -> float:
    """From 0 to 1; half a ply is left free at either end."""
    return (plies + 0.5) / (max(last, 1) + 1)


def _y(count: int, most: int) -> float:
    """From 0 at the top to 1."""
    return 1 - math.log(count / _LOWEST) / math.log(_HIGHEST * most / _LOWEST)


def _points(counts: Sequence[int], last: int, most: int) -> Curve:
    points = Curve()
    for plies, count in enumerate(counts):
        if count:
            points.append((round(WIDTH * _x(plies, last)), round(HEIGHT * _y(count, most))))
    return points


def line_style(outcome: Score) -> tuple[str, int]:
    """The name of a line's colour and the number of its dash: a score has the same in every plot.

    In two plots of a hundred two scores share colour and dash.
    """
    return shade_of(outcome, _COLOR_FROM), outcome.code % DASHES


def path_of(points: Curve) -> str:
    """A path from point to point, each written as its distance from the one before, which is short.

    >>> path_of([(1, 5), (3, 4), (5, 9)])
    'M1 5l2-1 2 5'
    """
    first_x, first_y = points[0]
    path = f"M{first_x} {first_y}"
    steps = list[str]()
    for (x, y), (next_x, next_y) in itertools.pairwise(points):
        step = f"{next_x - x} {next_y - y}"
        steps.append(step.replace(" -", "-"))
    if steps:
        path += f"l{' '.join(steps)}"
    return path


def power_of_ten(power: int) -> str:
    """A power of ten, short enough for the margin of a plot.

    >>> power_of_ten(1), power_of_ten(4), power_of_ten(8)
    ('10', '10 k', '100 M')
    """
    thousands, zeros = divmod(power, 3)
    return f"{10**zeros}{_PREFIXES[thousands]}"


def _in_words(counts: Sequence[int]) -> str:
    if len(counts) == 1:
        return "all at once"
    return f"most positions at {counts.index(max(counts))} plies, the last at {len(counts) - 1}"
