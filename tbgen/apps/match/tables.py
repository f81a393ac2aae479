"""Tables that decide games of a match: tbgen's with exact scores, and Syzygy's for wins.

They are imported when they are first used.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import chess

from tbgen.apps.games.tags import Source
from tbgen.apps.match.settings import TableSettings
from tbgen.apps.match.sheet import ADJUDICATION, Ending
from tbgen.errors import MissingFolderError, UsageError
from tbgen.rules.game import Game, final_outcome
from tbgen.score import Color
from tbgen.text import in_so_many

_SYZYGY_MEN = 7
"""The men of the largest Syzygy tables."""
Decider = tuple[int, Callable[[Game], Ending | None]]
"""The most men of a position, and a function that decides such a game; None if it is unknown."""


class Tables:
    """Asks one decider after the other.

    It has a thread of its own: the clocks of other games run on meanwhile.
    """

    def __init__(
        self, deciders: Sequence[Decider] = (), thread: ThreadPoolExecutor | None = None
    ) -> None:
        self._deciders = deciders
        self._thread = thread

    async def ask(self, game: Game) -> Ending | None:
        men = chess.popcount(game.board.occupied)
        able = [decide for most_men, decide in self._deciders if men <= most_men]
        if not able:
            return None

        def first_answer() -> Ending | None:
            for decide in able:
                ending = decide(game)
                if ending is not None:
                    return ending
            return None

        return await asyncio.get_running_loop().run_in_executor(self._thread, first_answer)


@contextlib.contextmanager
def opened_tables(settings: TableSettings) -> Iterator[Tables]:
    """The tables of a match.

    When they are closed, a question that is being answered is waited for.
    """
    with contextlib.ExitStack() as stack:
        deciders = list[Decider]()
        if settings.folders is not None:
            deciders.append(stack.enter_context(table_decider(settings.folders, settings.men)))
        if settings.syzygy is not None:
            wins = syzygy_decider(
                settings.syzygy, _SYZYGY_MEN, ignore_fifty_moves=settings.ignore_fifty_moves
            )
            deciders.append(stack.enter_context(wins))
        yield Tables(deciders, stack.enter_context(ThreadPoolExecutor(1)))


@contextlib.contextmanager
def table_decider(folders: str, most_men: int) -> Iterator[Decider]:
    """The tables of one folder or several, joined; best play goes on from the accrued score."""
    from tbgen.apps.games.decide import Adjudicator
    from tbgen.probe import Tablebase

    try:
        tables = Tablebase(folders)
    except MissingFolderError as error:
        raise UsageError(f"-tb {folders}: there is no folder {error.folder}") from None
    adjudicator = Adjudicator(tables)

    def decide(game: Game) -> Ending | None:
        verdict = adjudicator.decide(game)
        if verdict.source is not Source.TABLEBASE or verdict.final is None:
            return None
        details = f"tablebase {verdict.final} {in_so_many(verdict.dtg)}"
        if verdict.is_clocked:
            details += f", but {verdict.clocked}"
        return Ending(verdict.final, verdict.source, ADJUDICATION, details, table=verdict.table)

    with tables:
        yield most_men, decide


@contextlib.contextmanager
def syzygy_decider(folders: str, most_men: int, *, ignore_fifty_moves: bool) -> Iterator[Decider]:
    """Wins by Syzygy tables: they mean mate, as the fifty-move rule goes.

    A won position counts right after a reset, when the tables are exact; with `ignore_fifty_moves`
    at any time, and a win that the fifty-move rule would spoil counts too.
    """
    from tbgen.probe.syzygy import UNKNOWN, open_syzygy

    with open_syzygy(folders, counts_fifty_moves=not ignore_fifty_moves) as winner_of:

        def decide(game: Game) -> Ending | None:
            is_exact = game.last.counter == 0 or ignore_fifty_moves
            if game.board.castling_rights or not is_exact:
                return None
            winner = winner_of(game.board)
            if winner in (0, UNKNOWN):
                return None
            side = Color.of(winner > 0)
            outcome = final_outcome(game.accrued, side)
            return Ending(outcome, Source.RESULT, ADJUDICATION, f"Syzygy: {side} wins")

        yield most_men, decide
