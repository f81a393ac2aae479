"""Playing a match: engines are met, finished games are read back, and workers play the games that are left."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, count, islice
from typing import Protocol

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
from tbgen.apps.match.sheet import Ending, Sheet
from tbgen.apps.match.tables import opened_tables
from tbgen.errors import EngineStartError, MatchError
from tbgen.rules.game import Game
from tbgen.rules.notation import format_fen
from tbgen.rules.points import Scheme
from tbgen.score import MATE_CODE, Color, Score

_READ_AHEAD = 500
"""The openings of so many games are tried out before the first game."""
_CHANCES = 2
"""An engine that was started once may fail to start so many times in a row."""


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
        """How many games are known: all of them, or those of a knockout or a Swiss tournament so far."""
        return next(reversed(self.stage), len(self.standings.games))

    @property
    def left(self) -> int:
        """How many known games have not been played."""
        return self.scheduled - len(self.standings.games)

    def bracket(self) -> list[list[Meeting]]:
        """The rounds of a knockout so far; empty for other tournaments."""
        return (
            bracket_of(self.plan, self.standings.games)[0]
            if self.plan.format is Format.KNOCKOUT
            else []
        )

    def add(self, pairing: Pairing, ending: Ending) -> None:
        """Count a game; after the last one of a stage the next stage is known."""
        self.standings.add(pairing, ending)
        if not self.left:
            self.stage = next_games(self.plan, self.standings.games)

    def recover(self, number: int, ending: Ending) -> None:
        """Count a game that was played before."""
        if number in self.standings.games:
            raise MatchError(
                f"{self.settings.pgn} has game {number} of the match twice; take one out"
            )
        if number not in self.stage:
            raise MatchError(
                f"game {number} has been played, but there are only {self.scheduled}; give -rounds"
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
    """Plays a match from the start of its engines to its end; workers take games in order, and hand them back played.

    A player is the number of an engine in the settings, from 0. Openings are read at once, before any clock runs.
    """

    def __init__(self, settings: MatchSettings, watcher: MatchWatcher) -> None:
        self._settings, self._watcher, self._started = settings, watcher, time.perf_counter()
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
            match = self.match = await self._begun(list(engines.values()))
            self._watcher.begins(match)
            await self._play_all(match, engines)
            if match.is_over() and self._journal is not None:
                self._journal.finish()

    async def _begun(self, met: list[EngineProcess]) -> Match:
        """The match with what has been played of it."""
        settings, journal = self._settings, self._journal
        seed = new_seed(settings) if journal is None else journal.state.seed
        plan, self._openings = replace(settings.plan, seed=seed), Openings(settings, seed)
        names = distinct(engine.name for engine in met)
        standings = MatchStandings(
            names, settings.rules.scoring, self._openings.komi_of, settings.event
        )
        knowing = tuple(engine.knows_r_mobility for engine in met)
        match = Match(settings, plan, knowing, standings, next_games(plan, standings.games))
        for number, ending in () if journal is None else journal.recovered():
            match.recover(number, ending)
            await asyncio.sleep(0)  # the referee may be told to stop
        for opening in {pairing.opening for pairing in islice(match.stage.values(), _READ_AHEAD)}:
            self._openings.read(opening)
        return match

    async def _play_all(self, match: Match, engines: dict[int, EngineProcess]) -> None:
        """Let workers play stage after stage; the first takes over `engines`, the others start their own."""
        try:
            while not match.is_over():
                played = match.standings.games
                waiting = (
                    pairing for pairing in match.stage.values() if pairing.number not in played
                )
                async with asyncio.TaskGroup() as group:
                    for board in range(min(self._settings.concurrency, match.left)):
                        group.create_task(self._work(match, waiting, {} if board else engines))
        except ExceptionGroup as errors:
            if not match.is_decided():
                raise errors.exceptions[0] from None

    async def _work(
        self, match: Match, waiting: Iterator[Pairing], given: dict[int, EngineProcess]
    ) -> None:
        """Play game after game of a stage with the engines that run already; they quit when there are no more games."""
        async with _engines(given) as engines:
            for pairing in waiting:
                if pairing.black is not None:
                    await _close(engines, but=(pairing.white, pairing.black))
                sheet = await self._game(match, pairing, engines)
                await _to_its_end(self._keep(match, sheet))
                if match.is_decided():
                    raise DecidedError
                await asyncio.sleep(self._settings.wait)

    async def _keep(self, match: Match, sheet: Sheet) -> None:
        """Put a finished game on the disk, then into the standings; it has been played once this returns."""
        if self._journal is not None:
            white, black = match.standings.names(sheet.pairing)
            is_knockout = match.plan.format is Format.KNOCKOUT
            tags = {
                "Event": self._settings.event,
                "Site": self._settings.site,
                "White": white,
                "Black": black,
                **(
                    {"EventType": KNOCKOUT, "MeetingGames": str(match.plan.games)}
                    if is_knockout
                    else {}
                ),
                "MatchId": self._journal.state.match,
            }
            await asyncio.to_thread(self._journal.append, to_pgn(sheet, tags))
        match.add(sheet.pairing, replace(sheet.ending, plies=sheet.game.last.number))
        self._watcher.game_over(sheet)

    async def _game(
        self, match: Match, pairing: Pairing, engines: dict[int, EngineProcess]
    ) -> Sheet:
        """Play a game; a bye is over at once."""
        settings, is_bye = self._settings, pairing.black is None
        opening = Opening() if is_bye else self._openings.read(pairing.opening)
        rules = replace(settings.rules, scoring=with_komi(settings.rules.scoring, opening.komi))
        sides = (pairing.white, pairing.white if pairing.black is None else pairing.black)
        white, black = (Clock(settings.engines[player].control) for player in sides)
        game = Game(opening.board, accrued=opening.accrued, fifty_moves=rules.fifty_moves)
        started = datetime.now(UTC)  # noqa: TID251 - a game's date, not a deadline
        sheet = Sheet(pairing, opening, rules, game, (white, black), started)
        clock = time.perf_counter()
        if is_bye:
            sheet.ending = Ending(Score(MATE_CODE, Color.WHITE), Source.RESULT, "normal", "bye")
        else:
            self._watcher.moved(sheet)
            sheet.ending = await self._prepare(sides, sheet, engines) or await play(
                sheet, (engines[sides[0]], engines[sides[1]]), self._tables, self._watcher.moved
            )
        if sheet.ending.termination in (Offence.ILLEGAL_MOVE.value, Offence.ABANDONED.value):
            await engines.pop(
                sides[sheet.ending.outcome.holder.other]
            ).close()  # it is started again for its next game
        sheet.seconds = time.perf_counter() - clock
        return sheet

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

        A failure forfeits the game. The first start must not fail, nor may others again and again: the match ends.
        """
        if player in engines:
            await engines[player].close()
        spec = self._settings.engines[player]
        engines[player] = engine = EngineProcess(spec, partial(self._heard, spec))
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
            print(
                f"{spec.name or spec.command[0]} {seconds:9.3f} {direction} {line}", file=sys.stderr
            )


@contextlib.asynccontextmanager
async def _engines(engines: dict[int, EngineProcess]) -> AsyncIterator[dict[int, EngineProcess]]:
    """Engines by player, which are closed at the end; nobody waits for one that thinks when a match is stopped."""
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
    """Await work that must not be cancelled half-way, such as writing a game; a cancellation comes after it."""
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
    found: list[str] = []
    for name in names:
        spellings = chain([name], (f"{name} ({number})" for number in count(2)))
        found.append(next(spelling for spelling in spellings if spelling not in found))
    return tuple(found)
