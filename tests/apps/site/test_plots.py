"""Plots: every count has its point, a style a score, ticks stand where they say."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tbgen.apps.pages.palette import HEIGHT, WIDTH, line_style, path_of, plot_of
from tbgen.apps.records.record import Record
from tbgen.score import Color, Score


def points_of(path: str) -> list[tuple[int, int]]:
    """The points of a path, which has the steps from each point to the next."""
    x = 0
    y = 0
    points = list[tuple[int, int]]()
    for right, down in re.findall(r"(-?\d+) ?(-?\d+)", path):
        x += int(right)
        y += int(down)
        points.append((x, y))
    return points


@pytest.fixture(scope="module")
def plots(some: list[Record]) -> list[tuple[dict[Score, tuple[int, ...]], dict[str, Any]]]:
    plots = []
    for record, side in itertools.product(some, Color):
        outcomes = record.sides[side].outcomes
        distances = {outcome: counted.distances for outcome, counted in outcomes.items()}
        plots.append((distances, plot_of(distances)))
    return plots


def test_every_count_has_its_point(
    plots: list[tuple[dict[Score, tuple[int, ...]], dict[str, Any]]],
) -> None:
    for distances, plot in plots:
        assert sorted(plot["lines"]) == sorted(distances)
        last = max(map(len, distances.values()))
        for outcome, points in plot["lines"].items():
            counts = {plies: count for plies, count in enumerate(distances[outcome]) if count}
            if last > 1:
                expected = [round(WIDTH * (plies + 0.5) / last) for plies in counts]
                assert [x for x, _ in points] == expected
            else:
                assert len(points) == 1
            heights = [y for _, y in points]
            assert all(0 <= y <= HEIGHT for y in heights)
            by_count = sorted(zip(counts.values(), heights, strict=True))
            assert [y for _, y in by_count] == sorted(heights, reverse=True), "more is higher"
            assert points_of(path_of(points)) == points


def test_no_two_scores_of_a_plot_share_a_style(
    plots: list[tuple[dict[Score, tuple[int, ...]], dict[str, Any]]],
) -> None:
    scores = set[Score]()
    for _, plot in plots:
        styles = set(map(line_style, plot["named"]))
        assert len(styles) == len(plot["named"]) > 0
        scores.update(plot["named"])
    assert len(scores) > 9


def test_a_line_of_one_or_two_points_has_dots(site: Path) -> None:
    for name, dots in (("KvK", 18), ("KPvK", 8)):
        assert (site / "material" / f"{name}.html").read_text().count('class="dots') == dots
