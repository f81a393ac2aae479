"""Numbering: every place of a file gets the number of its state, frequent states first.

Each thread numbers the states of its cells in the order in which it meets them, and counts them. When all are done,
states are sorted by how often they occur. Then each place gets the final number of its state.

Cells and places have their axes in opposite orders. For each *placement* of the other men but the first::

    cells, 64 in a row     white king | first man || black king          || what a thread reads in turn
    places, rows of them   black king || first man | white king          || where the numbers go

So neighbours in one order lie far apart in the other. A *tile* has some columns until they are written as rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints32, WideInts, Word, Words, often_first
from tbgen.compiled.jit import borrowing, inlined, inner, kernel
from tbgen.errors import RepresentationError
from tbgen.index.handover import Cells, Numbers
from tbgen.index.kernels import row_of_byte
from tbgen.index.outcomes import byte_of_row
from tbgen.storage.order import Order
from tbgen.table import Content

KEY, NUMBER = 0, 1
FREE = np.uint64(0)
ONE = np.uint64(1)
BLANK = np.uint32(0xFFFFFFFF)
"""A cell of a tile without a position."""

TILE_PLACES = 1 << 8
"""The number of places of a row that are numbered before they are written to the row."""

_HASH = np.uint64(0x9E3779B97F4A7C15)
"""2^64 by the golden ratio, as in Fibonacci hashing: keys that differ in a few high bits are spread over the table."""
_SHIFT = np.uint64(32)
_ENTRY_BITS, _DTG_BITS = 56, 40
_ENTRY_SHIFT, _DTG_SHIFT = np.uint64(_ENTRY_BITS), np.uint64(_DTG_BITS)
_DTG, _PATTERN = np.uint64(0xFFFF), np.uint64((1 << _DTG_BITS) - 1)
"""A state's key: the row of its entry value, its distance, its pattern, in 8, 16 and 40 bits. See `key_of`."""

FIRST_SLOTS = 1 << 12
MOST_NUMBERS = (1 << 32) - 1
"""This many numbers fit the 32 bits of a place. A state takes one of them in each thread that meets it."""
_TURNS = 64
"""The number of turns in which threads number a plane of a table with only one block."""
STATES_AT_ONCE = 1 << 20
"""There are tens of millions of states, so temporary arrays cover only this many."""

NewArray = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of zeros, of a size and a kind."""


class Census(NamedTuple):
    """States by their keys, in a hash table whose length is a power of two."""

    slots: npt.NDArray[np.uint64]
    """[slot, KEY] a state's key; FREE in empty slots.

    [slot, NUMBER] the state's number.
    """
    often: npt.NDArray[np.uint64]
    """[number] how often the state was met, for three quarters of the slots: beyond that, searches get long."""
    used: npt.NDArray[np.int64]
    """The number of states so far."""


def new_census(slots: int) -> Census:
    """An empty census."""
    return Census(np.zeros((slots, 2), np.uint64), np.zeros(slots - (slots >> 2), np.uint64), np.zeros(1, np.int64))


def met(census: Census) -> tuple[Words, Words]:
    """The keys of all states by their numbers, and how often they were met."""
    keys = np.empty(int(census.used[0]), np.uint64)
    for slots in np.array_split(census.slots, 64):  # few at a time, because there may be tens of millions
        taken = slots[slots[:, KEY] != FREE]
        keys[taken[:, NUMBER]] = taken[:, KEY]
    return keys, census.often[: len(keys)]


def larger(census: Census) -> Census:
    """The same census with twice the space."""
    found = new_census(2 * len(census.slots))
    used = int(census.used[0])
    found.often[:used], found.used[0] = census.often[:used], used
    move_keys(census, found)
    return found


class Places(NamedTuple):
    """The target of a thread's numbers, and its scratch space."""

    first: int
    step: int
    """This thread writes its number n as first + n * step, which is at least 1."""
    numbers: Numbers
    """[place] -> number; 0 where there is none."""
    tile: Numbers
    """[black king, place of a row] -> number"""
    keys: Words
    """[black king] -> the key of the last position, in the terms of its run, or FREE"""
    known: Numbers
    """[black king] -> the number of that position."""


class Placements(NamedTuple):
    """Some placements of some planes. The places of a placement with the black king on one square are a row."""

    kings: int
    """The number of squares of the white king, and of the first other man, if there is one."""
    squares: int
    digits: int
    """The number of other men beside it."""
    first: int
    end: int


