"""Numbering: every place of a file gets the number of its state, frequent states first.

Each thread numbers the states of its cells in the order in which it meets them, and counts them.
When all are done, states are sorted by how often they occur. Then each place gets the final number
of its state.

Cells and places have their axes in opposite orders. The 64 cells of a *word*, which differ in the
black king, are neighbours. Their places lie far apart, as many *rows* of places. A thread takes
words in the order of their places.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, NewArray, WideInts, Word, Words
from tbgen.compiled.jit import borrowing, inlined
from tbgen.errors import RepresentationError
from tbgen.index.kernels import row_of_byte
from tbgen.index.outcomes import byte_of_row
from tbgen.storage.order import Order
from tbgen.table import Cells, Content, Numbers, Piece, often_first

ONE = np.uint64(1)

_HASH = np.uint64(0x9E3779B97F4A7C15)
"""2^64 by the golden ratio: Fibonacci hashing spreads keys that differ in a few high bits."""
_HALF = np.uint64(32)
"""The shift that lets the upper half of a key change the lower half."""

# A state's key: the row of its entry value, its distance and its pattern, in 8, 16 and 40 bits. See
# `key_of_state`.
_ENTRY_SHIFT = 56
_DTG_SHIFT = 40
_DTG_MASK = np.uint64(0xFFFF)
_PATTERN_MASK = np.uint64((1 << _DTG_SHIFT) - 1)

FIRST_SLOTS = 1 << 12
MOST_NUMBERS = (1 << 32) - 1
"""This many numbers fit the 32 bits of a place.

