"""Integers that hold several numbers: what was packed comes out again, and they sort as they should."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbgen.retro.distances import packing
from tbgen.retro.distances.queues import EXIT, PLIES
from tbgen.score import MOST_STORED_CODE, Score

RANKS = st.integers(0, 255)
DISTANCES = st.integers(0, PLIES - 1)
STORED_RANKS = st.integers(0, MOST_STORED_CODE) | st.integers(255 - MOST_STORED_CODE, 255)
LEVELS = st.integers(0, 127)
SIDES = st.integers(0, 1)


@given(RANKS, DISTANCES, RANKS, DISTANCES)
def test_a_label_has_a_rank_and_plies_and_is_smaller_for_a_better_outcome_and_then_for_fewer_plies(
    rank: int, plies: int, other_rank: int, other_plies: int
) -> None:
    label, other = packing.label_from(rank, plies), packing.label_from(other_rank, other_plies)
    assert (packing.rank_of_label(label), packing.plies_of_label(label)) == (rank, plies)
    assert label < int(packing.NO_LABEL) < packing.LAST_LABEL
    assert np.uint32(label) == label
    assert (label < other) == ((rank, plies) < (other_rank, other_plies))


@given(LEVELS, RANKS, DISTANCES)
def test_an_event_has_a_level_and_a_label_that_is_below_the_limit_if_it_is_worse_for_the_holder(
    level: int, rank: int, plies: int
) -> None:
    """The holder's own code k has rank 255 - k for the side that breaks its hold."""
    label = packing.label_from(rank, plies)
    event = packing.event_from(level, label)
    assert (packing.code_of_event(event), packing.label_of_event(event)) == (level, label)
    assert (label < packing.limit_of(level)) == (rank < 255 - level)


@given(st.integers(0, EXIT), SIDES, st.integers(0, 10 * 64**3 - 1))
def test_a_site_has_a_kind_a_side_and_a_word(kind: int, side: int, word: int) -> None:
    site = packing.site_from(kind, side, word)
    assert (packing.kind_of_site(site), packing.side_of_site(site), packing.word_of_site(site)) == (kind, side, word)
    assert np.int32(site) == site


@given(LEVELS, STORED_RANKS, DISTANCES, SIDES)
def test_a_row_says_what_an_event_of_a_forcer_does_to_the_others_hold(
    level: int, rank: int, plies: int, forcer: int
) -> None:
    row = packing.row_from(packing.event_from(level, packing.label_from(rank, plies)), forcer)
    outcome = Score.from_byte(int(np.uint8(packing.outcome_of_row(row)).view(np.int8)))
    assert packing.holder_of_row(row) == 1 - forcer
    assert packing.code_of_row(row) == level
    assert packing.plies_of_row(row) == plies
    assert (int(outcome.holder), outcome.code) == ((forcer, rank) if rank < 128 else (1 - forcer, 255 - rank))
