"""Playing a match: start engines, read finished games back, and play those that are left."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Protocol

from tbgen.apps.games.event_game import is_bye
from tbgen.apps.games.tags import KNOCKOUT, Source
from tbgen.apps.match.bench import Bench, Contestant, Shared, to_its_end
from tbgen.apps.match.control import Clock
from tbgen.apps.match.engine import pass_over
from tbgen.apps.match.formats import next_games
from tbgen.apps.match.journal import FileJournal, StoredGame, new_seed
from tbgen.apps.match.knockout import Meeting, bracket_of
from tbgen.apps.match.openings import Opening, Openings
from tbgen.apps.match.pgn import to_pgn
from tbgen.apps.match.results import MatchStandings, with_komi
from tbgen.apps.match.schedule import MatchStage, Pairing
from tbgen.apps.match.settings import Format, MatchSettings, Tournament
from tbgen.apps.match.sheet import NORMAL, Ending, Sheet
from tbgen.apps.match.tables import opened_tables
from tbgen.errors import MatchError, UsageError
from tbgen.rules.game import Game
from tbgen.score import MATE_CODE, Color, Score

_READ_AHEAD = 500
"""The number of games whose openings are tried before the first game."""


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
            return math.ceil(self.plan.players / 2) * self.plan.rounds * self.plan.games
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

    def recover(self, game: StoredGame) -> None:
        """Count a game that was played before."""
        number = game.number
        if number in self.standings.games:
            raise MatchError(
                f"{self.settings.pgn} has game {number} of the match twice; take one out"
            )
        if number not in self.stage:
            raise MatchError(
                f"game {number} has been played, but there are only {self._last_of_stage}; "
                "give -rounds"
            )
        pairing = self.stage[number]
        players = self.standings.names(pairing)
        if self.plan.format is Format.SWISS and players != game.players:
            raise MatchError(
                f"game {number} was {' - '.join(game.players)}, but now it is "
                f"{' - '.join(players)}; give the same engines and results"
            )
        self.add(pairing, game.ending)

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

    Arguments:
        settings: The match.
        watcher: Receives its events.
        new_bench: Makes the bench on which a worker plays its games.
    """

    def __init__(
        self,
        settings: MatchSettings,
        watcher: MatchWatcher,
        new_bench: Callable[[Shared], Bench] = Bench,
    ) -> None:
        self._settings = settings
        self._watcher = watcher
        self._new_bench = new_bench
        self._journal: FileJournal | None = None
        self.match: Match | None = None
        """None until the engines have answered."""

    async def play(self) -> None:
        """Play the rest of the match; a cancellation abandons the games in play."""
        asyncio.get_running_loop().set_exception_handler(pass_over)
        settings = self._settings
        async with contextlib.AsyncExitStack() as stack:
            tables = stack.enter_context(opened_tables(settings.tables))
            self._shared = Shared(settings, tables)
            bench = await stack.enter_async_context(_closing(self._new_bench(self._shared)))
            contestants = list[Contestant]()
            for player in range(len(settings.engines)):
                contestants.append(await bench.start(player))
            if settings.pgn is not None:
                self._journal = FileJournal(settings, stack, self._watcher.says)
            match = await self._begun(contestants)
            self.match = match
            self._watcher.begins(match)
            await self._play_all(match, bench)
            if match.is_over() and self._journal is not None:
                self._journal.finish()

    async def _begun(self, contestants: list[Contestant]) -> Match:
        """The match with what has been played of it."""
        settings = self._settings
        journal = self._journal
        seed = new_seed(settings) if journal is None else journal.state.seed
        plan = replace(settings.plan, seed=seed)
        self._openings = Openings(settings, seed)
        names = distinct(contestant.name for contestant in contestants)
        for name in names:
            if is_bye(name):
                raise UsageError(
                    f"no engine can be called {name}, as a missing opponent is; give name="
                )
        scoring = settings.rules.scoring
        standings = MatchStandings(names, scoring, self._openings.komi_of, settings.event)
        knowing = tuple(contestant.knows_r_mobility for contestant in contestants)
        match = Match(settings, plan, knowing, standings, next_games(plan, standings.games))
        if journal is not None:
            for game in journal.recovered():
                match.recover(game)
                await asyncio.sleep(0)  # the referee may be told to stop
        for pairing in islice(match.stage.values(), _READ_AHEAD):
            self._openings.read(pairing.opening)
        return match

    async def _play_all(self, match: Match, bench: Bench) -> None:
        """Let workers play stage after stage.

        The first takes over `bench`, the others have their own.
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
                        own_bench = bench if worker == 0 else self._new_bench(self._shared)
                        group.create_task(self._work(match, waiting, own_bench))
        except ExceptionGroup as errors:
            for error in errors.exceptions:
                if not isinstance(error, DecidedError):
                    raise error from None

    async def _work(self, match: Match, waiting: Iterator[Pairing], bench: Bench) -> None:
        """Play game after game of a stage on a bench.

        Its engines quit when there are no more games.
        """
        async with _closing(bench):
            for pairing in waiting:
                sheet = await self._game(pairing, bench)
                await to_its_end(self._keep(match, sheet))
                if match.is_decided():
                    raise DecidedError

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
                tags["MatchPlayers"] = str(match.plan.players)
            tags["MatchId"] = self._journal.state.match
            text = to_pgn(sheet, tags, self._settings.comment_facts)
            await asyncio.to_thread(self._journal.append, text)
        match.add(sheet.pairing, replace(sheet.ending, plies=sheet.game.last.number))
        self._watcher.game_over(sheet)

    async def _game(self, pairing: Pairing, bench: Bench) -> Sheet:
        """Play a game; a bye is over at once."""
        if pairing.black is None:
            sheet = self._sheet(pairing, Opening())
            sheet.ending = Ending(Score(MATE_CODE, Color.WHITE), Source.RESULT, NORMAL, "bye")
            return sheet
        sheet = self._sheet(pairing, self._openings.read(pairing.opening))
        started = time.perf_counter()
        self._watcher.moved(sheet)
        sheet.ending = await bench.play(sheet, self._watcher.moved)
        sheet.seconds = time.perf_counter() - started
        return sheet

    def _sheet(self, pairing: Pairing, opening: Opening) -> Sheet:
        """A game before its first move."""
        rules = self._settings.rules
        rules = replace(rules, scoring=with_komi(rules.scoring, opening.komi))
        sides = (pairing.white, pairing.white if pairing.black is None else pairing.black)
        white, black = (Clock(self._settings.engines[player].control) for player in sides)
        game = Game(opening.board, accrued=opening.accrued, fifty_moves=rules.fifty_moves)
        now = datetime.now(UTC)  # noqa: TID251 - a game's date, not a deadline
        return Sheet(pairing, opening, rules, game, (white, black), now)


@contextlib.asynccontextmanager
async def _closing(bench: Bench) -> AsyncIterator[Bench]:
    """A bench that is closed at the end.

    When a match is stopped, nobody waits for an engine that thinks. A failure is told even if the
    match is stopped while the bench is closed.
    """
    try:
        yield bench
    except BaseException:
        bench.kill()
        with contextlib.suppress(asyncio.CancelledError):
            await to_its_end(bench.close())
        raise
    await to_its_end(bench.close())


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
