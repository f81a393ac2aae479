"""Counting: the states of a whole table, part by part and on all threads."""

from __future__ import annotations

import itertools
from concurrent.futures import Executor
from typing import Any

import numpy as np

from tbgen.storage.numbering import (
    Census,
    Keys,
    added,
    census_of,
    counted,
    fill_leads,
    new_census,
    new_places,
    number_slabs,
    taken_in,
)
from tbgen.storage.order import Order
from tbgen.storage.states import Ids, States
from tbgen.table import Cells, Content

PART_CELLS = 1 << 22
FIRST_SLOTS = 1 << 12
_SHARES = 64
"""In how many shares threads number a plane of a table that has only one block."""


def states_of(content: Content, order: Order, pool: Executor) -> tuple[Ids, States]:
    """The state of each place of the file, and what the states mean; the most frequent one is number 0."""
    keys = _ranked(*_counted(content, order, pool))
    lookup, ids = census_of(keys), np.empty(order.layout.cells, _smallest(len(keys)))
    leads = np.zeros(order.layout.cells // order.row_places, np.uint16)
    share = 1 if len(order.layout.blocks) > 1 else _SHARES

    def number(part: slice, turn: int) -> None:
        for piece in content.pieces(part.start, part.stop):
            here = slice(piece.first, piece.first + len(piece.cells.entry))
            places = new_places(ids[here], leads[here.start // order.row_places : here.stop // order.row_places])
            slabs = len(places.leads) // 64
            which = slabs * turn // share, slabs * (turn + 1) // share
            kings, others = order.layout.shape[2], order.layout.others
            number_slabs(lookup, _read_only(piece.cells), piece.numbers, kings, others, *which, places)

    list(pool.map(lambda job: number(*job), itertools.product(order.parts(), range(share))))
    fill_leads(ids, leads, ids.dtype.type(np.argmin(keys)))
    entry, dtg = (keys >> np.uint64(48)).astype(np.int16) - np.int16(128), (keys >> np.uint64(32)).astype(np.uint16)
    return ids, States(entry.astype(np.int8), dtg, keys.astype(np.uint32))


def _ranked(keys: Keys, counts: Keys) -> Keys:
    """The keys, the most frequent first."""
    return keys[np.lexsort((keys, ~counts))]


def _counted(content: Content, order: Order, pool: Executor) -> tuple[Keys, Keys]:
    """The keys of all states, and how often they occur."""
    idle: list[Census] = []

    def count(part: slice) -> None:
        try:
            census = idle.pop()
        except IndexError:
            census = new_census(FIRST_SLOTS)
        for piece in content.pieces(part.start, part.stop):
            census = counted(census, _read_only(piece.cells), piece.numbers)
        idle.append(census)

    list(pool.map(count, _parts(order)))
    total = idle.pop()
    while idle:
        total = added(total, *taken_in(idle.pop()))
    return taken_in(total)


def _parts(order: Order) -> list[slice]:
    """All cells in parts; where there is just one block a part need not be whole planes."""
    if len(order.layout.blocks) > 1:
        return order.parts()
    starts = range(0, order.layout.cells, PART_CELLS)
    return [slice(first, min(first + PART_CELLS, order.layout.cells)) for first in starts]


def _read_only(cells: Cells) -> Cells:
    """The same cells for kernels, which would be compiled once more for arrays that can be written to."""
    same = cells.part(0, len(cells.entry))
    for column in same:
        column.setflags(write=False)
    return same


def _smallest(kinds: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can number so many states."""
    if kinds <= 1 << 8:
        return np.uint8
    return np.uint16 if kinds <= 1 << 16 else np.uint32
