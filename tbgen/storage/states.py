"""States: a table as one small number a cell.

A *state* is an entry value, its distance and a pattern of the middle. A table has few different ones,
numbered from the most frequent on, and one number a cell compresses better than three, and a probe reads
one chunk instead of three. Cells that hold no position get the state of the cell before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.storage.order import Order
from tbgen.storage.table import Table

Ids = npt.NDArray[np.unsignedinteger[Any]]
Longs = npt.NDArray[np.int64]

_DENSE = 1 << 24


@dataclass(frozen=True)
class States:
    """Column by column what a state's number means."""

    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.entry)


def states_of(table: Table, order: Order) -> tuple[Ids, States]:
    """The state of each place of the file, and what the states mean."""
    live = order.to_file(table.entry) != 0
    value = order.to_file(table.entry)[live].astype(np.int64) << 16 | order.to_file(table.dtg)[live]
    values, value = _ranked(value)
    kinds, number = _ranked(value * len(table.patterns) + order.to_file(table.pattern)[live])
    ranking = np.argsort(-np.bincount(number, minlength=len(kinds)), kind="stable")
    rank = np.empty(len(kinds), _smallest(len(kinds)))
    rank[ranking] = np.arange(len(kinds))
    value, pattern = values[kinds[ranking] // len(table.patterns)], kinds[ranking] % len(table.patterns)
    states = States((value >> 16).astype(np.int8), (value & 0xFFFF).astype(np.uint16), pattern.astype(np.uint32))
    return _spread(live, rank[number]), states


def _smallest(kinds: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can number so many states."""
    if kinds <= 1 << 8:
        return np.uint8
    return np.uint16 if kinds <= 1 << 16 else np.uint32


def _ranked(keys: Longs) -> tuple[Longs, Longs]:
    """The different keys in ascending order, and each key's number among them."""
    low = int(keys.min(initial=0))
    span = int(keys.max(initial=0)) - low + 1
    if span > _DENSE:
        found, numbers = np.unique(keys, return_inverse=True)
        return found, numbers
    present = np.zeros(span, np.bool_)
    present[keys - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[keys - low]


def _spread(live: npt.NDArray[np.bool_], ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An id for every place: that of the last live one so far, or else of the first."""
    last: npt.NDArray[np.signedinteger[Any]] = np.cumsum(live, dtype=np.int32 if len(live) < 1 << 31 else np.int64)
    spread: npt.NDArray[Any] = ids[np.maximum(last - 1, 0)]
    return spread
