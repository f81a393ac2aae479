"""Numbering: every state of a table gets its number, in a pass over its cells.

A thread numbers the states that it meets as they come, and counts them. When all are counted, states are ranked, and it
is known which of them each number stands for. Where there are too many for its hash table, only a share of all keys is
numbered in a pass. Only the writer needs this; it is compiled, and a probe must not wait for the compiler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints, Ints32, WideInts, Word, Words, kind_of_numbers
from tbgen.compiled.jit import borrowing, inlined, inner, kernel
from tbgen.handover import Cells, Numbers
from tbgen.index.outcome_kernels import row_of_byte
from tbgen.index.outcomes import byte_of_row

KEY, NUMBER = 0, 1
FREE = np.uint64(0)
ONE = np.uint64(1)
BLANK = np.uint32(0xFFFFFFFF)
"""A cell of a tile that gets no number: it holds no position, or one whose key belongs to another share."""

TILE_PLACES = 1 << 8
"""How many places of a row are numbered before they are brought to the row."""

_HASH = np.uint64(0x9E3779B97F4A7C15)
"""2^64 by the golden ratio, as in Fibonacci hashing: keys that differ in a few high bits are spread over the table."""
_SHIFT = np.uint64(32)
_ENTRY_BITS, _DTG_BITS = 56, 40
_ENTRY_SHIFT, _DTG_SHIFT = np.uint64(_ENTRY_BITS), np.uint64(_DTG_BITS)
_DTG, _PATTERN = np.uint64(0xFFFF), np.uint64((1 << _DTG_BITS) - 1)
"""A state's key: the row of its entry value, its distance, its pattern, in 8, 16 and 40 bits. See `key_of`."""

MOST_SHARE_BITS = 8
"""Shares are told apart by so many of a hash's highest bits; where a key is in its table, by the lowest."""

_SHARE_SHIFT = np.uint64(64 - MOST_SHARE_BITS)

Keys = npt.NDArray[np.uint64]


MOST_SLOTS = 1 << 32
"""So many slots a census has at most: three quarters of them can be used, which 32 bits number (`Tile`)."""


class FullError(Exception):
    """A census may not have more slots."""


class Census(NamedTuple):
    """States by their keys, in a hash table whose length is a power of two."""

    slots: npt.NDArray[np.uint64]
    """[slot, KEY] a state's key; FREE where there is none.

    [slot, NUMBER] the state's number.
    """
    often: npt.NDArray[np.uint64]
    """[number] how often it was met; as long as there is room: beyond three quarters ways to a free slot grow long."""
    used: npt.NDArray[np.int64]
    """How many states have numbers."""


def new_census(slots: int) -> Census:
    """Nothing met yet."""
    return Census(np.zeros((slots, 2), np.uint64), np.zeros(slots - (slots >> 2), np.uint64), np.zeros(1, np.int64))


def met(census: Census) -> tuple[Keys, Keys]:
    """The keys of all states by their numbers, and how often they were met."""
    used = int(census.used[0])
    keys = np.empty(used, np.uint64)
    list_keys(census, keys)
    return keys, census.often[:used]


def larger(census: Census, most: int = MOST_SLOTS) -> Census:
    """The same census with twice the room; `FullError` if it has so many slots already."""
    if len(census.slots) >= min(most, MOST_SLOTS):
        raise FullError
    found = new_census(2 * len(census.slots))
    used = int(census.used[0])
    found.often[:used], found.used[0] = census.often[:used], used
    move_keys(census, found)
    return found


def added(census: Census, keys: Keys, often: Keys, most: int = MOST_SLOTS) -> tuple[Census, WideInts]:
    """The census, or a larger one of so many slots at most, that has met some more states so often; their numbers."""
    start, numbers = 0, np.empty(len(keys), kind_of_numbers(int(census.used[0]) + len(keys)))
    while (start := add_keys(census, keys, often, numbers, start)) < len(keys):
        census = larger(census, most)
    return census, numbers


class Share(NamedTuple):
    """The keys whose hashes have this number in so many bits; all keys if there are no bits."""

    bits: int = 0
    number: int = 0

    def halves(self) -> tuple[Share, Share]:
        """The same keys in two shares."""
        return Share(self.bits + 1, self.number), Share(self.bits + 1, self.number | 1 << self.bits)


