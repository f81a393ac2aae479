"""A table, opened for questions about single cells or read whole.

A *state* is an entry value, its distance and a pattern of the middle. A table has few different ones,
numbered from the most frequent on. Files keep a state in parts, its symbol apart from its distance and
detail (symbols.py). Cells that hold no position get the state of the cell before them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError, MissingDistancesError, MissingTableError
from tbgen.index.handover import Box, Cells, Distances, Entries, EntryValues, Numbers
from tbgen.score import Color, Score
from tbgen.storage.files import FileRecord, Layer, suffix_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.order import order_of
from tbgen.storage.schema import COLUMNS, DETAIL, DTG, STREAMS, SYMBOL
from tbgen.table import Patterns, Table, Tally

_LAYER_OF = {name: layer for layer in Layer for name in (*STREAMS[layer], *COLUMNS[layer])}

Ids = npt.NDArray[np.unsignedinteger[Any] | np.int64]


class TableFile(contextlib.AbstractContextManager["TableFile"]):
    """An open table: its outcomes, and its distances if they are there. Safe to use from several threads.

    The first access to distances opens them; MissingDistancesError without a file of distances.
    """

    def __init__(self, path: Path, *, outcomes_only: bool = False) -> None:
        """With `outcomes_only`, all distances are 0, because a solver of outcomes needs no others."""
        self.path, self._outcomes_only = path, outcomes_only
        self.outcomes = LayerFile(path, Layer.OUTCOMES)
        self.material, self.mobility = self.outcomes.material, self.outcomes.mobility
        self._distances: LayerFile | None = None
        self._why_no_distances = ""
        self._lock = threading.Lock()
        self.order = order_of(self.material)
        beside = path.with_name(f"{self.material}{suffix_of(Layer.DISTANCES, self.mobility)}")
        self._path_of_distances = beside
        try:
            blocks = np.array(self.order.layout.blocks, np.uint8).ravel()
            self.outcomes.expect(
                np.array_equal(self.column("block_squares"), blocks), "its pawns stand elsewhere"
            )
            try:
                self._distances = LayerFile(beside, Layer.DISTANCES)
            except MissingTableError:
                pass
            except DamagedTableError as error:
                self._why_no_distances = error.reason
        except BaseException:  # an error keeps this frame alive, and with it the file
            self.outcomes.close()
            raise
        self.has_distances = self._distances is not None or self._why_no_distances != ""
        """Whether there is a file of distances, sound or not."""

    @property
    def distances(self) -> LayerFile:
        """The file of the distances; an error of TableError if there is none that belongs to the outcomes."""
        if self._why_no_distances:
            raise DamagedTableError(str(self._path_of_distances), self._why_no_distances)
        if self._distances is None:
            raise MissingDistancesError(str(self.material), str(self.path.parent))
        is_theirs = self._distances.seal.outcomes == self.outcomes.seal.sha256
        self._distances.expect(is_theirs, "it belongs to other outcomes than those beside it")
        self._distances.expect(
            self._distances.dataset("symbol_groups").items
            == self.outcomes.dataset("symbols").items,
            "it has groups of other symbols than those of the outcomes",
        )
        return self._distances

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return self.outcomes.seal.length + (self.distances.seal.length if self.has_distances else 0)

    @property
    def digest(self) -> str:
        """The digest of everything in the outcomes file."""
        return self.outcomes.seal.sha256

    @property
    def states(self) -> Cells:
        """The meanings of the numbers in `ids`."""
        return self._meanings[0]

    @property
    def patterns(self) -> Patterns:
        return self._meanings[1]

    @property
    def symbol_of_state(self) -> npt.NDArray[np.int64]:
        """[state] -> its symbol."""
        return self._meanings[2]

    @property
    def counts(self) -> dict[Color, dict[Score, int]]:
        """How often each outcome is an entry value, by side to move, best outcome for White first."""
        rows = self.column("counts").tolist()
        return {
            side: {
                Score.from_signed(outcome): count
                for mover, outcome, count in rows
                if mover == int(side)
            }
            for side in Color
        }

    @property
    def tallies(self) -> dict[Color, dict[Score, Tally]]:
        """The same with the longest distances."""
        longest = self.longest.items()
        return {
            side: {each: tally for (mover, each), (*_, tally) in longest if mover is side}
            for side in Color
        }

    @property
    def longest(self) -> dict[tuple[Color, Score], tuple[int, str, Tally]]:
        """The longest distance to each outcome, by side to move, the FEN of a position that has it, and the tally."""
        counts, found = self.counts, dict[tuple[Color, Score], tuple[int, str, Tally]]()
        for mover, byte, dtg, cell, fen in self.column("longest").tolist():
            side, outcome, is_text = (
                Color(mover),
                Score.from_signed(byte),
                fen.isascii() and fen.decode().isprintable(),
            )
            self.distances.expect(
                is_text and cell < self.order.layout.cells, "an example is no position"
            )
            self.distances.expect(
                outcome in counts[side], f"no entry value is {outcome} with {side} to move"
            )
            found[side, outcome] = dtg, fen.decode(), Tally(counts[side][outcome], dtg, cell)
        return found

    def ids(self, first: int, end: int) -> Ids:
        """The states of consecutive places."""
        symbols, dtg = self.symbols_and_dtg(first, end)
        groups, states = (
            self.column("symbol_groups").take(symbols) + dtg,
            self.column("group_states"),
        )
        expect, place = self.distances.expect, f"a place from {first} on"
        expect(
            int(groups.max()) < len(states), f"{place} has a distance that the table does not have"
        )
        ids: Ids = states.take(groups) + self.distances.items(DETAIL, first, end)
        expect(
            int(ids.max()) < len(self.states.entry),
            f"{place} has a state that the table does not have",
        )
        is_theirs = (self.symbol_of_state[ids] == symbols).all() and (
            self.states.dtg[ids] == dtg
        ).all()
        expect(is_theirs, f"{place} has a state of another symbol or distance")
        return ids

    def symbols(self, first: int, end: int) -> Ids:
        """The symbols of consecutive places."""
        symbols: Ids = self.outcomes.items(SYMBOL, first, end)
        is_there = int(symbols.max(initial=0)) < self.outcomes.dataset("symbols").items
        self.outcomes.expect(
            is_there, f"a place from {first} on has a symbol that the table does not have"
        )
        return symbols

    def entries(self, first: int, end: int) -> Entries:
        """The entry values of consecutive places; reads outcomes alone."""
        return self._entry.take(self.symbols(first, end))

    def symbols_and_dtg(self, first: int, end: int) -> tuple[Ids, Distances]:
        """The symbols of consecutive places, and the distances of their entry values."""
        symbols = self.symbols(first, end)
        if self._outcomes_only:
            return symbols, np.zeros(end - first, np.uint16)
        stored = self.distances.items(DTG, first, end)
        dtg = flips_of(self._entry.take(symbols))
        dtg ^= stored
        self.order.black_part(first, dtg)[:] ^= 1
        return symbols, dtg

    def column(self, name: str) -> npt.NDArray[Any]:
        """A whole column, which stays in memory; do not change it."""
        return self.layer(name).column(name)

    def layer(self, name: str) -> LayerFile:
        """The file of a dataset; an error of TableError if it is the distances and they are missing or damaged."""
        return self.outcomes if _LAYER_OF[name] is Layer.OUTCOMES else self.distances

    def values(self) -> EntryValues:
        """The entry values and distances of all cells; those of cells without a position are arbitrary."""
        order = self.order
        entry, dtg = np.empty(order.layout.cells, np.int8), np.empty(order.layout.cells, np.uint16)
        for part in order.chunks:
            symbols, dtg[part] = self.symbols_and_dtg(part.start, part.stop)
            entry[part] = self._entry.take(symbols)
        return EntryValues(self.material, order.from_file(entry), order.from_file(dtg))

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        """The same for one block and side to move: the content of chunks that differ in the black king alone."""
        order = self.order
        cells, size = order.plane_places, min(order.plane_places, order.chunk_cells)
        plane, kings = (2 * block + int(side)) * cells, min(64, cells // size)
        apart = cells // kings

        def read(start: int) -> tuple[Entries, Distances]:
            places = range(plane + start, plane + cells, apart)
            symbols, dtg = zip(
                *[self.symbols_and_dtg(place, place + size) for place in places], strict=True
            )
            return self._entry.take(np.concatenate(symbols)), np.concatenate(dtg)

        return [Box(*order.box_of(start), partial(read, start)) for start in range(0, apart, size)]

    def table(self) -> Table:
        """The whole table; values of cells without a position are arbitrary."""
        order, values = self.order, self.values()
        pattern = np.empty(order.layout.cells, np.uint32)
        for part in order.chunks:
            pattern[part] = self.states.pattern[self.ids(part.start, part.stop)]
        cells = values.entry, values.dtg, order.from_file(pattern)
        return Table(self.material, *cells, self.patterns, self.tallies, mobility=self.mobility)

    def look_up(
        self, cells: npt.NDArray[np.int64], tell: Callable[[int, int], None] = lambda *_: None
    ) -> list[npt.NDArray[Any]]:
        """Entry values, distances and patterns of some cells; each chunk with any of them is read once.

        `tell` is told how many chunks of how many have been.
        """
        numbers, offsets = np.divmod(self.order.place_of(cells), self.order.chunk_cells)
        found, ids = np.argsort(numbers, kind="stable"), np.empty(len(cells), np.int64)
        starts, chunks = np.flatnonzero(np.diff(numbers[found], prepend=-1)), self.order.chunks
        for count, some in enumerate(np.split(found, starts[1:]) if len(cells) else (), 1):
            chunk = chunks[numbers[some[0]]]
            ids[some] = self.ids(chunk.start, chunk.stop)[offsets[some]]
            tell(count, len(starts))
        return [self.states.entry[ids], self.states.dtg[ids], self.states.pattern[ids]]

    def check(self) -> FileRecord:
        """Compare all bytes with the seals; DamagedTableError if they differ from what was written."""
        outcomes, distances = (
            self.outcomes.check(),
            self.distances.check() if self.has_distances else None,
        )
        return FileRecord(
            self.size, outcomes, sha256_of_distances=distances, game=str(self.mobility)
        )

    def close(self) -> None:
        """Close the files once nobody reads from them. Later reads raise a UsageError."""
        self.outcomes.close()
        if self._distances is not None:
            self._distances.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    @cached_property
    def _entry(self) -> Entries:
        """[symbol] -> entry value."""
        return np.ascontiguousarray(self.column("symbols")["entry"])

    @property
    def _meanings(self) -> tuple[Cells, Patterns, npt.NDArray[np.int64]]:
        with self._lock:  # temporary arrays may take a gigabyte, once
            return self._meanings_read

    @cached_property
    def _meanings_read(self) -> tuple[Cells, Patterns, npt.NDArray[np.int64]]:
        """The meanings of states, sorted by groups; and their symbols."""
        groups, first, records, rows = map(
            self.column, ("symbol_groups", "group_states", "states", "rows")
        )
        group = self._numbers_of_runs(first, len(records))
        symbol = self._numbers_of_runs(groups, len(first))[group]
        are_there = records["first"].astype(np.int64) + records["rows"] <= len(rows)
        self.distances.expect(are_there.all(), "a state has rows that are not there")
        pattern, patterns = _patterns_of(records, rows)
        are_whole = np.diff(patterns.start.astype(np.int64))[pattern] == records["rows"]
        self.distances.expect(
            are_whole.all(), "two states share some rows of a pattern and not all"
        )
        return (
            Cells(self._entry[symbol], (group - groups[symbol]).astype(np.uint16), pattern),
            patterns,
            symbol,
        )

    def _numbers_of_runs(self, first: npt.NDArray[Any], end: int) -> npt.NDArray[np.int64]:
        """[item] -> the number of its run. Each run is given by its first item, and may be empty."""
        starts = np.append(first, end).astype(np.int64)
        lengths = starts[1:] - starts[:-1]
        self.distances.expect(
            starts[0] == 0 and (lengths >= 0).all(), "its groups do not follow each other"
        )
        return np.repeat(np.arange(len(first)), lengths)


def flips_of(entry: Entries) -> Distances:
    """The bit of a distance that a file has flipped with White to move, by entry value; with Black to move the other.

    Who holds an outcome reaches it with a move, so the distance is odd if that side is to move and even if not. With
    the lowest bit flipped in one case the number is always even, and compresses as its half would.
    """
    return (entry > 0).astype(np.uint16)


def _patterns_of(records: npt.NDArray[Any], rows: npt.NDArray[Any]) -> tuple[Numbers, Patterns]:
    """The pattern of each state, and all patterns: those of the table with these details."""
    first, count = records["first"], records["rows"]
    begins = np.zeros(len(rows) + 1, np.bool_)
    begins[first[count > 0]] = True
    number = np.where(count > 0, np.cumsum(begins, dtype=np.uint32)[first], 0).astype(np.uint32)
    start = np.concatenate([[0], np.flatnonzero(begins), [len(rows)]]).astype(np.uint32)
    return number, Patterns(
        start, *[np.ascontiguousarray(rows[name]) for name in ("holder", "code", "outcome", "dtg")]
    )
