"""Colours and words of outcomes, warm for White and cool for Black; and plots of their distances."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tbgen.score import Color, Score

SHADE_FROM: Final = (0, 1, 2, 4, 6, 8, 12, 18)
"""[shade] -> the lowest code that has it."""

DASHES: Final = 7
"""The number of patterns of lines in plots; style.css has them."""


def shade_of(outcome: Score, lowest: Sequence[int] = SHADE_FROM) -> str:
    """The name of an outcome's colour, such as `w0` for White's mates; `lowest` has the lowest code of each shade.

    >>> shade_of(Score(7, Color.BLACK))
    'b4'
    """
    return (
        f"{'w' if outcome.holder is Color.WHITE else 'b'}{bisect_right(lowest, outcome.code) - 1}"
    )


def bar_of(counts: Mapping[Score, int]) -> list[tuple[str, float, float, str]]:
    """The parts of a bar, best outcome for White first, outcomes of one colour together.

    A part has its shade, its start and length in per cent of the bar, and its label.
    """
    total = sum(counts.values())
    parts, before = list[tuple[str, float, float, str]](), 0
    for shade, group in itertools.groupby(sorted(counts, reverse=True), shade_of):
        outcomes = list(group)
        size = sum(counts[outcome] for outcome in outcomes)
        ends = " to ".join(str(each) for each in dict.fromkeys((outcomes[0], outcomes[-1])))
        parts.append(
            (shade, 100 * before / total, 100 * size / total, f"{ends} {percent(size, total)}")
        )
        before += size
    return parts


def told(counts: Mapping[Score, int], most: int = 4) -> str:
    """A bar in words: the most frequent outcomes.

    >>> told({Score(0, Color.WHITE): 3, Score(5, Color.BLACK): 1})
    'G0.0 75.0 %, -G2.5 25.0 %'
    """
    total = sum(counts.values())
    named = [
        f"{outcome} {percent(count, total)}" for outcome, count in Counter(counts).most_common(most)
    ]
    return ", ".join(named) + (f", and {len(counts) - most} more" if len(counts) > most else "")


def percent(part: int, whole: int) -> str:
    """A share for people, never 0 or 100 unless it is.

    >>> percent(1, 3), percent(1, 10**6), percent(5, 5), percent(999_999, 10**6)
    ('33.3 %', '< 0.1 %', '100 %', '> 99.9 %')
    """
    if part in (0, whole):
        return "100 %" if part else "0 %"
    share = 100 * part / whole
    if share < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if share > 99.9 else f"{share:.1f} %"


WIDTH: Final = 1000
HEIGHT: Final = 400
"""The units of paths, which start at the upper left."""

_MOST_NAMED: Final = 7
_COLOR_FROM: Final = (0, 2, 4, 8)
"""[colour] -> the lowest code of lines in it; lines in paler colours would be hard to see."""
_LOWEST: Final = 0.7
"""A single position is drawn a little above the edge."""
_MOST_TICKS: Final = 8
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Plies between ticks; a file has at most 65,535 plies."""


Curve = list[tuple[int, int]]
"""The points of a line, from left to right."""


def plot_of(distances: Mapping[Score, Sequence[int]]) -> dict[str, Any]:
    """The plot of positions by their plies to the score, on a log axis, for the macro `plot`.

    `distances[outcome][plies]` counts the positions of one side to move. The most frequent outcomes and the most
    distant are `named`: they have a colour, a dash and a name. Numbers at the axes come with their position in per cent
    from the left and from the top.
    """
    plies = max(map(len, distances.values())) - 1
    most = max(map(max, distances.values()))
    by_size = sorted(
        distances, key=lambda outcome: -sum(distances[outcome][1:])
    )  # without scores on the board
    farthest = max(by_size, key=lambda outcome: len(distances[outcome]))
    named = sorted({*by_size[: _MOST_NAMED - 1], farthest}, reverse=True)
    order = [*(each for each in sorted(distances, reverse=True) if each not in named), *named]
    step = next(step for step in _STEPS if plies // step < _MOST_TICKS)
    return {
        "lines": {each: _points(distances[each], plies, most) for each in order},
        "named": named,
        "across": [(100 * _x(ply, plies), str(ply)) for ply in range(0, plies + 1, step)],
        "up": [
            (100 * _y(10**power, most), power_of_ten(power))
            for power in range(math.floor(math.log10(most)) + 1)
        ],
        "words": "; ".join(f"{each}: {_in_words(distances[each])}" for each in named),
    }


def _x(plies: int, last: int) -> float:
    """From 0 to 1; half a ply is left free at either end."""
    return (plies + 0.5) / (max(last, 1) + 1)


def _y(count: int, most: int) -> float:
    """From 0 at the top to 1."""
    return 1 - math.log(count / _LOWEST) / math.log(1.4 * most / _LOWEST)


def _points(counts: Sequence[int], last: int, most: int) -> Curve:
    points = (
        (WIDTH * _x(plies, last), HEIGHT * _y(count, most))
        for plies, count in enumerate(counts)
        if count
    )
    return [(round(x), round(y)) for x, y in points]


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
    steps = [
        f"{to_x - x} {to_y - y}".replace(" -", "-")
        for (x, y), (to_x, to_y) in itertools.pairwise(points)
    ]
    return f"M{points[0][0]} {points[0][1]}{'l' if steps else ''}{' '.join(steps)}"


def power_of_ten(power: int) -> str:
    """A power of ten, short enough for the margin of a plot.

    >>> power_of_ten(1), power_of_ten(4), power_of_ten(8)
    ('10', '10 k', '100 M')
    """
    return f"{10 ** (power % 3)}{('', ' k', ' M', ' G', ' T')[power // 3]}"


def _in_words(counts: Sequence[int]) -> str:
    if len(counts) == 1:
        return "all at once"
    return f"most positions at {counts.index(max(counts))} plies, the last at {len(counts) - 1}"
