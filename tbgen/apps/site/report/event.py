"""Event: what `tbgen adjudicate --json` wrote, for its page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tbgen.errors import InputError, UsageError
from tbgen.rules.fen import parse_fen
from tbgen.score import Outcome, parse_score
from tbgen.text import counted, trouble

_CLASSICAL = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


@dataclass(frozen=True)
class Game:
    """A game as it was decided."""

    event: str
    round: str
    white: str
    black: str
    result: str
    plies: int
    final: Outcome | None
    source: str
    material: str | None
    dtg: int | None
    points: tuple[float, float] | None
    fen: str | None
    """The last position, if a table was asked for it."""


@dataclass(frozen=True)
class Player:
    """A player's sums."""

    name: str
    games: int
    points: float
    classical: float


@dataclass(frozen=True)
class Event:
    """Decided games, what could not be read, and which tables were missing."""

    title: str
    text: str
    """The file, as `tbgen adjudicate` wrote it."""
    games: tuple[Game, ...]
    missing: Mapping[str, int]
    skipped: tuple[Mapping[str, Any], ...]

    @property
    def counts(self) -> dict[Outcome, int]:
        return dict(Counter(game.final for game in self.games if game.final is not None))

    @property
    def sources(self) -> dict[str, int]:
        """How many games each source decided, the commonest first."""
        return dict(Counter(game.source for game in self.games if game.source).most_common())

    @property
    def said(self) -> str:
        """What the games are, in words."""
        names = {game.event for game in self.games}
        games = counted(len(self.games), "game", "games")
        return games if len(names) < 2 else f"{games} of {len(names)} events"

    @property
    def finished(self) -> list[tuple[int, Game]]:
        """The games that tables decided, with their numbers in the list, where the last position is known."""
        games = enumerate(self.games, 1)
        return [(number, game) for number, game in games if game.fen is not None and game.source == "tablebase"]

    @property
    def drawn(self) -> int:
        return sum(game.result == "1/2-1/2" for game in self.games)

    @property
    def moved(self) -> int:
        """Drawn games that tables decided."""
        return sum(game.result == "1/2-1/2" and game.source == "tablebase" for game in self.games)

    @property
    def players(self) -> list[Player]:
        """The sums of every player, most points first."""
        sums: dict[str, list[float]] = {}
        for game in self.games:
            classical = _CLASSICAL.get(game.result)
            for name, side in ((game.white, 0), (game.black, 1)):
                row = sums.setdefault(name, [0, 0, 0])
                row[0] += 1
                row[1] += game.points[side] if game.points else 0
                row[2] += 0 if classical is None else classical if side == 0 else 1 - classical
        players = [Player(name, int(games), points, classical) for name, (games, points, classical) in sums.items()]
        return sorted(players, key=lambda player: (-player.points, player.name))


def read_event(path: Path) -> Event:
    """The games of a file that `tbgen adjudicate --json` wrote."""
    try:
        text = path.read_text(encoding="utf-8")
        facts = json.loads(text)
        games = tuple(_game_of(game) for game in facts["games"])
        missing, skipped = dict(facts.get("missing", {})), tuple(facts.get("skipped", ()))
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, InputError) as error:
        raise UsageError(f"{path} is not what tbgen adjudicate --json writes: {trouble(error)}") from None
    names = Counter(game.event for game in games if game.event and game.event != "?")
    title = path.stem if not names else next(iter(names)) if len(names) == 1 else "Decided games"
    return Event(title, text, games, missing, skipped)


def _game_of(facts: Mapping[str, Any]) -> Game:
    final, points = facts.get("final"), facts.get("points")
    return Game(
        event=_text(facts, "event"),
        round=_text(facts, "round"),
        white=_text(facts, "white"),
        black=_text(facts, "black"),
        result=_text(facts, "result"),
        plies=int(facts.get("plies") or 0),
        final=None if final is None else parse_score(final).outcome,
        source=_text(facts, "source"),
        material=None if facts.get("material") is None else str(facts["material"]),
        dtg=None if facts.get("dtg") is None else int(facts["dtg"]),
        points=None if points is None else (float(points["white"]), float(points["black"])),
        fen=None if facts.get("fen") is None else str(parse_fen(str(facts["fen"]))[0].fen()),
    )


def _text(facts: Mapping[str, Any], name: str) -> str:
    """A text of a game, `?` where there is none."""
    value = facts.get(name)
    return "?" if value is None else str(value)
