"""Histories: how a cell's label changed from one accrued code to the next, as one small integer per cell; and patterns.

A history is a chain of nodes. A node is a pair (before, event): `before` the node that it extends (0 is the empty
history) and `event` an accrued code and the label that came with it. Nodes are *interned* (hash-consed): equal pairs
are one node, so equal histories are one number. A pair of histories, one per forcer, is interned in the same way. The
numbers depend on the order of work; what they stand for does not.

A *pattern* is a pair of histories as rows. The dictionaries of all runs become one, which depends on the table alone. A
row is one number, so that rows sort as their columns do: holder, code, outcome (as an unsigned byte), plies.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, NewArray, Shorts, SignedInts32
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.errors import RepresentationError
from tbgen.index.handover import Dictionary, often_first
from tbgen.retro.patterns.packing import (
    NO_LABEL,
    code_of_event,
    columns_of_row,
    label_of_event,
    row_from,
)
from tbgen.table import Patterns

EMPTY = 0
"""The node of the empty history."""

NODES, SLOTS, OVERFLOWED = range(3)
"""State: nodes in use, slots of the hash table in use (a power of two), whether there were too many nodes."""

MOST_CHAINS = (1 << 31) - 1
"""Their numbers have 31 bits, which suffice for all tables of five men."""

FIRST_SLOTS = 1 << 12
HASH = np.uint64(0x9E3779B97F4A7C15)
HASH2 = np.uint64(0xC2B2AE3D27D4EB4F)
SHIFT = np.uint64(29)


@by_address
class Interner(NamedTuple):
    """Nodes of one thread and one kind, found by an open-addressing hash table; memory is touched as it fills."""

    before: Ints
    """[node]"""
    event: Ints
    """[node]"""
    table: SignedInts32
    """[slot] -> node, 0 where it is free."""
    state: Ints
    """NODES, SLOTS, OVERFLOWED."""


def new_interner(capacity: int) -> Interner:
    """An empty interner for at most `capacity` nodes."""
    slots = 1 << (2 * capacity - 1).bit_length()
    return Interner(
        before=np.zeros(capacity, np.int64),
        event=np.zeros(capacity, np.int64),
        table=np.zeros(slots, np.int32),
        state=np.array([1, min(FIRST_SLOTS, slots), 0], np.int64),
    )


@small
def _slot_of(before: Int, event: Int, slots: Int) -> np.int64:
    mixed = (np.uint64(before) * HASH) ^ (np.uint64(event) * HASH2)
    mixed = (mixed ^ (mixed >> SHIFT)) * HASH
    return np.int64((mixed ^ (mixed >> SHIFT)) & np.uint64(slots - 1))


@borrowing
def forget_nodes(interner: Interner) -> None:
    """Forget all nodes. Only the slots in use are cleared: a run of small blocks must not pay for the whole table."""
    interner.table[: interner.state[SLOTS]] = 0
    interner.state[NODES] = 1
    interner.state[SLOTS] = min(FIRST_SLOTS, len(interner.table))


@inner
def double_slots(interner: Interner) -> None:
    """Double the slots in use, and enter every node anew."""
    slots = interner.state[SLOTS] * 2
    interner.table[:slots] = 0
    for node in range(1, interner.state[NODES]):
        slot = _slot_of(interner.before[node], interner.event[node], slots)
        while interner.table[slot]:
            slot = (slot + 1) & (slots - 1)
        interner.table[slot] = node
    interner.state[SLOTS] = slots


# An overflow is a flag and no error, for a kernel cannot raise; whoever called it looks at the state afterwards. EMPTY
# is a wrong answer then, but a valid index, so that nothing is written out of bounds on the way there.
@inlined
def intern(interner: Interner, before: Int, event: Int) -> np.int64:
    """The node of this pair, a new one if it has not been met; EMPTY if there is no space (see the state)."""
    slots = interner.state[SLOTS]
    slot = _slot_of(before, event, slots)
    while interner.table[slot]:
        node = interner.table[slot]
        if interner.before[node] == before and interner.event[node] == event:
            return np.int64(node)
        slot = (slot + 1) & (slots - 1)
    node = interner.state[NODES]
    if node == len(interner.before):
        interner.state[OVERFLOWED] = 1
        return np.int64(EMPTY)
    interner.before[node] = before
    interner.event[node] = event
    interner.table[slot] = node
    interner.state[NODES] = node + 1
    if 2 * node > slots and slots < len(interner.table):
        double_slots(interner)
    return np.int64(node)


@inlined
def label_at_code(interner: Interner, node: Int, code: Int) -> Int:
    """The label that a history gives for an accrued code: that of the last event not after it."""
    while node != EMPTY:
        if code_of_event(interner.event[node]) <= code:
            return label_of_event(interner.event[node])
        node = interner.before[node]
    return np.int64(NO_LABEL)


@borrowing
def _find_lengths(before: Ints, length: Bytes) -> None:
    """[node] -> how many rows its history has; no more than there are codes, for two sides."""
    for node in range(1, len(before)):
        length[node] = length[before[node]] + 1


def _lengths(interner: Interner) -> Bytes:
    size = int(interner.state[NODES])
    length = np.zeros(size, np.uint8)
    _find_lengths(interner.before[:size], length)
    return length


@inlined
def _write_rows(interner: Interner, forcer: Int, node: Int, end: Int, rows: Ints) -> Int:
    """Write the rows of a history so that they end at `end`; returns where they begin."""
    while node != EMPTY:
        end -= 1
        rows[end] = row_from(interner.event[node], forcer)
        node = interner.before[node]
    return end


@borrowing
def _fill_rows(pairs: Interner, white: Interner, black: Interner, start: Ints, rows: Ints) -> None:
    """White's holds (which Black breaks) come first."""
    for pair in range(1, pairs.state[NODES]):
        end = _write_rows(white, 0, pairs.before[pair], start[pair + 1], rows)
        _write_rows(black, 1, pairs.event[pair], end, rows)


