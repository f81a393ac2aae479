"""Details: what the distances of a table add to its outcomes.

The states of one symbol and one distance are a *group*. A cell's symbol and distance say which group its state is in,
and its detail which of these; most groups have one state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import borrowing
from tbgen.arrays import Ints32, Shorts
from tbgen.handover import Distances, Entries, Numbers
from tbgen.score import Color
from tbgen.storage.layers import Layer
from tbgen.storage.schema import COLUMNS
from tbgen.storage.states import Records, States
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
    groups = np.concatenate([[0], np.cumsum(longest + 1)]).astype(np.uint32)
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


def occurring(numbers: Numbers, patterns: Patterns) -> tuple[Numbers, Patterns]:
    """The patterns that states have, and their new numbers: cells without a position may have had others."""
    occurs = np.zeros(len(patterns), np.bool_)
    occurs[numbers], occurs[0] = True, True
    if occurs.all():
        return numbers, patterns
    lengths = patterns.start[1:].astype(np.int64) - patterns.start[:-1]
    rows = np.repeat(occurs, lengths)
    start = np.concatenate([[0], np.cumsum(lengths[occurs])]).astype(np.uint32)
    renumbered = (np.cumsum(occurs) - 1).astype(np.uint32)
    return renumbered[numbers], Patterns(
        start, patterns.holder[rows], patterns.code[rows], patterns.outcome[rows], patterns.dtg[rows]
    )


def flips_of(entry: Entries, side: Color) -> Distances:
    """Which bit of a distance a file has flipped, by entry value.

    Who holds an outcome reaches it with a move, so the distance is odd if that side is to move and even if not. With
    the lowest bit flipped in one case the number is always even, and compresses as its half would.
    """
    flips: Distances = ((entry > 0) == (side is Color.WHITE)).astype(np.uint16)
    return flips


def patterns_of(records: Records, rows: Records) -> tuple[Numbers, Patterns]:
    """The pattern of each state, and all patterns: those of the table of which these are the details."""
    first, count = records["first"], records["rows"]
    begins = np.zeros(len(rows) + 1, np.bool_)
    begins[first[count > 0]] = True
    number = np.where(count > 0, np.cumsum(begins, dtype=np.uint32)[first], 0).astype(np.uint32)
    start = np.concatenate([[0], np.flatnonzero(begins), [len(rows)]]).astype(np.uint32)
    return number, Patterns(start, *[np.ascontiguousarray(rows[name]) for name in ("holder", "code", "outcome", "dtg")])
