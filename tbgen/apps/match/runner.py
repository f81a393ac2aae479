"""Playing a match: start engines, read finished games back, and play those that are left."""

from __future__ import annotations

import asyncio
import contextlib
import math
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Protocol

from tbgen.apps.games.event import is_bye
from tbgen.apps.games.tags import KNOCKOUT, Source
from tbgen.apps.match.control import Clock
from tbgen.apps.match.formats import next_games
from tbgen.apps.match.game import forfeited, play
from tbgen.apps.match.journal import FileJournal, new_seed
from tbgen.apps.match.knockout import Meeting, bracket_of
from tbgen.apps.match.openings import Opening, Openings
from tbgen.apps.match.process import EngineProcess, EngineSpec, ForfeitError, Offence
from tbgen.apps.match.protocol import HANDSHAKE, pass_over
from tbgen.apps.match.record import to_pgn
from tbgen.apps.match.results import MatchStandings, with_komi
from tbgen.apps.match.schedule import MatchStage, Pairing
from tbgen.apps.match.settings import Format, MatchSettings, Tournament
from tbgen.apps.match.sheet import NORMAL, Ending, Sheet
from tbgen.apps.match.tables import opened_tables
from tbgen.errors import EngineStartError, MatchError, UsageError
from tbgen.rules.game import Game
from tbgen.rules.notation import format_fen
from tbgen.rules.points import Scheme
from tbgen.score import MATE_CODE, Color, Score

_READ_AHEAD = 500
"""The number of games whose openings are tried before the first game."""
_CHANCES = 2
"""An engine that has started once may fail so often in a row; the next failure ends the match."""


@dataclass(slots=True)
class Match:
    """A match whose engines have answered, with its standings so far."""

    settings: MatchSettings
    plan: Tournament
    """That of the settings, with the seed that draws its lots."""
    knows_r_mobility: tuple[bool, ...]
    """Of each engine, whether it knows r-mobility."""
    standings: MatchStandings
    stage: MatchStage
    """The games that are being played."""

    @property
    def scheduled(self) -> int:
        """How many games there are: all of them, or those of a knockout that are known so far.

        A bye of a Swiss tournament has as many as an encounter.
        """
        if self.plan.format is Format.SWISS:
            encounters = math.ceil(self.plan.players / 2)
            return self.plan.rounds * encounters * self.plan.games
        return self._last_of_stage

    @property
    def left(self) -> int:
        """How many games have not been played."""
        return self.scheduled - len(self.standings.games)

    @property
    def left_of_stage(self) -> int:
        """How many games of the stage have not been played."""
        return self._last_of_stage - len(self.standings.games)

    @property
    def _last_of_stage(self) -> int:
        return next(reversed(self.stage), len(self.standings.games))

    def bracket(self) -> list[list[Meeting]]:
        """The rounds of a knockout so far; empty for other tournaments."""
        if self.plan.format is not Format.KNOCKOUT:
            return []
        rounds, _ = bracket_of(self.plan, self.standings.games)
        return rounds

    def add(self, pairing: Pairing, ending: Ending) -> None:
        """Count a game; after the last one of a stage the next stage is known."""
        self.standings.add(pairing, ending)
        if not self.left_of_stage:
            self.stage = next_games(self.plan, self.standings.games)

    def recover(self, number: int, ending: Ending) -> None:
        """Count a game that was played before."""
        if number in self.standings.games:
            raise MatchError(
                f"{self.settings.pgn} has game {number} of the match twice; take one out"
            )
        if number not in self.stage:
            raise MatchError(
                f"game {number} has been played, but there are only {self._last_of_stage}; "
                "give -rounds"
            )
        self.add(self.stage[number], ending)

    def is_decided(self) -> bool:
        """Whether the test, if there is one, has accepted a hypothesis."""
        sprt = self.settings.sprt
        return sprt is not None and sprt.conclusion(self.standings.ratio(sprt)) != "open"

    def is_over(self) -> bool:
        """Whether the test is decided or every game has been played."""
        return not self.stage or self.is_decided()


class MatchWatcher(Protocol):
    """Receives the events of a match, to show them."""

    def begins(self, match: Match) -> None:
        """The engines have answered; games that were played before are in the standings."""

    def moved(self, sheet: Sheet) -> None:
        """A game is started, or a move of it has been made."""

    def game_over(self, sheet: Sheet) -> None:
        """A game is on the disk and in the standings."""

    def says(self, text: str) -> None:
        """Something that the user should know."""


class DecidedError(Exception):
    """The test is decided, and the games in play are abandoned."""