class Tile(NamedTuple):
    """Scratch space of a thread that numbers."""

    numbers: Numbers
    """[black king, place of a row]"""
    keys: Words
    """[black king] the key of the last position, as its run has it, or FREE"""
    known: Numbers
    """[black king] and its number."""


class Places(NamedTuple):
    """Where the numbers of places go."""

    first: int
    step: int
    """Number n of this thread's own is first + n * step for all of them, 1 or more."""
    numbers: WideInts
    """0 where there is none."""
    tile: Tile


def new_tile() -> Tile:
    """Room for a thread that numbers."""
    numbers = np.zeros((64, TILE_PLACES + 16), np.uint32)  # 16 more: 64 lines of a cache, 64 sets
    return Tile(numbers, np.zeros(64, np.uint64), np.zeros(64, np.uint32))


class Slabs(NamedTuple):
    """Some of the slabs of some planes: in a slab all other men but the first stand on the same squares.

    Cells of a plane lie by white king, other men, black king; places by black king, other men from the last one on,
    white king. A row, a run of places, is what of a slab has the black king on the same square too.
    """

    kings: int
    """How many squares the white king has, and the first other man, if there is one."""
    squares: int
    digits: int
    """How many other men there are beside it."""
    first: int
    end: int


def numbered(
    census: Census, cells: Cells, patterns: WideInts, slabs: Slabs, places: Places, share: Share, most: int
) -> Census:
    """The census, or a larger one of so many slots at most, when it has met and numbered what some slabs of the planes
    of these cells have of a share."""
    start = slabs.first
    while (start := number_slabs(census, cells, patterns, slabs._replace(first=start), places, share)) < slabs.end:
        census = larger(census, most)
    return census


@inlined
def key_of(entry: Int, dtg: Int, pattern: Int) -> Word:
    """A state as one number; states compare as their keys do."""
    return np.uint64(row_of_byte(np.int64(entry)) << _ENTRY_BITS | np.int64(dtg) << _DTG_BITS | np.int64(pattern))


def meanings_of_keys(keys: Keys) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """What some keys stand for: entry values, distances, patterns."""
    return byte_of_row((keys >> _ENTRY_SHIFT).astype(np.int64)), keys >> _DTG_SHIFT & _DTG, keys & _PATTERN


@inlined
def hash_of(key: Word) -> Word:
    """A number that differs in many bits where keys differ in few, the more the higher they are."""
    return (key ^ (key >> _SHIFT)) * _HASH


@inlined
def belongs(key: Word, share: Share) -> bool:
    """Whether a key is in a share."""
    return np.int64(hash_of(key) >> _SHARE_SHIFT) & ((1 << share.bits) - 1) == share.number


@inlined
def slot_of(census: Census, key: Word) -> Word:
    """Where a key is, or would be."""
    last = np.uint64(len(census.slots) - 1)
    slot = hash_of(key)
    slot = (slot ^ (slot >> _SHIFT)) & last
    while census.slots[slot, KEY] != FREE and census.slots[slot, KEY] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@inlined
def has_room(census: Census, more: Int) -> bool:
    """Whether so many more states may be met."""
    return census.used[0] + more <= len(census.often)


@inlined
def number_of(census: Census, key: Word) -> int:
    """The number of a key, a new one if it has none yet; there must be room."""
    slot = slot_of(census, key)
    if census.slots[slot, KEY] == FREE:
        census.slots[slot, KEY] = key
        census.slots[slot, NUMBER] = census.used[0]
        census.used[0] += 1
    return census.slots[slot, NUMBER]


@kernel
def add_keys(census: Census, keys: Words, often: Words, numbers: WideInts, start: Int) -> int:
    """Meet some keys from `start` on so often, while there is room, and find their numbers; the key to go on with."""
    for n in range(start, len(keys)):
        if not has_room(census, 1):
            return n
        number = number_of(census, keys[n])
        census.often[number] += often[n]
        numbers[n] = number
    return len(keys)


@kernel
def move_keys(census: Census, other: Census) -> None:
    """Take all keys into an empty census that has room for them."""
    for n in range(len(census.slots)):
        if census.slots[n, KEY] != FREE:
            other.slots[slot_of(other, census.slots[n, KEY])] = census.slots[n]


@kernel
def list_keys(census: Census, keys: Words) -> None:
    """List all keys by their numbers."""
    for n in range(len(census.slots)):
        if census.slots[n, KEY] != FREE:
            keys[census.slots[n, NUMBER]] = census.slots[n, KEY]


