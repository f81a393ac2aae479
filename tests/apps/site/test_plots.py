"""Plots: every count has its point, a style a score, ticks stand where they say."""

from __future__ import annotations

import re

import pytest

from tbgen.apps.records.record import Record
from tbgen.apps.site.palette import HEIGHT, WIDTH, Plot, plot_of
from tbgen.score import Color, Score


def points_of(path: str) -> list[tuple[int, int]]:
    """The points of a path: the first as it is, the others by their distance from the one before."""
    (x, y), *steps = [(int(a), int(b)) for a, b in re.findall(r"(-?\d+) ?(-?\d+)", path)]
    points = [(x, y)]
    for right, down in steps:
        x, y = x + right, y + down
        points.append((x, y))
    return points


@pytest.fixture(scope="module")
def plots(some: list[Record]) -> list[tuple[dict[Score, tuple[int, ...]], Plot]]:
    sides = [record.sides[side].outcomes for record in some for side in Color]
    counts = [{outcome: each.distances for outcome, each in outcomes.items()} for outcomes in sides]
    return [(distances, plot_of(distances)) for distances in counts]


def test_every_count_has_its_point(plots: list[tuple[dict[Score, tuple[int, ...]], Plot]]) -> None:
    for distances, plot in plots:
        assert sorted(line.outcome for line in plot.lines) == sorted(distances)
        last = max(map(len, distances.values()))
        for line in plot.lines:
            counts = distances[line.outcome]
            expected = [round(WIDTH * (plies + 0.5) / last) for plies, count in enumerate(counts) if count]
            found = points_of(line.path)
            assert [x for x, _ in found] == expected if last > 1 else len(found) == 1
            heights = [y for _, y in found]
            assert all(0 <= y <= HEIGHT for y in heights)
            order = sorted(zip([count for count in counts if count], heights, strict=True))
            assert [y for _, y in order] == sorted(heights, reverse=True)
            assert bool(line.dots) == (len(found) < 3)


def test_a_score_has_one_style_in_all_plots_and_no_two_of_a_plot_share_one(
    plots: list[tuple[dict[Score, tuple[int, ...]], Plot]],
) -> None:
    styles: dict[Score, tuple[str | None, int | None]] = {}
    for _, plot in plots:
        for line in plot.named:
            assert styles.setdefault(line.outcome, (line.shade, line.dash)) == (line.shade, line.dash)
        assert len({styles[line.outcome] for line in plot.named}) == len(plot.named)
    assert len(styles) > 9
