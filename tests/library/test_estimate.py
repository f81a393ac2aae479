"""How long a table that is being made will still take."""

from __future__ import annotations

import pytest

from tbgen.library.estimate import SOLVING, Estimate, solving_share
from tbgen.library.manifest import FileRecord
from tbgen.material import Material

KNIGHT, BISHOP, PAWN = (Material.parse(name) for name in ("KNvK", "KBvK", "KPvK"))


def made(wall: float | None, **phases: float) -> FileRecord:
    return FileRecord(1, "", wall, phase_seconds=phases)


def test_at_first_the_plan_says_it() -> None:
    assert Estimate(100.0, 0.25).left(0.0, "moves", 0.0) == pytest.approx(100.0)


def test_what_was_seen_counts_for_as_much_as_was_seen() -> None:
    """Half of the solving took 25 seconds, so all of it takes 50, and the table 200."""
    assert Estimate(100.0, 0.25).left(25.0, "levels", 0.5) == pytest.approx((100 + 200) / 2 - 25)
    assert Estimate(100.0, 0.25).left(50.0, "levels", 1.0) == pytest.approx(200 - 50)


def test_writing_is_not_the_end() -> None:
    estimate = Estimate(100.0, 0.25)
    assert estimate.left(25.0, "writing", 1.0) == pytest.approx(75.0)
    assert estimate.left(60.0, "writing", 1.0) == pytest.approx(40.0)
    assert estimate.left(90.0, "record", 1.0) == pytest.approx(10.0)


def test_what_takes_longer_than_expected_is_not_over_yet() -> None:
    estimate = Estimate(100.0, 0.25)
    estimate.left(25.0, "writing", 1.0)
    assert estimate.left(300.0, "writing", 1.0) == pytest.approx(30.0)


def test_tables_of_the_class_say_what_solving_takes() -> None:
    slow = made(10.0, middles=5.0, writing=3.0, record=1.0)
    assert solving_share(KNIGHT, [(BISHOP, slow)]) == pytest.approx(0.6)
    assert solving_share(KNIGHT, [(BISHOP, slow), (KNIGHT, made(10.0, writing=8.0))]) == pytest.approx(0.4)
    unknown = [(PAWN, slow), (BISHOP, made(0.1, writing=0.05)), (BISHOP, made(None)), (BISHOP, made(9.0, middles=9.0))]
    assert solving_share(KNIGHT, unknown) in SOLVING.values()
