"""Playing a match: engines are met, finished games are read back, and workers play the games that are left."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, count
from typing import TextIO

from tbgen.apps.games.tags import KNOCKOUT
from tbgen.apps.match.engine import HANDSHAKE, Clock, EngineProcess, EngineSpec, ForfeitError, Offence
from tbgen.apps.match.match import Match, MatchSettings, MatchWatcher, openings_of, openings_of_knockout
from tbgen.apps.match.play import GameRecord, PlayRules, Sheet, forfeited, play, to_pgn
from tbgen.apps.match.schedule import Book, Format, Opening, Pairing, fen_of, openings_needed, ordered, schedule
from tbgen.apps.match.standings import MatchStandings, Result, with_komi
from tbgen.apps.match.store import FileStore, Store, StoredGame
from tbgen.apps.match.tables import Decider, Ending, syzygy_decider, table_decider
from tbgen.apps.match.uci import Listener, pass_over
from tbgen.errors import EngineStartError, MatchError
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color, Score

_READ_AHEAD = 500
"""The match tries out so many openings before its first game."""
_CHANCES = 2
"""An engine that was started once may fail to start so many times in a row."""


async def play_match(settings: MatchSettings, watcher: MatchWatcher, stopped: asyncio.Event | None = None) -> Match:
    """Play the rest of a match, until it is over or `stopped` is set; that abandons the games in play."""
    stopped = asyncio.Event() if stopped is None else stopped
    asyncio.get_running_loop().set_exception_handler(pass_over)
    pairings, openings = schedule(settings.plan), openings_of(settings)
    async with contextlib.AsyncExitStack() as stack:
        rules = _rules_of(settings, stack)
        roster = Roster(settings, stack)
        engines: dict[int, EngineProcess] = {}
        stack.push_async_callback(_close, engines)
        for player in range(len(settings.engines)):  # one that does not start ends the match
            await roster.start(player, engines)
        store = Store(settings) if settings.pgn is None else FileStore(settings, stack)
        match = _match_of(settings, list(engines.values()), rules, pairings, openings, store)
        watcher.begins(match)
        for note in store.notes:
            watcher.says(note)
        if not match.is_over():
            await _Games(match, roster, store, watcher, stopped).play_all(engines)
        if match.is_over():
            store.finish()
    return match


def _match_of(
    settings: MatchSettings,
    met: Sequence[EngineProcess],
    rules: PlayRules,
    pairings: list[Pairing],
    openings: Sequence[Opening] | Book,
    store: Store,
) -> Match:
    """The match with what has been played of it."""
    plan, book, seed = settings.plan, settings.openings, store.state.seed
    needed = openings_of_knockout(plan) if plan.format is Format.KNOCKOUT else openings_needed(pairings)
    order = ordered(len(openings), needed, order=book.order, start=book.start, seed=seed)
    for place in order[:_READ_AHEAD]:
        openings[place]
    match = Match(
        settings=settings,
        knows_variant=tuple(engine.knows_variant for engine in met),
        rules=rules,
        pairings=pairings,
        openings=openings,
        opening_order=order,
        seed=seed,
        standings=MatchStandings(distinct(engine.name for engine in met), settings.rules.scoring),
    )
    _take_up(match, store.games)
    return match


def _take_up(match: Match, games: Mapping[int, StoredGame]) -> None:
    """Put games that were played before into the standings."""
    match.schedule_more()
    left = dict(games)
    while known := [pairing for pairing in match.pairings if pairing.number in left]:
        for pairing in known:
            game = left.pop(pairing.number)
            match.standings.add(Result(pairing, game.ending, game.plies, match.opening_of(pairing).komi))
        match.schedule_more()
    if left:
        raise MatchError(f"game {min(left)} has been played, but there are only {len(match.pairings)}; give -rounds")


class _Games:
    """The games that are left: workers take them in the order of the schedule, and hand them back played."""

    def __init__(
        self, match: Match, roster: Roster, store: Store, watcher: MatchWatcher, stopped: asyncio.Event
    ) -> None:
        self.match, self.roster, self.watcher = match, roster, watcher
        self._store, self._stopped = store, stopped
        self._shared_tags = {
            "Event": match.settings.event,
            "Site": match.settings.site,
            **({"EventType": KNOCKOUT} if match.settings.plan.format is Format.KNOCKOUT else {}),
            "MatchId": store.state.match,
        }
        self._begun = set(match.standings.results)
        self._kept = asyncio.Event()
        """Set, and replaced, when a game is kept."""

    async def _next(self) -> Pairing | None:
        """The next game to be played, if there is one and the match goes on; games in play may bring one."""
        while not self._stopped.is_set():
            waiting = (pairing for pairing in self.match.pairings if pairing.number not in self._begun)
            if (pairing := next(waiting, None)) is not None:
                self._begun.add(pairing.number)
                return pairing
            is_open = self.match.settings.plan.format is Format.KNOCKOUT
            if not is_open or len(self._begun) == len(self.match.standings.results):
                return None
            await self._kept.wait()
        return None

    async def _keep(self, board: int, record: GameRecord) -> None:
        """Put a finished game on the disk, then into the standings; it has been played once this returns."""
        await asyncio.to_thread(lambda: self._store.append(to_pgn(record, self._shared_tags)))
        plies = record.sheet.game.last.number
        self.match.standings.add(Result(record.pairing, record.ending, plies, record.opening.komi))
        self.match.schedule_more()
        self.watcher.game_over(board, record)
        self._kept.set()
        self._kept = asyncio.Event()
        if self.match.is_decided():
            self._stopped.set()

    async def play_all(self, engines: dict[int, EngineProcess]) -> None:
        """Let workers play until no game is left, or until the match is stopped.

        The first worker takes over `engines`; the others start their own when they need them.
        """
        # The first round of a knockout is its widest.
        boards = range(min(self.match.settings.concurrency, len(self.match.pairings)))
        tasks = [asyncio.create_task(self._work(board, {} if board else engines)) for board in boards]
        playing = asyncio.create_task(asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION))
        stopping = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait([playing, stopping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, playing, stopping):
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def _work(self, board: int, engines: dict[int, EngineProcess]) -> None:
        """Play game after game with the engines that run already; they quit when there are no more games."""
        try:
            while (pairing := await self._next()) is not None:
                await _close(engines, but=(pairing.white, pairing.black))
                await _to_its_end(self._keep(board, await self._game(board, pairing, engines)))
                await asyncio.sleep(self.match.settings.wait)
        except BaseException:  # nobody waits for an engine that thinks
            for engine in engines.values():
                engine.kill()
            raise
        finally:
            await _to_its_end(_close(engines))

    async def _game(self, board: int, pairing: Pairing, engines: dict[int, EngineProcess]) -> GameRecord:
        match, opening, watcher = self.match, self.match.opening_of(pairing), self.watcher
        rules = replace(match.rules, scoring=with_komi(match.rules.scoring, opening.komi))
        sides = (pairing.white, pairing.black)
        white, black = (Clock(match.settings.engines[player].control) for player in sides)
        sheet = Sheet(opening.game(rules.fifty_moves), (white, black))
        started, clock = datetime.now(UTC), time.perf_counter()  # noqa: TID251 - a date for a tag
        watcher.game_begins(board, pairing, sheet)
        ending = await self._prepare(sides, sheet, rules.scoring, engines)
        if ending is None:
            players = (engines[sides[0]], engines[sides[1]])
            ending = await play(sheet, players, rules, lambda sheet: watcher.moved(board, sheet))
        if ending.termination in (
            Offence.ILLEGAL_MOVE.value,
            Offence.ABANDONED.value,
        ):  # the engine is started again for its next game
            await engines.pop(sides[ending.outcome.holder.other]).close()
        return GameRecord(
            pairing=pairing,
            names=(match.standings.players[pairing.white], match.standings.players[pairing.black]),
            opening=opening,
            sheet=sheet,
            ending=ending,
            scoring=rules.scoring,
            started=started,
            seconds=time.perf_counter() - clock,
        )

    async def _prepare(
        self, sides: tuple[int, int], sheet: Sheet, scoring: Scoring, engines: dict[int, EngineProcess]
    ) -> Ending | None:
        """Make both engines ready for a new game; the first that fails has lost it."""
        komi = str(scoring.komi) if scoring.scheme is Scheme.KOMI else None
        for color, player in zip(Color, sides, strict=True):
            engine = engines.get(player)
            try:
                if engine is None or not engine.is_running or engine.spec.restart:
                    engine = await self.roster.start(player, engines)
                await engine.begin(fen_of(sheet.game), komi)
            except ForfeitError as error:
                return forfeited(sheet, color, error)
        return None


async def _close(engines: dict[int, EngineProcess], *, but: tuple[int, ...] = ()) -> None:
    """Close engines, which are no longer among `engines` then."""
    for player in [player for player in engines if player not in but]:
        await engines.pop(player).close()


def _rules_of(settings: MatchSettings, stack: contextlib.AsyncExitStack) -> PlayRules:
    """The rules of all games, with the tables that end them, which `stack` closes."""
    tables, deciders = settings.tables, list[Decider]()
    if tables.folders is not None:
        deciders.append(stack.enter_context(table_decider(tables.folders, tables.men)))
    if tables.syzygy is not None:
        ordinary = syzygy_decider(tables.syzygy, tables.syzygy_men, ignore_fifty_moves=tables.ignore_fifty_moves)
        deciders.append(stack.enter_context(ordinary))
    return replace(settings.rules, deciders=tuple(deciders))


async def _to_its_end(work: Coroutine[None, None, None]) -> None:
    """Await work that must not be cancelled half-way, such as writing a game; a cancellation comes after it."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


