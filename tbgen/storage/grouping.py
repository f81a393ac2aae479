"""Grouping: the details of a table that is written, see details.py; only the writer needs this, and it is compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints32, Shorts, WideInts, as_starts, kind_of_numbers
from tbgen.compiled.jit import borrowing
from tbgen.storage.details import occurring
from tbgen.storage.schema import kind_of_column
from tbgen.storage.states import Records, States
from tbgen.table import Numbers, Patterns

_PART = 1 << 20
"""States at a time."""


class Details(NamedTuple):
    """The states of a table beyond their symbols."""

    of_state: WideInts
    """[state] -> its number in its group; frequent ones come first."""
    symbol_groups: npt.NDArray[np.unsignedinteger[Any]]
    """[symbol] -> its first group: one for each distance from 0 to its longest. As the file has it, like the next."""
    group_states: npt.NDArray[np.unsignedinteger[Any]]
    """[group] -> its first record."""
    records: Records
    """The states by group: which rows the pattern of each has."""
    patterns: Patterns
    """Those that occur."""


def details_of(states: States, of_state: Numbers, patterns: Patterns) -> Details:
    """The details of states of which `of_state` says the symbols."""
    pattern, patterns = occurring(states.pattern, patterns)
    longest = np.zeros(int(of_state.max(initial=0)) + 1, np.uint32)
    np.maximum.at(longest, of_state, states.dtg)
    groups = as_starts(np.concatenate([[0], np.cumsum(longest + 1, dtype=np.int64)]))
    kind = kind_of_numbers(len(states) + 1)  # a group without states, after all others, begins behind the last one
    counts, numbers = np.zeros(groups[-1], kind), np.empty(len(states), kind)
    number_in_groups(of_state, states.dtg, groups, counts, numbers)
    group_states = np.cumsum(counts, dtype=kind) - counts
    records = np.empty(len(states), kind_of_column("states", len(patterns.code) + 1))
    # There are tens of millions of states: what is made of them on the way is kept small.
    for first in range(0, len(states), _PART):
        part = slice(first, first + _PART)
        places = group_states[groups[of_state[part]] + states.dtg[part]] + numbers[part]
        begins = patterns.start[pattern[part]]
        records["first"][places], records["rows"][places] = begins, patterns.start[pattern[part] + 1] - begins
    return Details(
        numbers,
        groups[:-1].astype(kind_of_column("symbol_groups", int(groups[-1]) + 1), copy=False),
        group_states.astype(kind_of_column("group_states", len(states) + 1), copy=False),
        records,
        patterns,
    )


@borrowing
def number_in_groups(of_state: Ints32, dtg: Shorts, groups: WideInts, counts: WideInts, numbers: WideInts) -> None:
    """Number states in their groups, in their order, and count them; `groups` has the first one of each symbol."""
    for state in range(len(numbers)):
        group = groups[of_state[state]] + dtg[state]
        numbers[state] = counts[group]
        counts[group] += 1
