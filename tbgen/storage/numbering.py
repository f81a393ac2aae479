"""Numbering: every state of a table gets its number, in one pass that counts and one that looks up.

Only the writer needs this; it is compiled, and a probe must not wait for the compiler.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner, kernel
from tbgen.storage.states import Ids
from tbgen.table import Cells, Numbers

KEY, VALUE = 0, 1
FREE = np.uint64(0)
ONE = np.uint64(1)
BLANK = np.uint32(0xFFFFFFFF)
"""A cell that holds no position, as long as it has no number."""

TILE_PLACES = 1 << 10
"""How many places of a row are numbered before they are brought to the row."""

_HASH = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ZERO = 128

Keys = npt.NDArray[np.uint64]


class Census(NamedTuple):
    """States by their keys, in a hash table whose length is a power of two."""

    slots: npt.NDArray[np.uint64]
    """[slot, KEY] entry value + 128, distance, pattern: 16, 16 and 32 bits; FREE where there is none.

    [slot, VALUE] how often, or the state's number.
    """
    used: npt.NDArray[np.int64]
    """How many slots are taken."""


def new_census(slots: int) -> Census:
    """Nothing counted yet."""
    return Census(np.zeros((slots, 2), np.uint64), np.zeros(1, np.int64))


def taken_in(census: Census) -> tuple[Keys, Keys]:
    """All keys of a census, and their values."""
    keys, values = np.empty(int(census.used[0]), np.uint64), np.empty(int(census.used[0]), np.uint64)
    list_keys(census, keys, values)
    return keys, values


def larger(census: Census) -> Census:
    """The same census with twice the room."""
    found = new_census(2 * len(census.slots))
    move_keys(census, found)
    return found


def added(census: Census, keys: Keys, values: Keys) -> Census:
    """The census, or a larger one, with values added to those of some keys."""
    start = 0
    while (start := add_keys(census, keys, values, start)) < len(keys):
        census = larger(census)
    return census


def census_of(keys: Keys) -> Census:
    """A census in which each key has its place in the list as its value."""
    return added(new_census(1 << len(keys).bit_length()), keys, np.arange(len(keys), dtype=np.uint64))


class Places(NamedTuple):
    """Where the numbers of places go."""

    ids: Ids
    leads: npt.NDArray[np.uint16]
    """[row] how many blanks it begins with."""
    tile: Numbers
    """Room: [black king, place of a row]"""


def new_places(ids: Ids, leads: npt.NDArray[np.uint16]) -> Places:
    """Places that have no numbers yet, and room for the thread that finds them."""
    return Places(ids, leads, np.zeros((64, TILE_PLACES + 16), np.uint32))  # 16 more: 64 lines of a cache, 64 sets


def counted(census: Census, cells: Cells, numbers: Numbers) -> Census:
    """The census, or a larger one, with some cells counted; `numbers` says which pattern each of theirs is."""
    start = 0
    while (start := count_cells(census, cells, numbers, start)) < len(cells.entry):
        census = larger(census)
    return census


@inlined
def key_of(entry, dtg, pattern):
    """A state as one number; states compare as their keys do."""
    return np.uint64((np.int64(entry) + _ZERO) << 48 | np.int64(dtg) << 32 | np.int64(pattern))


@inlined
def slot_of(census, key):
    """Where a key is, or would be."""
    last = np.uint64(len(census.slots) - 1)
    slot = (key ^ (key >> _SHIFT)) * _HASH
    slot = (slot ^ (slot >> _SHIFT)) & last
    while census.slots[slot, KEY] != FREE and census.slots[slot, KEY] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@inlined
def has_room(census):
    """Whether one more key may be taken in: beyond three quarters the ways to a free slot grow long."""
    return census.used[0] < len(census.slots) - (len(census.slots) >> 2)


@inlined
def take_in(census, slot, key):
    """See to it that a slot that was found for a key has it."""
    if census.slots[slot, KEY] == FREE:
        census.slots[slot, KEY] = key
        census.used[0] += 1


@kernel
def add_keys(census, keys, values, start):
    """Add to the values of some keys from `start` on, while there is room; the key to go on with."""
    for n in range(start, len(keys)):
        if not has_room(census):
            return n
        slot = slot_of(census, keys[n])
        take_in(census, slot, keys[n])
        census.slots[slot, VALUE] += values[n]
    return len(keys)


@kernel
def move_keys(census, other):
    """Take all keys into an empty census that has room for them."""
    for n in range(len(census.slots)):
        if census.slots[n, KEY] != FREE:
            slot = slot_of(other, census.slots[n, KEY])
            take_in(other, slot, census.slots[n, KEY])
            other.slots[slot, VALUE] = census.slots[n, VALUE]


@kernel
def list_keys(census, keys, values):
    """List all keys and their values, as they lie."""
    count = 0
    for n in range(len(census.slots)):
        if census.slots[n, KEY] != FREE:
            keys[count], values[count] = census.slots[n, KEY], census.slots[n, VALUE]
            count += 1


@kernel
def count_cells(census, cells, numbers, start):
    """Count cells from `start` on, while there is room; the cell to go on with."""
    before, slot = FREE, FREE
    for cell in range(start, len(cells.entry)):
        if cells.entry[cell] == 0:
            continue
        key = key_of(cells.entry[cell], cells.dtg[cell], cells.pattern[cell])
        if key != before:
            if not has_room(census):
                return cell
            before = key
            key = key_of(cells.entry[cell], cells.dtg[cell], numbers[cells.pattern[cell]])
            slot = slot_of(census, key)
            take_in(census, slot, key)
        census.slots[slot, VALUE] += ONE
    return len(cells.entry)


@inner
def reversed_digits(number, digits):
    """A number to base 64 read from its other end."""
    result = 0
    for _ in range(digits):
        result = result << 6 | number & 63
        number >>= 6
    return result


@inlined
def number_word(census, cells, numbers, cell, tile, column):
    """Number the 64 cells from one on, for a column of the tile."""
    before, number = FREE, BLANK
    for king in range(64):
        found = BLANK
        if cells.entry[cell + king]:
            key = key_of(cells.entry[cell + king], cells.dtg[cell + king], cells.pattern[cell + king])
            if key != before:
                before = key
                key = key_of(cells.entry[cell + king], cells.dtg[cell + king], numbers[cells.pattern[cell + king]])
                number = np.uint32(census.slots[slot_of(census, key), VALUE])
            found = number
        tile[king, column] = found


@inlined
def fill_rows(places, tile_places, row, step, start, last):
    """Bring a tile to the rows of a slab, blanks with the number of the place before: `last`, by black king."""
    for king in range(64):
        number = last[king]
        for column in range(tile_places):
            if places.tile[king, column] != BLANK:
                number = places.tile[king, column]
            if number == BLANK:
                places.leads[row] += 1
            else:
                places.ids[start + column] = number
        last[king] = number
        row += step
        start += step * (len(places.ids) // len(places.leads))


# Cells of a plane lie by white king, other men, black king; places by black king, other men from the last one on,
# white king. A slab is what has all other men but the first on the same squares; a row is what has the black king on
# the same square too, and a run of places.
@kernel
def number_slabs(census, cells, numbers, kings, others, first, end, places):
    """Number the places of some slabs of the planes that these cells are; the planes are all that `places` has."""
    slabs = 64 ** max(others - 1, 0)
    squares = 64 if others else 1
    at_once = min(TILE_PLACES // kings, squares)
    last = np.empty(64, np.uint32)
    for slab in range(first, end):
        plane, there = divmod(slab, slabs)
        here = reversed_digits(there, others - 1)
        last[:] = BLANK
        row = plane * 64 * slabs + there
        for square in range(0, squares, at_once):
            some = min(at_once, squares - square)
            for n in range(some):
                for king in range(kings):
                    cell = (((plane * kings + king) * squares + square + n) * slabs + here) * 64
                    number_word(census, cells, numbers, cell, places.tile, n * kings + king)
            fill_rows(places, some * kings, row, slabs, (row * squares + square) * kings, last)


@kernel
def fill_leads(ids, leads, before):
    """Give blanks that a row begins with the number of the place before; `before` is that of the place before all."""
    size = len(ids) // len(leads)
    for row in range(len(leads)):
        ids[row * size : row * size + leads[row]] = before
        before = ids[row * size + size - 1]
