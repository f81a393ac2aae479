"""Syzygy: the winner by tables of ordinary chess, without the fifty-move rule.

A side forces mate in r-mobility where it does so in ordinary chess: play without end is worth the
accrued score, which is no mate. So cursed wins and blessed losses are wins and losses here. In a
drawn position nobody forces mate.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterator
from typing import Final

import chess

from tbgen.errors import UnreadableFileError, UsageError
from tbgen.rules.position import material_of
from tbgen.storage.files import Folders, folders_in

UNKNOWN: Final = 2
"""The winner as a number: White (1), Black (-1), nobody (0), or this without a table."""


Winner = Callable[[chess.Board], int]
"""Finds the winner of a legal position."""


def no_tables(_: chess.Board) -> int:
    """The winner without tables: unknown."""
    return UNKNOWN


@contextlib.contextmanager
def open_syzygy(folders: Folders | None, *, counts_fifty_moves: bool = False) -> Iterator[Winner]:
    """The Syzygy tables of some folders, if any are named; UsageError for a folder that has none.

    If fifty moves count, a win that they would spoil is none. The tables raise UnreadableFileError
    if one of them is damaged.
    """
    if folders is None:
        yield no_tables
        return
    import chess.syzygy

    # python-chess gives 1 for wins that the rule spoils, 2 for others.
    least = 2 if counts_fifty_moves else 1
    with contextlib.closing(chess.syzygy.Tablebase()) as tables:
        for folder in folders_in(folders):
            if not folder.is_dir() or not tables.add_directory(str(folder), load_dtz=False):
                raise UsageError(
                    f"no Syzygy tables in {folder}; name a folder with files such as KQvK.rtbw"
                )

        def winner(board: chess.Board) -> int:
            try:
                value: int = tables.probe_wdl(board)
            except KeyError:  # a table is missing, or there are too many men
                return UNKNOWN
            except (
                OSError,
                ValueError,
                IndexError,
                AssertionError,
                RecursionError,
                struct.error,
            ) as error:  # damaged
                raise UnreadableFileError(
                    f"a Syzygy table for {material_of(board)}", str(error)
                ) from None
            if abs(value) < least:
                return 0
            return 1 if (value > 0) == board.turn else -1

        yield winner
