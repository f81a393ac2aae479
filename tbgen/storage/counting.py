"""Counting: the states of a whole table, part by part and on all threads."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.storage.numbering import (
    Census,
    add_keys,
    census_of,
    counted,
    fill_blanks,
    new_census,
    number_places,
)
from tbgen.storage.order import Order
from tbgen.storage.states import Ids, States
from tbgen.table import Cells, Content

PART_CELLS = 1 << 22
FIRST_SLOTS = 1 << 12
_SLABS_A_JOB = 16
_PLACES_A_JOB = 1 << 20


def states_of(content: Content, order: Order, pool: Executor) -> tuple[Ids, States]:
    """The state of each place of the file, and what the states mean; the most frequent one is number 0."""
    keys, counts = _counted(content, order, pool)
    ranking = np.lexsort((keys, -counts))
    numbers = np.empty(len(keys), np.int64)
    numbers[ranking] = np.arange(len(keys))
    lookup, ids = census_of(keys, numbers), np.empty(order.layout.cells, _smallest(len(keys)))
    before = np.uint32(numbers[np.argmin(keys)])
    for part in order.parts():
        _number_part(content, order, part, lookup, before, ids, pool)
        before = np.uint32(ids[part.stop - 1])
    ranked = keys[ranking]
    entry, dtg = (ranked >> np.uint64(48)).astype(np.int64) - 128, ranked >> np.uint64(32) & np.uint64(0xFFFF)
    return ids, States(entry.astype(np.int8), dtg.astype(np.uint16), (ranked & np.uint64(0xFFFFFFFF)).astype(np.uint32))


def _counted(content: Content, order: Order, pool: Executor) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """The keys of all states, and how often they occur."""
    idle: list[Census] = []

    def count(first: int) -> None:
        try:
            census = idle.pop()
        except IndexError:
            census = new_census(FIRST_SLOTS)
        cells = content.part(first, min(first + PART_CELLS, order.layout.cells))
        idle.append(counted(census, *[np.require(column, requirements="W") for column in cells]))

    list(pool.map(count, range(0, order.layout.cells, PART_CELLS)))
    found = [(census.key[taken], census.value[taken]) for census in idle for taken in [np.flatnonzero(census.key)]]
    idle.clear()
    total = new_census(1 << int(2 * sum(len(keys) for keys, _ in found) + 1).bit_length())
    for keys, counts in found:
        add_keys(total, keys, counts)
    taken = np.flatnonzero(total.key)
    return total.key[taken], total.value[taken]


def _number_part(
    content: Content, order: Order, part: slice, lookup: Census, before: np.uint32, ids: Ids, pool: Executor
) -> None:
    """Number the places of a part that is a run of planes; `before` is the number of the place before it."""
    cells, layout = _brought(content, part, pool), order.layout
    places = np.empty(len(cells.entry), np.uint32)
    planes = len(places) // (layout.block_words * 64)
    slabs = planes * (64 if layout.others else 1)
    size = max(_SLABS_A_JOB, slabs // 256)

    def number(first: int) -> None:
        number_places(lookup, *cells, layout.shape[2], layout.others, first, min(first + size, slabs), places)

    def fill(first: int) -> None:
        end = min(first + _PLACES_A_JOB, len(places))
        filled = np.empty(end - first, np.uint32)
        fill_blanks(places, first, end, before, filled)
        ids[part.start + first : part.start + end] = filled

    list(pool.map(number, range(0, slabs, size)))
    list(pool.map(fill, range(0, len(places), _PLACES_A_JOB)))


def _brought(content: Content, part: slice, pool: Executor) -> Cells:
    """The cells of a part, brought to hand by all threads."""
    size = part.stop - part.start
    cells = Cells(np.empty(size, np.int8), np.empty(size, np.uint16), np.empty(size, np.uint32))

    def bring(first: int) -> None:
        here = cells.part(first, min(first + PART_CELLS, size))
        there = content.part(part.start + first, part.start + first + len(here.entry))
        here.entry[:], here.dtg[:], here.pattern[:] = there.entry, there.dtg, there.pattern

    list(pool.map(bring, range(0, size, PART_CELLS)))
    return cells


def _smallest(kinds: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can number so many states."""
    if kinds <= 1 << 8:
        return np.uint8
    return np.uint16 if kinds <= 1 << 16 else np.uint32
