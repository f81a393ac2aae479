"""Packed integers: what was packed comes out again, and they sort as they should."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbgen.retro.distances import queues
from tbgen.retro.distances.queues import PLIES, RECHECK
from tbgen.retro.patterns import packing
from tbgen.score import MOST_STORED_CODE, Score

GOALS = st.integers(0, 255)
DISTANCES = st.integers(0, PLIES - 1)
STORED_GOALS = st.integers(0, MOST_STORED_CODE) | st.integers(255 - MOST_STORED_CODE, 255)
CODES = st.integers(0, 127)
SIDES = st.integers(0, 1)


@given(GOALS, DISTANCES, GOALS, DISTANCES)
def test_a_label_has_a_goal_and_plies_and_is_smaller_for_a_better_outcome_and_then_for_fewer_plies(
    goal: int, plies: int, other_goal: int, other_plies: int
) -> None:
    label = packing.label_from(goal, plies)
    other = packing.label_from(other_goal, other_plies)
    assert (packing.goal_of_label(label), packing.plies_of_label(label)) == (goal, plies)
    assert label < int(packing.NO_LABEL) < queues.LAST_LABEL
    assert np.uint32(label) == label
    assert (label < other) == ((goal, plies) < (other_goal, other_plies))


@given(CODES, GOALS, DISTANCES)
def test_an_event_has_a_code_and_a_label_that_is_below_the_limit_if_it_is_worse_for_the_holder(
    code: int, goal: int, plies: int
) -> None:
    """The holder's own code k has goal 255 - k for the side that breaks its hold."""
    label = packing.label_from(goal, plies)
    event = packing.event_from(code, label)
    assert (packing.code_of_event(event), packing.label_of_event(event)) == (code, label)
    assert (label < packing.limit_of(code)) == (goal < 255 - code)


@given(st.integers(0, RECHECK), SIDES, st.integers(0, 10 * 64**3 - 1))
def test_a_site_has_a_kind_a_side_and_a_word(kind: int, side: int, word: int) -> None:
    site = queues.site_from(kind, side, word)
    assert (queues.kind_of_site(site), queues.side_of_site(site), queues.word_of_site(site)) == (
        kind,
        side,
        word,
    )
    assert np.int32(site) == site


@given(CODES, STORED_GOALS, DISTANCES, SIDES)
def test_a_row_says_what_an_event_of_a_forcer_does_to_the_others_hold(
    code: int, goal: int, plies: int, forcer: int
) -> None:
    row = packing.row_from(packing.event_from(code, packing.label_from(goal, plies)), forcer)
    holder, accrued, byte, distance = packing.columns_of_row(row)
    outcome = Score.from_signed(int(np.uint8(byte).view(np.int8)))
    assert (holder, accrued, distance) == (1 - forcer, code, plies)
    assert (int(outcome.holder), outcome.code) == (
        (forcer, goal) if goal < 128 else (1 - forcer, 255 - goal)
    )