class Roster:
    """Makes and starts engines; a player is the number of a specification, from 0."""

    def __init__(self, settings: MatchSettings, stack: contextlib.AsyncExitStack) -> None:
        self._settings, self._begun = settings, time.perf_counter()
        self._options = variant_options(settings)
        self._chances = Counter[int]()
        self._logs = {
            log: stack.enter_context(log.open("a", encoding="utf-8", buffering=1))
            for log in {spec.log for spec in settings.engines}
            if log is not None
        }

    async def start(self, player: int, engines: dict[int, EngineProcess]) -> EngineProcess:
        """Start an engine anew among `engines`.

        A failure forfeits the game. The first start must not fail, nor may others again and again: the match ends.
        """
        if player in engines:
            await engines[player].close()
        spec = self._settings.engines[player]
        engines[player] = engine = EngineProcess(spec, self._listener(spec))
        try:
            await engine.start(self._options)
        except EngineStartError as error:
            if not self._chances[player]:
                raise
            self._chances[player] -= 1
            raise ForfeitError(Offence.ABANDONED, f"cannot be started again: {error.reason}") from None
        self._chances[player] = _CHANCES
        return engine

    def _listener(self, spec: EngineSpec) -> Listener:
        """A function that takes each line between referee and engine, for its log and for -debug."""
        logs: list[tuple[TextIO, str]] = [] if spec.log is None else [(self._logs[spec.log], "")]
        if self._settings.debug:
            logs.append((sys.stderr, f"{spec.name or spec.command[0]} "))

        def listen(direction: str, line: str) -> None:
            for log, before in logs:
                print(f"{before}{time.perf_counter() - self._begun:9.3f} {direction} {line}", file=log)

        return listen


def variant_options(settings: MatchSettings) -> dict[str, str]:
    """The options of the variant for an engine that knows it; docs/uci.md."""
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
