"""The table of steps: each of its rules against the rules of the variant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tbgen.apps.hold import closed_set_kernels
from tbgen.apps.hold.strategy import Goal, not_mated, worst
from tbgen.score import Color, Score

CODES = range(1, 9)
STEPS = [(by_holder, reset) for by_holder in (True, False) for reset in (True, False)]


SCORES = [Score(code, holder) for holder in Color for code in CODES]
SITUATIONS = [
    (goal, score)
    for goal in (Goal(Color.WHITE, each) for each in SCORES)
    for score in SCORES
    if goal.is_met_by(score)
]
"""Goals of White, and the scores that meet them."""


def step(goal: Goal, threshold: int, code: int, *, by_holder: bool, reset: bool) -> int | None:
    """The threshold after a step, as the search has it; None if the hold is broken."""
    task = SimpleNamespace(code=goal.outcome.code, is_own=goal.outcome.holder is goal.side)
    after = cast("Any", closed_set_kernels.threshold_after).py_func(
        task, threshold, code, by_holder, reset
    )
    return None if after == closed_set_kernels.BROKEN else after


@pytest.mark.parametrize(("by_holder", "reset"), STEPS)
def test_a_step_breaks_the_hold_exactly_where_the_accrued_score_becomes_too_bad(
    by_holder: bool, reset: bool
) -> None:
    for goal, accrued in SITUATIONS:
        for code in range(10):
            real = accrued.after(
                Score(code, goal.side if by_holder else goal.side.other), reset=reset
            )
            after = step(goal, goal.threshold(accrued), code, by_holder=by_holder, reset=reset)
            assert (after is not None) == goal.is_met_by(real), (goal, accrued, code)
            if after is not None:
                assert after == goal.threshold(real), (goal, accrued, code)


def test_nobody_who_is_not_mated_has_less_than_a_draw() -> None:
    for side in Color:
        assert not_mated(side).is_met_by(Score(1, side.other))
        assert not not_mated(side).is_met_by(Score(0, side.other))
        assert Goal(side, worst(side)).is_met_by(Score(0, side.other))