A state takes one of them in each thread that meets it.
"""
_TURNS = 64
"""The number of turns in which threads number a plane of a table with only one block."""


class Census(NamedTuple):
    """States by their keys, in a hash table whose length is a power of two."""

    slots: Numbers
    """[slot] -> 1 + the number of the state in it; 0 in free slots."""
    keys: Words
    """[number] -> a state's key, for three quarters of the slots: beyond that, searches get long.
    """
    often: Words
    """[number] -> how often the state was met."""
    used: Ints
    """The number of states so far."""

    def met(self) -> tuple[Words, Words]:
        """The keys of all states by their numbers, and how often they were met."""
        used = int(self.used[0])
        return self.keys[:used], self.often[:used]


def new_census(slots: int) -> Census:
    """An empty census."""
    most = slots - (slots >> 2)
    return Census(
        np.zeros(slots, np.uint32),
        np.zeros(most, np.uint64),
        np.zeros(most, np.uint64),
        np.zeros(1, np.int64),
    )


def larger(census: Census) -> Census:
    """The same census with twice the space."""
    larger_census = new_census(2 * len(census.slots))
    used = int(census.used[0])
    larger_census.keys[:used] = census.keys[:used]
    larger_census.often[:used] = census.often[:used]
    larger_census.used[0] = used
    enter_all(larger_census)
    return larger_census


def states_of(
    content: Content, order: Order, threads: int, new: NewArray = np.zeros
) -> tuple[Numbers, Cells, Words]:
    """[place of the file] -> number of its state; the meanings and counts, most frequent first.

    `new` makes the array of the numbers, because it may be larger than memory.
    """
    numbers = new(order.layout.cells, np.uint32)
    met_by = _met(content, order, threads, numbers)
    keys, often, state_of = _joined(met_by)
    del met_by  # it may have hundreds of millions of states, as the array of the numbers
    _settle(order, numbers, state_of, threads)
    return numbers, _states_of_keys(keys), often


def _met(
    content: Content, order: Order, threads: int, numbers: Numbers
) -> list[tuple[Words, Words]]:
    """Number all places; return the states that each worker has met, with their counts."""
    parts = order.parts()
    cell_of = order.cells_of(np.arange(order.layout.block_words))
    turns = _TURNS if len(order.layout.blocks) == 1 else 1
    most_cells = max(part.stop - part.start for part in parts)
    workers = [_NumberingThread(n, threads, Cells.room(most_cells)) for n in range(threads)]
    idle = list(workers)

    def number(job: tuple[slice, int]) -> None:
        part, turn = job
        worker = idle.pop()
        for piece in content.pieces(part.start, part.stop, worker.room):
            places = numbers[piece.first : piece.first + len(piece.cells.entry)]
            words = len(places) // 64
            start = words * turn // turns
            end = words * (turn + 1) // turns
            worker.number(piece, cell_of, places, start, end)
        idle.append(worker)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(number, itertools.product(parts, range(turns))))  # an error in one ends all
    return [worker.census.met() for worker in workers]


class _NumberingThread:
    """One of the threads that number places."""

    def __init__(self, number: int, threads: int, room: Cells) -> None:
        """`room` is for the cells of the largest part."""
        self.census = new_census(FIRST_SLOTS)
        self.room = room
        self._number = number
        self._threads = threads

    def number(self, piece: Piece, cell_of: Ints, places: Numbers, start: int, end: int) -> None:
        """Number the states of the words of a piece from `start` up to `end`."""
        word = start
        while word < end:
            word = number_words(
                self.census,
                piece.cells,
                piece.numbers,
                cell_of,
                places,
                word,
                end,
                self._number,
                self._threads,
            )
            if word < end:
                self.census = larger(self.census)
        if int(self.census.used[0]) * self._threads > MOST_NUMBERS:
            raise RepresentationError(
                "the number of states", "the 32 bits that a place has: use fewer threads"
            )


def _joined(met_by: Sequence[tuple[Words, Words]]) -> tuple[Words, Words, Numbers]:
    """The keys and counts of all states, most frequent first; the final number of each number.

    The given numbers are those of `number_words`: 1 + the worker + its own number times the
    workers. 0 stays free.
    """
    workers = len(met_by)
    keys, states = np.unique(np.concatenate([keys for keys, _ in met_by]), return_inverse=True)
    often = np.bincount(states, np.concatenate([often for _, often in met_by]))
    by_count = often_first(often.astype(np.uint64))
    final_number = np.empty(len(keys), np.uint32)
    final_number[by_count] = np.arange(len(keys), dtype=np.uint32)
    most = max(len(keys_of_worker) for keys_of_worker, _ in met_by)
    state_of = np.zeros(1 + most * workers, np.uint32)
    by_own_number = state_of[1:].reshape(most, workers)
    first = 0
    for worker, (keys_of_worker, _) in enumerate(met_by):
        end = first + len(keys_of_worker)
        by_own_number[: end - first, worker] = final_number[states[first:end]]
        first = end
    return keys[by_count], often[by_count].astype(np.uint64), state_of


def _settle(order: Order, numbers: Numbers, state_of: Numbers, threads: int) -> None:
    """Give all places their final states.

    The places before the first position get the state of that position.
    """
    parts = [numbers[part] for part in order.parts()]

    def settle_part(part: Numbers) -> int:
        return settle(part, state_of)

    with ThreadPoolExecutor(threads) as pool:
        leads = list(pool.map(settle_part, parts))
    before = 0
    for part, lead in zip(parts, leads, strict=True):
        if lead < len(part):
            before = part[lead]
            break
    for part, lead in zip(parts, leads, strict=True):
        part[:lead] = before
        before = part[-1]


def _states_of_keys(keys: Words) -> Cells:
    """The states with these keys: entry values, distances and patterns."""
    rows = keys >> np.uint64(_ENTRY_SHIFT)
    dtg = (keys >> np.uint64(_DTG_SHIFT)) & _DTG_MASK
    pattern = keys & _PATTERN_MASK
    entry = byte_of_row(rows.astype(np.int64)).astype(np.int8)
    return Cells(entry, dtg.astype(np.uint16), pattern.astype(np.uint32))


@inlined
def key_of_state(entry: Int, dtg: Int, pattern: Int) -> Word:
    """A state as one number; keys sort as states do."""
    row = row_of_byte(np.int64(entry))
    return np.uint64((row << _ENTRY_SHIFT) | (np.int64(dtg) << _DTG_SHIFT) | np.int64(pattern))


@inlined
def slot_of(census: Census, key: Word) -> Word:
    """The slot of a key, or the free slot where it would go."""
    last = np.uint64(len(census.slots) - 1)
    # The product spreads keys that differ in few bits, most of all in its high bits.
    slot = (key ^ (key >> _HALF)) * _HASH
    slot = (slot ^ (slot >> _HALF)) & last
    while census.slots[slot] != 0 and census.keys[census.slots[slot] - 1] != key:
        slot = (slot + ONE) & last
    return slot


@inlined
def number_of(census: Census, key: Word) -> Int:
    """The number of a key; a new key gets the next number. The census must have space."""
    slot = slot_of(census, key)
    if census.slots[slot] == 0:
        census.keys[census.used[0]] = key
        census.used[0] += 1
        census.slots[slot] = census.used[0]
    return np.int64(census.slots[slot]) - 1


@borrowing
def enter_all(census: Census) -> None:
    """Enter all keys into the free slots of a census."""
    for number in range(census.used[0]):
        census.slots[slot_of(census, census.keys[number])] = number + 1


# cells[plane, word, black king], numbers[plane, black king, row]; [row] -> cell_of, the first cell
# of its word
@borrowing
def number_words(
    census: Census,
    cells: Cells,
    patterns: WideInts,
    cell_of: Ints,
    numbers: Numbers,
    start: int,
    end: int,
    first: int,
    step: int,
) -> int:
    """Number the states of some words while there is space, n as 1 + first + n * step.

    Return the word to go on at.
    """
    rows = len(cell_of)
    for word in range(start, end):
        if census.used[0] + 64 > len(census.often):
            return word
        plane = word // rows * rows * 64
        place = plane + word % rows
        cell = plane + cell_of[word % rows]
        for king in range(64):
            entry = cells.entry[cell + king]
            if entry:
                pattern = patterns[cells.pattern[cell + king]]
                number = number_of(census, key_of_state(entry, cells.dtg[cell + king], pattern))
                census.often[number] += ONE
                numbers[place + king * rows] = 1 + first + number * step
    return end


@borrowing
def settle(numbers: Numbers, state_of: Numbers) -> int:
    """Replace numbers of places by states; returns how many places come before the first number.

    A place without a number gets the state of the place before it, which compresses best.
    """
    leads = 0
    before = np.int64(-1)
    for place in range(len(numbers)):
        if numbers[place] != 0:
            before = np.int64(state_of[numbers[place]])
        if before < 0:
            leads += 1
        else:
            numbers[place] = before
    return leads
