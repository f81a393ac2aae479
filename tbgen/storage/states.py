"""States: a table as one small number a cell.

A *state* is an entry value, its distance and a pattern of the middle. A table has few different ones,
numbered from the most frequent on, and one number a cell compresses better than three, and a probe reads
one chunk instead of three. Cells that hold no position get the state of the cell before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.storage.order import Order
from tbgen.table import Table

Ids = npt.NDArray[np.unsignedinteger[Any]]
Longs = npt.NDArray[np.signedinteger[Any]]

_DENSE = 1 << 26
_STEP = 1 << 22
_ZERO = 128


@dataclass(frozen=True, eq=False)
class States:
    """Column by column what a state's number means."""

    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.entry)


def states_of(table: Table, order: Order) -> tuple[Ids, States]:
    """The state of each place of the file, and what the states mean.

    Part by part, so that a large table needs little more memory than its result.
    """
    values = np.flatnonzero(_present(table))
    keys = _Keys(table, order, values)
    kinds, counts = _counted(keys)
    ranking = np.argsort(-counts, kind="stable")
    rank = np.empty(len(kinds), _smallest(len(kinds)))
    rank[ranking] = np.arange(len(kinds))
    ids: npt.NDArray[Any] = np.empty(order.layout.cells, rank.dtype)
    before, rank_of = rank[0], _looked_up(kinds, rank, keys.most)
    for part in order.parts():
        live, found = keys.of(part)
        ids[part] = _spread(live, rank_of(found), before)
        before = ids[part][-1]
    value, pattern = values[kinds[ranking] // keys.patterns], kinds[ranking] % keys.patterns
    dtg, entry = value & 0xFFFF, (value >> 16) - _ZERO
    return ids, States(entry.astype(np.int8), dtg.astype(np.uint16), pattern.astype(np.uint32))


def _present(table: Table) -> npt.NDArray[np.bool_]:
    """[entry value and distance as one number] -> whether some position has them."""
    present = np.zeros(1 << 24, np.bool_)
    for start in range(0, len(table.entry), _STEP):
        entry, dtg = table.entry[start : start + _STEP], table.dtg[start : start + _STEP]
        present[_value(entry, dtg)[entry != 0]] = True
    return present


def _value(entry: npt.NDArray[np.int8], dtg: npt.NDArray[np.uint16]) -> npt.NDArray[np.int32]:
    return (entry.astype(np.int32) + _ZERO) << 16 | dtg


class _Keys:
    """States as numbers in the order of their contents."""

    def __init__(self, table: Table, order: Order, values: Longs) -> None:
        self._table = table
        self._order = order
        self.patterns = len(table.patterns)
        self.most = len(values) * self.patterns
        self._first = np.zeros(1 << 24, np.int32 if self.most < 1 << 31 else np.int64)
        self._first[values] = np.arange(len(values)) * self.patterns

    def parts(self) -> Iterator[Longs]:
        """The keys of the positions, part by part."""
        return (self.of(part)[1] for part in self._order.parts())

    def of(self, part: slice) -> tuple[npt.NDArray[np.bool_], Longs]:
        """Which places of a part of the file hold a position, and the keys of these."""
        table, to_file = self._table, self._order.to_file
        entry = to_file(table.entry[part])
        live = entry != 0
        value = _value(entry[live], to_file(table.dtg[part])[live])
        first = self._first[value]
        return live, first + to_file(table.pattern[part])[live].astype(first.dtype)


def _counted(keys: _Keys) -> tuple[Longs, Longs]:
    """The keys that occur, in ascending order, and how often they do."""
    pairs = [np.unique(found, return_counts=True) for found in keys.parts()]
    kinds, place = np.unique(np.concatenate([found for found, _ in pairs]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([often for _, often in pairs]), len(kinds))
    return kinds, counts.astype(np.int64)


def _smallest(kinds: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can number so many states."""
    if kinds <= 1 << 8:
        return np.uint8
    return np.uint16 if kinds <= 1 << 16 else np.uint32


def _looked_up(kinds: Longs, ranks: Ids, most: int) -> Callable[[Longs], Ids]:
    """How to find the rank of a key: in a list of all keys there could be, if it is not too long."""
    if most > _DENSE:
        return lambda keys: ranks[np.searchsorted(kinds, keys)]
    every = np.zeros(most, ranks.dtype)
    every[kinds] = ranks
    return lambda keys: every[keys]


def _spread(live: npt.NDArray[np.bool_], ids: npt.NDArray[Any], before: Any) -> npt.NDArray[Any]:
    """An id for every place: that of the last live one so far, or what was before."""
    last = np.cumsum(live, dtype=np.int32 if len(live) < 1 << 31 else np.int64)
    spread: npt.NDArray[Any] = np.concatenate([[before], ids]).astype(ids.dtype)[last]
    return spread
