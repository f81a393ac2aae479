"""Symbols and details: the states of a new table, split for its two files.

A *symbol* is an entry value and a pattern of outcomes: the value of a position with every accrued
score. Without distances most states are equal: 17,740 of KRBvKN have 101 symbols. An accrued score
with a greater code than the entry value never meets the pattern (docs/tables.md). A row counts only
if its outcome is worse for the holder than the accrued score. So rows without effect are left out.

The states of one symbol and one distance are a *group*. The symbol and distance of a cell identify
the group of its state, and its detail the state within the group. Most groups have one state.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, SignedBytes, SignedInts32, WideInts, Words
from tbgen.compiled.jit import borrowing, inlined
from tbgen.errors import RepresentationError
from tbgen.index.chains import MOST_CHAINS, places_of_chains
from tbgen.index.kernels import byte_of_goal, goal_of_byte, row_of_byte
from tbgen.index.outcomes import byte_of_row
from tbgen.storage.files import Layer
from tbgen.storage.numbering import Census, larger, new_census, number_of
from tbgen.storage.schema import COLUMNS
from tbgen.table import Cells, Numbers, Patterns

_MOST_ROWS = 256
"""A pattern has fewer rows: at most one for each holder and code."""
_FIRST_SLOTS = 1 << 12
_ROW_BITS = 25
"""Holder, code and row of the outcome, in 1 + 8 + 8 bits, and some spare bits."""
_HOLDER_SHIFT = 16
_CODE_SHIFT = 8
_ENTRY_BITS = 8
"""The bits of an outcome in a pair."""
_BYTE = 0xFF

Columns = dict[str, npt.NDArray[Any]]
"""[name of a dataset] -> its items, as the file has them."""


def symbols_of(states: Cells, often: Words, patterns: Patterns) -> tuple[Numbers, Columns]:
    """The symbol of each state, given the counts of states; and the columns of symbols.

    Symbols are numbered by how often they occur, then by their meaning, whatever else the states
    contain.
    """
    chains, pairs, of_state = _named(states, patterns)
    before, row_of = _parents_and_rows(chains.met()[0])
    keys = pairs.met()[0]
    entry = byte_of_row((keys & _BYTE).astype(np.int64)).astype(np.int8)
    chain = (keys >> np.uint64(_ENTRY_BITS)).astype(np.int64)
    cells = np.bincount(of_state, often, len(keys))
    order = np.lexsort((_places_of_chains(before, row_of)[chain], entry, -cells))
    number_of = np.empty(len(keys), np.uint32)
    number_of[order] = np.arange(len(keys), dtype=np.uint32)

    first, lengths, rows = _rows_of(chain[order], before, row_of)
    records = np.empty(len(keys), COLUMNS[Layer.OUTCOMES]["symbols"])
    records["entry"] = entry[order]
    records["first"] = in_32_bits(first, "rows")
    records["rows"] = lengths
    return number_of[of_state], {"symbols": records, "outcome_rows": rows}


def _named(states: Cells, patterns: Patterns) -> tuple[Census, Census, Numbers]:
    """All chains, all pairs, and [state] -> the number of its pair."""
    rows = (patterns.start, patterns.holder, patterns.code, patterns.outcome)
    chains = new_census(_FIRST_SLOTS)
    pairs = new_census(_FIRST_SLOTS)
    of_state = np.empty(len(states.entry), np.uint32)
    state = 0
    while state < len(of_state):
        state = name_symbols(states.entry, states.pattern, rows, chains, pairs, of_state, state)
        if state < len(of_state):
            chains = larger(chains)
            pairs = larger(pairs)
    return chains, pairs, of_state


# A row stands for all accrued codes up to the next row, and so does the last written row. If both
# agree at the code of the row, they agree up to the next one: an outcome that is no worse than an
# accrued score is no worse than a poorer one.
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
    """Find the symbols of states while there is space; returns the state at which to go on.

    A chain is the preceding chain (0 if there is none) and a last row. A pair is a chain and an
    entry value: a symbol.
    """
    start, holders, codes, outcomes = rows
    for state in range(first, len(entry)):
        if chains.used[0] + _MOST_ROWS > len(chains.often) or pairs.used[0] + 1 > len(pairs.often):
            return state
        last_code = abs(np.int64(entry[state])) - 1
        chain = np.int64(0)
        holder = np.int64(-1)
        written = np.int64(0)
        for row in range(start[pattern[state]], start[pattern[state] + 1]):
            code = np.int64(codes[row])
            if code > last_code:
                continue
            if holders[row] != holder:
                holder = np.int64(holders[row])
                written = np.int64(0)
            broken = breaks_into(np.int64(outcomes[row]), holder, code)
            if broken != breaks_into(written, holder, code):
                written = np.int64(broken if broken else byte_of_goal(code, holder))
                packed = (holder << _HOLDER_SHIFT) | (code << _CODE_SHIFT) | row_of_byte(written)
                key = np.uint64((chain << _ROW_BITS) | packed)
                chain = np.int64(number_of(chains, key)) + 1
        pair = (chain << _ENTRY_BITS) | row_of_byte(np.int64(entry[state]))
        of_state[state] = number_of(pairs, np.uint64(pair))
    return len(entry)


@inlined
def breaks_into(outcome: Int, holder: Int, code: Int) -> Int:
    """The outcome, if it is worse for a holder than the accrued code.

    Else 0, because the hold stands.
    """
    if outcome != 0 and goal_of_byte(outcome, holder) > code:
        return outcome
    return np.int64(0)


def _parents_and_rows(links: Words) -> tuple[SignedInts32, SignedInts32]:
    """[chain - 1] -> the chain before its last row, and this row."""
    if len(links) > MOST_CHAINS:
        raise RepresentationError("the number of chains of rows", "the 31 bits of a chain's number")
    before = links >> np.uint64(_ROW_BITS)
    row_of = links & np.uint64((1 << _ROW_BITS) - 1)
    return before.astype(np.int32), row_of.astype(np.int32)


def _places_of_chains(before: SignedInts32, row_of: SignedInts32) -> SignedInts32:
    """[chain] -> its place in the order of the rows, where a beginning is before what it begins."""
    # Outcomes sort as unsigned bytes, as those of the files do.
    outcome = byte_of_row(row_of & _BYTE) & _BYTE
    by_row = np.argsort((row_of & ~_BYTE) | outcome, kind="stable")
    return places_of_chains(before, by_row)


def _rows_of(
    chain: Ints, before: SignedInts32, row_of: SignedInts32
) -> tuple[Ints, Bytes, npt.NDArray[Any]]:
    """The rows of symbols, given [symbol] -> its chain, in the order in which chains first occur.

    Returns the first row of each symbol, how many it has, and all rows. Symbols with the same chain
    share them.
    """
    used, first_use = np.unique(chain, return_index=True)
    in_order = used[np.argsort(first_use)]
    lengths = np.zeros(len(before) + 1, np.uint8)
    measure_chains(before, lengths)
    ends = np.cumsum(lengths[in_order], dtype=np.int64)
    first = np.zeros(len(before) + 1, np.int64)
    first[in_order] = ends - lengths[in_order]
    packed = np.empty(int(ends[-1]), np.int32)
    unroll_chains(before, row_of, in_order, ends, packed)

    rows = np.empty(len(packed), COLUMNS[Layer.OUTCOMES]["outcome_rows"])
    rows["holder"] = packed >> _HOLDER_SHIFT
    rows["code"] = (packed >> _CODE_SHIFT) & _BYTE
    rows["outcome"] = byte_of_row(packed & _BYTE)
    return first[chain], lengths[chain], rows


@borrowing
def measure_chains(before: SignedInts32, lengths: Bytes) -> None:
    for n in range(len(before)):
        lengths[n + 1] = lengths[before[n]] + 1


@borrowing
def unroll_chains(
    before: SignedInts32, row_of: SignedInts32, chains: Ints, ends: Ints, rows: SignedInts32
) -> None:
    """Write the rows of each of some chains, so that they end where `ends` says."""
    for n in range(len(chains)):
        chain = chains[n]
        at = ends[n]
        while chain:
            at -= 1
            rows[at] = row_of[chain - 1]
            chain = before[chain - 1]


def in_32_bits(numbers: npt.NDArray[Any], what: str) -> npt.NDArray[np.uint32]:
    """Numbers as a file has them; an error if one is too large, because numpy would truncate it."""
    if int(numbers.max(initial=0)) >> 32:
        raise RepresentationError(f"the number of {what}", "the 32 bits that files have for it")
    return numbers.astype(np.uint32, copy=False)


def occurring(numbers: WideInts, patterns: Patterns) -> tuple[WideInts, Patterns]:
    """The patterns of states, and their new numbers.

    Cells without a position may have had others.
    """
    occurs = np.zeros(len(patterns), np.bool_)
    occurs[0] = True
    occurs[numbers] = True
    if occurs.all():
        return numbers, patterns
    lengths = patterns.start[1:].astype(np.int64) - patterns.start[:-1]
    rows = np.repeat(occurs, lengths)
    start = in_32_bits(np.concatenate([[0], np.cumsum(lengths[occurs])]), "rows")
    renumbered: WideInts = (np.cumsum(occurs) - 1).astype(np.uint32)
    those_that_occur = Patterns(
        start,
        patterns.holder[rows],
        patterns.code[rows],
        patterns.outcome[rows],
        patterns.dtg[rows],
    )
    return renumbered[numbers], those_that_occur


def details_of(
    states: Cells, of_state: Numbers, patterns: Patterns
) -> tuple[WideInts, Patterns, Columns]:
    """The detail of each state, given its symbol; the patterns that occur, and their columns.

    A detail is a number within a group: frequent states have low ones. A symbol has a group for
    each distance from 0 to its longest. States are sorted by group, each with the rows of its
    pattern.
    """
    pattern, patterns = occurring(states.pattern, patterns)
    longest = np.zeros(int(of_state.max(initial=0)) + 1, np.uint32)
    np.maximum.at(longest, of_state, states.dtg)
    ends = np.cumsum(longest + 1, dtype=np.int64)
    groups = in_32_bits(np.concatenate([[0], ends]), "groups")
    group = groups[of_state] + states.dtg
    by_group = np.argsort(group, kind="stable")
    counts = np.bincount(group, minlength=groups[-1])
    group_states = (np.cumsum(counts) - counts).astype(np.uint32)
    details = np.empty(len(group), np.uint32)
    details[by_group] = np.arange(len(group)) - group_states[group[by_group]]
    start = in_32_bits(patterns.start, "rows")
    pattern = pattern[by_group]
    records = np.empty(len(group), COLUMNS[Layer.DISTANCES]["states"])
    records["first"] = start[pattern]
    records["rows"] = start[pattern + 1] - start[pattern]
    columns = {"symbol_groups": groups[:-1], "group_states": group_states, "states": records}
    return details, patterns, columns
