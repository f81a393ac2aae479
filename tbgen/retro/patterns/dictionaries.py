"""Dictionaries of patterns: those of runs, and the one of a table.

A *pattern* is a pair of histories as rows. The dictionaries of all runs become one, which depends
on the table alone. A row is one number, so that rows sort as their columns do: holder, code,
outcome (as an unsigned byte), plies.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import (
    Bytes,
    Int,
    Ints,
    Ints32,
    NewArray,
    Shorts,
    SignedInts32,
)
from tbgen.compiled.jit import borrowing, inlined
from tbgen.errors import RepresentationError
from tbgen.index.chains import MOST_CHAINS, places_of_chains
from tbgen.retro.patterns.histories import (
    EMPTY,
    NODES,
    OVERFLOWED,
    Interner,
    intern,
    new_interner,
)
from tbgen.retro.patterns.packing import columns_of_row, row_from
from tbgen.retro.words.geometry import BLACK, WHITE
from tbgen.table import Dictionary, Patterns, often_first


@borrowing
def _find_lengths(before: Ints, length: Bytes) -> None:
    """Write how many rows each history has: no more than there are codes, for two sides."""
    for node in range(1, len(before)):
        length[node] = length[before[node]] + 1


def _lengths(interner: Interner) -> Bytes:
    """[node] -> how many rows its history has."""
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
    """Write the rows of all pairs. White's holds, which Black breaks, come first."""
    for pair in range(1, pairs.state[NODES]):
        end = _write_rows(white, WHITE, pairs.before[pair], start[pair + 1], rows)
        _write_rows(black, BLACK, pairs.event[pair], end, rows)


def dictionary_of(
    pairs: Interner, white: Interner, black: Interner, pattern: npt.NDArray[np.uint32]
) -> Dictionary:
    """The rows of each pair of histories; `pattern` is [cell] -> pair."""
    size = int(pairs.state[NODES])
    lengths = _lengths(white)[pairs.before[:size]] + _lengths(black)[pairs.event[:size]]
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
    interner = new_interner(min(rows + 1, MOST_CHAINS))
    counts = np.zeros(len(interner.before), np.int64)
    chains = list[SignedInts32]()
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
    by_event = np.argsort(interner.event[1:nodes])
    by_rows = np.zeros(nodes, np.int32)
    places = places_of_chains(interner.before[1:nodes], by_event)
    by_rows[places] = np.arange(nodes, dtype=np.int32)
    return by_rows


def _columns(interner: Interner, order: Ints, new: NewArray) -> Patterns:
    """The rows of some chains as columns."""
    start = np.concatenate([[0], np.cumsum(_lengths(interner)[order], dtype=np.int64)])
    rows = int(start[-1])
    holder = new(rows, np.uint8)
    code = new(rows, np.uint8)
    outcome = new(rows, np.uint8)
    dtg = new(rows, np.uint16)
    _unroll(interner, order, start, holder, code, outcome, dtg)
    first_row = new(len(start), np.uint32)
    first_row[:] = start
    return Patterns(first_row, holder, code, outcome.view(np.int8), dtg)
