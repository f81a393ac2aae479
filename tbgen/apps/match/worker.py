"""A worker of a match: it plays one game after another, and keeps the engines between its games."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Protocol

from tbgen.apps.match.clock import Clock
from tbgen.apps.match.engine import Engine, Fault, ForfeitError, Restart
from tbgen.apps.match.match import Match, Watcher
from tbgen.apps.match.openings import fen_of
from tbgen.apps.match.play import Ending, Sheet, forfeited, play
from tbgen.apps.match.record import GameRecord
from tbgen.apps.match.roster import Roster
from tbgen.apps.match.schedule import Pairing
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color


class Games(Protocol):
    """Where games come from and go to."""

    def next(self) -> Pairing | None:
        """The next game to be played; None if there is none."""

    async def keep(self, board: int, record: GameRecord) -> None:
        """Put a finished game on the disk and into the standings."""


class Worker:
    """Plays games one after another; `engines` are those that run already, by player."""

    def __init__(self, board: int, match: Match, roster: Roster, watcher: Watcher, engines: dict[int, Engine]) -> None:
        self._board = board
        self._match = match
        self._roster = roster
        self._watcher = watcher
        self._engines = engines

    async def work(self, games: Games) -> None:
        """Play game after game; the engines quit when there are no more."""
        try:
            while (pairing := games.next()) is not None:
                await self._dismiss_others(pairing)
                await _to_its_end(games.keep(self._board, await self._game(pairing)))
                await asyncio.sleep(self._match.settings.wait)
        except BaseException:
            for engine in self._engines.values():
                engine.kill()
            raise
        finally:
            await _to_its_end(self._close_all())

    async def _close_all(self) -> None:
        for engine in self._engines.values():
            await engine.close()

    async def _dismiss_others(self, pairing: Pairing) -> None:
        for player in [player for player in self._engines if player not in (pairing.white, pairing.black)]:
            await self._engines.pop(player).close()

    async def _game(self, pairing: Pairing) -> GameRecord:
        match, opening = self._match, self._match.opening_of(pairing)
        rules = match.rules_for(opening)
        sides = (pairing.white, pairing.black)
        game = opening.game(rules.fifty_moves)
        white, black = (Clock(match.settings.engines[player].control) for player in sides)
        sheet = Sheet(game, (white, black))
        started, clock = datetime.now(UTC), time.perf_counter()
        self._watcher.game_begins(self._board, pairing, sheet)
        ending = await self._prepare(sides, sheet, rules.scoring)
        if ending is None:
            players = (self._engines[sides[0]], self._engines[sides[1]])
            ending = await play(sheet, players, rules, lambda sheet: self._watcher.moved(self._board, sheet))
        await self._tidy(sides, ending)
        return GameRecord(
            pairing=pairing,
            names=(match.names[sides[0]], match.names[sides[1]]),
            opening=opening,
            sheet=sheet,
            ending=ending,
            scoring=rules.scoring,
            fifty_moves=rules.fifty_moves.setting,
            started=started,
            seconds=time.perf_counter() - clock,
        )

    async def _prepare(self, sides: tuple[int, int], sheet: Sheet, scoring: Scoring) -> Ending | None:
        """Make both engines ready for a new game; the first that fails has lost it."""
        komi = str(scoring.komi) if scoring.scheme is Scheme.KOMI else None
        for color, player in zip(Color, sides, strict=True):
            if player not in self._engines:
                self._engines[player] = self._roster.engine(player)
            engine = self._engines[player]
            try:
                if not engine.is_running or engine.spec.restart is Restart.ON:
                    await self._roster.start(player, engine)
                await engine.begin(fen_of(sheet.game), komi)
            except ForfeitError as error:
                return forfeited(sheet, color, error)
        return None

    async def _tidy(self, sides: tuple[int, int], ending: Ending) -> None:
        """After a forfeit, engines that do not answer are ended and started again for the next game."""
        if ending.forfeit is None:
            return
        for player in sides:
            if player in self._engines:
                await self._engines[player].settle()
        if ending.forfeit is Fault.ILLEGAL_MOVE:
            await self._engines[sides[ending.outcome.holder.other]].end()


async def _to_its_end(work: Coroutine[None, None, None]) -> None:
    """Await work that must not be cancelled half-way, such as writing a game; a cancellation comes after it."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
