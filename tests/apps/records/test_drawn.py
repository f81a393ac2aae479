"""Drawn endings: what is left when mates are taken away, and what it is worth."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tbgen.apps.pages.records import drawn_in
from tbgen.apps.records.record import Record
from tbgen.facts import plain
from tbgen.score import Color, Score
from tests.project import golden_rows

ORDINARY = {row["material"]: row for row in golden_rows("ordinary_tables.csv")}


@pytest.mark.parametrize("side", list(Color))
def test_drawn_positions_are_those_of_ordinary_tables(published: list[Record], side: Color) -> None:
    for record in published[1:]:
        expected = int(ORDINARY[str(record.material)][f"{str(side).lower()}_to_move_draws"])
        assert drawn_in([record], [side]).positions == expected, record.material


def test_the_favour_is_a_mean_of_points(some: list[Record]) -> None:
    record = next(record for record in some if str(record.material) == "KPvK")
    drawn = drawn_in([record])
    points = Fraction(0)
    for side in plain(record)["sides"].values():
        for outcome, each in side["outcomes"].items():
            if outcome != "G0.0":
                bonus = Fraction(1, 2 ** (1 + round(2 * float(outcome.lstrip("-G")))))
                points += each["classes"] * (-bonus if outcome.startswith("-") else bonus)
    assert drawn.favour() == points / drawn.positions


def test_two_bare_kings_favour_nobody(some: list[Record]) -> None:
    drawn = drawn_in(some[:1])
    assert [drawn.favour(), drawn.positions] == [0, 924]
    for side in Color:
        assert (
            sum(count for outcome, count in drawn.counts.items() if outcome.holder is side) == 462
        )


def test_tables_add_up(some: list[Record]) -> None:
    parts = [drawn_in([record]) for record in some]
    every = drawn_in(some)
    assert every.positions == sum(part.positions for part in parts)
    assert every.all == sum(record.positions.classes for record in some)
    assert every.counts[Score(3, Color.WHITE)] == sum(
        part.counts[Score(3, Color.WHITE)] for part in parts
    )
