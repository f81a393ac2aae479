"""Patterns: the histories of a run as rows, and the dictionaries of all runs as one that depends on the table alone.

A row is one number, so that rows sort as their columns do: holder, code, outcome (as an unsigned byte), plies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, Shorts, WideInts, kind_of_numbers
from tbgen.compiled.jit import borrowing, by_address, inlined, kernel
from tbgen.errors import RepresentationError
from tbgen.handover import Dictionary, often_first
from tbgen.retro.levels.histories import (
    EMPTY,
    MOST_NARROW_NODES,
    NODES,
    OVERFLOWED,
    Interner,
    Nodes,
    intern,
    kind_of_nodes,
    larger_interner,
    new_interner,
)
from tbgen.retro.levels.packing import code_of_row, holder_of_row, outcome_of_row, plies_of_row, row_from
from tbgen.table import Patterns

MOST_PATTERNS = 1 << 40
"""Of a table: in the key of a state (storage/numbering.py) they have 40 bits."""


@by_address
class RowColumns(NamedTuple):
    """Rows as columns: [row]."""

    holder: Bytes
    code: Bytes
    outcome: Bytes
    dtg: Shorts


@inlined
def _length(interner: Interner, node: Int) -> int:
    """How many rows a history has."""
    rows = 0
    while node != EMPTY:
        rows += 1
        node = interner.before[node]
    return rows


@inlined
def _write_rows(interner: Interner, forcer: Int, node: Int, end: Int, rows: Ints) -> Int:
    """Write the rows of a history so that they end at `end`; returns where they begin."""
    while node != EMPTY:
        end -= 1
        rows[end] = row_from(interner.event[node], forcer)
        node = interner.before[node]
    return end


@borrowing
def _find_starts(pairs: Interner, white: Interner, black: Interner, start: Ints) -> None:
    for pair in range(1, pairs.state[NODES]):
        rows = _length(white, pairs.before[pair]) + _length(black, pairs.event[pair])
        start[pair + 1] = start[pair] + rows


@borrowing
def _fill_rows(pairs: Interner, white: Interner, black: Interner, start: Ints, rows: Ints) -> None:
    """White's holds (which Black breaks) come first."""
    for pair in range(1, pairs.state[NODES]):
        end = _write_rows(white, 0, pairs.before[pair], start[pair + 1], rows)
        _write_rows(black, 1, pairs.event[pair], end, rows)


def dictionary_of(pairs: Interner, white: Interner, black: Interner, pattern: npt.NDArray[np.uint32]) -> Dictionary:
    """The rows of each pair of histories; `pattern` is [cell] -> pair."""
    start = np.zeros(int(pairs.state[NODES]) + 1, np.int64)
    _find_starts(pairs, white, black, start)
    rows = np.zeros(int(start[-1]), np.int64)
    _fill_rows(pairs, white, black, start, rows)
    often = np.zeros(len(start) - 1, np.int64)
    _count(pattern, often)
    return Dictionary(start, rows, often)


@borrowing
def _count(pattern: Ints32, often: Ints) -> None:
    for cell in range(len(pattern)):
        often[pattern[cell]] += 1


@borrowing
def _intern_rows(interner: Interner, start: Ints, rows: Ints, nodes: Nodes) -> None:
    """The chain of rows that each pattern is."""
    for pattern in range(len(start) - 1):
        node: Int = EMPTY
        for row in range(start[pattern], start[pattern + 1]):
            node = intern(interner, node, rows[row])
        nodes[pattern] = node


@borrowing
def _group_by_before(before: Ints, by_event: Ints, first_child: Nodes, children: Nodes) -> None:
    """Sort chains by the one they extend, then by row: node n has children first_child[n] to first_child[n + 1]."""
    for node in range(1, len(before)):
        first_child[before[node] + 2] += 1
    for node in range(2, len(first_child)):
        first_child[node] += first_child[node - 1]
    for node in by_event:
        at = before[node + 1] + 1
        children[first_child[at]] = node + 1
        first_child[at] += 1


@kernel
def _in_order(children: Nodes, first_child: Nodes, ranking: Nodes) -> None:
    """List the chains in the order of their rows."""
    stack = np.empty_like(ranking)
    size, number = 1, 0
    stack[0] = EMPTY
    while size:
        size -= 1
        node = stack[size]
        ranking[number] = node
        number += 1
        for n in range(first_child[node + 1] - 1, first_child[node] - 1, -1):
            stack[size] = children[n]
            size += 1


