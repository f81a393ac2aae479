"""Tables that decide games: tbgen's with exact scores, and Syzygy's for wins. They are imported when first used."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

from tbgen.apps.games.tags import Source
from tbgen.errors import MissingFolderError, UsageError
from tbgen.rules.game import Game, final_outcome
from tbgen.rules.position import color_of
from tbgen.score import Score
from tbgen.text import in_so_many

ADJUDICATION = "adjudication"


@dataclass(frozen=True, slots=True)
class Ending:
    """A final score, where it comes from and why; `termination` is the value of the tag."""

    outcome: Score
    source: Source
    termination: str
    details: str
    table: str | None = None
    """The name of the table that decided, with the plies until the score is reached."""


Decider = Callable[[Game], Ending | None]
"""Tables that may know the outcome of a game in play: the ending by best play, or None."""


@contextlib.contextmanager
def table_decider(folders: str, most_men: int) -> Iterator[Decider]:
    """The tables of one folder or several, joined: the optimal result with the score on the sheet."""
    from tbgen.apps.games.decide import Adjudicator
    from tbgen.probe import Tablebase

    try:
        tables = Tablebase(folders)
    except MissingFolderError as error:
        raise UsageError(f"-tb {folders}: there is no folder {error.folder}") from None
    if not tables.available():
        first = tables.folders[0]
        raise UsageError(f"-tb {folders}: there are no tables; build some with: tbgen build --men 3 --data {first}")
    adjudicator = Adjudicator(tables)

    def decide(game: Game) -> Ending | None:
        if chess.popcount(game.board.occupied) > most_men:
            return None
        verdict = adjudicator.decide(game)
        words = f"tablebase {verdict.final} {in_so_many(verdict.dtg)}"
        if verdict.clocked is not None and verdict.clocked.matters:
            words += f", but {verdict.clocked}"
        is_known = verdict.source is Source.TABLEBASE
        return Ending(verdict.final, verdict.source, ADJUDICATION, words, table=verdict.table) if is_known else None

    with tables:
        yield decide


@contextlib.contextmanager
def syzygy_decider(folders: str, most_men: int, *, ignore_fifty_moves: bool) -> Iterator[Decider]:
    """Wins by Syzygy tables: they mean mate, as the fifty-move rule goes.

    A won position counts right after a reset, when the tables are exact; with `ignore_fifty_moves` at any time,
    and a win that the fifty-move rule would spoil counts too.
    """
    import chess.syzygy

    least = 1 if ignore_fifty_moves else 2  # a win that the fifty-move rule would spoil has 1, any other 2
    with contextlib.closing(chess.syzygy.Tablebase()) as tables:
        if not sum(tables.add_directory(folder) for folder in folders.split(os.pathsep) if os.path.isdir(folder)):
            raise UsageError(f"-syzygy {folders}: there are no tables")

        def decide(game: Game) -> Ending | None:
            board = game.board
            is_exact = game.last.counter == 0 or ignore_fifty_moves
            if chess.popcount(board.occupied) > most_men or board.castling_rights or not is_exact:
                return None
            value = tables.get_wdl(board, 0) or 0
            if abs(value) < least:
                return None
            winner = color_of(board.turn if value > 0 else not board.turn)
            return Ending(final_outcome(game.accrued, winner), Source.RESULT, ADJUDICATION, f"Syzygy: {winner} wins")

        yield decide
