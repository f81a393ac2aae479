"""Counting: the states of a whole table, part by part and on all threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.errors import RepresentationError
from tbgen.handover import Cells, Numbers, often_first
from tbgen.storage.numbering import (
    BLANK,
    Keys,
    Places,
    Slabs,
    added,
    fill_leads,
    met,
    new_census,
    new_tile,
    numbered,
    states_of_keys,
)
from tbgen.storage.order import Order
from tbgen.storage.states import States
from tbgen.table import Content

FIRST_SLOTS = 1 << 12
MOST_NUMBERS = int(BLANK)
"""Of states, in so many steps for each thread."""

_TURNS = 64
"""In how many turns threads number a plane of a table that has only one block."""


NewArray = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of a size and a kind, with anything in it."""


class Numbering(NamedTuple):
    """The states of a table, and which of them each place has.

    A place has a number that a thread gave it, and two threads may have met the same state.
    """

    numbers: Numbers
    """[place]"""
    state_of: Numbers
    """[number] -> state"""
    states: States
    """The most frequent one is number 0."""


class _Worker:
    """What a thread has: the states that it met, and room for cells that it reads and for their numbers."""

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.census = new_census(FIRST_SLOTS)
        self.room = Cells.room(size)
        self.tile = new_tile()


def states_of(content: Content, order: Order, threads: int, new: NewArray = np.empty) -> Numbering:
    """The state of each place of the file, and what the states mean.

    Numbers of all places lie in an array that `new` makes, for there may be more of them than memory has room for.
    """
    layout, parts = order.layout, order.parts()
    turns = 1 if len(layout.blocks) > 1 else _TURNS
    numbers, leads = new(layout.cells, np.uint32), np.zeros(layout.cells // order.row_places, np.uint16)
    counter = itertools.count()
    idle: list[_Worker] = []

    def number(part: slice, turn: int) -> None:
        try:
            worker = idle.pop()
        except IndexError:
            worker = _Worker(next(counter), max(each.stop - each.start for each in parts))
        for piece in content.pieces(part.start, part.stop, worker.room):
            here = slice(piece.first, piece.first + len(piece.cells.entry))
            places = Places(threads, worker.number, numbers[here], leads[_rows_of(here, order)], worker.tile)
            slabs = _slabs_of(here, order, turn, turns)
            worker.census = numbered(worker.census, _read_only(piece.cells), piece.numbers, slabs, places)
        idle.append(worker)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda job: number(*job), itertools.product(parts, range(turns))))
    _check_numbers(idle, threads)
    keys, state_of = _ranked(idle, threads)
    fill_leads(numbers, leads, int(np.argmax(state_of == np.argmin(keys))))
    return Numbering(numbers, state_of, states_of_keys(keys))


def _check_numbers(workers: list[_Worker], threads: int) -> None:
    """Raise if a thread has met so many states that their numbers did not fit the places."""
    if threads * max(int(worker.census.used[0]) for worker in workers) > MOST_NUMBERS:
        raise RepresentationError(
            "the number of states", "the 32 bits that places have for it; fewer threads need less"
        )


def _rows_of(cells: slice, order: Order) -> slice:
    """The rows of whole planes."""
    return slice(cells.start // order.row_places, cells.stop // order.row_places)


def _slabs_of(cells: slice, order: Order, turn: int, turns: int) -> Slabs:
    """Those of the slabs of whole planes that have a turn."""
    rows, others = _rows_of(cells, order), order.layout.others
    slabs = (rows.stop - rows.start) // 64
    first, end = slabs * turn // turns, slabs * (turn + 1) // turns
    return Slabs(order.layout.shape[2], 64 if others else 1, max(others - 1, 0), first, end)


def _ranked(workers: list[_Worker], threads: int) -> tuple[Keys, Numbers]:
    """The keys of all states, the most frequent first, and the state that each number stands for."""
    keys, often, own = _together(workers)
    by_key = np.argsort(keys)
    ranking = by_key[often_first(often[by_key])]
    rank_of = np.empty(len(keys), np.uint32)
    rank_of[ranking] = np.arange(len(keys), dtype=np.uint32)
    state_of = np.zeros((max(map(len, own.values())), threads), np.uint32)
    for worker, numbers in own.items():
        state_of[: len(numbers), worker] = rank_of[numbers]
    return keys[ranking], state_of.ravel()


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
