"""Counting: the states of a whole table, part by part and on all threads."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.arrays import WideInts, kind_of_numbers
from tbgen.errors import RepresentationError
from tbgen.handover import Cells, often_first
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
"""So many numbers fit the 32 bits of a place. A state that a thread meets takes one of them for each thread."""

MOST_OF_A_THREAD = int(BLANK)
"""So many states a thread can tell apart: they have 32 bits in its scratch space (`Tile`), where its time goes."""

_TURNS = 64
"""In how many turns threads number a plane of a table that has only one block."""


NewArray = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of a size and a kind, with anything in it."""


class Numbering(NamedTuple):
    """The states of a table, and which of them each place has.

    A place has a number that a thread gave it, and two threads may have met the same state.
    """

    numbers: WideInts
    """[place]"""
    state_of: WideInts
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
    They have 32 bits; as soon as these turn out not to suffice, all begins anew with 64.
    """
    for kind, most in (np.uint32, MOST_NUMBERS // threads), (np.int64, MOST_OF_A_THREAD):
        found = _states_of(content, order, threads, new(order.layout.cells, kind), most)
        if found is not None:
            return found
    raise RepresentationError(
        "the number of states", "the 32 bits that a thread has for it; more threads can have more"
    )


def _states_of(content: Content, order: Order, threads: int, numbers: WideInts, most: int) -> Numbering | None:
    """The same with an array for the numbers of places; None if a thread meets more than so many states."""
    layout, parts = order.layout, order.parts()
    turns = 1 if len(layout.blocks) > 1 else _TURNS
    leads = np.zeros(layout.cells // order.row_places, np.uint16)
    counter, too_many = itertools.count(), threading.Event()
    idle: list[_Worker] = []

    def number(part: slice, turn: int) -> None:
        if too_many.is_set():
            return
        try:
            worker = idle.pop()
        except IndexError:
            worker = _Worker(next(counter), max(each.stop - each.start for each in parts))
        for piece in content.pieces(part.start, part.stop, worker.room):
            here = slice(piece.first, piece.first + len(piece.cells.entry))
            places = Places(threads, worker.number, numbers[here], leads[_rows_of(here, order)], worker.tile)
            slabs = _slabs_of(here, order, turn, turns)
            worker.census = numbered(worker.census, _read_only(piece.cells), piece.numbers, slabs, places)
            if int(worker.census.used[0]) > most:
                too_many.set()
        idle.append(worker)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda job: number(*job), itertools.product(parts, range(turns))))
    if too_many.is_set():
        return None
    keys, state_of = _ranked(idle, threads)
    fill_leads(numbers, leads, int(np.argmax(state_of == np.argmin(keys))))
    return Numbering(numbers, state_of, states_of_keys(keys))


def _rows_of(cells: slice, order: Order) -> slice:
    """The rows of whole planes."""
    return slice(cells.start // order.row_places, cells.stop // order.row_places)


def _slabs_of(cells: slice, order: Order, turn: int, turns: int) -> Slabs:
    """Those of the slabs of whole planes that have a turn."""
    rows, others = _rows_of(cells, order), order.layout.others
    slabs = (rows.stop - rows.start) // 64
    first, end = slabs * turn // turns, slabs * (turn + 1) // turns
    return Slabs(order.layout.shape[2], 64 if others else 1, max(others - 1, 0), first, end)


def _ranked(workers: list[_Worker], threads: int) -> tuple[Keys, WideInts]:
    """The keys of all states, the most frequent first, and the state that each number stands for."""
    keys, often, own = _together(workers)
    by_key = np.argsort(keys)
    ranking = by_key[often_first(often[by_key])]
    kind = kind_of_numbers(len(keys))
    rank_of = np.empty(len(keys), kind)
    rank_of[ranking] = np.arange(len(keys), dtype=kind)
    state_of = np.zeros((max(map(len, own.values())), threads), kind)
    for worker, numbers in own.items():
        state_of[: len(numbers), worker] = rank_of[numbers]
    return keys[ranking], state_of.ravel()


def _together(workers: list[_Worker]) -> tuple[Keys, Keys, dict[int, WideInts]]:
    """The states of all workers, how often they were met, and where among them those of each worker are.

    What workers have is large: they are let go on the way.
    """
    worker = workers.pop()
    total, used = worker.census, int(worker.census.used[0])
    own: dict[int, WideInts] = {worker.number: np.arange(used, dtype=kind_of_numbers(used))}
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
