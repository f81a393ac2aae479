"""Numbering: every place of a file gets the number of its state, frequent states first.

Each thread numbers the states of its cells in the order in which it meets them, and counts them.
When all are done, states are sorted by how often they occur. Then each place gets the final number
of its state, part by part, as the writer asks for them. In a large table it is looked up again.

Cells and places have their axes in opposite orders. The 64 cells of a *word*, which differ in the
black king, are neighbours. Their places lie far apart, as many *rows* of places. A thread takes
words in the order of their places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, NewArray, WideInts, Word, Words
from tbgen.compiled.jit import borrowing, inlined
from tbgen.errors import RepresentationError
from tbgen.index.kernels import row_of_byte
from tbgen.index.outcomes import byte_of_row
from tbgen.storage.order import MOST_KEPT_PLACES, Order
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


_SAMPLED_PARTS = 12
"""About so many parts suffice for a sample if they have to be looked up."""


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
    most = slots - (slots >> 2)
    return Census(
        np.zeros(slots, np.uint32),
        np.zeros(most, np.uint64),
        np.zeros(most, np.uint64),
        np.zeros(1, np.int64),
    )


def census_of(keys: Words) -> Census:
    """A census in which state n has this key; it counts nothing."""
    slots = FIRST_SLOTS
    while slots - (slots >> 2) < len(keys):
        slots *= 2
    census = new_census(slots)
    census.keys[: len(keys)] = keys
    census.used[0] = len(keys)
    enter_all(census)
    return census


def larger(census: Census) -> Census:
    """The same census with twice the space."""
    larger_census = new_census(2 * len(census.slots))
    used = int(census.used[0])
    larger_census.keys[:used] = census.keys[:used]
    larger_census.often[:used] = census.often[:used]
    larger_census.used[0] = used
    enter_all(larger_census)
    return larger_census


class Numbering:
    """The number of each place's state, part by part.

    A thread numbers the states of a part in its own way, and `keep` is given these numbers. Once
    all parts are there, `settle` is told what they mean, and `read` returns a part's final numbers.
    The numbers of a large table would take more memory than all else. They are not kept: `read`
    looks up the state of each of the part's cells again.
    """

    def __init__(self, content: Content, order: Order, new: NewArray) -> None:
        """`new` makes the array of a part, because it may be larger than memory."""
        self.content = content
        self.parts = order.parts()
        self.cell_of = order.cells_of(np.arange(order.layout.block_words))
        """[row] -> the first cell of its word, in a plane."""
        self.new = new
        self._are_kept = order.layout.cells <= MOST_KEPT_PLACES
        self._kept = dict[int, Numbers]()
        self._ends = dict[int, tuple[int, int]]()
        """[part] -> the numbers that its threads gave to its first and last position, or 0."""
        self._state_of = np.zeros(1, np.uint32)
        self._before = list[int]()
        self._all_states = new_census(FIRST_SLOTS)

    @property
    def most_cells(self) -> int:
        return max(part.stop - part.start for part in self.parts)

    @property
    def sampled(self) -> range:
        """The parts that a sample is taken from: all, if their numbers are kept."""
        step = 1 if self._are_kept else max(1, len(self.parts) // _SAMPLED_PARTS)
        return range(0, len(self.parts), step)

    def room(self, part: int) -> Numbers:
        places = self.parts[part]
        return self.new(places.stop - places.start, np.uint32)

    def keep(self, part: int, numbers: Numbers) -> None:
        """A part has these numbers; the array belongs to this object from now on."""
        self._ends[part] = first_and_last(numbers)
        if self._are_kept:
            self._kept[part] = numbers

    def settle(self, keys: Words, state_of: Numbers) -> None:
        """All parts are numbered: [state] -> its key, [number] -> its state.

        The places before the first position get the state of that position.
        """
        ends = [self._ends[part] for part in range(len(self.parts))]
        first = next((first for first, _ in ends if first), 0)
        before = int(state_of[first])
        for _, last in ends:
            self._before.append(before)
            if last:
                before = int(state_of[last])

        if self._are_kept:
            self._state_of = state_of
        else:
            self._all_states = census_of(keys)
            self._state_of = np.arange(len(keys) + 1, dtype=np.uint32)
            self._state_of[1:] -= np.uint32(1)  # the numbers of `look_up_words`

    def read(self, part: int) -> Numbers:
        if self._are_kept:
            return self._settled(part, self._kept[part].copy())
        return self._settled(part, self._looked_up(part))

    def take(self, part: int) -> Numbers:
        """The same for the last time: the part is not kept any longer."""
        if self._are_kept:
            return self._settled(part, self._kept.pop(part))
        return self._settled(part, self._looked_up(part))

    def pieces(self, part: int, numbers: Numbers, room: Cells) -> Iterator[tuple[Piece, Numbers]]:
        """The cells of a part, each piece with its share of the part's numbers."""
        places = self.parts[part]
        for piece in self.content.pieces(places.start, places.stop, room):
            first = piece.first - places.start
            yield piece, numbers[first : first + len(piece.cells.entry)]

    def _looked_up(self, part: int) -> Numbers:
        """1 + the state of each place with a position."""
        numbers = self.room(part)
        room = Cells.room(len(numbers))
        for piece, places in self.pieces(part, numbers, room):
            look_up_words(self._all_states, piece.cells, piece.numbers, self.cell_of, places)
        return numbers

    def _settled(self, part: int, numbers: Numbers) -> Numbers:
        """The numbers that threads gave to places, replaced by states."""
        replace_by_states(numbers, self._state_of, self._before[part])
        return numbers


