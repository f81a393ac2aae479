"""Shelf: one open table, asked for single positions of python-chess and for many at once."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from typing import Any, Final, cast

import chess
import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout
from tbgen.score import MOST_STORED_CODE, Accrued, Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import PATTERN_FIELDS, STATE, STATE_FIELDS
from tbgen.table import Patterns

Value = tuple[Outcome, int]
"""An outcome and the plies to it."""

_RANK_FLIP: Final = 56
_BYTES: Final = range(-MOST_STORED_CODE - 1, MOST_STORED_CODE + 2)
_OUTCOMES: Final = {byte: Outcome.from_byte(byte) for byte in _BYTES if byte}
_FLIPPED: Final = {outcome: outcome.flipped() for outcome in _OUTCOMES.values()}


Places = npt.NDArray[np.int64]


class ChunkCache:
    """The chunks that were used last, of all tables together."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._chunks: OrderedDict[tuple[int, str, int], npt.NDArray[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def chunk(self, file: TableFile, name: str, number: int) -> npt.NDArray[Any]:
        """A chunk of the states of a table's places, or of a column, from memory or from the disk."""
        key = (id(file), name, number)
        with self._lock:
            found = self._chunks.get(key)
            if found is not None:
                self._chunks.move_to_end(key)
                return found
        chunk = file.chunk(number) if name == STATE else file.column_part(name, number)
        with self._lock:
            if key not in self._chunks:
                self._chunks[key] = chunk
                self._bytes += chunk.nbytes
            while self._bytes > self._most_bytes and len(self._chunks) > 1:
                self._bytes -= self._chunks.popitem(last=False)[1].nbytes
        return chunk

    def clear(self) -> None:
        with self._lock:
            self._chunks.clear()
            self._bytes = 0


class Strip:
    """The states of a table's places or one of its columns, of which only the chunks that are asked for are read."""

    __slots__ = ("_cache", "_file", "_name", "_size")

    def __init__(self, file: TableFile, name: str, cache: ChunkCache) -> None:
        self._file, self._name, self._cache = file, name, cache
        self._size = file.part_items(name)

    def __getitem__(self, place: int) -> Any:
        """One item."""
        number, offset = divmod(place, self._size)
        return self._cache.chunk(self._file, self._name, number).item(offset)

    def items(self, places: Places) -> npt.NDArray[Any]:
        """Many items, chunk by chunk."""
        by_place = np.argsort(places, kind="stable")
        numbers = places[by_place] // self._size
        ends = np.flatnonzero(np.diff(numbers, append=-1)) + 1
        parts = []
        for start, end in zip([0, *ends[:-1]], ends, strict=False):
            number = int(numbers[start])
            chunk = self._cache.chunk(self._file, self._name, number)
            parts.append(chunk[places[by_place[start:end]] - number * self._size])
        found = np.concatenate(parts) if parts else self._file.column(self._name)[:0]
        result = np.empty_like(found)
        result[by_place] = found
        return result


class StoredPosition:
    """Where a position's value lies in a table; `flipped` says that its colours are reversed there."""

    __slots__ = ("_flipped", "_shelf", "_state")

    def __init__(self, shelf: Shelf, state: int, *, flipped: bool) -> None:
        self._shelf = shelf
        self._state = state
        self._flipped = flipped

    def entry(self) -> Value:
        """The entry value."""
        outcome, dtg = _OUTCOMES[self._shelf.entry[self._state]], self._shelf.dtg[self._state]
        return _FLIPPED[outcome] if self._flipped else outcome, dtg

    def held(self, accrued: Accrued) -> Value:
        """The value where nobody can better the accrued score for its holder."""
        shelf = self._shelf
        pattern = shelf.pattern[self._state]
        if not self._flipped:
            return shelf.held(pattern, accrued)
        outcome, dtg = shelf.held(pattern, accrued.flipped())
        return outcome.flipped(), dtg


class Shelf:
    """An open table with what it takes to find positions in it."""

    def __init__(self, file: TableFile, cache: ChunkCache) -> None:
        self.file = file
        self.layout: Layout = file.order.layout
        self.entry, self.dtg, self.pattern = (Strip(file, f"state_{name}", cache) for name in STATE_FIELDS)
        self._states = Strip(file, STATE, cache)
        self._rows = [Strip(file, f"pattern_{name}", cache) for name in PATTERN_FIELDS]
        self._patterns = Patterns(*cast("list[Any]", self._rows))
        self._groups = [
            (color is Color.WHITE, int(role), len(list(slots)))
            for (color, role), slots in itertools.groupby(self.layout.slots)
        ]

    def find(self, board: chess.Board, *, flipped: bool) -> StoredPosition:
        """Where a legal position lies."""
        cell = self.layout.cell_of(int(board.turn is flipped), self._squares(board, flipped))
        return StoredPosition(self, self._states[self.file.order.place_of(cell)], flipped=flipped)

    def held(self, pattern: int, accrued: Accrued) -> Value:
        """What a pattern makes of an accrued score that nobody can better for its holder."""
        return self._patterns.value(pattern, accrued)

    def all_held(self, pattern: npt.NDArray[np.uint32], accrued: Places) -> tuple[Places, Places]:
        """The same for many positions: signed outcomes and distances, of signed accrued scores."""
        some, which = np.unique(pattern.astype(np.int64), return_inverse=True)
        first, end = (self._rows[0].items(some + n).astype(np.int64) for n in range(2))
        start = np.concatenate([[0], np.cumsum(end - first)])
        rows = np.arange(start[-1]) + np.repeat(first - start[:-1], end - first)
        columns = [column.items(rows) for column in self._rows[1:]]
        return Patterns(start.astype(np.uint32), *columns).values(which.astype(np.uint32), accrued)

    def _squares(self, board: chess.Board, flipped: bool) -> list[int]:
        """The squares of the layout's slots; with reversed colours the board is turned upside down."""
        men = (0, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        turn = _RANK_FLIP if flipped else 0
        squares = []
        for white, role, _ in self._groups:
            mask = men[role] & board.occupied_co[white is not flipped]
            while mask:
                squares.append((mask & -mask).bit_length() - 1 ^ turn)
                mask &= mask - 1
        return squares

    def ids(self, cells: Places) -> npt.NDArray[np.int64]:
        """The states of many cells."""
        return self._states.items(self.file.order.places_of(cells)).astype(np.int64)
