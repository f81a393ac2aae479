"""Syzygy: who wins by tables of ordinary chess, the fifty-move rule ignored.

A side forces mate in r-mobility where it does so in ordinary chess: play without end is worth the accrued score, which
is no mate. So cursed wins and blessed losses are wins and losses here. In a drawn position nobody forces mate.
"""

from __future__ import annotations

import contextlib
import itertools
import struct
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Final

import chess
import numpy as np

from tbgen.errors import UnreadableFileError, UsageError
from tbgen.index.layout import Slot, Squares, slots_of
from tbgen.material import Material
from tbgen.rules.position import material_of
from tbgen.storage.files import Folders, folders_in
from tbgen.table import Entries

UNKNOWN: Final = 2
"""Who wins, as a number: White (1), Black (-1), nobody (0), or this if a table is missing."""
_MOST_PLANES: Final = 32


class SyzygyTables:
    """Tables of ordinary chess.

    Arguments:
        probe: Of a legal position 1 if the side to move wins, -1 if it loses, 0 for a draw, None if that is unknown.
        digest: Tells these tables from others; empty if there are none.
    """

    def __init__(self, probe: Callable[[chess.Board], int | None] = lambda _: None, digest: str = "") -> None:
        self._probe, self.digest, self._lock = probe, digest, threading.Lock()
        self._kept, self._stopped = lru_cache(_MOST_PLANES)(self._find), False

    def stop(self) -> None:
        """End what is asked in other threads: a block takes minutes."""
        self._stopped = True

    def winner(self, board: chess.Board) -> int:
        """Who wins in a legal position."""
        found = self._probe(board)
        return UNKNOWN if found is None else found if board.turn else -found

    def winners(self, material: Material, pawns: Squares, man: Slot, square: int) -> Entries:
        """Who wins, by the squares of the other men, with the pawns and a man fixed and the man's opponent to move.

        The other men are in the order of the layout. Both solvers of a block ask at once; the tables answer once.
        """
        with self._lock:
            return self._kept(material, pawns, man, square)

    def _find(self, material: Material, pawns: Squares, man: Slot, square: int) -> Entries:
        slots = [*slots_of(material)]
        slots.remove(man)
        men = [chess.Piece(int(role), color.chess) for color, role in (*slots[: len(pawns)], man, *slots[len(pawns) :])]
        free, board = len(slots) - len(pawns), chess.Board(None)
        found = np.full(64**free, UNKNOWN, np.int8)
        board.turn = man[0].other.chess
        for cell, others in enumerate(itertools.product(range(64), repeat=free)):
            board.set_piece_map(dict(zip((*pawns, square, *others), men, strict=True)))
            if self._stopped:
                raise InterruptedError
            if board.occupied.bit_count() == len(men) and not board.was_into_check():
                found[cell] = self.winner(board)
        return found


NO_SYZYGY: Final = SyzygyTables()


@contextlib.contextmanager
def open_syzygy(folders: Folders | None) -> Iterator[SyzygyTables]:
    """The Syzygy tables of some folders, if any are named; UsageError for a folder that has none.

    The tables raise UnreadableFileError if one of them is damaged.
    """
    if folders is None:
        yield SyzygyTables()
        return
    import chess.syzygy

    with contextlib.closing(chess.syzygy.Tablebase()) as tables:
        files = list[tuple[str, int]]()
        for folder in folders_in(folders):
            if not folder.is_dir() or not tables.add_directory(str(folder), load_dtz=False):
                raise UsageError(f"no Syzygy tables in {folder}; name a folder with files such as KQvK.rtbw")
            files += [(path.name, path.stat().st_size) for path in folder.glob("*.rtbw") if path.is_file()]

        def probe(board: chess.Board) -> int | None:
            try:
                value: int = tables.probe_wdl(board)
            except KeyError:  # a table is missing, or there are too many men
                return None
            except (OSError, ValueError, IndexError, AssertionError, RecursionError, struct.error) as error:  # damaged
                raise UnreadableFileError(f"a Syzygy table for {material_of(board)}", str(error)) from None
            return (value > 0) - (value < 0)

        yield SyzygyTables(probe, sha256(repr(sorted(files)).encode()).hexdigest())
