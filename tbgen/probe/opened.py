"""Opened: the tables of some folders, each opened when it is first needed, and which of them answers for a board."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import chess

from tbgen.errors import MissingTableError, TooManyMenError, UsageError
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.probe.shelf import ChunkCache, Shelf, StoredPosition
from tbgen.rules.position import material_of
from tbgen.storage.files import folder_with, path_of
from tbgen.storage.reader import TableFile


class Answering(NamedTuple):
    """A material as it stands on a board, and the table that answers for it."""

    material: Material
    shelf: Shelf
    flipped: bool
    """Whether colours are reversed in the table."""

    def find(self, board: chess.Board) -> StoredPosition:
        """Where the value of a legal position of the material lies."""
        return self.shelf.find(board, flipped=self.flipped)


class OpenTables:
    """Tables, opened when they are first needed; from several threads.

    The first of `folders` that has a table counts; an error of a missing one names them all.
    """

    def __init__(self, folders: Sequence[Path], cache_bytes: int, *, outcomes_only: bool) -> None:
        self.folders, self.named = folders, ", ".join(map(str, folders))
        self._outcomes_only = outcomes_only
        self.cache = ChunkCache(cache_bytes)
        self._shelves: dict[Material, Shelf] = {}
        self._known: dict[int, Answering] = {}
        self._lock = threading.Lock()
        self.closed = False

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            self.closed = True
            for shelf in self._shelves.values():
                shelf.file.close()
            self._shelves.clear()
            self._known.clear()
        self.cache.clear()

    def shelf(self, material: Material) -> Shelf:
        """The open table that answers for a material."""
        canonical = material.canonical()
        with self._lock:
            if self.closed:
                raise UsageError("the tablebase is closed")
            if canonical not in self._shelves:
                path = self._path_of(material)
                self._shelves[canonical] = Shelf(TableFile(path), self.cache, outcomes_only=self._outcomes_only)
            return self._shelves[canonical]

    def met(self, board: chess.Board) -> Answering | None:
        """The table that answers for a board, if it has been asked for one with the same men before."""
        return self._known.get(_key_of(board))

    def answering(self, board: chess.Board) -> Answering:
        """The table that answers for a board."""
        key = _key_of(board)
        known = self._known.get(key)
        return self._learn(key, material_of(board)) if known is None else known

    def _learn(self, key: int, material: Material) -> Answering:
        """Open a material's table, and know it by its key from now on."""
        found = Answering(material, self.shelf(material), not material.is_canonical)
        with self._lock:
            if not self.closed:
                self._known[key] = found
        return found

    def _path_of(self, material: Material) -> Path:
        """The file that answers for a material; MissingTableError names the folders that the user has named.

        TooManyMenError where the missing table has six men or more: hardly anybody could build it (record 282).
        """
        canonical = material.canonical()
        try:
            return path_of(folder_with(self.folders, canonical), canonical)
        except MissingTableError:
            if material.men > MOST_TABLE_MEN:
                raise TooManyMenError(str(material), material.men, MOST_TABLE_MEN) from None
            raise MissingTableError(str(canonical), self.named) from None


def _key_of(board: chess.Board) -> int:
    """How many men of each kind either side has, as one number."""
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    key = 0
    for men in (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings):
        key = key << 8 | (men & white).bit_count() << 4 | (men & black).bit_count()
    return key
