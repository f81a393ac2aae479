"""Counting: the states of a whole table, part by part and on all threads.

All at once if the hash tables that find them have room; else on fewer threads, each of which has more; and when one has
too little alone, share by share of the keys, with a pass over all cells for each. What is known of a share when it is
counted lies in arrays that may be in files.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import WideInts, kind_of_numbers
from tbgen.errors import RepresentationError
from tbgen.handover import Cells, often_first
from tbgen.storage.numbering import (
    MOST_SHARE_BITS,
    FullError,
    Keys,
    Places,
    Share,
    Slabs,
    added,
    meanings_of_keys,
    met,
    new_census,
    new_tile,
    numbered,
    rank,
    settle,
)
from tbgen.storage.order import Order
from tbgen.storage.states import States
from tbgen.table import Content

FIRST_SLOTS = 1 << 12
MOST_NUMBERS = (1 << 32) - 1
"""So many numbers fit the 32 bits of a place. A state that a thread meets takes one of them for each thread."""

_MOST_WIDE_NUMBERS = 1 << 62

ANY_SLOTS = 1 << 62
"""As many as there can be, for who has memory enough."""

_TURNS = 64
"""In how many turns threads number a plane of a table that has only one block."""

_PART = 1 << 20

NewArray = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of zeros, of a size and a kind."""


class Numbering(NamedTuple):
    """The states of a table, and which of them each place has."""

    numbers: WideInts
    """[place] -> its state"""
    states: States
    """The most frequent one is number 0."""


class _NumbersError(Exception):
    """Numbers of places have too few bits."""


class _Worker:
    """What a thread has: the states that it met, and room for cells that it reads and for their numbers."""

    def __init__(self, number: int, size: int, first_slots: int) -> None:
        self.number = number
        self.census = new_census(first_slots)
        self.room = Cells.room(size)
        self.tile = new_tile()


class _Counted(NamedTuple):
    """The states of a share, the most frequent first, and equally frequent ones by their keys."""

    keys: Keys
    often: Keys
    state_of: WideInts
    """[number, counted from the share's first] -> which state it is of those of all shares, one after another"""


def states_of(
    content: Content, order: Order, threads: int, new: NewArray = np.zeros, slots: int = ANY_SLOTS
) -> Numbering:
    """The state of each place of the file, and what the states mean.

    What is as long as the table, or as its list of states, lies in arrays that `new` makes, for there may be more of it
    than memory has room for. The hash tables of all threads have so many slots together.

    Numbers of places have 32 bits; as soon as these turn out not to suffice, all begins anew with 64.
    """
    counting = _Counting(content, order, threads, new, slots)
    with contextlib.suppress(_NumbersError):
        return counting.numbering(np.uint32, MOST_NUMBERS)
    return counting.numbering(np.int64, _MOST_WIDE_NUMBERS)  # nothing of the first attempt is held any more


