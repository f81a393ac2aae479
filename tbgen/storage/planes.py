"""Entry values of a plane as a solver has them: looked up and turned in one pass.

A file has the black king slowest and the white king fastest, and between them the other men from
the last to the first. Cells have them the other way round (see `order`).
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, SignedBytes
from tbgen.compiled.jit import borrowing, inlined
from tbgen.storage.reader import Ids, TableFile
from tbgen.table import Entries

PLACES_AT_ONCE = 1 << 18
"""A plane with more places is read for a few squares of the black king at a time."""

FEW_KINGS = 8
"""Values of cells that differ in the black king lie together, so several are written together."""


def entries_of_plane(
    file: TableFile, block: int, side: int, room: Entries | None = None
) -> Entries:
    """The entry values of a block with one side to move, in the order of the layout's cells.

    They are written into `room`, or a new array.
    """
    places = file.order.plane_places
    start = (2 * block + side) * places
    entries = np.empty(places, np.int8) if room is None else room
    kings = 64 if places <= PLACES_AT_ONCE else FEW_KINGS
    a_king = places // 64
    whites = file.order.layout.shape[2]
    tile = np.empty((whites, kings), np.int8)
    for first in range(0, 64, kings):
        place = start + first * a_king
        symbols = file.symbols(place, place + kings * a_king)
        write_entries(symbols, file.entry_of_symbol, first, tile, entries)
    return entries


@borrowing
def write_entries(
    symbols: Ids,
    entry_of_symbol: SignedBytes,
    first: int,
    tile: SignedBytes,
    room: SignedBytes,
) -> None:
    """Write the entry values of some black kings' places, from `first` on, to their cells.

    `tile` is room for those with the same other men.
    """
    whites, kings = tile.shape
    others = len(symbols) // (whites * kings)
    for number in range(others):
        for king in range(kings):
            place = np.uint64((king * others + number) * whites)
            for white in range(whites):
                symbol = symbols[place + np.uint64(white)]
                tile[white, king] = entry_of_symbol[symbol]
        there = reversed_digits(number, others)
        for white in range(whites):
            cell = (white * others + there) * 64 + first
            for king in range(kings):
                room[np.uint64(cell + king)] = tile[white, king]


@inlined
def reversed_digits(number: Int, limit: Int) -> Int:
    """A number below `limit`, a power of 64, with its digits of six bits in the opposite order."""
    turned = np.int64(0)
    while limit > 1:
        turned = turned << 6 | number & 63
        number >>= 6
        limit >>= 6
    return turned
