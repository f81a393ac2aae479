from __future__ import annotations

import dataclasses

import pytest

from tbgen.apps.match.clock import Clock, TimeControl, parse_time_control
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
def test_time_controls_read_as_in_cutechess(text: str, moves: int | None, base: float | None, increment: float) -> None:
    control = parse_time_control(text)
    assert (control.moves, control.base, control.increment) == (moves, base, increment)


@pytest.mark.parametrize("text", ["", "ten", "40/", "-5", "0", "1:2:3", "10+", "10+0.1s"])
def test_what_is_no_time_control_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_time_control(text)


@pytest.mark.parametrize("text", ["10+0.1", "40/60", "300", "-"])
def test_a_time_control_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_time_control("inf" if text == "-" else text)) == text


def test_other_limits_are_named_in_words() -> None:
    assert str(TimeControl(each_move=0.5, nodes=1000, plies=6)) == "0.5/move, 1000 nodes/move, 6 plies/move"


def test_a_clock_loses_what_was_used_and_gains_the_increment() -> None:
    clock = Clock(parse_time_control("10+2"))
    clock.stop(3.0)
    assert clock.remaining == 9.0


def test_a_new_period_adds_its_time() -> None:
    clock = Clock(parse_time_control("2/10"))
    clock.stop(1.0)
    assert (clock.remaining, clock.moves_to_go) == (9.0, 1)
    clock.stop(4.0)
    assert (clock.remaining, clock.moves_to_go) == (15.0, 2)


def test_the_flag_falls_after_the_margin() -> None:
    clock = Clock(dataclasses.replace(parse_time_control("1"), margin=0.05))
    assert not clock.has_fallen(1.05)
    assert clock.has_fallen(1.0501)


def test_time_within_the_margin_is_forgiven_but_not_given() -> None:
    clock = Clock(dataclasses.replace(parse_time_control("1+1"), margin=0.5))
    clock.stop(1.4)
    assert clock.remaining == 1.0


def test_a_fixed_time_is_the_same_for_every_move() -> None:
    clock = Clock(TimeControl(each_move=0.5))
    clock.stop(0.4)
    assert clock.allowance == 0.5


def test_without_a_limit_there_is_no_flag() -> None:
    assert not Clock(TimeControl(nodes=5)).has_fallen(1e9)