class Referee:
    """Plays a match from the start of its engines to its end.

    Workers take games in order, and hand them back played. A player is the number of an engine in
    the settings, from 0. Openings are read at once, before any clock runs.
    """

    def __init__(self, settings: MatchSettings, watcher: MatchWatcher) -> None:
        self._settings = settings
        self._watcher = watcher
        self._started = time.perf_counter()
        self._journal: FileJournal | None = None
        self._chances = Counter[int]()
        """How often the start of each player may fail."""
        self.match: Match | None = None
        """None until the engines have answered."""

    async def play(self) -> None:
        """Play the rest of the match; a cancellation abandons the games in play."""
        asyncio.get_running_loop().set_exception_handler(pass_over)
        settings = self._settings
        async with contextlib.AsyncExitStack() as stack:
            self._tables = stack.enter_context(opened_tables(settings.tables))
            engines = await stack.enter_async_context(_engines({}))
            for player in range(len(settings.engines)):  # one that does not start ends the match
                await self._start(player, engines)
            if settings.pgn is not None:
                self._journal = FileJournal(settings, stack, self._watcher.says)
            match = await self._begun(list(engines.values()))
            self.match = match
            self._watcher.begins(match)
            await self._play_all(match, engines)
            if match.is_over() and self._journal is not None:
                self._journal.finish()

    async def _begun(self, engines: list[EngineProcess]) -> Match:
        """The match with what has been played of it."""
        settings = self._settings
        journal = self._journal
        seed = new_seed(settings) if journal is None else journal.state.seed
        plan = replace(settings.plan, seed=seed)
        self._openings = Openings(settings, seed)
        names = distinct(engine.name for engine in engines)
        for name in names:
            if is_bye(name):
                raise UsageError(
                    f"no engine can be called {name}, as a missing opponent is; give name="
                )
        scoring = settings.rules.scoring
        standings = MatchStandings(names, scoring, self._openings.komi_of, settings.event)
        knowing = tuple(engine.knows_r_mobility for engine in engines)
        match = Match(settings, plan, knowing, standings, next_games(plan, standings.games))
        if journal is not None:
            for number, ending in journal.recovered():
                match.recover(number, ending)
                await asyncio.sleep(0)  # the referee may be told to stop
        for pairing in islice(match.stage.values(), _READ_AHEAD):
            self._openings.read(pairing.opening)
        return match

    async def _play_all(self, match: Match, engines: dict[int, EngineProcess]) -> None:
        """Let workers play stage after stage.

        The first takes over `engines`, the others start their own.
        """
        try:
            while not match.is_over():
                played = match.standings.games
                waiting = (
                    pairing for pairing in match.stage.values() if pairing.number not in played
                )
                workers = min(self._settings.concurrency, match.left_of_stage)
                async with asyncio.TaskGroup() as group:
                    for worker in range(workers):
                        own_engines = engines if worker == 0 else {}
                        group.create_task(self._work(match, waiting, own_engines))
        except ExceptionGroup as errors:
            if not match.is_decided():
                raise errors.exceptions[0] from None

    async def _work(
        self, match: Match, waiting: Iterator[Pairing], running: dict[int, EngineProcess]
    ) -> None:
        """Play game after game of a stage with the engines that run already.

        They quit when there are no more games.
        """
        async with _engines(running) as engines:
            for pairing in waiting:
                if pairing.black is not None:
                    await _close(engines, but=(pairing.white, pairing.black))
                sheet = await self._game(match, pairing, engines)
                await _to_its_end(self._keep(match, sheet))
                if match.is_decided():
                    raise DecidedError
                await asyncio.sleep(self._settings.wait)

    async def _keep(self, match: Match, sheet: Sheet) -> None:
        """Put a finished game on the disk, then into the standings.

        It has been played once this returns.
        """
        if self._journal is not None:
            white, black = match.standings.names(sheet.pairing)
            tags = {
                "Event": self._settings.event,
                "Site": self._settings.site,
                "White": white,
                "Black": black,
            }
            if match.plan.format is Format.KNOCKOUT:
                tags["EventType"] = KNOCKOUT
                tags["MeetingGames"] = str(match.plan.games)
            tags["MatchId"] = self._journal.state.match
            await asyncio.to_thread(self._journal.append, to_pgn(sheet, tags))
        match.add(sheet.pairing, replace(sheet.ending, plies=sheet.game.last.number))
        self._watcher.game_over(sheet)

    async def _game(
        self, match: Match, pairing: Pairing, engines: dict[int, EngineProcess]
    ) -> Sheet:
        """Play a game; a bye is over at once."""
        if pairing.black is None:
            sheet = self._sheet(pairing, Opening(), (pairing.white, pairing.white))
            sheet.ending = Ending(Score(MATE_CODE, Color.WHITE), Source.RESULT, NORMAL, "bye")
            return sheet
        sides = (pairing.white, pairing.black)
        sheet = self._sheet(pairing, self._openings.read(pairing.opening), sides)
        started = time.perf_counter()
        self._watcher.moved(sheet)
        ending = await self._prepare(sides, sheet, engines)
        if ending is None:
            players = (engines[pairing.white], engines[pairing.black])
            ending = await play(sheet, players, self._tables, self._watcher.moved)
        sheet.ending = ending
        if ending.termination in (Offence.ILLEGAL_MOVE.value, Offence.ABANDONED.value):
            loser = sides[ending.outcome.holder.other]
            await engines.pop(loser).close()  # it is started again for its next game
        sheet.seconds = time.perf_counter() - started
        return sheet

    def _sheet(self, pairing: Pairing, opening: Opening, sides: tuple[int, int]) -> Sheet:
        """A game before its first move."""
        rules = self._settings.rules
        rules = replace(rules, scoring=with_komi(rules.scoring, opening.komi))
        white, black = (Clock(self._settings.engines[player].control) for player in sides)
        game = Game(opening.board, accrued=opening.accrued, fifty_moves=rules.fifty_moves)
        now = datetime.now(UTC)  # noqa: TID251 - a game's date, not a deadline
        return Sheet(pairing, opening, rules, game, (white, black), now)

    async def _prepare(
        self, sides: tuple[int, int], sheet: Sheet, engines: dict[int, EngineProcess]
    ) -> Ending | None:
        """Make both engines ready for a new game; the first that fails has lost it."""
        root = format_fen(sheet.game.board.root(), sheet.game.plies[0].accrued)
        komi = str(sheet.rules.scoring.komi) if sheet.rules.scoring.scheme is Scheme.KOMI else None
        for color, player in zip(Color, sides, strict=True):
            engine = engines.get(player)
            try:
                if engine is None or not engine.is_running or engine.spec.restart:
                    engine = await self._start(player, engines)
                await engine.begin(root, komi)
            except ForfeitError as error:
                return forfeited(color, error)
        return None

    async def _start(self, player: int, engines: dict[int, EngineProcess]) -> EngineProcess:
        """Start an engine anew among `engines`.

        A failure forfeits the game. If the first start fails, or others again and again, the match
        ends.
        """
        if player in engines:
            await engines[player].close()
        spec = self._settings.engines[player]
        engine = EngineProcess(spec, partial(self._heard, spec))
        engines[player] = engine
        try:
            await engine.start(r_mobility_options(self._settings), self._settings.variant)
        except EngineStartError as error:
            if not self._chances[player]:
                raise
            self._chances[player] -= 1
            raise ForfeitError(
                Offence.ABANDONED, f"cannot be started again: {error.reason}"
            ) from None
        self._chances[player] = _CHANCES
        return engine

    def _heard(self, spec: EngineSpec, direction: str, line: str) -> None:
        """Show a line between referee and engine with -debug."""
        if self._settings.debug:
            seconds = time.perf_counter() - self._started
            name = spec.name or spec.command[0]
            print(f"{name} {seconds:9.3f} {direction} {line}", file=sys.stderr)


@contextlib.asynccontextmanager
async def _engines(engines: dict[int, EngineProcess]) -> AsyncIterator[dict[int, EngineProcess]]:
    """Engines by player, which are closed at the end.

    When a match is stopped, nobody waits for an engine that thinks.
    """
    try:
        yield engines
    except BaseException:
        for engine in engines.values():
            engine.kill()
        raise
    finally:
        await _to_its_end(_close(engines))


async def _close(engines: dict[int, EngineProcess], *, but: tuple[int, ...] = ()) -> None:
    """Close engines, which are no longer among `engines` then."""
    for player in [player for player in engines if player not in but]:
        await engines.pop(player).close()


async def _to_its_end(work: Coroutine[None, None, None]) -> None:
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


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, with a number behind each that was there before.

    >>> distinct(["Ann", "Bob", "Ann"])
    ('Ann', 'Bob', 'Ann (2)')
    """
    taken = list[str]()
    for name in names:
        spelling = name
        number = 1
        while spelling in taken:
            number += 1
            spelling = f"{name} ({number})"
        taken.append(spelling)
    return tuple(taken)
