"""Census: a table counted whole, in little memory, block by block from its file."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbgen.apps.records.counting import (
    CLASSES,
    PLACEMENTS,
    Counts,
    Meanings,
    PlaceRun,
    count_places,
    men_of,
    no_counts,
    rows_of,
    total_of,
)
from tbgen.apps.records.record import Count, Spread, Zugzwangs
from tbgen.index.boards import fen_of
from tbgen.index.layout import Layout
from tbgen.index.outcomes import NO_OUTCOME_ROW, row_of_byte, worth_to_white
from tbgen.index.squares import TRIANGLE
from tbgen.material import Role
from tbgen.score import MATE_CODE, Color, Outcome
from tbgen.storage.details import flips_of
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import DTG

Longs = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.uint32]

Stripe = tuple[int, int, int]
"""A block, the first of some of its places, and how many they are."""

_STRIPE_ROWS = 1 << 12
_JOB_PLACES = 1 << 20
_MOST_DISTANCES = 1 << 16


@dataclass(frozen=True)
class Census:
    """A table counted whole."""

    spreads: dict[Color, dict[Outcome, Spread]]
    """By side to move, best outcome for White first."""
    zugzwangs: Zugzwangs
    """Without the longest."""
    longest_zugzwang: str | None
    """The FEN, White to move, of the one, played for, in which either outcome is furthest away."""
    one_colored: dict[Color, dict[Outcome, Count]] | None
    """As a record has them."""


def census_of(file: TableFile, threads: int | None = None) -> Census:
    """Count a table on some threads, or on as many as there are processors."""
    layout, kinds = file.order.layout, _kinds_of(file)
    entry, dtg = kinds.entry, kinds.dtg
    meanings = Meanings(worth_to_white(entry).astype(np.int16), entry.astype(np.int8), dtg.astype(np.uint16))
    bishops = _pair_of_bishops(layout)
    if bishops:  # kinds are told apart by the colours of squares
        meanings = Meanings(*[np.concatenate([each, each]) for each in meanings])

    def kinds_of_chunk(number: int) -> Numbers:
        return kinds.of_chunk(file, number)

    def offsets(first: int, size: int) -> Numbers:
        return _are_one_colored(layout, bishops, first, size) * np.uint32(len(entry))

    counts = count_table(file.order, meanings, kinds_of_chunk, offsets if bishops else None, threads=threads)
    by_color = counts.kinds.reshape(2, -1, len(entry), 2)
    spreads = {side: _spreads(entry, dtg, by_color[side].sum(axis=0)) for side in Color}
    one_colored = {side: _counts(entry, by_color[side, -1]) for side in Color} if bishops else None
    return Census(spreads, _zugzwangs(counts.pairs), _fen_of_longest(file, counts.longest), one_colored)


def count_table(
    order: Order,
    meanings: Meanings,
    kinds_of_chunk: Callable[[int], Numbers],
    offsets: Callable[[int, int], Numbers] | None = None,
    *,
    threads: int | None = None,
) -> Counts:
    """Count the kinds of all positions; `offsets` of a run of places, if any, are added to the kinds."""
    layout, idle = order.layout, list[tuple[Counts, _KindsOfPlaces]]()

    def count(stripes: Sequence[Stripe]) -> None:
        try:
            counts, places = idle.pop()
        except IndexError:
            counts, places = no_counts(len(meanings.entry), layout), _KindsOfPlaces(order.chunk_cells, kinds_of_chunk)
        for block, first, size in stripes:
            runs = [places.run((2 * block + side) * layout.block_words * 64 + first, size) for side in Color]
            if offsets is not None:
                runs = [run + offsets(first, size) for run in runs]
            run = PlaceRun(first, *runs)
            count_places(men_of(layout, block), block, run, meanings, counts, rows_of(layout))
        idle.append((counts, places))

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        list(pool.map(count, _jobs(layout)))
    return total_of(counts for counts, _ in idle)


def _jobs(layout: Layout) -> Iterator[Sequence[Stripe]]:
    """All places of a table, some stripes at a time."""
    side_places = layout.block_words * 64
    size = min(side_places, _STRIPE_ROWS * layout.shape[2])
    stripes = ((block, first, size) for block in range(len(layout.blocks)) for first in range(0, side_places, size))
    while some := list(itertools.islice(stripes, max(1, _JOB_PLACES // size))):
        yield some


def _pair_of_bishops(layout: Layout) -> list[int]:
    """The slots of the bishops of a side that has two or more; only one side can."""
    slots = [[n for n, slot in enumerate(layout.slots) if slot == (color, Role.BISHOP)] for color in Color]
    return max(slots, key=len) if max(map(len, slots)) > 1 else []


def _are_one_colored(layout: Layout, bishops: Sequence[int], first: int, size: int) -> Numbers:
    """Whether these bishops stand on squares of one colour, place by place of a run of whole rows."""
    kings = layout.shape[2]
    rows = np.arange(first // kings, (first + size) // kings)
    squares = [rows >> 6 * (slot - layout.pawns - 1) & 63 for slot in bishops]
    colors = [(square + (square >> 3)) & 1 for square in squares]
    same = np.all([color == colors[0] for color in colors], axis=0)
    return np.repeat(same, kings).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class _Kinds:
    """What the symbols of a table and their distances come to, whatever the patterns are."""

    entry: Longs
    dtg: Longs
    """[kind]"""
    distances: int
    """For each entry value there are so many kinds, from a distance of no plies on: a power of two, so that a distance,
    or what a file has of it, is a part of the kind's bits."""
    of_symbol: Numbers
    """[symbol] -> the kind without distance; its lowest bit says whether files have that of the distance flipped where
    White is to move."""

    def of_chunk(self, file: TableFile, number: int) -> Numbers:
        """The kinds of the places of a chunk."""
        first, cells = number * file.order.chunk_cells, file.order.chunk_cells
        end = min(first + cells, file.order.layout.cells)
        symbols, stored = file.symbols(first, end), file.distances.items(DTG, first, end)
        if int(stored.max()) >= self.distances:
            raise file.distances.damaged(f"chunk {number} has a distance that the table does not have")
        kinds: Numbers = self.of_symbol.take(symbols)
        kinds ^= stored
        file.order.black_part(first, kinds)[:] ^= 1
        return kinds


