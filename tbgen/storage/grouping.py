"""Grouping: the details of a table that is written, see details.py; only the writer needs this, and it is compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import borrowing
from tbgen.arrays import Ints32, Shorts
from tbgen.handover import Numbers
from tbgen.storage.details import occurring
from tbgen.storage.layers import Layer
from tbgen.storage.schema import COLUMNS
from tbgen.storage.states import Records, States, check_32_bits, in_32_bits
from tbgen.table import Patterns

_PART = 1 << 20
"""States at a time."""


class Details(NamedTuple):
    """The states of a table beyond their symbols."""

    of_state: Numbers
    """[state] -> its number in its group; frequent ones come first."""
    symbol_groups: Numbers
    """[symbol] -> its first group: one for each distance from 0 to its longest."""
    group_states: Numbers
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
    groups = in_32_bits(np.concatenate([[0], np.cumsum(longest + 1, dtype=np.int64)]), "groups of states")
    check_32_bits(len(states), "states")
    counts, numbers = np.zeros(groups[-1], np.uint32), np.empty(len(states), np.uint32)
    number_in_groups(of_state, states.dtg, groups, counts, numbers)
    group_states = np.cumsum(counts, dtype=np.uint32) - counts
    records = np.empty(len(states), COLUMNS[Layer.DISTANCES]["states"])
    # There are tens of millions of states: what is made of them on the way is kept small.
    for first in range(0, len(states), _PART):
        part = slice(first, first + _PART)
        places = group_states[groups[of_state[part]] + states.dtg[part]] + numbers[part]
        begins = patterns.start[pattern[part]]
        records["first"][places], records["rows"][places] = begins, patterns.start[pattern[part] + 1] - begins
    return Details(numbers, groups[:-1], group_states, records, patterns)


@borrowing
def number_in_groups(of_state: Ints32, dtg: Shorts, groups: Ints32, counts: Ints32, numbers: Ints32) -> None:
    """Number states in their groups, in their order, and count them; `groups` has the first one of each symbol."""
    for state in range(len(numbers)):
        group = groups[of_state[state]] + dtg[state]
        numbers[state] = counts[group]
        counts[group] += 1
