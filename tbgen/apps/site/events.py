"""Event: what `tbgen adjudicate --verdicts` wrote, for its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tbgen.errors import InputError, UsageError
from tbgen.rules.fen import parse_fen
from tbgen.score import Score
from tbgen.system.json_files import Field, parse_json
from tbgen.text import counted

_CLASSICAL = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


@dataclass(frozen=True)
class DecidedGame:
    """A game with its final score."""

    event: str
    round: str
    white: str
    black: str
    result: str
    source: str
    plies: int
    final: Score | None
    material: str | None
    dtg: int | None
    points: tuple[float, float] | None
    fen: str | None
    """The last position, if a table was asked for it."""


@dataclass
class PlayerSums:
    """A player's games and points."""

    name: str
    games: int = 0
    points: float = 0.0
    classical: float = 0.0


@dataclass(frozen=True)
class Event:
    """Decided games, what could not be read, and which tables were missing."""

    title: str
    text: str
    """The file, as `tbgen adjudicate` wrote it."""
    games: tuple[DecidedGame, ...]
    missing: Mapping[str, int]
    skipped: tuple[str, ...]

    @property
    def counts(self) -> dict[Score, int]:
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
    def finished(self) -> list[tuple[int, DecidedGame]]:
        """The games that tables decided, with their numbers in the list, where the last position is known."""
        games = enumerate(self.games, 1)
        return [(number, game) for number, game in games if game.fen is not None and game.source == "tablebase"]

    @property
    def drawn(self) -> list[DecidedGame]:
        return [game for game in self.games if game.result == "1/2-1/2"]

    @property
    def players(self) -> list[PlayerSums]:
        """The sums of every player, most points first."""
        sums: dict[str, PlayerSums] = {}
        for game in self.games:
            classical, points = _CLASSICAL.get(game.result, (0.0, 0.0)), game.points or (0.0, 0.0)
            for side, name in enumerate((game.white, game.black)):
                player = sums.setdefault(name, PlayerSums(name))
                player.games += 1
                player.points += points[side]
                player.classical += classical[side]
        return sorted(sums.values(), key=lambda player: (-player.points, player.name))


def read_event(path: Path) -> Event:
    """The games of a file that `tbgen adjudicate --verdicts` wrote."""
    try:
        text = path.read_text(encoding="utf-8")
        facts = parse_json(text)
        games = tuple(map(_game, facts["games"].each()))
        missing = {name: number.whole() for name, number in facts.get("missing", {}).members()}
        skipped = tuple(fault["message"].text() for fault in facts.get("skipped", []).each())
    except (ValueError, InputError) as error:
        raise UsageError(f"{path} is not what tbgen adjudicate --verdicts writes: {error}") from None
    names = {game.event for game in games} - {"", "?"}
    title = path.stem if not names else names.pop() if len(names) == 1 else "Decided games"
    return Event(title, text, games, missing, skipped)


def _game(facts: Field) -> DecidedGame:
    points, fen = facts.get("points"), facts.get("fen").text_or_none()
    final = facts.get("final").text_or_none()
    return DecidedGame(
        event=_text(facts, "event"),
        round=_text(facts, "round"),
        white=_text(facts, "white"),
        black=_text(facts, "black"),
        result=_text(facts, "result"),
        source=_text(facts, "source"),
        plies=facts.get("plies").whole_or_none() or 0,
        final=None if final is None else Score(final),
        material=facts.get("material").text_or_none(),
        dtg=facts.get("dtg").whole_or_none(),
        points=None if points.value is None else (points["white"].number(), points["black"].number()),
        fen=None if fen is None else parse_fen(fen)[0].fen(),
    )


def _text(facts: Field, name: str) -> str:
    """A text of a game, `?` if there is none."""
    return facts.get(name).text_or_none() or "?"
