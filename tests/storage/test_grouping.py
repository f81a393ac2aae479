"""Details of states: their groups and records, and how much memory it takes to find them."""

from __future__ import annotations

import tracemalloc

import numpy as np

from tbgen.storage.states import States
from tbgen.storage.symbols import details_of
from tbgen.table import Patterns

STATES, SYMBOLS, DISTANCES, PATTERNS, ROWS = 3_000_000, 500, 90, 1000, 7000


def random_states() -> tuple[States, np.ndarray, Patterns]:
    """States with symbols, distances and patterns drawn at random; every pattern occurs."""
    random = np.random.default_rng(28)
    pattern = random.integers(0, PATTERNS, STATES).astype(np.uint32)
    pattern[:PATTERNS] = np.arange(PATTERNS)
    dtg = random.integers(0, DISTANCES, STATES).astype(np.uint16)
    start = np.sort(random.integers(0, ROWS, PATTERNS - 1))
    rows = [random.integers(0, 2, ROWS).astype(kind) for kind in (np.uint8, np.uint8, np.int8, np.uint16)]
    patterns = Patterns(np.concatenate([[0], start, [ROWS]]).astype(np.uint32), *rows)
    states = States(np.ones(STATES, np.int8), dtg, pattern)
    return states, random.integers(0, SYMBOLS, STATES).astype(np.uint32), patterns


def test_details_say_which_state_of_its_symbol_and_distance_it_is_in_little_memory() -> None:
    states, of_state, patterns = random_states()
    details_of(States(*(column[:9] for column in (states.entry, states.dtg, states.pattern))), of_state[:9], patterns)
    tracemalloc.start()
    details = details_of(states, of_state, patterns)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * STATES  # 36 million states took 2.4 GB by sorting
    first, last = details.symbol_groups[of_state], np.append(details.symbol_groups[1:], len(details.group_states))
    assert (first + states.dtg < last[of_state]).all()
    places = details.group_states[first + states.dtg] + details.of_state
    assert (np.sort(places) == np.arange(STATES)).all()
    for group in np.random.default_rng(1).integers(0, SYMBOLS * DISTANCES, 50):
        symbol = np.searchsorted(details.symbol_groups, group, side="right") - 1
        inside = (of_state == symbol) & (states.dtg == group - details.symbol_groups[symbol])
        assert (details.of_state[inside] == np.arange(np.count_nonzero(inside))).all()
    begins, ends = patterns.start[states.pattern], patterns.start[states.pattern + 1]
    assert (details.records["first"][places] == begins).all()
    assert (details.records["rows"][places] == (ends - begins).astype(np.uint8)).all()
