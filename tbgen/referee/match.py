"""A match: engines, games at a time, and results, until the schedule is played or a test is decided."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TextIO

from tbgen.errors import EngineStartError, MatchError
from tbgen.referee.engine import HANDSHAKE, Engine, EngineSpec, Fault, ForfeitError
from tbgen.referee.openings import STANDARD, Book, Opening, Order, ordered, read_book
from tbgen.referee.place import Place
from tbgen.referee.play import PlayRules, Sheet
from tbgen.referee.record import GameRecord, Heading, stored, to_pgn
from tbgen.referee.schedule import Pairing, Plan, Policy, openings_needed, schedule
from tbgen.referee.settings import MatchSettings, Notation
from tbgen.referee.sprt import Decision
from tbgen.referee.standings import Result, Standings
from tbgen.referee.store import FileStore, NoStore, Store, digest_of
from tbgen.referee.tables import Decider, Deciders, SyzygyDecider, TableDecider
from tbgen.referee.uci import Listener, pass_over
from tbgen.rules.points import Scoring
from tbgen.score import Color, Outcome

_MOST_FAILED_STARTS = 3
_READ_AHEAD = 500
"""So many openings are tried out before the first game."""


class Watcher(Protocol):
    """Told what happens in a match, to show it."""

    def begins(self, match: Match) -> None:
        """The engines have answered; games that were played before are in the standings."""

    def game_begins(self, place: int, pairing: Pairing, sheet: Sheet) -> None:
        """A game is started at one of the places where games are played at a time."""

    def moved(self, place: int, sheet: Sheet) -> None:
        """A move has been made."""

    def game_over(self, place: int, record: GameRecord) -> None:
        """A game is on the disk and in the standings."""

    def says(self, text: str) -> None:
        """Something that the user should know."""


class Match:
    """A match that can be run once."""

    def __init__(self, settings: MatchSettings, watcher: Watcher) -> None:
        self.settings = settings
        self.watcher = watcher
        self.names: list[str] = []
        self.knows_variant: list[bool] = []
        self.pairings = schedule(_plan(settings))
        self._openings, self._order = _openings_of(settings), list[int]()
        self._rules: PlayRules
        self._store: Store
        self.standings: Standings
        self._waiting: Iterator[Pairing]
        self._failed_starts: dict[int, int] = {}
        self._stopped: asyncio.Event
        self._met: list[Engine] = []
        self._logs: dict[Path, TextIO] = {}
        self._open_files = contextlib.ExitStack()

    async def run(self) -> Standings:
        """Play what is left of the match."""
        self._stopped = asyncio.Event()
        asyncio.get_running_loop().set_exception_handler(pass_over)
        decider = _decider(self.settings)
        try:
            await self._meet_engines()
            self._rules = PlayRules(
                self.settings.fifty_moves,
                self.settings.scoring,
                self.settings.resign,
                self.settings.most_moves,
                decider,
                self.settings.tables.adjudicate,
            )
            settings = self.settings
            self._store = NoStore(settings) if settings.pgn is None else FileStore(settings, digest_of(settings))
            try:
                self._take_up()
                if len(self._met) > 2:
                    await self._dismiss()
                self.watcher.begins(self)
                await self._play_all()
            finally:
                self._store.close()
        finally:
            await self._dismiss()
            self._open_files.close()
            if decider is not None:
                decider.close()
        return self.standings

    @property
    def seed(self) -> int:
        return self._store.identity.seed

    def is_decided(self) -> bool:
        """Whether the test, if there is one, has accepted a hypothesis."""
        sprt = self.settings.sprt
        return sprt is not None and self.standings.test(sprt).decision is not Decision.OPEN

    def is_over(self) -> bool:
        return self.is_decided() or len(self.standings.results) == len(self.pairings)

    def stop(self) -> None:
        """Play no more; the games in play are given up."""
        self._stopped.set()

    def opening_of(self, pairing: Pairing) -> Opening:
        return self._openings[self._order[pairing.opening]]

    async def _meet_engines(self) -> None:
        """Start every engine: what does not work is found out before the first game."""
        for spec in self.settings.engines:
            engine = Engine(spec, self._listener(spec))
            self._met.append(engine)
            await engine.start(variant_options(self.settings))
            self.names.append(_unused(engine.name, self.names))
            self.knows_variant.append(engine.knows_variant)

    def _take_up(self) -> None:
        """Find out what has been played, and what is left."""
        self.standings = Standings(self.names, self.settings.scoring)
        self._order = _order_of(self.settings, len(self._openings), self.pairings, self.seed)
        for place in self._order[:_READ_AHEAD]:
            self._openings[place]
        by_number = {pairing.number: pairing for pairing in self.pairings}
        for game in self._store.games:
            if game.number not in by_number:
                raise MatchError(
                    f"game {game.number} has been played, but there are only {len(by_number)}; give -rounds"
                )
            pairing = by_number[game.number]
            self.standings.add(Result(pairing, game, self.opening_of(pairing).komi))
        self._waiting = iter([pairing for pairing in self.pairings if pairing.number not in self.standings.results])

    async def _play_all(self) -> None:
        """Places take games from the schedule until none is left, or the match is stopped."""
        if self.is_over():
            self._store.finish()
            return
        places = range(min(self.settings.concurrency, len(self.pairings)))
        tasks = [asyncio.create_task(Place(place, self, self._seated(place)).work()) for place in places]
        stopper = asyncio.create_task(self._stop_when_told(tasks))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in (*tasks, stopper):
                if not task.cancelling():
                    task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        if self.is_over():
            self._store.finish()

    async def _dismiss(self) -> None:
        while self._met:
            await self._met.pop().close()

    def _seated(self, place: int) -> dict[int, Engine]:
        """Two engines stay at the first place; of more, each is started when it is needed."""
        if place:
            return {}
        seated, self._met = dict(enumerate(self._met)), []
        return seated

    async def _stop_when_told(self, tasks: list[asyncio.Task[None]]) -> None:
        await self._stopped.wait()
        for task in tasks:
            task.cancel()

    def next_pairing(self) -> Pairing | None:
        return None if self._stopped.is_set() else next(self._waiting, None)

    async def keep(self, place: int, record: GameRecord) -> None:
        """A game is over when it is on the disk."""
        heading = Heading(self.settings.event, self.settings.site, self._store.identity.match)
        await asyncio.to_thread(lambda: self._store.append(to_pgn(record, heading)))
        self.standings.add(Result(record.pairing, stored(record), record.opening.komi))
        self.watcher.game_over(place, record)
        if self.is_decided():
            self.stop()

    def rules_for(self, opening: Opening) -> PlayRules:
        scoring = self._rules.scoring
        if opening.komi is None:
            return self._rules
        return replace(self._rules, scoring=Scoring(scoring.scheme, scoring.cutoff_code, opening.komi))

    def engine(self, player: int) -> Engine:
        spec = self.settings.engines[player]
        return Engine(spec, self._listener(spec))

    async def start(self, player: int, engine: Engine) -> None:
        """Start an engine for a game; one that will not start again and again ends the match."""
        try:
            await engine.start(variant_options(self.settings))
        except EngineStartError as error:
            self._failed_starts[player] = self._failed_starts.get(player, 0) + 1
            if self._failed_starts[player] >= _MOST_FAILED_STARTS:
                raise
            raise ForfeitError(Fault.CRASH, f"cannot be started again: {error.reason}") from None
        self._failed_starts.pop(player, None)

    def _listener(self, spec: EngineSpec) -> Listener | None:
        """Who hears what passes between the referee and an engine: its log, and everyone under -debug."""
        if spec.log is None and not self.settings.debug:
            return None
        begun, name = time.perf_counter(), spec.name or spec.command[0]
        if spec.log is not None and spec.log not in self._logs:
            opened = spec.log.open("a", encoding="utf-8", buffering=1)
            self._logs[spec.log] = self._open_files.enter_context(opened)
        log = None if spec.log is None else self._logs[spec.log]

        def listen(direction: str, line: str) -> None:
            text = f"{time.perf_counter() - begun:9.3f} {direction} {line}"
            if log is not None:
                log.write(text + "\n")
            if self.settings.debug:
                print(f"{name} {text}", file=sys.stderr)

        return listen


def _plan(settings: MatchSettings) -> Plan:
    policy = Policy.DEFAULT if settings.openings is None else settings.openings.policy
    return Plan(
        len(settings.engines),
        settings.games,
        settings.rounds,
        settings.repeat,
        settings.format,
        settings.seeds,
        settings.swap,
        policy,
    )


def _openings_of(settings: MatchSettings) -> Sequence[Opening] | Book:
    each = settings.openings
    if each is None:
        return [replace(STANDARD, chess960=settings.chess960)]
    return read_book(
        each.file,
        pgn=each.notation is Notation.PGN,
        most_plies=each.plies,
        fifty_moves=settings.fifty_moves,
        chess960=settings.chess960,
    )


def _order_of(settings: MatchSettings, count: int, pairings: list[Pairing], seed: int) -> list[int]:
    each = settings.openings
    order, start = (Order.SEQUENTIAL, 1) if each is None else (each.order, each.start)
    return ordered(count, openings_needed(pairings), order=order, start=start, seed=seed)


def _decider(settings: MatchSettings) -> Decider | None:
    tables = settings.tables
    deciders: list[Decider] = []
    if tables.folders is not None:
        deciders.append(TableDecider(tables.folders, tables.men))
    if tables.syzygy is not None:
        deciders.append(SyzygyDecider(tables.syzygy, tables.syzygy_men, ignore_fifty_moves=tables.ignore_fifty_moves))
    return Deciders(*deciders) if deciders else None


def variant_options(settings: MatchSettings) -> dict[str, str]:
    """What an engine that knows the variant may want to be told; docs/uci.md."""
    return {
        f"{HANDSHAKE}Fifty": settings.fifty_moves.setting.value,
        f"{HANDSHAKE}Cutoff": str(Outcome(Color.WHITE, settings.scoring.cutoff_code)),
        f"{HANDSHAKE}Scoring": settings.scoring.scheme.value,
        f"{HANDSHAKE}Komi": str(settings.scoring.komi),
    }


def _unused(name: str, names: list[str]) -> str:
    """A name of its own for every engine."""
    number, unused = 2, name
    while unused in names:
        unused, number = f"{name} ({number})", number + 1
    return unused