@inner
def reversed_digits(number: Int, digits: Int) -> Int:
    """A number to base 64 read from its other end."""
    result: Int = 0
    for _ in range(digits):
        result = result << 6 | number & 63
        number >>= 6
    return result


# Most neighbours have the same state, above all those beside each other in a row, so a key is looked up only where it
# differs from that of the row's last position. Keys are compared as the run has them (`cells.pattern`), before their
# patterns are exchanged for those of the table.
@inlined
def number_word(
    census: Census, cells: Cells, patterns: WideInts, cell: Int, tile: Tile, column: Int, share: Share
) -> None:
    """Number the 64 cells from one on, for a column of the tile; `patterns` says which pattern each of theirs is."""
    for king in range(64):
        found = BLANK
        if cells.entry[cell + king]:
            key = key_of(cells.entry[cell + king], cells.dtg[cell + king], cells.pattern[cell + king])
            if key != tile.keys[king]:
                tile.keys[king] = key
                key = key_of(cells.entry[cell + king], cells.dtg[cell + king], patterns[cells.pattern[cell + king]])
                tile.known[king] = number_of(census, key) if belongs(key, share) else BLANK
            found = tile.known[king]
            if found != BLANK:
                census.often[found] += ONE
        tile.numbers[king, column] = found


# Numbers are written column by column into a tile and leave it row by row, because cells and places have their axes in
# opposite orders: without the tile, each of 64 neighbouring cells would touch a cache line of its own.
@inlined
def fill_rows(places: Places, tile_places: Int, start: Int, step: Int) -> None:
    """Bring a tile to the rows of a slab: the first begins at place `start`, the next ones `step` places apart."""
    for king in range(64):
        for column in range(tile_places):
            number = places.tile.numbers[king, column]
            if number != BLANK:
                places.numbers[start + column] = places.first + number * places.step
        start += step


@borrowing
def number_slabs(census: Census, cells: Cells, patterns: WideInts, slabs: Slabs, places: Places, share: Share) -> int:
    """Number what of some slabs is in a share, while there is room; the slab to go on with."""
    kings, squares, count = slabs.kings, slabs.squares, 64**slabs.digits
    at_once = min(TILE_PLACES // kings, squares)
    places.tile.keys[:] = FREE  # those of another run mean something else
    for slab in range(slabs.first, slabs.end):
        if not has_room(census, kings * squares * 64):
            return slab
        plane, there = divmod(slab, count)
        here = reversed_digits(there, slabs.digits)
        start = (plane * 64 * count + there) * squares * kings
        for square in range(0, squares, at_once):
            some = min(at_once, squares - square)
            for n in range(some):
                for king in range(kings):
                    cell = (((plane * kings + king) * squares + square + n) * count + here) * 64
                    number_word(census, cells, patterns, cell, places.tile, n * kings + king, share)
            fill_rows(places, some * kings, start + square * kings, count * squares * kings)
    return slabs.end


@borrowing
def look_up(items: Ints32, numbers: WideInts, found: Ints32) -> None:
    """Find the items with some numbers; each of the three may be of any type."""
    for n in range(len(numbers)):
        found[n] = items[numbers[n]]


@borrowing
def settle(numbers: WideInts, state_of: WideInts) -> int:
    """Put states in the place of the numbers of some places. A place that has none gets the state of the one before,
    which compresses best; returns how many there are before the first number."""
    leads, before = 0, np.int64(-1)
    for place in range(len(numbers)):
        if numbers[place] != 0:
            before = np.int64(state_of[numbers[place]])
        if before < 0:
            leads += 1
        else:
            numbers[place] = before
    return leads


# Shares are few, so the one that comes next is looked for among all.
@borrowing
def rank(keys: Words, often: Words, heads: Ints, ends: Ints, ranked: Words, rank_of: WideInts) -> None:
    """Put the keys of all shares into one order, the most frequent first, equally frequent ones in ascending order.

    Share n has those from heads[n], which goes on to the next one, to ends[n], in that order already.
    """
    for number in range(len(ranked)):
        first = -1
        for share in range(len(heads)):
            here = heads[share]
            if here == ends[share]:
                continue
            if first >= 0:
                best = heads[first]
                if often[here] < often[best] or (often[here] == often[best] and keys[here] > keys[best]):
                    continue
            first = share
        ranked[number] = keys[heads[first]]
        rank_of[heads[first]] = number
        heads[first] += 1