class _Worker:
    """A thread's data: the states that it has met, and space for the cells that it reads and for their numbers."""

    def __init__(self, number: int, threads: int, numbers: Numbers, size: int) -> None:
        self.census, self.room = new_census(FIRST_SLOTS), Cells.room(size)
        tile = np.zeros((64, TILE_PLACES + 16), np.uint32)  # 16 more: rows a power of two apart share few cache sets
        self.places = Places(1 + number, threads, numbers, tile, np.zeros(64, np.uint64), np.zeros(64, np.uint32))


def states_of(content: Content, order: Order, threads: int, new: NewArray = np.zeros) -> tuple[Numbers, Cells, Words]:
    """[place of the file] -> number of its state; the meanings and counts of the states, in falling order of counts.

    `new` makes the array of the numbers, because it may be larger than memory.
    """
    numbers = new(order.layout.cells, np.uint32)
    met_by = _met(content, order, threads, numbers)
    keys, states = np.unique(np.concatenate([keys for keys, _ in met_by]), return_inverse=True)
    often = np.bincount(states, np.concatenate([often for _, often in met_by]))
    ranking = often_first(often.astype(np.uint64))
    rank_of = np.empty(len(keys), np.uint32)
    rank_of[ranking] = np.arange(len(keys), dtype=np.uint32)
    by_worker = np.split(states, np.cumsum([len(theirs) for theirs, _ in met_by])[:-1])
    state_of = np.zeros(1 + max(map(len, by_worker)) * threads, np.uint32)
    for worker, theirs in enumerate(by_worker):
        state_of[1:].reshape(-1, threads)[: len(theirs), worker] = rank_of[theirs]
    keys, occurs = keys[ranking], often[ranking].astype(np.uint64)
    del met_by, states, by_worker, theirs, often, ranking, rank_of
    _settle(order, numbers, state_of, threads)
    states_met = Cells.room(len(keys))
    for first in range(0, len(keys), STATES_AT_ONCE):
        part, some = slice(first, first + STATES_AT_ONCE), keys[first : first + STATES_AT_ONCE]
        states_met.entry[part] = byte_of_row((some >> _ENTRY_SHIFT).astype(np.int64))
        states_met.dtg[part], states_met.pattern[part] = some >> _DTG_SHIFT & _DTG, some & _PATTERN
    return numbers, states_met, occurs


def _met(content: Content, order: Order, threads: int, numbers: Numbers) -> list[tuple[Words, Words]]:
    """Number all places; return the states that each worker has met, with their counts."""
    parts = order.parts()
    turns = 1 if len(order.layout.blocks) > 1 else _TURNS
    most_cells = max(each.stop - each.start for each in parts)
    workers = [_Worker(number, threads, numbers, most_cells) for number in range(threads)]
    idle = workers.copy()

    def number(part: slice, turn: int) -> None:
        worker = idle.pop()
        for piece in content.pieces(part.start, part.stop, worker.room):
            here = slice(piece.first, piece.first + len(piece.cells.entry))
            places = worker.places._replace(numbers=numbers[here])
            placements = _placements_of(here, order, turn, turns)
            while (
                start := number_placements(worker.census, piece.cells, piece.numbers, placements, places)
            ) < placements.end:
                worker.census, placements = larger(worker.census), placements._replace(first=start)
            if int(worker.census.used[0]) * threads > MOST_NUMBERS:
                raise RepresentationError("the number of states", "the 32 bits that a place has: use fewer threads")
        idle.append(worker)

    with ThreadPoolExecutor(threads) as pool:
        jobs = itertools.product(parts, range(turns))
        list(pool.map(lambda job: number(*job), jobs))  # an error in one ends all
    return [met(worker.census) for worker in workers]


def _placements_of(cells: slice, order: Order, turn: int, turns: int) -> Placements:
    """The placements of whole planes that belong to a turn."""
    others = order.layout.others
    placements = (cells.stop - cells.start) // (order.layout.shape[2] * (64 if others else 1)) // 64
    first, end = placements * turn // turns, placements * (turn + 1) // turns
    return Placements(order.layout.shape[2], 64 if others else 1, max(others - 1, 0), first, end)


def _settle(order: Order, numbers: Numbers, state_of: Numbers, threads: int) -> None:
    """Give all places their final states. The places before the first position get the state of that position."""
    parts = order.parts()
    with ThreadPoolExecutor(threads) as pool:
        leads = [*pool.map(lambda part: settle(numbers[part], state_of), parts)]
    first = next(
        (part.start + lead for part, lead in zip(parts, leads, strict=True) if part.start + lead < part.stop), 0
    )
    for part, lead in zip(parts, leads, strict=True):
        numbers[part.start : part.start + lead] = numbers[part.start - 1] if part.start > first else numbers[first]


@inlined
def key_of(entry: Int, dtg: Int, pattern: Int) -> Word:
    """A state as one number; keys sort as states do."""
    return np.uint64(row_of_byte(np.int64(entry)) << _ENTRY_BITS | np.int64(dtg) << _DTG_BITS | np.int64(pattern))


