"""Tables that decide games: tbgen's with exact scores, and Syzygy's for wins. They are imported when first used."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from tbgen.apps.games.tags import Source
from tbgen.apps.match.engine import Offence
from tbgen.errors import MissingFolderError, UsageError
from tbgen.rules.game import Game, final_outcome
from tbgen.rules.position import color_of
from tbgen.score import Score
from tbgen.text import in_so_many

if TYPE_CHECKING:
    import chess.syzygy

_CURSED = 1
_WON = 2

ADJUDICATION = "adjudication"


@dataclass(frozen=True, slots=True)
class Ending:
    """A final score, where it comes from and why; `termination` is the value of the tag."""

    outcome: Score
    source: Source
    termination: str
    details: str
    forfeit: Offence | None = None
    table: str | None = None
    """The name of the table that decided, with the plies until the score is reached."""
    bounds: str | None = None
    """The proved bounds of a provisional outcome, as in the tag `RMobilityBounds`."""


class TableDecider:
    """The tables of one folder or several, joined: the optimal result with the score on the sheet."""

    def __init__(self, folders: str, most_men: int) -> None:
        from tbgen.apps.games.decide import Adjudicator
        from tbgen.probe import Tablebase

        try:
            self._tables = Tablebase(folders)
        except MissingFolderError as error:
            raise UsageError(f"-tb {folders}: there is no folder {error.folder}") from None
        if not self._tables.available():
            first = self._tables.folders[0]
            raise UsageError(f"-tb {folders}: there are no tables; build some with: tbgen build --men 3 --data {first}")
        self._adjudicator = Adjudicator(self._tables)
        self._most_men = most_men

    def decide(self, game: Game) -> Ending | None:
        if chess.popcount(game.board.occupied) > self._most_men:
            return None
        verdict = self._adjudicator.decide(game)
        if verdict.source is not Source.TABLEBASE:
            return None
        words = f"tablebase {verdict.final} {in_so_many(verdict.dtg)}"
        if verdict.clocked is not None and verdict.clocked.matters:
            words += f", but {verdict.clocked}"
        return Ending(verdict.final, Source.TABLEBASE, ADJUDICATION, words, table=verdict.table)

    def close(self) -> None:
        self._tables.close()


class SolvingDecider:
    """Solves positions that the tables of one folder or several do not have; from several threads, one at a time."""

    def __init__(self, folders: str, budget: int) -> None:
        from tbgen.apps.games.decide import Adjudicator
        from tbgen.compiled.known import Purpose, load_for
        from tbgen.position.solving import PositionSolver
        from tbgen.probe import Tablebase

        load_for(Purpose.POSITIONS)  # or the clocks of other games would run while kernels are compiled
        self._tables, self._solver = Tablebase(folders), PositionSolver(folders, budget=budget)
        self._adjudicator = Adjudicator(self._tables, solve=self._solver.bracket)
        self._lock = threading.Lock()

    def decide(self, game: Game) -> Ending | None:
        with self._lock:
            verdict = self._adjudicator.decide(game)
        if verdict.source is Source.SOLVED:
            return Ending(verdict.final, verdict.source, ADJUDICATION, f"solved {verdict.final}")
        if verdict.bounds is None:
            return None
        words = f"solved {verdict.bounds}"
        return Ending(verdict.final, verdict.source, ADJUDICATION, words, bounds=verdict.bounds_tag)

    def close(self) -> None:
        self._solver.close()
        self._tables.close()


class SyzygyDecider:
    """Wins by Syzygy tables: they mean mate, as the fifty-move rule goes.

    A won position counts right after a reset, when the tables are exact; with `ignore_fifty_moves` at any time,
    and a win that the fifty-move rule would spoil counts too.
    """

    def __init__(self, folders: str, most_men: int, *, ignore_fifty_moves: bool) -> None:
        import os

        import chess.syzygy

        self._tables = chess.syzygy.Tablebase()
        found = sum(self._tables.add_directory(folder) for folder in folders.split(os.pathsep) if os.path.isdir(folder))
        if not found:
            raise UsageError(f"-syzygy {folders}: there are no tables")
        self._most_men = most_men
        self._ignores = ignore_fifty_moves

    def decide(self, game: Game) -> Ending | None:
        board = game.board
        if chess.popcount(board.occupied) > self._most_men or board.castling_rights:
            return None
        if game.last.counter and not self._ignores:
            return None
        with contextlib.suppress(KeyError):
            value = self._tables.probe_wdl(board)
            if abs(value) < (_CURSED if self._ignores else _WON):
                return None
            winner = color_of(board.turn if value > 0 else not board.turn)
            outcome = final_outcome(game.accrued, winner)
            return Ending(outcome, Source.RESULT, ADJUDICATION, f"Syzygy: {winner} wins")
        return None

    def close(self) -> None:
        self._tables.close()


Decider = TableDecider | SolvingDecider | SyzygyDecider
"""Tables that may know the outcome of a game in play: `decide` gives the ending by best play, or None."""
