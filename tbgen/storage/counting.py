"""Counting: the states of a whole table, part by part and on all threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.handover import Cells, Numbers, often_first
from tbgen.storage.numbering import (
    Keys,
    Places,
    Slabs,
    added,
    exchange_numbers,
    fill_leads,
    met,
    new_census,
    new_tile,
    numbered,
    states_of_keys,
)
from tbgen.storage.order import Order
from tbgen.storage.states import Ids, States, smallest
from tbgen.table import Content

FIRST_SLOTS = 1 << 12
_TURNS = 64
"""In how many turns threads number a plane of a table that has only one block."""


NewArray = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of a size and a kind, with anything in it."""

_Numbered = tuple[slice, Slabs, int]
"""Planes, some of their slabs, and which worker numbered these."""


class _Worker:
    """What a thread has: the states that it met, and room for cells that it reads and for their numbers."""

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.census = new_census(FIRST_SLOTS)
        self.room = Cells.room(size)
        self.tile = new_tile()


def states_of(content: Content, order: Order, pool: Executor, new: NewArray = np.empty) -> tuple[Ids, States]:
    """The state of each place of the file, and what the states mean; the most frequent one is number 0.

    Numbers of all places lie in arrays that `new` makes, for there may be more of them than memory has room for.
    """
    layout, parts = order.layout, order.parts()
    turns = 1 if len(layout.blocks) > 1 else _TURNS
    numbers, leads = new(layout.cells, np.uint32), np.zeros(layout.cells // order.row_places, np.uint16)
    counter = itertools.count()
    idle: list[_Worker] = []

    def number(part: slice, turn: int) -> list[_Numbered]:
        try:
            worker = idle.pop()
        except IndexError:
            worker = _Worker(next(counter), max(each.stop - each.start for each in parts))
        mine = []
        for piece in content.pieces(part.start, part.stop, worker.room):
            here = slice(piece.first, piece.first + len(piece.cells.entry))
            places = Places(numbers[here], leads[_rows_of(here, order)], worker.tile)
            slabs = _slabs_of(here, order, turn, turns)
            worker.census = numbered(worker.census, _read_only(piece.cells), piece.numbers, slabs, places)
            mine.append((here, slabs, worker.number))
        idle.append(worker)
        return mine

    jobs = itertools.product(parts, range(turns))
    done = list(itertools.chain.from_iterable(pool.map(lambda job: number(*job), jobs)))
    keys, exchanges = _ranked(idle)
    kind = smallest(len(keys))
    ids: Ids = numbers if kind is np.uint32 else new(layout.cells, kind)

    def exchange(here: slice, slabs: Slabs, worker: int) -> None:
        exchange_numbers(slabs, numbers[here], leads[_rows_of(here, order)], exchanges[worker], ids[here])

    list(pool.map(lambda slabs: exchange(*slabs), done))
    fill_leads(ids, leads, ids.dtype.type(np.argmin(keys)))
    return ids, states_of_keys(keys)


def _rows_of(cells: slice, order: Order) -> slice:
    """The rows of whole planes."""
    return slice(cells.start // order.row_places, cells.stop // order.row_places)


def _slabs_of(cells: slice, order: Order, turn: int, turns: int) -> Slabs:
    """Those of the slabs of whole planes that have a turn."""
    rows, others = _rows_of(cells, order), order.layout.others
    slabs = (rows.stop - rows.start) // 64
    first, end = slabs * turn // turns, slabs * (turn + 1) // turns
    return Slabs(order.layout.shape[2], 64 if others else 1, max(others - 1, 0), first, end)


def _ranked(workers: list[_Worker]) -> tuple[Keys, Mapping[int, Numbers]]:
    """The keys of all states, the most frequent first, and what to exchange the numbers of each worker for."""
    keys, often, own = _together(workers)
    by_key = np.argsort(keys)
    ranking = by_key[often_first(often[by_key])]
    rank_of = np.empty(len(keys), np.uint32)
    rank_of[ranking] = np.arange(len(keys), dtype=np.uint32)
    return keys[ranking], {worker: rank_of[numbers] for worker, numbers in own.items()}


def _together(workers: list[_Worker]) -> tuple[Keys, Keys, dict[int, Numbers]]:
    """The states of all workers, how often they were met, and where among them those of each worker are.

    What workers have is large: they are let go on the way.
    """
    worker = workers.pop()
    total, own = worker.census, {worker.number: np.arange(int(worker.census.used[0]), dtype=np.uint32)}
    while workers:
        worker = workers.pop()
        total, own[worker.number] = added(total, *met(worker.census))
    del worker
    return *met(total), own


def _read_only(cells: Cells) -> Cells:
    """The same cells for kernels, which would be compiled once more for arrays that can be written to."""
    same = cells.part(0, len(cells.entry))
    for column in same:
        column.setflags(write=False)
    return same