@inlined
def slot_of(census: Census, key: Word) -> Word:
    """The slot of a key, or the free slot where it would go."""
    last = np.uint64(len(census.slots) - 1)
    # The product spreads keys that differ in few bits, most of all in its high bits.
    slot = (key ^ (key >> _SHIFT)) * _HASH
    slot = (slot ^ (slot >> _SHIFT)) & last
    while census.slots[slot, KEY] != FREE and census.slots[slot, KEY] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@inlined
def number_of(census: Census, key: Word) -> int:
    """The number of a key; a new key gets the next number. The census must have space."""
    slot = slot_of(census, key)
    if census.slots[slot, KEY] == FREE:
        census.slots[slot, KEY] = key
        census.slots[slot, NUMBER] = census.used[0]
        census.used[0] += 1
    return census.slots[slot, NUMBER]


@kernel
def move_keys(census: Census, other: Census) -> None:
    """Copy all keys into an empty census that has space for them."""
    for n in range(len(census.slots)):
        if census.slots[n, KEY] != FREE:
            other.slots[slot_of(other, census.slots[n, KEY])] = census.slots[n]


@inner
def reversed_digits(number: Int, digits: Int) -> Int:
    """A number to base 64 with its digits reversed."""
    result: Int = 0
    for _ in range(digits):
        result = result << 6 | number & 63
        number >>= 6
    return result


# Neighbours mostly have the same state, above all in a row, so a key is looked up only where it differs from that of
# the row's last position. Keys are compared in the terms of the run (`cells.pattern`), before the patterns of the table
# replace those of the run.
@inlined
def number_word(census: Census, cells: Cells, patterns: WideInts, cell: Int, places: Places, column: Int) -> None:
    """Number the 64 cells from `cell` on for a column of the tile; `patterns` maps their patterns to the table's."""
    for king in range(64):
        found = BLANK
        if cells.entry[cell + king]:
            key = key_of(cells.entry[cell + king], cells.dtg[cell + king], cells.pattern[cell + king])
            if key != places.keys[king]:
                places.keys[king] = key
                key = key_of(cells.entry[cell + king], cells.dtg[cell + king], patterns[cells.pattern[cell + king]])
                places.known[king] = number_of(census, key)
            found = places.known[king]
            census.often[found] += ONE
        places.tile[king, column] = found


# Numbers enter a tile column by column and leave it row by row, because cells and places have their axes in opposite
# orders. Without the tile, each of 64 neighbouring cells would touch a cache line of its own.
@inlined
def fill_rows(places: Places, tile_places: Int, start: Int, step: Int) -> None:
    """Write a tile to the rows of a placement: the first begins at place `start`, the next `step` places further."""
    for king in range(64):
        for column in range(tile_places):
            number = places.tile[king, column]
            if number != BLANK:
                places.numbers[start + column] = places.first + number * places.step
        start += step


@borrowing
def number_placements(census: Census, cells: Cells, patterns: WideInts, placements: Placements, places: Places) -> int:
    """Number the states of some placements while there is space; return the placement at which to go on."""
    kings, squares, count = placements.kings, placements.squares, 64**placements.digits
    at_once = min(TILE_PLACES // kings, squares)
    places.keys[:] = FREE  # keys of another run mean other patterns
    for placement in range(placements.first, placements.end):
        if census.used[0] + kings * squares * 64 > len(census.often):
            return placement
        plane, there = divmod(placement, count)
        here = reversed_digits(there, placements.digits)
        start = (plane * 64 * count + there) * squares * kings
        for square in range(0, squares, at_once):
            some = min(at_once, squares - square)
            for n in range(some):
                for king in range(kings):
                    cell = (((plane * kings + king) * squares + square + n) * count + here) * 64
                    number_word(census, cells, patterns, cell, places, n * kings + king)
            fill_rows(places, some * kings, start + square * kings, count * squares * kings)
    return placements.end


@borrowing
def look_up(items: Ints32, numbers: WideInts, found: Ints32) -> None:
    """Copy the items at some indices; each of the three arrays may have any type."""
    for n in range(len(numbers)):
        found[n] = items[numbers[n]]


@borrowing
def settle(numbers: Numbers, state_of: Numbers) -> int:
    """Replace the numbers of some places by their states; return the count of places before the first number.

    A place without a number gets the state of the place before it, which compresses best.
    """
    leads, before = 0, np.int64(-1)
    for place in range(len(numbers)):
        if numbers[place] != 0:
            before = np.int64(state_of[numbers[place]])
        if before < 0:
            leads += 1
        else:
            numbers[place] = before
    return leads
