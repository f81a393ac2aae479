"""One of the places at which games are played, with the engines that sit there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tbgen.referee.clock import Clock
from tbgen.referee.engine import Engine, Fault, ForfeitError, Restart
from tbgen.referee.openings import fen_of
from tbgen.referee.play import Ending, Sheet, forfeited, play
from tbgen.referee.record import GameRecord
from tbgen.referee.schedule import Pairing
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color

if TYPE_CHECKING:
    from tbgen.referee.match import Match


class Place:
    """One of the places at which games are played, with the engines that sit there."""

    def __init__(self, number: int, match: Match, seated: dict[int, Engine]) -> None:
        self._number = number
        self._match = match
        self._engines = seated

    async def work(self) -> None:
        """Play game after game; engines leave when there are no more."""
        try:
            while (pairing := self._match.next_pairing()) is not None:
                await self._dismiss_others(pairing)
                await _to_its_end(self._match.keep(self._number, await self._game(pairing)))
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
        match.watcher.game_begins(self._number, pairing, sheet)
        ending = await self._seat(sides, sheet, rules.scoring)
        if ending is None:
            players = (self._engines[sides[0]], self._engines[sides[1]])
            ending = await play(sheet, players, rules, lambda sheet: match.watcher.moved(self._number, sheet))
        await self._tidy(sides, ending)
        seconds = time.perf_counter() - clock
        names = (match.names[sides[0]], match.names[sides[1]])
        setting = rules.fifty_moves.setting
        return GameRecord(pairing, names, opening, sheet, ending, rules.scoring, setting, started, seconds)

    async def _seat(self, sides: tuple[int, int], sheet: Sheet, scoring: Scoring) -> Ending | None:
        """Both engines ready for a new game; the first that is not has lost it."""
        komi = str(scoring.komi) if scoring.scheme is Scheme.KOMI else None
        for color, player in zip(Color, sides, strict=True):
            engine = self._engines.setdefault(player, self._match.engine(player))
            try:
                if not engine.is_running or engine.spec.restart is Restart.ON:
                    await self._match.start(player, engine)
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
    """Await what must not be broken off in its midst."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
