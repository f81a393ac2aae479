"""Plots: every count has its point, a style a score, ticks stand where they say."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tbgen.apps.records.record import Record
from tbgen.apps.site.palette import HEIGHT, WIDTH, line_style, path_of, plot_of
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
def plots(some: list[Record]) -> list[tuple[dict[Score, tuple[int, ...]], dict[str, Any]]]:
    sides = [record.sides[side].outcomes for record in some for side in Color]
    counts = [{outcome: each.distances for outcome, each in outcomes.items()} for outcomes in sides]
    return [(distances, plot_of(distances)) for distances in counts]


def test_every_count_has_its_point(
    plots: list[tuple[dict[Score, tuple[int, ...]], dict[str, Any]]],
) -> None:
    for distances, plot in plots:
        assert sorted(plot["lines"]) == sorted(distances)
        last = max(map(len, distances.values()))
        for outcome, found in plot["lines"].items():
            counts = distances[outcome]
            expected = [
                round(WIDTH * (plies + 0.5) / last) for plies, count in enumerate(counts) if count
            ]
            assert [x for x, _ in found] == expected if last > 1 else len(found) == 1
            heights = [y for _, y in found]
            assert all(0 <= y <= HEIGHT for y in heights)
            order = sorted(zip([count for count in counts if count], heights, strict=True))
            assert [y for _, y in order] == sorted(heights, reverse=True)
            assert points_of(path_of(found)) == found


def test_no_two_scores_of_a_plot_share_a_style(
    plots: list[tuple[dict[Score, tuple[int, ...]], dict[str, Any]]],
) -> None:
    for _, plot in plots:
        assert len(set(map(line_style, plot["named"]))) == len(plot["named"]) > 0
    assert len(set(itertools.chain.from_iterable(plot["named"] for _, plot in plots))) > 9


def test_a_line_of_one_or_two_points_has_dots(site: Path) -> None:
    for name, dots in (("KvK", 18), ("KPvK", 8)):
        assert (site / "material" / f"{name}.html").read_text().count('class="dots') == dots