@borrowing
def _unroll(interner: Interner, nodes: Ints, start: Ints, columns: RowColumns) -> None:
    """Write the rows of some chains one after another, as columns."""
    for n in range(len(nodes)):
        node = nodes[n]
        for row in range(start[n + 1] - 1, start[n] - 1, -1):
            packed = interner.event[node]
            columns.holder[row], columns.code[row] = holder_of_row(packed), code_of_row(packed)
            columns.outcome[row], columns.dtg[row] = outcome_of_row(packed), plies_of_row(packed)
            node = interner.before[node]


@borrowing
def _find_lengths(interner: Interner, nodes: Ints, length: Ints) -> None:
    for n in range(len(nodes)):
        length[n] = _length(interner, nodes[n])


def merge_patterns(
    dictionaries: Iterable[Dictionary], rows: int, new: Callable[[int, npt.DTypeLike], npt.NDArray[Any]] = np.zeros
) -> tuple[Patterns, list[WideInts]]:
    """The dictionary of all, the most frequent first, and for each run [its pattern] -> pattern.

    `rows` is how many rows the dictionaries have together. Its own lie in arrays that `new` makes.
    """
    interner, chains = new_interner(min(rows + 1, MOST_NARROW_NODES)), list[Nodes]()
    counts = np.zeros(len(interner.before), np.int64)
    for dictionary in dictionaries:
        interner, nodes = _interned(interner, dictionary)
        if len(counts) < len(interner.before):
            counts = _longer(counts, len(interner.before))
        counts[nodes] += dictionary.often
        chains.append(nodes)
    interner = interner._replace(table=np.zeros(0, np.int32))  # all are in, and memory is dear
    ranking = _ranking(interner)[1:]
    used = ranking[counts[ranking] > 0]
    if len(used) >= MOST_PATTERNS:
        raise RepresentationError(f"{len(used):,} patterns", "the 40 bits that the key of a state has for them")
    order = np.concatenate([[EMPTY], used[often_first(counts[used])]])
    number_of = np.zeros(int(interner.state[NODES]), kind_of_numbers(len(order)))
    number_of[order] = np.arange(len(order))
    return _columns(interner, order, new), [number_of[nodes] for nodes in chains]


def _interned(interner: Interner, dictionary: Dictionary) -> tuple[Interner, Nodes]:
    """The interner, or a larger one, with the chains of a dictionary; [pattern] -> its chain."""
    while True:
        nodes: Nodes = np.zeros(len(dictionary.often), interner.table.dtype)
        _intern_rows(interner, dictionary.start, dictionary.rows, nodes)
        if not interner.state[OVERFLOWED]:
            return interner, nodes
        interner = larger_interner(interner)


def _longer(numbers: Ints, size: int) -> Ints:
    """The numbers, and zeros behind them, which take memory as they are touched."""
    longer = np.zeros(size, np.int64)
    longer[: len(numbers)] = numbers
    return longer


def _ranking(interner: Interner) -> Nodes:
    """All chains in the order of their rows, a beginning before what it begins."""
    size = int(interner.state[NODES])
    kind = kind_of_nodes(size)
    before, event = interner.before[:size], interner.event[:size]
    first_child, children = np.zeros(size + 2, kind), np.zeros(size, kind)
    _group_by_before(before, np.argsort(event[1:]), first_child, children)
    ranking = np.zeros(size, kind)
    _in_order(children, first_child, ranking)
    return ranking


def _columns(interner: Interner, order: Ints, new: Callable[[int, npt.DTypeLike], npt.NDArray[Any]]) -> Patterns:
    """The rows of some chains as columns."""
    length = np.zeros(len(order), np.int64)
    _find_lengths(interner, order, length)
    start = np.concatenate([[0], np.cumsum(length)])
    rows = int(start[-1])
    holder, code, outcome = (new(rows, np.uint8) for _ in range(3))
    columns = RowColumns(holder, code, outcome, new(rows, np.uint16))
    _unroll(interner, order, start, columns)
    first_row = new(len(start), kind_of_numbers(rows + 1))
    first_row[:] = start
    return Patterns(first_row, holder, code, outcome.view(np.int8), columns.dtg)
