"""A bench: the engines of one worker, which starts them, plays games with them, and closes them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tbgen.apps.match.engine import HANDSHAKE, EngineProcess, ForfeitError, Offence
from tbgen.apps.match.game import forfeited, play
from tbgen.apps.match.settings import EngineSpec, MatchSettings
from tbgen.apps.match.sheet import Ending, Sheet
from tbgen.apps.match.tables import Tables
from tbgen.errors import EngineStartError
from tbgen.rules.notation import format_fen
from tbgen.rules.points import Scheme
from tbgen.score import Color, Score

_CHANCES = 2
"""An engine that has started once may fail so often in a row; the next failure ends the match."""


class Contestant(NamedTuple):
    """An engine that has answered."""

    name: str
    knows_r_mobility: bool


@dataclass(slots=True)
class Shared:
    """What all benches of a match share."""

    settings: MatchSettings
    tables: Tables
    chances: Counter[int] = field(default_factory=Counter)
    """How often the start of each player may fail."""
    began: float = field(default_factory=time.perf_counter)
    """The time from which -debug counts."""


class Bench:
    """Plays the games of one worker, by engines that are processes.

    A player is the number of an engine in the settings.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._settings = shared.settings
        self._engines = dict[int, EngineProcess]()

    async def start(self, player: int) -> Contestant:
        """Start an engine anew.

        A failure forfeits the game. If the first start fails, or others again and again, the match
        ends.
        """
        if player in self._engines:
            await self._engines[player].close()
        spec = self._settings.engines[player]
        engine = EngineProcess(spec, partial(self._heard, spec))
        self._engines[player] = engine
        chances = self._shared.chances
        try:
            await engine.start(r_mobility_options(self._settings), self._settings.variant)
        except EngineStartError as error:
            if not chances[player]:
                raise
            chances[player] -= 1
            raise ForfeitError(
                Offence.ABANDONED, f"cannot be started again: {error.reason}"
            ) from None
        chances[player] = _CHANCES
        return Contestant(engine.name, engine.knows_r_mobility)

    async def play(self, sheet: Sheet, on_move: Callable[[Sheet], None]) -> Ending:
        """Play a game to its end, calling `on_move` after each move.

        An engine that cannot be trusted afterwards is closed, and started again for its next game.
        """
        sides = sheet.players
        for player in [player for player in self._engines if player not in sides]:
            await self._engines.pop(player).close()
        ending = await self._prepare(sides, sheet)
        if ending is None:
            white, black = (self._engines[player] for player in sides)
            ending = await play(sheet, (white, black), self._shared.tables, on_move)
        if ending.termination in (Offence.ILLEGAL_MOVE.value, Offence.ABANDONED.value):
            loser = sides[ending.outcome.holder.other]
            await self._engines.pop(loser).close()
        return ending

    async def _prepare(self, sides: tuple[int, int], sheet: Sheet) -> Ending | None:
        """Make both engines ready for a new game; the first that fails has lost it."""
        root = format_fen(sheet.game.board.root(), sheet.game.plies[0].accrued)
        komi = str(sheet.rules.scoring.komi) if sheet.rules.scoring.scheme is Scheme.KOMI else None
        for color, player in zip(Color, sides, strict=True):
            engine = self._engines.get(player)
            try:
                if engine is None or not engine.is_running or engine.spec.restart:
                    await self.start(player)
                await self._engines[player].begin(root, komi)
            except ForfeitError as error:
                return forfeited(color, error)
        return None

    async def close(self) -> None:
        """Close all engines. A later game starts them again."""
        for player in list(self._engines):
            await self._engines.pop(player).close()

    def kill(self) -> None:
        """End all engines without asking."""
        for engine in self._engines.values():
            engine.kill()

    def _heard(self, spec: EngineSpec, direction: str, line: str) -> None:
        """Show a line between referee and engine with -debug."""
        if self._settings.debug:
            seconds = time.perf_counter() - self._shared.began
            name = spec.name or spec.program
            print(f"{name} {seconds:9.3f} {direction} {line}", file=sys.stderr)


async def to_its_end(work: Coroutine[None, None, None]) -> None:
    """Await work that must not be cancelled half-way, such as writing a game.

    A cancellation comes after it.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def r_mobility_options(settings: MatchSettings) -> dict[str, str]:
    """The options of r-mobility for an engine that knows it; docs/uci.md."""
    return {
        HANDSHAKE: "true",
        f"{HANDSHAKE}Fifty": settings.rules.fifty_moves.setting.value,
        f"{HANDSHAKE}Cutoff": str(Score(settings.rules.scoring.cutoff_code, Color.WHITE)),
        f"{HANDSHAKE}Scoring": settings.rules.scoring.scheme.value,
        f"{HANDSHAKE}Komi": str(settings.rules.scoring.komi),
    }
