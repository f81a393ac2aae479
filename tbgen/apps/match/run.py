"""Playing a match: engines are met, finished games are read back, and workers play those that are left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

from tbgen.apps.match.engine import Engine
from tbgen.apps.match.match import Match, Watcher, opening_order, openings_of, pairings_of
from tbgen.apps.match.openings import Book, Opening
from tbgen.apps.match.play import PlayRules
from tbgen.apps.match.record import GameRecord, Heading, StoredGame, stored, to_pgn
from tbgen.apps.match.roster import Roster, distinct
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import MatchSettings
from tbgen.apps.match.standings import Result, Standings
from tbgen.apps.match.store import FileStore, NoStore, Store, digest_of
from tbgen.apps.match.tables import Decider, Deciders, SyzygyDecider, TableDecider
from tbgen.apps.match.uci import pass_over
from tbgen.apps.match.worker import Worker
from tbgen.errors import MatchError

_READ_AHEAD = 500
"""So many openings are tried out before the first game."""


async def play_match(settings: MatchSettings, watcher: Watcher, stopped: asyncio.Event | None = None) -> Match:
    """Play what is left of a match, until it is over or `stopped` is set; games in play are then given up."""
    stopped = asyncio.Event() if stopped is None else stopped
    asyncio.get_running_loop().set_exception_handler(pass_over)
    pairings, openings = pairings_of(settings), openings_of(settings)
    async with AsyncExitStack() as stack:
        decider = _decider(settings)
        if decider is not None:
            stack.callback(decider.close)
        roster = Roster(settings)
        stack.callback(roster.close)
        met: list[Engine] = []
        stack.push_async_callback(_dismiss, met)
        for player in range(len(settings.engines)):  # what does not work is found out before the first game
            met.append(roster.engine(player))
            await roster.start_first(met[-1])
        store: Store = NoStore(settings) if settings.pgn is None else FileStore(settings, digest_of(settings))
        stack.callback(store.close)
        match = _match_of(settings, met, decider, pairings, openings, store)
        if len(met) > 2:
            await _dismiss(met)
        watcher.begins(match)
        for note in store.notes:
            watcher.says(note)
        await _Games(match, roster, store, watcher, stopped).play_all(met)
    return match


def _match_of(
    settings: MatchSettings,
    met: Sequence[Engine],
    decider: Decider | None,
    pairings: Sequence[Pairing],
    openings: Sequence[Opening] | Book,
    store: Store,
) -> Match:
    """The match with what has been played of it."""
    names, seed = distinct(engine.name for engine in met), store.identity.seed
    order = opening_order(settings, len(openings), pairings, seed)
    for place in order[:_READ_AHEAD]:
        openings[place]
    rules = PlayRules(
        fifty_moves=settings.fifty_moves,
        scoring=settings.scoring,
        resign=settings.resign,
        most_moves=settings.most_moves,
        decider=decider,
        adjudicate=settings.tables.adjudicate,
    )
    match = Match(
        settings=settings,
        names=names,
        knows_variant=tuple(engine.knows_variant for engine in met),
        rules=rules,
        pairings=pairings,
        openings=openings,
        opening_order=order,
        seed=seed,
        standings=Standings(list(names), settings.scoring),
    )
    _take_up(match, store.games)
    return match


def _take_up(match: Match, games: Sequence[StoredGame]) -> None:
    """Put games that were played before into the standings."""
    by_number = {pairing.number: pairing for pairing in match.pairings}
    for game in games:
        if game.number not in by_number:
            raise MatchError(f"game {game.number} has been played, but there are only {len(by_number)}; give -rounds")
        pairing = by_number[game.number]
        match.standings.add(Result(pairing, game, match.opening_of(pairing).komi))


class _Games:
    """The games that are left: workers take them in the order of the schedule."""

    def __init__(self, match: Match, roster: Roster, store: Store, watcher: Watcher, stopped: asyncio.Event) -> None:
        self._match = match
        self._roster = roster
        self._store = store
        self._watcher = watcher
        self._stopped = stopped
        self._heading = Heading(match.settings.event, match.settings.site, store.identity.match)
        played = set(match.standings.results)
        self._waiting = iter([pairing for pairing in match.pairings if pairing.number not in played])

    def next(self) -> Pairing | None:
        """The next game to be played, if there is one and the match goes on."""
        return None if self._stopped.is_set() else next(self._waiting, None)

    async def keep(self, board: int, record: GameRecord) -> None:
        """Put a finished game on the disk, then into the standings; it has been played once this returns."""
        await asyncio.to_thread(lambda: self._store.append(to_pgn(record, self._heading)))
        self._match.standings.add(Result(record.pairing, stored(record), record.opening.komi))
        self._watcher.game_over(board, record)
        if self._match.is_decided():
            self._stopped.set()

    async def play_all(self, met: list[Engine]) -> None:
        """Let workers play until no game is left, or until the match is stopped."""
        match = self._match
        if match.is_over():
            self._store.finish()
            return
        boards = range(min(match.settings.concurrency, len(match.pairings)))
        workers = [Worker(board, match, self._roster, self._watcher, _taken(met, board)) for board in boards]
        tasks = [asyncio.create_task(worker.work(self)) for worker in workers]
        stopper = asyncio.create_task(self._cancel_when_stopped(tasks))
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
        if match.is_over():
            self._store.finish()

    async def _cancel_when_stopped(self, tasks: list[asyncio.Task[None]]) -> None:
        await self._stopped.wait()
        for task in tasks:
            task.cancel()


def _taken(met: list[Engine], board: int) -> dict[int, Engine]:
    """The first worker takes over the two engines that were met; the others start their own when they need them."""
    if board:
        return {}
    engines = dict(enumerate(met))
    met.clear()
    return engines


async def _dismiss(met: list[Engine]) -> None:
    while met:
        await met.pop().close()


def _decider(settings: MatchSettings) -> Decider | None:
    """The tables that end games, if there are any."""
    tables = settings.tables
    deciders: list[Decider] = []
    if tables.folders is not None:
        deciders.append(TableDecider(tables.folders, tables.men))
    if tables.syzygy is not None:
        deciders.append(SyzygyDecider(tables.syzygy, tables.syzygy_men, ignore_fifty_moves=tables.ignore_fifty_moves))
    return Deciders(*deciders) if deciders else None
