"""What `go` asks, and how long a move may take."""

from __future__ import annotations

import pytest

from tbgen.apps.play.limits import DEFAULT_NODES, MOST, GoLimits, limits_in
from tbgen.score import Color


def asked(words: str, mover: Color = Color.WHITE) -> GoLimits:
    return limits_in(words.split(), mover, pytest.fail)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("movetime 500", 0.48),
        ("movetime 5", 0.001),
        ("wtime 30000 btime 1", 0.98),
        ("wtime 30000 winc 400 btime 1", 1.28),
        ("wtime 30000 movestogo 1", 14.98),
        ("wtime 100 winc 60000", 0.03),
        ("wtime 30000 movetime 100", 0.08),
        ("wtime 0 btime 9", 0.001),
        ("wtime -20 btime 9", 0.001),
        ("depth 3", None),
        ("infinite wtime 1000", None),
    ],
)
def test_a_move_takes_its_time_or_a_fair_part_of_the_clock(
    words: str, seconds: float | None
) -> None:
    assert asked(words).seconds == seconds


def test_where_nothing_is_said_a_search_ends_all_the_same() -> None:
    assert asked("").nodes == DEFAULT_NODES
    assert asked("searchmoves e2e4").nodes == DEFAULT_NODES
    assert asked("nodes 7").nodes == 7
    for words in ("depth 3", "infinite", "movetime 9", "ponder wtime 1"):
        assert asked(words).nodes is None


@pytest.mark.parametrize("word", ["deep", "1e3", "", "٣", "--5", "0x10", "x" * 10_000])
def test_a_limit_that_is_no_number_is_told_and_ignored(word: str) -> None:
    told = list[str]()
    limits = limits_in(["depth", word, "nodes", "7"], Color.WHITE, told.append)
    assert limits.numbers == {"nodes": 7}
    assert limits.depth is None
    assert len(told) == 1
    assert told[0].startswith("depth must be a number, not ")
    assert len(told[0]) < 100


@pytest.mark.parametrize("number", ["9" * 20, "9" * 400, "9" * 5000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_beyond_all_bounds_is_the_bound(number: str, sign: str) -> None:
    found = asked(f"nodes {sign}{number} movetime {sign}{number}")
    assert found.nodes == (-MOST if sign else MOST)
    assert found.seconds == pytest.approx(0.001 if sign else MOST / 1000)
