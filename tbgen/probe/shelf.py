"""Shelf: one open table, asked for single positions of python-chess and for many at once."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from typing import Final

import chess
import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout
from tbgen.score import MOST_STORED_CODE, Accrued, Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.storage.states import Ids

Value = tuple[Outcome, int]
"""An outcome and the plies to it."""

_RANK_FLIP: Final = 56
_BYTES: Final = range(-MOST_STORED_CODE - 1, MOST_STORED_CODE + 2)
_OUTCOMES: Final = {byte: Outcome.from_byte(byte) for byte in _BYTES if byte}
_FLIPPED: Final = {outcome: outcome.flipped() for outcome in _OUTCOMES.values()}


class ChunkCache:
    """The chunks that were used last, of all tables together."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._chunks: OrderedDict[tuple[int, int], Ids] = OrderedDict()
        self._lock = threading.Lock()

    def chunk(self, file: TableFile, number: int) -> Ids:
        """A chunk of a table, from memory or from the disk."""
        key = (id(file), number)
        with self._lock:
            found = self._chunks.get(key)
            if found is not None:
                self._chunks.move_to_end(key)
                return found
        ids = file.chunk(number)
        with self._lock:
            if key not in self._chunks:
                self._chunks[key] = ids
                self._bytes += ids.nbytes
            while self._bytes > self._most_bytes and len(self._chunks) > 1:
                self._bytes -= self._chunks.popitem(last=False)[1].nbytes
        return ids

    def clear(self) -> None:
        with self._lock:
            self._chunks.clear()
            self._bytes = 0


class StoredPosition:
    """Where a position's value lies in a table; `flipped` says that its colours are reversed there."""

    __slots__ = ("_flipped", "_shelf", "_state")

    def __init__(self, shelf: Shelf, state: int, *, flipped: bool) -> None:
        self._shelf = shelf
        self._state = state
        self._flipped = flipped

    def entry(self) -> Value:
        """The entry value."""
        states = self._shelf.states
        outcome = _OUTCOMES[states.entry.item(self._state)]
        return _FLIPPED[outcome] if self._flipped else outcome, states.dtg.item(self._state)

    def held(self, accrued: Accrued) -> Value:
        """The value where nobody can better the accrued score for its holder."""
        shelf = self._shelf
        pattern = shelf.states.pattern.item(self._state)
        if not self._flipped:
            return shelf.patterns.value(pattern, accrued)
        outcome, dtg = shelf.patterns.value(pattern, accrued.flipped())
        return outcome.flipped(), dtg


class Shelf:
    """An open table with what it takes to find positions in it."""

    def __init__(self, file: TableFile, cache: ChunkCache) -> None:
        self.file = file
        self.states = file.states
        self.patterns = file.patterns
        self.layout: Layout = file.order.layout
        self._cache = cache
        self._groups = [
            (color is Color.WHITE, int(role), len(list(slots)))
            for (color, role), slots in itertools.groupby(self.layout.slots)
        ]

    def place_of(self, board: chess.Board, *, flipped: bool) -> StoredPosition:
        """Where a legal position lies."""
        order = self.file.order
        side = int(board.turn is flipped)
        chunk, offset = divmod(
            order.place_of(self.layout.cell_of(side, self._squares(board, flipped))), order.chunk_cells
        )
        return StoredPosition(self, self._cache.chunk(self.file, chunk).item(offset), flipped=flipped)

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

    def ids(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        """The states of many cells, chunk by chunk."""
        places = self.file.order.places_of(cells)
        by_place = np.argsort(places)
        chunks = places[by_place] // self.file.order.chunk_cells
        ends = np.flatnonzero(np.diff(chunks, append=-1)) + 1
        ids = np.empty(len(cells), np.uint32)
        for start, end in zip([0, *ends[:-1]], ends, strict=False):
            rows, number = by_place[start:end], int(chunks[start])
            chunk = self._cache.chunk(self.file, number)
            ids[rows] = chunk[places[rows] - number * self.file.order.chunk_cells]
        return ids
