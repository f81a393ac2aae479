"""Event: what `tbgen adjudicate --verdicts` wrote, for its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tbgen.errors import InputError, UsageError
from tbgen.rules.fen import parse_fen
from tbgen.score import Color, Score
from tbgen.system.json_files import parse_json
from tbgen.text import counted

_CLASSICAL = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


@dataclass(frozen=True)
class DecidedGame:
    """A game with its final score."""

    event: str = "?"
    round: str = "?"
    white: str = "?"
    black: str = "?"
    result: str = "?"
    source: str = "?"
    plies: int = 0
    final: Score | None = None
    material: str | None = None
    dtg: int | None = None
    points: Mapping[Color, float] | None = None
    fen: str | None = None
    """The last position, if a table was asked for it."""

    @property
    def position(self) -> str:
        """The FEN without an accrued score."""
        return parse_fen(self.fen or "")[0].fen()


@dataclass(frozen=True)
class Skipped:
    """A game that could not be read."""

    message: str


@dataclass(frozen=True)
class _Verdicts:
    """The file of verdicts."""

    games: tuple[DecidedGame, ...]
    missing: Mapping[str, int] | None = None
    skipped: tuple[Skipped, ...] = ()


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
    skipped: tuple[Skipped, ...]

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
            classical = _CLASSICAL.get(game.result, (0.0, 0.0))
            for side, name in zip(Color, (game.white, game.black), strict=True):
                player = sums.setdefault(name, PlayerSums(name))
                player.games += 1
                player.points += game.points[side] if game.points else 0.0
                player.classical += classical[side]
        return sorted(sums.values(), key=lambda player: (-player.points, player.name))


def read_event(path: Path) -> Event:
    """The games of a file that `tbgen adjudicate --verdicts` wrote."""
    try:
        text = path.read_text(encoding="utf-8")
        found: _Verdicts = parse_json(text).read(_Verdicts)
        names = {game.event for game in found.games if game.fen is None or game.position} - {"", "?"}
    except (ValueError, InputError) as error:
        raise UsageError(f"{path} is not what tbgen adjudicate --verdicts writes: {error}") from None
    title = path.stem if not names else names.pop() if len(names) == 1 else "Decided games"
    return Event(title, text, found.games, found.missing or {}, found.skipped)