def states_of(
    content: Content, order: Order, threads: int, new: NewArray = np.zeros
) -> tuple[Numbering, Cells, Words]:
    """The numbering of all places by their states; the meanings and counts of these.

    The most frequent states come first.
    """
    numbering = Numbering(content, order, new)
    met_by = _met(numbering, threads, shares_parts=len(order.layout.blocks) == 1)
    keys, often, state_of = _joined(met_by)
    numbering.settle(keys, state_of)
    return numbering, _states_of_keys(keys), often


def _met(numbering: Numbering, threads: int, *, shares_parts: bool) -> list[tuple[Words, Words]]:
    """Number all places; return the states that each worker has met, with their counts.

    Threads share each of few large parts, or else take one part after another.
    """
    workers = [
        _NumberingThread(n, threads, Cells.room(numbering.most_cells)) for n in range(threads)
    ]
    idle = list(workers)

    def number(part: int, numbers: Numbers, turn: int, turns: int) -> None:
        worker = idle.pop()
        for piece, places in numbering.pieces(part, numbers, worker.room):
            words = len(places) // 64
            start = words * turn // turns
            end = words * (turn + 1) // turns
            worker.number(piece, numbering.cell_of, places, start, end)
        idle.append(worker)

    def number_part(part: int) -> None:
        numbers = numbering.room(part)
        number(part, numbers, 0, 1)
        numbering.keep(part, numbers)

    with ThreadPoolExecutor(threads) as pool:
        if shares_parts:
            for part in range(len(numbering.parts)):
                numbers = numbering.room(part)
                in_turn = partial(number, part, numbers, turns=_TURNS)
                list(pool.map(in_turn, range(_TURNS)))
                numbering.keep(part, numbers)
        else:
            list(pool.map(number_part, range(len(numbering.parts))))
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
def key_of_cell(cells: Cells, patterns: WideInts, cell: Int) -> Word:
    """The key of a cell's state; `patterns` is [number of a pattern in the cells] -> pattern."""
    pattern = patterns[cells.pattern[cell]]
    return key_of_state(cells.entry[cell], cells.dtg[cell], pattern)


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
            if cells.entry[cell + king]:
                number = number_of(census, key_of_cell(cells, patterns, cell + king))
                census.often[number] += ONE
                numbers[place + king * rows] = 1 + first + number * step
    return end


@borrowing
def look_up_words(
    census: Census, cells: Cells, patterns: WideInts, cell_of: Ints, numbers: Numbers
) -> None:
    """Write 1 + the number of its state for each place with a position; all states are known."""
    rows = len(cell_of)
    for word in range(len(numbers) >> 6):
        plane = word // rows * rows * 64
        place = plane + word % rows
        cell = plane + cell_of[word % rows]
        for king in range(64):
            if cells.entry[cell + king]:
                key = key_of_cell(cells, patterns, cell + king)
                numbers[place + king * rows] = census.slots[slot_of(census, key)]


@borrowing
def first_and_last(numbers: Numbers) -> tuple[int, int]:
    """The first number of a place that has one, and the last; 0 and 0 if there is none."""
    first = 0
    while first < len(numbers) and numbers[first] == 0:
        first += 1
    if first == len(numbers):
        return 0, 0
    last = len(numbers) - 1
    while numbers[last] == 0:
        last -= 1
    return int(numbers[first]), int(numbers[last])


@borrowing
def replace_by_states(numbers: Numbers, state_of: Numbers, before: int) -> None:
    """Replace the numbers of places by states; `before` is the state of the place before them.

    A place without a number gets the state of the place before it, which compresses best.
    """
    state = np.uint32(before)
    for place in range(len(numbers)):
        if numbers[place] != 0:
            state = state_of[numbers[place]]
        numbers[place] = state
