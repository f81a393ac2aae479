"""Symbols and details: the states of a new table, split for its two files.

A *symbol* is an entry value and a pattern of outcomes: the value of a position with every accrued score. Without
distances most states are equal: 17,740 of KRBvKN have 101 symbols. An accrued score with a greater code than the entry
value never meets the pattern (docs/tables.md). A row counts only if its outcome is worse for the holder than the
accrued score. So rows without effect are left out.

The states of one symbol and one distance are a *group*. The symbol and distance of a cell identify the group of its
state, and its detail the state within the group. Most groups have one state.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, SignedBytes, WideInts, Words
from tbgen.compiled.jit import borrowing, inlined
from tbgen.errors import RepresentationError
from tbgen.index.handover import Cells, Numbers
from tbgen.index.kernels import byte_of_goal, goal_of_byte
from tbgen.index.outcomes import byte_of_row
from tbgen.storage.files import Layer
from tbgen.storage.numbering import Census, larger, new_census, number_of
from tbgen.storage.schema import COLUMNS
from tbgen.table import Patterns

_MOST_ROWS = 256
"""A pattern has fewer rows: at most one for each holder and code."""
_FIRST_SLOTS = 1 << 12
_ROW_BITS = 25
"""Holder, code and row of the outcome, in 1 + 8 + 8 bits, and some spare bits."""

Columns = dict[str, npt.NDArray[Any]]
"""[name of a dataset] -> its items, as the file has them."""


def symbols_of(states: Cells, often: Words, patterns: Patterns) -> tuple[Numbers, Columns]:
    """The symbol of each state, given the counts of states; and the columns that define the symbols.

    Symbols are numbered by how often they occur, then by their meaning, whatever else the states contain.
    """
    rows = patterns.start, patterns.holder, patterns.code, patterns.outcome
    chains, pairs = new_census(_FIRST_SLOTS), new_census(_FIRST_SLOTS)
    first, count = 0, len(states.entry)
    of_state = np.empty(count, np.uint32)
    while (
        first := name_symbols(states.entry, states.pattern, rows, chains, pairs, of_state, first)
    ) < count:
        chains, pairs = larger(chains), larger(pairs)
    found = [(key >> 8, byte_of_row(key & 0xFF)) for key in pairs.met()[0].tolist()]
    links = chains.met()[0].tolist()
    meant = {chain: _rows_of(chain, links) for chain, _ in found}
    total = np.bincount(of_state, often, len(found))
    order = sorted(
        range(len(found)), key=lambda n: (-total[n], found[n][1], meant[found[n][0]].tobytes())
    )
    number_of = np.empty(len(found), np.uint32)
    number_of[order] = np.arange(len(found), dtype=np.uint32)
    used = dict.fromkeys(found[n][0] for n in order)
    first_of = dict(
        zip(
            used,
            itertools.accumulate((len(meant[chain]) for chain in used), initial=0),
            strict=False,
        )
    )
    symbols = [
        (entry, first_of[chain], len(meant[chain])) for chain, entry in (found[n] for n in order)
    ]
    return number_of[of_state], {
        "symbols": np.array(symbols, COLUMNS[Layer.OUTCOMES]["symbols"]),
        "outcome_rows": np.concatenate([meant[chain] for chain in used]),
    }


# A row stands for all accrued codes up to the next row, and so does the last written row. If both agree at the code of
# the row, they agree up to the next one: an outcome that is no worse than an accrued score is no worse than a poorer
# one.
@borrowing
def name_symbols(
    entry: SignedBytes,
    pattern: WideInts,
    rows: tuple[WideInts, Bytes, Bytes, SignedBytes],
    chains: Census,
    pairs: Census,
    of_state: Numbers,
    first: Int,
) -> int:
    """Find the symbols of states, from one on, while there is space; return the state at which to go on.

    A chain is the preceding chain (0 if there is none) and a last row. A pair is a chain and an entry value: a symbol.
    """
    start, holders, codes, outcomes = rows
    for state in range(first, len(entry)):
        if chains.used[0] + _MOST_ROWS > len(chains.often) or pairs.used[0] + 1 > len(pairs.often):
            return state
        last_code = abs(np.int64(entry[state])) - 1
        chain, holder, written = np.int64(0), np.int64(-1), np.int64(0)
        for row in range(start[pattern[state]], start[pattern[state] + 1]):
            code = np.int64(codes[row])
            if code > last_code:
                continue
            if holders[row] != holder:
                holder, written = np.int64(holders[row]), np.int64(0)
            broken = breaks_into(np.int64(outcomes[row]), holder, code)
            if broken != breaks_into(written, holder, code):
                written = np.int64(broken if broken else byte_of_goal(code, holder))
                key = np.uint64(chain << _ROW_BITS | holder << 16 | code << 8 | written + 128)
                chain = np.int64(number_of(chains, key)) + 1
        of_state[state] = number_of(pairs, np.uint64(chain << 8 | np.int64(entry[state]) + 128))
    return len(entry)


@inlined
def breaks_into(outcome: Int, holder: Int, code: Int) -> Int:
    """The outcome, if it is worse for a holder than the accrued code; else 0, because the hold stands."""
    return outcome if outcome != 0 and goal_of_byte(outcome, holder) > code else np.int64(0)


def _rows_of(chain: int, links: Sequence[int]) -> npt.NDArray[Any]:
    """The rows of a chain, given all links."""
    rows = list[tuple[int, int, int]]()
    while chain:
        chain, row = divmod(links[chain - 1], 1 << _ROW_BITS)
        rows.append((row >> 16, row >> 8 & 0xFF, byte_of_row(row & 0xFF)))
    return np.array(rows[::-1], COLUMNS[Layer.OUTCOMES]["outcome_rows"])


def in_32_bits(numbers: npt.NDArray[Any], what: str) -> npt.NDArray[np.uint32]:
    """Numbers as a file has them; an error if one is too large, because numpy would truncate it."""
    if int(numbers.max(initial=0)) >> 32:
        raise RepresentationError(f"the number of {what}", "the 32 bits that files have for it")
    return numbers.astype(np.uint32, copy=False)


def occurring(numbers: WideInts, patterns: Patterns) -> tuple[WideInts, Patterns]:
    """The patterns of states, and their new numbers; cells without a position may have had others."""
    occurs = np.zeros(len(patterns), np.bool_)
    occurs[numbers], occurs[0] = True, True
    if occurs.all():
        return numbers, patterns
    lengths = patterns.start[1:].astype(np.int64) - patterns.start[:-1]
    rows = np.repeat(occurs, lengths)
    start = in_32_bits(np.concatenate([[0], np.cumsum(lengths[occurs])]), "rows")
    renumbered: WideInts = (np.cumsum(occurs) - 1).astype(np.uint32)
    holder, code, outcome, dtg = patterns.holder, patterns.code, patterns.outcome, patterns.dtg
    return renumbered[numbers], Patterns(start, holder[rows], code[rows], outcome[rows], dtg[rows])


def details_of(
    states: Cells, of_state: Numbers, patterns: Patterns
) -> tuple[WideInts, Patterns, Columns]:
    """The detail of each state, given its symbol; the patterns that occur; and the columns for them.

    A detail is a number within a group: frequent states have low ones. A symbol has a group for each distance from 0 to
    its longest. States are sorted by group, each with the rows of its pattern.
    """
    pattern, patterns = occurring(states.pattern, patterns)
    longest = np.zeros(int(of_state.max(initial=0)) + 1, np.uint32)
    np.maximum.at(longest, of_state, states.dtg)
    groups = in_32_bits(np.concatenate([[0], np.cumsum(longest + 1, dtype=np.int64)]), "groups")
    start, group = in_32_bits(patterns.start, "rows"), groups[of_state] + states.dtg
    by_group, counts = np.argsort(group, kind="stable"), np.bincount(group, minlength=groups[-1])
    group_states = (np.cumsum(counts) - counts).astype(np.uint32)
    numbers = np.empty(len(group), np.uint32)
    numbers[by_group] = np.arange(len(group)) - group_states[group[by_group]]
    records, pattern = np.empty(len(group), COLUMNS[Layer.DISTANCES]["states"]), pattern[by_group]
    records["first"], records["rows"] = start[pattern], start[pattern + 1] - start[pattern]
    return (
        numbers,
        patterns,
        {"symbol_groups": groups[:-1], "group_states": group_states, "states": records},
    )