def _kinds_of(file: TableFile) -> _Kinds:
    """Kinds from what symbols mean: no states are asked for, nor their patterns, of which there may be millions."""
    groups = np.append(file.column("symbol_groups").astype(np.int64), file.distances.dataset("group_states").items)
    most = int(np.diff(groups).max())
    if not 0 < most <= _MOST_DISTANCES:
        raise file.distances.damaged("its groups do not follow each other")
    distances = max(2, 1 << (most - 1).bit_length())
    symbol_entry = file.column("symbols")["entry"]
    entries, numbers = np.unique(symbol_entry, return_inverse=True)
    entry, dtg = np.repeat(entries.astype(np.int64), distances), np.tile(np.arange(distances), len(entries))
    of_symbol = (numbers * distances).astype(np.uint32) | flips_of(symbol_entry, Color.WHITE)
    return _Kinds(entry, dtg, distances, of_symbol)


class _KindsOfPlaces:
    """The kinds of runs of places, chunk by chunk."""

    def __init__(self, chunk_cells: int, kinds_of_chunk: Callable[[int], Numbers]) -> None:
        self._cells, self._kinds_of_chunk = chunk_cells, kinds_of_chunk
        self._number = -1
        self._chunk = np.zeros(0, np.uint32)

    def run(self, start: int, size: int) -> Numbers:
        parts = list(self._parts(start, start + size))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _parts(self, start: int, stop: int) -> Iterator[Numbers]:
        while start < stop:
            number, offset = divmod(start, self._cells)
            if number != self._number:
                self._number, self._chunk = number, self._kinds_of_chunk(number)
            part = self._chunk[offset : offset + stop - start]
            start += len(part)
            yield part


def _outcomes(entry: Longs, counts: Longs) -> dict[Outcome, Longs]:
    """The kinds that were counted, by outcome, best for White first."""
    present = np.flatnonzero(counts[:, PLACEMENTS])
    outcomes = sorted((Outcome.from_byte(byte) for byte in np.unique(entry[present]).tolist()), reverse=True)
    return {outcome: present[entry[present] == outcome.to_byte()] for outcome in outcomes}


def _spreads(entry: Longs, dtg: Longs, counts: Longs) -> dict[Outcome, Spread]:
    spreads = {}
    for outcome, kinds in _outcomes(entry, counts).items():
        distances = np.zeros(int(dtg[kinds].max()) + 1, np.int64)
        np.add.at(distances, dtg[kinds], counts[kinds, CLASSES])
        spreads[outcome] = Spread(count_of(counts[kinds].sum(axis=0)), tuple(distances.tolist()))
    return spreads


def _counts(entry: Longs, counts: Longs) -> dict[Outcome, Count]:
    return {outcome: count_of(counts[kinds].sum(axis=0)) for outcome, kinds in _outcomes(entry, counts).items()}


def count_of(pair: npt.ArrayLike) -> Count:
    """Placements and classes in an array."""
    return Count(*np.asarray(pair).tolist())


# pairs[row of the outcome with White to move, the same with Black to move, played for, placements or classes]
def _zugzwangs(pairs: Longs) -> Zugzwangs:
    """The mutual zugzwangs by kind."""
    played, every = pairs[:, :, 1], pairs.sum(axis=2)
    white_mates, black_mates = (row_of_byte(Outcome(side, MATE_CODE).to_byte()) for side in Color)
    mates = every[:, white_mates].sum(axis=0) + every[black_mates].sum(axis=0) - every[black_mates, white_mates]
    return Zugzwangs(
        all=count_of(every.sum(axis=(0, 1))),
        played=count_of(played.sum(axis=(0, 1))),
        mates=count_of(mates),
        holders=count_of(played[:NO_OUTCOME_ROW, NO_OUTCOME_ROW:].sum(axis=(0, 1))),
    )


def _fen_of_longest(file: TableFile, longest: Longs) -> str | None:
    """The FEN, White to move, of the place that `Counts.longest` has; None if it has none."""
    _, near, block, place = longest.tolist()
    if near < 0:
        return None
    layout = file.order.layout
    place, king = divmod(place, layout.shape[2])
    rest = [place >> 6 * n & 63 for n in range(layout.others + 1)]
    return fen_of(layout, Color.WHITE, [*layout.blocks[block], king if layout.pawns else TRIANGLE[king], *rest])
