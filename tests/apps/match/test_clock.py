from __future__ import annotations

import dataclasses
import math

import pytest

from tbgen.apps.match.control import Clock, TimeControl, parse_time_control
from tbgen.errors import UsageError


@pytest.mark.parametrize(
    ("text", "moves", "base", "increment"),
    [
        ("10+0.1", None, 10, 0.1),
        ("40/60", 40, 60, 0),
        ("40/1:30+0.5", 40, 90, 0.5),
        ("0/20+0.2", None, 20, 0.2),
        ("5:00", None, 300, 0),
        ("inf", None, None, 0),
    ],
)
def test_time_controls_read_as_in_cutechess(
    text: str, moves: int | None, base: float | None, increment: float
) -> None:
    control = parse_time_control(text)
    assert (control.moves, control.base, control.increment) == (moves, base, increment)


@pytest.mark.parametrize("text", ["", "ten", "40/", "-5", "0", "0+1", "1:2:3", "10+", "10+0.1s"])
def test_what_is_no_time_control_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_time_control(text)


@pytest.mark.parametrize(
    ("control", "text"),
    [
        *((parse_time_control(text), text) for text in ("10+0.1", "40/60", "300")),
        (parse_time_control("inf"), "-"),
        (
            TimeControl(each_move=0.5, nodes=1000, plies=6),
            "0.5/move, 1000 nodes/move, 6 plies/move",
        ),
    ],
)
def test_a_time_control_is_written_as_it_is_read(control: TimeControl, text: str) -> None:
    assert str(control) == text


@pytest.mark.parametrize(
    ("control", "margin", "used", "left"),
    [
        ("10+2", 0, [3.0], (9.0, None)),
        ("2/10", 0, [1.0], (9.0, 1)),
        ("2/10", 0, [1.0, 4.0], (15.0, 2)),
        ("1+1", 0.5, [1.4], (1.0, None)),  # time within the margin is forgiven but not given
    ],
)
def test_a_clock_loses_what_was_used_and_gains_what_the_control_gives(
    control: str, margin: float, used: list[float], left: tuple[float, int | None]
) -> None:
    clock = Clock(dataclasses.replace(parse_time_control(control), margin=margin))
    for seconds in used:
        clock.stop(seconds)
    assert (clock.remaining, clock.moves_to_go) == left


def test_the_flag_falls_after_the_margin_and_never_without_a_limit() -> None:
    assert Clock(dataclasses.replace(parse_time_control("1"), margin=0.05)).allowance == 1.05
    each = Clock(TimeControl(each_move=0.5))
    each.stop(0.4)
    assert each.allowance == 0.5
    assert Clock(TimeControl(nodes=5)).allowance == math.inf
