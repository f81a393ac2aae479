"""A table, opened for questions about single cells or read whole.

A *state* is an entry value, its distance and a pattern of the middle. A table has few different
ones, numbered from the most frequent on. Files keep a state in parts, its symbol apart from its
distance and detail (symbols.py). Cells that hold no position get the state of the cell before them.
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
from tbgen.score import Color, Score
from tbgen.storage.files import FileRecord, Layer, suffix_of
from tbgen.storage.layerfile import LayerFile, rows_by_chunk
from tbgen.storage.order import order_of
from tbgen.storage.schema import COLUMNS, DETAIL, DTG, STREAMS, SYMBOL
from tbgen.table import Box, Cells, Distances, Entries, EntryValues, Numbers, Patterns, Table, Tally

_DATASETS_OF_OUTCOMES = {*STREAMS[Layer.OUTCOMES], *COLUMNS[Layer.OUTCOMES]}

Ids = npt.NDArray[np.unsignedinteger[Any] | np.int64]


class TableFile(contextlib.AbstractContextManager["TableFile"]):
    """An open table: its outcomes, and its distances if there are any.

    Several threads may use it. The first access to distances opens them; MissingDistancesError
    without a file of distances.
    """

    def __init__(self, path: Path, *, outcomes_only: bool = False) -> None:
        """With `outcomes_only`, all distances are 0: a solver of outcomes needs no others."""
        self.path = path
        self.outcomes_only = outcomes_only
        self.outcomes = LayerFile(path, Layer.OUTCOMES)
        self.material = self.outcomes.material
        self.mobility = self.outcomes.mobility
        self.order = order_of(self.material)
        self._meanings_lock = threading.Lock()
        name = f"{self.material}{suffix_of(Layer.DISTANCES, self.mobility)}"
        self._path_of_distances = path.with_name(name)
        self._distances: LayerFile | None = None
        self._why_no_distances = ""
        try:
            self._check_blocks()
            self.has_distances = self._open_distances()
            """Whether there is a file of distances, sound or not."""
        except BaseException:  # an error keeps this frame alive, and with it the file
            self.outcomes.close()
            raise

    def _check_blocks(self) -> None:
        """Whether the blocks are those of the layout, in its order."""
        blocks = np.array(self.order.layout.blocks, np.uint8).ravel()
        are_the_same = np.array_equal(self.column("block_squares"), blocks)
        self.outcomes.expect(are_the_same, "its pawns stand elsewhere")

    def _open_distances(self) -> bool:
        """Open the distances; whether they are there.

        What else has their name must not hide the outcomes.
        """
        try:
            self._distances = LayerFile(self._path_of_distances, Layer.DISTANCES)
        except MissingTableError:
            return False
        except DamagedTableError as error:
            self._why_no_distances = error.reason
        return True

    @property
    def distances(self) -> LayerFile:
        """The file of the distances.

        An error of TableError if there is none that belongs to the outcomes.
        """
        if self._why_no_distances:
            raise DamagedTableError(str(self._path_of_distances), self._why_no_distances)
        if self._distances is None:
            raise MissingDistancesError(str(self.material), str(self.path.parent))
        distances = self._distances
        is_theirs = distances.seal.outcomes == self.outcomes.seal.sha256
        distances.expect(
            is_theirs, "it belongs to other outcomes than those beside it, or they are damaged"
        )
        groups = distances.dataset("symbol_groups").items
        has_all = groups == self.outcomes.dataset("symbols").items
        distances.expect(has_all, "it has groups of other symbols than those of the outcomes")
        return distances

    @property
    def size(self) -> int:
        """The bytes of its files."""
        size = self.outcomes.seal.length
        if self.has_distances:
            size += self.distances.seal.length
        return size

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
        return self._meanings[2]

    @property
    def counts(self) -> dict[Color, dict[Score, int]]:
        """How often each outcome is an entry value, by side to move, the best for White first."""
        counts: dict[Color, dict[Score, int]] = {side: {} for side in Color}
        for mover, outcome, count in self.column("counts").tolist():
            counts[Color(mover)][Score.from_signed(outcome)] = count
        return counts

    @property
    def tallies(self) -> dict[Color, dict[Score, Tally]]:
        """The same with the longest distances."""
        tallies: dict[Color, dict[Score, Tally]] = {side: {} for side in Color}
        for (side, outcome), (_, _, tally) in self.longest.items():
            tallies[side][outcome] = tally
        return tallies

    @property
    def longest(self) -> dict[tuple[Color, Score], tuple[int, str, Tally]]:
        """The longest distance to each outcome, by side to move.

        Beside it are the FEN of a position that has it, and the tally.
        """
        counts = self.counts
        longest = dict[tuple[Color, Score], tuple[int, str, Tally]]()
        for mover, byte, dtg, cell, fen in self.column("longest").tolist():
            side = Color(mover)
            outcome = Score.from_signed(byte)
            is_text = fen.isascii() and fen.decode().isprintable()
            is_position = is_text and cell < self.order.layout.cells
            self.distances.expect(is_position, "an example is no position")
            is_counted = outcome in counts[side]
            self.distances.expect(is_counted, f"no entry value is {outcome} with {side} to move")
            tally = Tally(counts[side][outcome], dtg, cell)
            longest[side, outcome] = (dtg, fen.decode(), tally)
        return longest

    def ids(self, first: int, end: int) -> Ids:
        """The states of consecutive places."""
        symbols, dtg = self.symbols_and_dtg(first, end)
        groups = self.column("symbol_groups").take(symbols) + dtg
        first_states = self.column("group_states")
        expect = self.distances.expect
        place = f"a place from {first} on"
        is_group = int(groups.max()) < len(first_states)
        expect(is_group, f"{place} has a distance that the table does not have")
        ids: Ids = first_states.take(groups) + self.distances.items(DETAIL, first, end)
        is_state = int(ids.max()) < len(self.states.entry)
        expect(is_state, f"{place} has a state that the table does not have")
        is_of_group = (self.symbol_of_state[ids] == symbols) & (self.states.dtg[ids] == dtg)
        expect(is_of_group.all(), f"{place} has a state of another symbol or distance")
        return ids

    def numbers(self, first: int, end: int) -> Ids:
        """The states of consecutive places, or their symbols where outcomes alone are read."""
        if self.outcomes_only:
            return self.symbols(first, end)
        return self.ids(first, end)

    def values_of(self, numbers: Ids) -> Cells:
        """What `numbers` mean.

        Where outcomes alone are read, symbols stand for patterns, and distances are 0.
        """
        if self.outcomes_only:
            no_distances = np.zeros(len(numbers), np.uint16)
            return Cells(self.entries_of(numbers), no_distances, numbers.astype(np.uint32))
        states = self.states
        return Cells(states.entry[numbers], states.dtg[numbers], states.pattern[numbers])

    def symbols(self, first: int, end: int) -> Ids:
        """The symbols of consecutive places."""
        symbols: Ids = self.outcomes.items(SYMBOL, first, end)
        is_symbol = int(symbols.max(initial=0)) < self.outcomes.dataset("symbols").items
        reason = f"a place from {first} on has a symbol that the table does not have"
        self.outcomes.expect(is_symbol, reason)
        return symbols

    def entries(self, first: int, end: int) -> Entries:
        """The entry values of consecutive places; reads outcomes alone."""
        return self.entries_of(self.symbols(first, end))

    def entries_of(self, symbols: Ids) -> Entries:
        return self.entry_of_symbol.take(symbols)

    def symbols_and_dtg(self, first: int, end: int) -> tuple[Ids, Distances]:
        """The symbols of consecutive places, and the distances of their entry values."""
        symbols = self.symbols(first, end)
        if self.outcomes_only:
            return symbols, np.zeros(end - first, np.uint16)
        dtg = flips_of(self.entry_of_symbol.take(symbols))
        dtg ^= self.distances.items(DTG, first, end)
        self.order.black_part(first, dtg)[:] ^= 1
        return symbols, dtg

    def column(self, name: str) -> npt.NDArray[Any]:
        """A whole column, which stays in memory; do not change it."""
        return self.layer(name).column(name)

    def layer(self, name: str) -> LayerFile:
        """The file of a dataset.

        An error of TableError if it is the distances and they are missing or damaged.
        """
        return self.outcomes if name in _DATASETS_OF_OUTCOMES else self.distances

    def values(self) -> EntryValues:
        """The entry values and distances of all cells.

        Those of cells without a position are arbitrary.
        """
        entry, dtg = self._values_of_places(0, self.order.layout.cells)
        return EntryValues(self.material, entry, dtg)

    def planes(self, first: int, end: int) -> tuple[Entries, Distances]:
        """The same of some planes: all cells of a block with one side to move are a plane."""
        plane = self.order.plane_places
        return self._values_of_places(first * plane, end * plane)

    def _values_of_places(self, start: int, stop: int) -> tuple[Entries, Distances]:
        """Entry values and distances of whole planes, in the order of the layout's cells."""
        order = self.order
        entry = np.empty(stop - start, np.int8)
        dtg = np.zeros(stop - start, np.uint16)
        for first in range(start, stop, order.chunk_cells):
            end = min(first + order.chunk_cells, stop)
            part = slice(first - start, end - start)
            if self.outcomes_only:
                entry[part] = self.entries(first, end)
            else:
                symbols, dtg[part] = self.symbols_and_dtg(first, end)
                entry[part] = self.entries_of(symbols)
        if not self.outcomes_only:
            dtg = order.from_file(dtg)
        return order.from_file(entry), dtg

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        """The entry values and distances of one block and side to move.

        A box has the chunks that differ in the black king alone.
        """
        order = self.order
        cells = order.plane_places
        plane = (2 * block + int(side)) * cells
        size = min(cells, order.chunk_cells)
        # A chunk has several black kings if the plane has fewer than 64 chunks.
        apart = cells // min(64, cells // size)

        def read(start: int) -> tuple[Entries, Distances]:
            symbols = list[Ids]()
            distances = list[Distances]()
            for place in range(plane + start, plane + cells, apart):
                symbols_of_chunk, dtg = self.symbols_and_dtg(place, place + size)
                symbols.append(symbols_of_chunk)
                distances.append(dtg)
            return self.entry_of_symbol.take(np.concatenate(symbols)), np.concatenate(distances)

        return [Box(*order.box_of(start), partial(read, start)) for start in range(0, apart, size)]

    def table(self) -> Table:
        """The whole table; values of cells without a position are arbitrary."""
        order = self.order
        values = self.values()
        pattern = np.empty(order.layout.cells, np.uint32)
        for part in order.chunks:
            pattern[part] = self.states.pattern[self.ids(part.start, part.stop)]
        return Table(
            self.material,
            values.entry,
            values.dtg,
            order.from_file(pattern),
            self.patterns,
            self.tallies,
            mobility=self.mobility,
        )

    def look_up(
        self, cells: npt.NDArray[np.int64], tell: Callable[[int, int], None] = lambda *_: None
    ) -> Cells:
        """The values of some cells; each chunk of theirs is read once.

        `tell` is told how many chunks of how many have been.
        """
        places = self.order.place_of(cells)
        ids = np.empty(len(cells), np.int64)
        chunks = self.order.chunks
        needed = list(rows_by_chunk(places, self.order.chunk_cells))
        for count, (number, rows, offsets) in enumerate(needed, 1):
            chunk = chunks[number]
            ids[rows] = self.numbers(chunk.start, chunk.stop)[offsets]
            tell(count, len(needed))
        return self.values_of(ids)

    def check(self) -> FileRecord:
        """Compare all bytes with the seals.

        DamagedTableError if they differ from what was written.
        """
        return FileRecord(
            self.size,
            self.outcomes.check(),
            sha256_of_distances=self.distances.check() if self.has_distances else None,
            game=str(self.mobility),
        )

    def close(self) -> None:
        """Close the files once nobody reads from them. Later reads raise a UsageError."""
        self.outcomes.close()
        if self._distances is not None:
            self._distances.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    @cached_property
    def entry_of_symbol(self) -> Entries:
        return np.ascontiguousarray(self.column("symbols")["entry"])

    @property
    def _meanings(self) -> tuple[Cells, Patterns, npt.NDArray[np.int64]]:
        with self._meanings_lock:  # temporary arrays may take a gigabyte, once
            return self._meanings_read

    @cached_property
    def _meanings_read(self) -> tuple[Cells, Patterns, npt.NDArray[np.int64]]:
        """The meanings of states, sorted by groups; and their symbols."""
        first_groups = self.column("symbol_groups")
        first_states = self.column("group_states")
        records = self.column("states")
        rows = self.column("rows")
        group = self._numbers_of_runs(first_states, len(records))
        symbol = self._numbers_of_runs(first_groups, len(first_states))[group]
        dtg = (group - first_groups[symbol]).astype(np.uint16)
        are_there = records["first"].astype(np.int64) + records["rows"] <= len(rows)
        self.distances.expect(are_there.all(), "a state has rows that are not there")
        pattern, patterns = _patterns_of(records, rows)
        are_whole = np.diff(patterns.start.astype(np.int64))[pattern] == records["rows"]
        reason = "two states share some rows of a pattern and not all"
        self.distances.expect(are_whole.all(), reason)
        return Cells(self.entry_of_symbol[symbol], dtg, pattern), patterns, symbol

    def _numbers_of_runs(self, first: npt.NDArray[Any], end: int) -> npt.NDArray[np.int64]:
        """[item] -> the number of its run.

        Each run is given by its first item, and may be empty.
        """
        starts = np.append(first, end).astype(np.int64)
        lengths = np.diff(starts)
        are_in_order = starts[0] == 0 and (lengths >= 0).all()
        self.distances.expect(are_in_order, "its groups do not follow each other")
        return np.repeat(np.arange(len(first)), lengths)


def flips_of(entry: Entries) -> Distances:
    """The bit of a distance that a file flips with White to move, by entry value.

    With Black to move it flips the other one. Who holds an outcome reaches it with a move, so the
    distance is odd if that side is to move and even if not. With the lowest bit flipped in one case
    the number is always even, and compresses as its half would.
    """
    return (entry > 0).astype(np.uint16)


def _patterns_of(records: npt.NDArray[Any], rows: npt.NDArray[Any]) -> tuple[Numbers, Patterns]:
    """The pattern of each state, and all patterns: those of the table with these details."""
    first = records["first"]
    has_rows = records["rows"] > 0
    begins = np.zeros(len(rows) + 1, np.bool_)
    begins[first[has_rows]] = True
    number = np.where(has_rows, np.cumsum(begins, dtype=np.uint32)[first], 0).astype(np.uint32)
    start = np.concatenate([[0], np.flatnonzero(begins), [len(rows)]]).astype(np.uint32)
    patterns = Patterns(
        start,
        holder=np.ascontiguousarray(rows["holder"]),
        code=np.ascontiguousarray(rows["code"]),
        outcome=np.ascontiguousarray(rows["outcome"]),
        dtg=np.ascontiguousarray(rows["dtg"]),
    )
    return number, patterns
