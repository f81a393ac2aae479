"""Tables that decide games: tbgen's with exact scores, and Syzygy's for wins. They are imported when first used."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import chess

from tbgen.apps.games.tags import Source
from tbgen.apps.match.settings import TableSettings
from tbgen.errors import MissingFolderError, UsageError
from tbgen.rules.game import Game, final_outcome
from tbgen.score import Color, Score
from tbgen.text import in_so_many

ADJUDICATION = "adjudication"


@dataclass(frozen=True, slots=True)
class Ending:
    """A final score, where it comes from, why and when; `termination` is the value of the tag."""

    outcome: Score
    source: Source
    termination: str
    details: str
    table: str | None = None
    """The name of the table that decided, with the plies until the score is reached."""
    plies: int = 0


Decider = tuple[int, Callable[[Game], Ending | None]]
"""So many men, and what tables say of a game in play with as many or fewer: the ending by best play, or None."""


class Tables:
    """Asks one decider after the other, in a thread of its own: the clocks of other games run on meanwhile."""

    def __init__(self, deciders: Sequence[Decider] = (), thread: ThreadPoolExecutor | None = None) -> None:
        self._deciders, self._thread = deciders, thread

    async def ask(self, game: Game) -> Ending | None:
        men = chess.popcount(game.board.occupied)
        able = [decide for most_men, decide in self._deciders if men <= most_men]

        def first_answer() -> Ending | None:
            return next(filter(None, (decide(game) for decide in able)), None)

        return await asyncio.get_running_loop().run_in_executor(self._thread, first_answer) if able else None


@contextlib.contextmanager
def opened_tables(settings: TableSettings) -> Iterator[Tables]:
    """The tables of a match; a question that is being answered is waited for when they are closed."""
    with contextlib.ExitStack() as stack:
        deciders = []
        if settings.folders is not None:
            deciders.append(stack.enter_context(table_decider(settings.folders, settings.men)))
        if settings.syzygy is not None:
            wins = syzygy_decider(settings.syzygy, settings.syzygy_men, ignore_fifty_moves=settings.ignore_fifty_moves)
            deciders.append(stack.enter_context(wins))
        yield Tables(deciders, stack.enter_context(ThreadPoolExecutor(1)))


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
        raise UsageError(
            f"-tb {folders}: there are no tables; "
            f"build some with: tbgen build --men 3 --outcomes --data {tables.folders[0]}"
        )
    adjudicator = Adjudicator(tables)

    def decide(game: Game) -> Ending | None:
        verdict = adjudicator.decide(game)
        words = f"tablebase {verdict.final} {in_so_many(verdict.dtg)}"
        if verdict.is_clocked:
            words += f", but {verdict.clocked}"
        is_known = verdict.source is Source.TABLEBASE
        return Ending(verdict.final, verdict.source, ADJUDICATION, words, table=verdict.table) if is_known else None

    with tables:
        yield most_men, decide


@contextlib.contextmanager
def syzygy_decider(folders: str, most_men: int, *, ignore_fifty_moves: bool) -> Iterator[Decider]:
    """Wins by Syzygy tables: they mean mate, as the fifty-move rule goes.

    A won position counts right after a reset, when the tables are exact; with `ignore_fifty_moves` at any time,
    and a win that the fifty-move rule would spoil counts too.
    """
    from tbgen.probe.syzygy import UNKNOWN, open_syzygy

    with open_syzygy(folders, counts_fifty_moves=not ignore_fifty_moves) as winner_of:

        def decide(game: Game) -> Ending | None:
            is_exact = not game.board.castling_rights and (game.last.counter == 0 or ignore_fifty_moves)
            winner = winner_of(game.board) if is_exact else UNKNOWN
            if winner in (0, UNKNOWN):
                return None
            side = Color.of(winner > 0)
            return Ending(final_outcome(game.accrued, side), Source.RESULT, ADJUDICATION, f"Syzygy: {side} wins")

        yield most_men, decide
