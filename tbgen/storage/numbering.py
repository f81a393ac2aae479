"""Numbering: every state of a table gets its number, in one pass that counts and one that looks up.

Only the writer needs this; it is compiled, and a probe must not wait for the compiler.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner, kernel

FREE = np.uint64(0)
BLANK = np.uint32(0xFFFFFFFF)
"""A cell that holds no position, as long as it has no number."""

_HASH = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ZERO = 128

Keys = npt.NDArray[np.uint64]


class Census(NamedTuple):
    """States by their keys, in a hash table whose length is a power of two."""

    key: Keys
    """[slot] entry value + 128, distance, pattern: 16, 16 and 32 bits; FREE where there is none."""
    value: npt.NDArray[np.int64]
    """[slot] how often, or the state's number."""
    used: npt.NDArray[np.int64]
    """How many slots are taken."""


def new_census(slots: int) -> Census:
    """Nothing counted yet."""
    return Census(np.zeros(slots, np.uint64), np.zeros(slots, np.int64), np.zeros(1, np.int64))


def census_of(keys: Keys, numbers: npt.NDArray[np.int64]) -> Census:
    """A census that has these numbers."""
    census = new_census(1 << int(2 * len(keys)).bit_length())
    add_keys(census, keys, numbers)
    return census


def counted(census: Census, entry, dtg, pattern) -> Census:
    """The census, or a larger one, with some cells counted."""
    start = 0
    while (start := count_cells(census, entry, dtg, pattern, start)) < len(entry):
        larger = new_census(4 * len(census.key))
        taken = np.flatnonzero(census.key)
        add_keys(larger, census.key[taken], census.value[taken])
        census = larger
    return census


@inlined
def key_of(entry, dtg, pattern):
    """A state as one number; states compare as their keys do."""
    return np.uint64((np.int64(entry) + _ZERO) << 48 | np.int64(dtg) << 32 | np.int64(pattern))


@inlined
def slot_of(census, key):
    """Where a key is, or would be."""
    last = np.uint64(len(census.key) - 1)
    slot = (key ^ (key >> _SHIFT)) * _HASH
    slot = (slot ^ (slot >> _SHIFT)) & last
    while census.key[slot] != FREE and census.key[slot] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@kernel
def add_keys(census, keys, counts):
    """Add to the counts of some keys; there must be room for them."""
    for n in range(len(keys)):
        slot = slot_of(census, keys[n])
        if census.key[slot] == FREE:
            census.key[slot] = keys[n]
            census.used[0] += 1
        census.value[slot] += counts[n]


@kernel
def count_cells(census, entry, dtg, pattern, start):
    """Count cells from `start` on, until the census is half full; the cell to go on with."""
    most = len(census.key) >> 1
    before, slot = FREE, FREE
    for cell in range(start, len(entry)):
        if entry[cell] == 0:
            continue
        key = key_of(entry[cell], dtg[cell], pattern[cell])
        if key != before:
            if census.used[0] >= most:
                return cell
            before, slot = key, slot_of(census, key)
            if census.key[slot] == FREE:
                census.key[slot] = key
                census.used[0] += 1
        census.value[slot] += 1
    return len(entry)


@inner
def reversed_digits(number, digits):
    """A number to base 64 read from its other end."""
    result = 0
    for _ in range(digits):
        result = result << 6 | number & 63
        number >>= 6
    return result


# Cells lie by plane, white king, other men, black king; places by plane, black king, other men from the last one on,
# white king.
@kernel
def number_places(census, entry, dtg, pattern, kings, others, first, end, ids):
    """Number the places of some slabs: a slab is one plane with one square of the last of the `others`."""
    slabs = 64 if others else 1
    rest = 64**others
    for slab in range(first, end):
        plane, last = divmod(slab, slabs)
        before, number = FREE, BLANK
        for there in range(last * (rest // slabs), (last + 1) * (rest // slabs)):
            here = reversed_digits(there, others)
            for king in range(kings):
                cell = ((plane * kings + king) * rest + here) * 64
                place = (plane * 64 * rest + there) * kings + king
                for _ in range(64):
                    if entry[cell] == 0:
                        ids[place] = BLANK
                    else:
                        key = key_of(entry[cell], dtg[cell], pattern[cell])
                        if key != before:
                            before, number = key, np.uint32(census.value[slot_of(census, key)])
                        ids[place] = number
                    cell += 1
                    place += rest * kings


@kernel
def fill_blanks(ids, first, end, before, filled):
    """Give blanks among ids first to end the number of the place before; `before` is that of the place before them all.

    The result goes to `filled`; `ids` stay as they are, for other threads.
    """
    place = first - 1
    while place >= 0 and ids[place] == BLANK:
        place -= 1
    number = before if place < 0 else ids[place]
    for n in range(first, end):
        if ids[n] != BLANK:
            number = ids[n]
        filled[n - first] = number
