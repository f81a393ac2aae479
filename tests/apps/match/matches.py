"""Matches for tests: engines written in Python, and what a match said."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tbgen.apps.games.event_game import BYE, EventGame
from tbgen.apps.games.read import PgnGame, read_games
from tbgen.apps.games.results import classical_result
from tbgen.apps.games.tags import Source
from tbgen.apps.match.bench import Bench, Contestant, Shared
from tbgen.apps.match.control import Clock, TimeControl
from tbgen.apps.match.formats import next_games
from tbgen.apps.match.openings import Opening
from tbgen.apps.match.options import settings_of
from tbgen.apps.match.results import MatchStandings
from tbgen.apps.match.runner import Match, MatchWatcher, Referee
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import PlayRules, Tournament
from tbgen.apps.match.sheet import Ending, Sheet
from tbgen.rules.game import Game
from tbgen.rules.points import Scoring
from tbgen.score import Color, Score
from tests.positions import random_root

ENGINES = Path(__file__).parent / "engines"


def scripted(
    name: str, *arguments: str, limit: str = "nodes=1", program: str = "scripted.py"
) -> list[str]:
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
        self.sheets: list[Sheet] = []

    def begins(self, match: Match) -> None:
        pass

    def moved(self, sheet: Sheet) -> None:
        pass

    def says(self, text: str) -> None:
        pass

    def game_over(self, sheet: Sheet) -> None:
        self.sheets.append(sheet)


def run(arguments: Sequence[str]) -> tuple[MatchStandings, list[Sheet]]:
    """A whole match, and its games by number."""
    view = Silent()
    match = played(arguments, view)
    return match.standings, sorted(view.sheets, key=lambda sheet: sheet.pairing.number)


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


def tournament(
    plan: Tournament,
    scoring: Scoring,
    outcome_of: Callable[[int], tuple[Color, int]],
    rounds: int = 99,
) -> tuple[list[Pairing], dict[int, EventGame]]:
    """All games of a tournament, or of so many rounds, by the holder and the code of each.

    The results of a stage arrive backwards.
    """
    pairings = list[Pairing]()
    results = dict[int, EventGame]()
    while stage := next_games(plan, results):
        if next(iter(stage.values())).round > rounds:
            break
        pairings += stage.values()
        for pairing in reversed(stage.values()):
            assert next_games(plan, results) == stage
            is_bye = pairing.black is None
            holder, code = outcome_of(pairing.number)
            results[pairing.number] = EventGame(
                players=(f"P{pairing.white}", BYE if is_bye else f"P{pairing.black}"),
                result="1-0" if is_bye else classical_result(Score(code, holder)),
                final=Score("G0.0") if is_bye else Score(code, holder),
                scoring=scoring,
                source=Source.GAME,
                plies=0 if is_bye else 9,
                tags={
                    "EventType": "k.o.",
                    "Round": str(pairing.round),
                    "MatchGame": str(pairing.number),
                },
            )
    return pairings, results


class FakeBench(Bench):
    """Plays without engines: every game is over at once, and Black has held White to some moves."""

    async def start(self, player: int) -> Contestant:
        spec = self._settings.engines[player]
        return Contestant(spec.name or spec.program, knows_r_mobility=True)

    async def play(self, sheet: Sheet, on_move: Callable[[Sheet], None]) -> Ending:
        outcome = Score(sheet.pairing.number % 10, Color.BLACK)
        return Ending(outcome, Source.GAME, "normal", "bare kings")


def referee_of(
    arguments: Sequence[str], watcher: MatchWatcher, bench: Callable[[Shared], Bench]
) -> Referee:
    """A referee of a match that is played on some bench."""
    return Referee(settings_of(arguments), watcher, bench)


def fake_referee(arguments: Sequence[str], watcher: MatchWatcher) -> Referee:
    """A referee of a match whose games are over at once."""
    return referee_of(arguments, watcher, FakeBench)


def sheet_of(
    game: Game,
    opening: Opening,
    rules: PlayRules | None = None,
    control: TimeControl | None = None,
) -> Sheet:
    """A game of a match that is not over."""
    clocks = (Clock(control or TimeControl()), Clock(control or TimeControl()))
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return Sheet(Pairing(7, 2, 0, 1, 0, 3), opening, rules or PlayRules(), game, clocks, now)


SHEET = sheet_of(Game(), Opening())
