"""Numbering: every place of a file gets the number of its state, frequent states first.

Each thread numbers the states of its cells in the order in which it meets them, and counts them. When all are done,
states are sorted by how often they occur. Then each place gets the final number of its state.

Cells and places have their axes in opposite orders. The 64 cells of a *word*, which differ in the black king, are
neighbours. Their places lie far apart, as many *rows* of places. A thread takes words in the order of their places.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, NewArray, WideInts, Word, Words, often_first
from tbgen.compiled.jit import borrowing, inlined
from tbgen.errors import RepresentationError
from tbgen.index.handover import Cells, Numbers
from tbgen.index.kernels import row_of_byte
from tbgen.index.outcomes import byte_of_row
from tbgen.storage.order import Order
from tbgen.table import Content

ONE = np.uint64(1)

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


class Census(NamedTuple):
    """States by their keys, in a hash table whose length is a power of two."""

    slots: Numbers
    """[slot] -> 1 + the number of the state in it; 0 in free slots."""
    keys: Words
    """[number] -> a state's key, for three quarters of the slots: beyond that, searches get long."""
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
    found = new_census(2 * len(census.slots))
    for old, new in zip(census[1:], found[1:], strict=True):
        new[: len(old)] = old
    enter_all(found)
    return found


def states_of(
    content: Content, order: Order, threads: int, new: NewArray = np.zeros
) -> tuple[Numbers, Cells, Words]:
    """[place of the file] -> number of its state; the meanings and counts of the states, in falling order of counts.

    `new` makes the array of the numbers, because it may be larger than memory.
    """
    numbers = new(order.layout.cells, np.uint32)
    met_by = _met(content, order, threads, numbers)
    keys, states = np.unique(np.concatenate([keys for keys, _ in met_by]), return_inverse=True)
    often = np.bincount(states, np.concatenate([often for _, often in met_by]))
    by_count = often_first(often.astype(np.uint64))
    new_number_of = np.empty(len(keys), np.uint32)
    new_number_of[by_count] = np.arange(len(keys), dtype=np.uint32)
    by_worker = np.split(states, np.cumsum([len(theirs) for theirs, _ in met_by])[:-1])
    state_of = np.zeros(1 + max(map(len, by_worker)) * threads, np.uint32)
    for worker, theirs in enumerate(by_worker):
        state_of[1:].reshape(-1, threads)[: len(theirs), worker] = new_number_of[theirs]
    keys, occurs = keys[by_count], often[by_count].astype(np.uint64)
    del met_by, states, by_worker, theirs, often, by_count, new_number_of
    _settle(order, numbers, state_of, threads)
    rows, dtg, pattern = keys >> _ENTRY_SHIFT, keys >> _DTG_SHIFT & _DTG, keys & _PATTERN
    entry = byte_of_row(rows.astype(np.int64)).astype(np.int8)
    states_met = Cells(entry, dtg.astype(np.uint16), pattern.astype(np.uint32))
    return numbers, states_met, occurs


def _met(
    content: Content, order: Order, threads: int, numbers: Numbers
) -> list[tuple[Words, Words]]:
    """Number all places; return the states that each worker has met, with their counts."""
    parts, words = order.parts(), order.layout.block_words
    cell_of = order.cells_of(np.arange(words))
    turns = 1 if len(order.layout.blocks) > 1 else _TURNS
    most_cells = max(each.stop - each.start for each in parts)
    idle = [(worker, new_census(FIRST_SLOTS), Cells.room(most_cells)) for worker in range(threads)]

    def number(part: slice, turn: int) -> None:
        worker, census, room = idle.pop()
        for piece in content.pieces(part.start, part.stop, room):
            here = numbers[piece.first : piece.first + len(piece.cells.entry)]
            start, end = (len(here) // 64 * n // turns for n in (turn, turn + 1))
            while (
                start := number_words(
                    census, piece.cells, piece.numbers, cell_of, here, start, end, worker, threads
                )
            ) < end:
                census = larger(census)
            if int(census.used[0]) * threads > MOST_NUMBERS:
                raise RepresentationError(
                    "the number of states", "the 32 bits that a place has: use fewer threads"
                )
        idle.append((worker, census, room))

    with ThreadPoolExecutor(threads) as pool:
        jobs = itertools.product(parts, range(turns))
        list(pool.map(lambda job: number(*job), jobs))  # an error in one ends all
    return [census.met() for _, census, _ in sorted(idle, key=lambda each: each[0])]


def _settle(order: Order, numbers: Numbers, state_of: Numbers, threads: int) -> None:
    """Give all places their final states. The places before the first position get the state of that position."""
    parts = [numbers[part] for part in order.parts()]
    with ThreadPoolExecutor(threads) as pool:
        leads = [*pool.map(lambda part: settle(part, state_of), parts)]
    before = next(
        (part[lead] for part, lead in zip(parts, leads, strict=True) if lead < len(part)), 0
    )
    for part, lead in zip(parts, leads, strict=True):
        part[:lead] = before
        before = part[-1]


@inlined
def key_of(entry: Int, dtg: Int, pattern: Int) -> Word:
    """A state as one number; keys sort as states do."""
    return np.uint64(
        row_of_byte(np.int64(entry)) << _ENTRY_BITS | np.int64(dtg) << _DTG_BITS | np.int64(pattern)
    )


@inlined
def slot_of(census: Census, key: Word) -> Word:
    """The slot of a key, or the free slot where it would go."""
    last = np.uint64(len(census.slots) - 1)
    # The product spreads keys that differ in few bits, most of all in its high bits.
    slot = (key ^ (key >> _SHIFT)) * _HASH
    slot = (slot ^ (slot >> _SHIFT)) & last
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


# cells[plane, word, black king], numbers[plane, black king, row]; [row] -> cell_of, the first cell of its word
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
    """Number the states of some words while there is space, n as 1 + first + n * step; return the word to go on at."""
    rows = len(cell_of)
    for word in range(start, end):
        if census.used[0] + 64 > len(census.often):
            return word
        plane = word // rows * rows * 64
        place, cell = plane + word % rows, plane + cell_of[word % rows]
        for king in range(64):
            entry = cells.entry[cell + king]
            if entry:
                number = number_of(
                    census,
                    key_of(entry, cells.dtg[cell + king], patterns[cells.pattern[cell + king]]),
                )
                census.often[number] += ONE
                numbers[place + king * rows] = 1 + first + number * step
    return end


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
