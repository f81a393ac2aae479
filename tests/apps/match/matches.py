"""Matches for tests: engines written in Python, and what a match said."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from tbgen.apps.games.game import PgnGame
from tbgen.apps.games.reader import read_games
from tbgen.apps.match.game import GameRecord
from tbgen.apps.match.results import MatchStandings
from tbgen.apps.match.runner import Match, MatchWatcher, Referee
from tbgen.cli.match_options import settings_of
from tests.positions import random_root

ENGINES = Path(__file__).parent / "engines"


def scripted(name: str, *arguments: str, limit: str = "nodes=1", program: str = "scripted.py") -> list[str]:
    """An engine that plays by heart, as options of a match."""
    words = [f"arg={word}" for word in (str(ENGINES / program), *arguments)]
    return ["-engine", f"cmd={sys.executable}", *words, f"name={name}", limit]


def walker(name: str) -> list[str]:
    """An engine that plays some legal move; always the same in a position."""
    return scripted(name, "--salt", name, program="walker.py")


def random_endings(count: int) -> list[str]:
    """Legal positions with few men, in which games soon leave what ordinary chess would play on."""
    chance = random.Random(11)
    extra = ["".join(chance.choices("QRBNPrbnp", k=chance.randint(0, 3))) for _ in range(count)]
    return [random_root(chance, "Kk" + each).fen() for each in extra]


class Silent(MatchWatcher):
    """Shows nothing and keeps the games."""

    def __init__(self) -> None:
        self.records: list[GameRecord] = []

    def game_over(self, board: int, record: GameRecord) -> None:
        self.records.append(record)


def run(arguments: Sequence[str]) -> tuple[MatchStandings, list[GameRecord]]:
    """A whole match, and its games by number."""
    match = played(arguments, view := Silent())
    return match.standings, sorted(view.records, key=lambda record: record.pairing.number)


def played(arguments: Sequence[str], watcher: MatchWatcher) -> Match:
    """A match that is played to its end."""
    referee = Referee(settings_of(arguments), watcher)
    asyncio.run(referee.play())
    assert referee.match is not None
    return referee.match


def games_of(path: Path) -> list[PgnGame]:
    """The games of a file; none may be unreadable."""
    games = list(read_games(str(path)))
    assert all(isinstance(game, PgnGame) for game in games), games
    return [game for game in games if isinstance(game, PgnGame)]