def dictionary_of(
    pairs: Interner, white: Interner, black: Interner, pattern: npt.NDArray[np.uint32]
) -> Dictionary:
    """The rows of each pair of histories; `pattern` is [cell] -> pair."""
    lengths = (
        _lengths(white)[pairs.before[: pairs.state[NODES]]]
        + _lengths(black)[pairs.event[: pairs.state[NODES]]]
    )
    start = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    rows = np.zeros(int(start[-1]), np.int64)
    _fill_rows(pairs, white, black, start, rows)
    often = np.zeros(len(lengths), np.int64)
    _count(pattern, often)
    return Dictionary(start, rows, often)


@borrowing
def _count(pattern: Ints32, often: Ints) -> None:
    for cell in range(len(pattern)):
        often[pattern[cell]] += 1


@borrowing
def _intern_rows(interner: Interner, start: Ints, rows: Ints, nodes: SignedInts32) -> None:
    """The chain of rows that each pattern is."""
    for pattern in range(len(start) - 1):
        node: Int = EMPTY
        for row in range(start[pattern], start[pattern + 1]):
            node = intern(interner, node, rows[row])
        nodes[pattern] = node


# size[node]: how many chains begin with this one, itself included, 1 before; after[node]: how many chains come between
# the one that it extends and itself; used[node]: 0 before.
@borrowing
def _number_chains(
    before: Ints,
    by_event: Ints,
    size: SignedInts32,
    used: SignedInts32,
    after: SignedInts32,
    number: SignedInts32,
) -> None:
    """Number the chains in the order of their rows, a beginning before what it begins."""
    for node in range(len(before) - 1, 0, -1):
        size[before[node]] += size[node]
    for n in by_event:
        after[n + 1] = used[before[n + 1]]
        used[before[n + 1]] += size[n + 1]
    for node in range(1, len(before)):
        number[node] = number[before[node]] + 1 + after[node]


@borrowing
def _unroll(
    interner: Interner,
    nodes: Ints,
    start: Ints,
    holder: Bytes,
    code: Bytes,
    outcome: Bytes,
    dtg: Shorts,
) -> None:
    """Write the rows of some chains one after another, as columns."""
    for n in range(len(nodes)):
        node = nodes[n]
        for row in range(start[n + 1] - 1, start[n] - 1, -1):
            holder[row], code[row], outcome[row], dtg[row] = columns_of_row(interner.event[node])
            node = interner.before[node]


def merge_patterns(
    dictionaries: Iterable[Dictionary], rows: int, new: NewArray = np.zeros
) -> tuple[Patterns, list[Ints32]]:
    """The dictionary of all, the most frequent first, and for each run [its pattern] -> pattern.

    `rows` is how many rows the dictionaries have together. Its own lie in arrays that `new` makes.
    """
    interner, chains = new_interner(min(rows + 1, MOST_CHAINS)), list[SignedInts32]()
    counts = np.zeros(len(interner.before), np.int64)
    for dictionary in dictionaries:
        nodes = np.zeros(len(dictionary.often), np.int32)
        _intern_rows(interner, dictionary.start, dictionary.rows, nodes)
        if interner.state[OVERFLOWED]:
            raise RepresentationError(
                "the number of rows of all patterns", "the solver's dictionary"
            )
        counts[nodes] += dictionary.often
        chains.append(nodes)
    interner = interner._replace(table=np.zeros(0, np.int32))  # all are in, and memory is dear
    by_rows = _by_rows(interner)[1:]
    used = by_rows[counts[by_rows] > 0]
    order = np.concatenate([[EMPTY], used[often_first(counts[used])]])
    number_of = np.zeros(int(interner.state[NODES]), np.uint32)
    number_of[order] = np.arange(len(order))
    return _columns(interner, order, new), [number_of[nodes] for nodes in chains]


def _by_rows(interner: Interner) -> SignedInts32:
    """All chains in the order of their rows, a beginning before what it begins."""
    nodes = int(interner.state[NODES])
    used, after, number, by_rows = (np.zeros(nodes, np.int32) for _ in range(4))
    by_event = np.argsort(interner.event[1:nodes])
    _number_chains(interner.before[:nodes], by_event, np.ones(nodes, np.int32), used, after, number)
    by_rows[number] = np.arange(nodes, dtype=np.int32)
    return by_rows


def _columns(interner: Interner, order: Ints, new: NewArray) -> Patterns:
    """The rows of some chains as columns."""
    start = np.concatenate([[0], np.cumsum(_lengths(interner)[order], dtype=np.int64)])
    rows = int(start[-1])
    holder, code, outcome, dtg = (
        new(rows, dtype) for dtype in (np.uint8, np.uint8, np.uint8, np.uint16)
    )
    _unroll(interner, order, start, holder, code, outcome, dtg)
    first_row = new(len(start), np.uint32)
    first_row[:] = start
    return Patterns(first_row, holder, code, outcome.view(np.int8), dtg)
