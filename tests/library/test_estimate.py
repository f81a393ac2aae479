"""How long a table that is being made will still take."""

from __future__ import annotations

import pytest

from tbgen.library.costs import Balance
from tbgen.library.estimate import SOLVING, SOLVING_LARGE, Estimate, solving_share
from tbgen.library.manifest import FileRecord
from tbgen.material import Material

KNIGHT, BISHOP, PAWN = (Material.parse(name) for name in ("KNvK", "KBvK", "KPvK"))


def made(wall: float | None, **phases: float) -> FileRecord:
    return FileRecord(1, "", wall, phase_seconds=phases)


def test_at_first_the_plan_says_it() -> None:
    assert Estimate(100.0, 0.25).left(0.0, "moves", 0.0) == pytest.approx(100.0)


def test_blocks_that_are_done_count_for_as_much_as_they_are_of_the_time() -> None:
    """0.5 ** 1.4 of the solving took 19 seconds, so all of it takes 50, and the table 200."""
    part = 0.5**1.4
    left = Estimate(100.0, 0.25).left(50 * part, "blocks", 0.5)
    assert left == pytest.approx(100 ** (1 - part) * 200**part - 50 * part)
    assert Estimate(100.0, 0.25).left(50.0, "blocks", 1.0) == pytest.approx(200 - 50)
    assert Estimate(100.0, 0.25).left(0.0, "blocks", 0.0) == pytest.approx(100.0)


def test_levels_say_nothing_of_the_time() -> None:
    assert Estimate(100.0, 0.8).left(25.0, "levels", 0.9) == Estimate(100.0, 0.8).left(25.0, "levels", 0.1) == 75.0


def test_while_it_is_solved_writing_is_still_to_come() -> None:
    assert Estimate(100.0, 0.8).left(120.0, "levels", 0.9) == pytest.approx(150 - 120)


def test_writing_is_not_the_end() -> None:
    estimate = Estimate(100.0, 0.25)
    assert estimate.left(25.0, "writing", 1.0) == pytest.approx(75.0)
    assert estimate.left(60.0, "writing", 1.0) == pytest.approx(40.0)
    assert estimate.left(99.0, "record", 1.0) == pytest.approx(99 / 30)


def test_what_solving_took_says_more_than_the_plan() -> None:
    """The table takes 200 seconds by what solving took, 100 by the plan."""
    assert Estimate(100.0, 0.25).left(50.0, "writing", 1.0) == pytest.approx(100**0.25 * 200**0.75 - 50)


def test_tables_of_the_class_say_what_solving_takes() -> None:
    slow = made(10.0, middles=5.0, writing=3.0, record=1.0)
    assert solving_share(KNIGHT, [(BISHOP, slow)]) == pytest.approx(0.6)
    assert solving_share(KNIGHT, [(BISHOP, slow), (KNIGHT, made(10.0, writing=8.0))]) == pytest.approx(0.4)
    unknown = [(PAWN, slow), (BISHOP, made(0.1, writing=0.05)), (BISHOP, made(None)), (BISHOP, made(9.0, middles=9.0))]
    assert solving_share(KNIGHT, unknown) in SOLVING.values()


def test_only_tables_of_like_size_say_what_solving_takes() -> None:
    large, small = Material.parse("KRBvKN"), Material.parse("KRvKN")
    slow = made(10.0, middles=5.0, writing=1.0)
    assert solving_share(large, [(small, slow)]) == SOLVING_LARGE[Balance.DECIDED, False]
    assert solving_share(large, [(small, slow), (Material.parse("KQBvKR"), slow)]) == pytest.approx(0.9)