class _Counting:
    """How the states of a table are counted."""

    def __init__(self, content: Content, order: Order, threads: int, new: NewArray, slots: int) -> None:
        self._content, self._order, self._new = content, order, new
        self._slots, self._most_threads, self._threads = slots, threads, threads

    @property
    def _most_slots(self) -> int:
        """Of the hash table of a thread; as long as there may be one, it doubles."""
        return 1 << (self._slots // self._threads).bit_length() - 1

    def numbering(self, kind: type[np.uint32 | np.int64], most: int) -> Numbering:
        """Count one share of the keys after another.

        When one proves too large there are half as many threads from then on, or half as many keys in what is left.
        Places keep what was written to them until it comes again, or its halves, which have the same places.
        """
        numbers = self._new(self._order.layout.cells, kind)
        left, counted = [Share()], list[_Counted]()
        states, number = 0, 1
        while left:
            try:
                found = self._counted(self._met(left[0], numbers, number, most), states)
            except FullError:
                if self._threads > 1:
                    self._threads //= 2
                elif left[0].bits < MOST_SHARE_BITS:
                    left = [half for share in left for half in share.halves()]
                else:
                    raise RepresentationError("the number of states", "the memory granted: grant more") from None
                continue
            counted.append(found)
            states, number = states + len(found.keys), number + len(found.state_of)
            del left[0], found
        keys, state_of = self._ranked(counted)
        self._settle(numbers, state_of, int(np.argmin(keys)))
        del state_of
        return Numbering(numbers, self._states(keys))

    def _met(self, share: Share, numbers: WideInts, first: int, most: int) -> list[_Worker]:
        """Meet all states of a share, and number the places that have them; the share's numbers begin with `first`."""
        order, threads, parts = self._order, self._threads, self._order.parts()
        turns = 1 if len(order.layout.blocks) > 1 else _TURNS
        most_cells = max(each.stop - each.start for each in parts)
        counter, idle, is_over = itertools.count(), list[_Worker](), threading.Event()

        def number(part: slice, turn: int) -> None:
            if is_over.is_set():
                return
            try:
                worker = idle.pop()
            except IndexError:
                worker = _Worker(next(counter), most_cells, min(FIRST_SLOTS, self._most_slots))
            for piece in self._content.pieces(part.start, part.stop, worker.room):
                here = slice(piece.first, piece.first + len(piece.cells.entry))
                places = Places(first + worker.number, threads, numbers[here], worker.tile)
                slabs, cells = _slabs_of(here, order, turn, turns), _read_only(piece.cells)
                worker.census = numbered(worker.census, cells, piece.numbers, slabs, places, share, self._most_slots)
                if first - 1 + int(worker.census.used[0]) * threads > most:
                    raise _NumbersError
            idle.append(worker)

        def number_or_end(job: tuple[slice, int]) -> None:
            try:
                number(*job)
            except BaseException:
                is_over.set()
                raise

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(number_or_end, itertools.product(parts, range(turns))))
        return idle

    def _counted(self, workers: list[_Worker], first: int) -> _Counted:
        """The states of a share, which some threads have met; among all they begin with `first`."""
        keys, often, own = _together(workers, self._most_slots)
        by_key = np.argsort(keys)
        ranking = by_key[often_first(often[by_key])]
        kind = kind_of_numbers(first + len(keys))
        rank_of = np.empty(len(keys), kind)
        rank_of[ranking] = np.arange(first, first + len(keys), dtype=kind)
        state_of = self._new(max(map(len, own.values())) * self._threads, kind)
        for worker, numbers in own.items():
            state_of.reshape(-1, self._threads)[: len(numbers), worker] = rank_of[numbers]
        return _Counted(self._kept(keys[ranking]), self._kept(often[ranking]), state_of)

    def _kept(self, *parts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Some arrays, one after another, where what is long lies."""
        return np.concatenate(parts, out=self._new(sum(map(len, parts)), np.result_type(*parts)))

    def _ranked(self, counted: list[_Counted]) -> tuple[Keys, WideInts]:
        """The keys of all states in their order, and the state that each number stands for; shares are let go."""
        ends = np.cumsum([len(each.keys) for each in counted])
        heads = ends - [len(each.keys) for each in counted]
        state_of = self._kept(np.zeros(1, np.uint32), *(each.state_of for each in counted))
        keys, often = (self._kept(*column) for column in zip(*(each[:2] for each in counted), strict=True))
        counted.clear()
        ranked, rank_of = self._new(len(keys), np.uint64), self._new(len(keys), kind_of_numbers(len(keys)))
        rank(keys, often, heads, ends, ranked, rank_of)
        del keys, often
        for part in _parts(len(state_of)):
            state_of[part] = rank_of[state_of[part]]
        return ranked, state_of

    def _settle(self, numbers: WideInts, state_of: WideInts, blank: int) -> None:
        """Give all places their states; `blank` is that of the places before the first position."""
        parts = self._order.parts()
        with ThreadPoolExecutor(self._most_threads) as pool:
            leads = [*pool.map(lambda part: settle(numbers[part], state_of), parts)]
        for part, lead in zip(parts, leads, strict=True):
            numbers[part.start : part.start + lead] = numbers[part.start - 1] if part.start else blank

    def _states(self, keys: Keys) -> States:
        """What some keys stand for."""
        kinds = np.int8, np.uint16, kind_of_numbers(len(self._content.patterns))
        columns = [self._new(len(keys), kind) for kind in kinds]
        for part in _parts(len(keys)):
            for column, values in zip(columns, meanings_of_keys(keys[part]), strict=True):
                column[part] = values
        return States(*columns)


def _parts(size: int) -> Iterator[slice]:
    """So many items as slices, few enough for what is made of them on the way to stay small."""
    return (slice(first, first + _PART) for first in range(0, size, _PART))


def _slabs_of(cells: slice, order: Order, turn: int, turns: int) -> Slabs:
    """Those of the slabs of whole planes that have a turn."""
    others = order.layout.others
    slabs = (cells.stop - cells.start) // order.row_places // 64
    first, end = slabs * turn // turns, slabs * (turn + 1) // turns
    return Slabs(order.layout.shape[2], 64 if others else 1, max(others - 1, 0), first, end)


def _together(workers: list[_Worker], most_slots: int) -> tuple[Keys, Keys, dict[int, WideInts]]:
    """The states of all workers, how often they were met, and where among them those of each worker are.

    What workers have is large: they are let go on the way.
    """
    worker = workers.pop()
    total, used = worker.census, int(worker.census.used[0])
    own: dict[int, WideInts] = {worker.number: np.arange(used, dtype=kind_of_numbers(used))}
    while workers:
        worker = workers.pop()
        total, own[worker.number] = added(total, *met(worker.census), most_slots)
    del worker
    return *met(total), own


def _read_only(cells: Cells) -> Cells:
    """The same cells for kernels, which would be compiled once more for arrays that can be written to."""
    same = cells.part(0, len(cells.entry))
    for column in same:
        column.setflags(write=False)
    return same
