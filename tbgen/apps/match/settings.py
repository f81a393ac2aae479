"""What a match is: its engines, tournament, rules, openings and tables.

Nothing here changes while it is played.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tbgen.apps.match.control import TimeControl
from tbgen.apps.match.statistics import Sprt
from tbgen.rules.game import FiftyMoves
from tbgen.rules.points import Scoring

VARIANTS = (
    "chess",
    "chess960",
    "atomic",
    "antichess",
    "suicide",
    "giveaway",
    "crazyhouse",
    "horde",
    "kingofthehill",
    "racingkings",
    "3check",
)
"""As UCI names them, and Chess960."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """How to start an engine, its options, and the seconds that it has where no clock runs."""

    program: str
    arguments: tuple[str, ...] = ()
    name: str | None = None
    folder: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    control: TimeControl = field(default_factory=TimeControl)
    restart: bool = False
    """Whether every game has a new process."""
    hang: float = 300.0
    """For a move, if it has no clock."""
    startup: float = 20.0
    """To start, and to be ready for a game."""
    stderr: Path | None = None

    @property
    def command(self) -> tuple[str, ...]:
        return (self.program, *self.arguments)


class Format(enum.Enum):
    """The kind of tournament."""

    ROUND_ROBIN = "round-robin"
    """Everyone plays everyone."""
    GAUNTLET = "gauntlet"
    """The seeds, by default the first engine, play all others."""
    PYRAMID = "pyramid"
    """Every engine plays all engines before it."""
    KNOCKOUT = "knockout"
    """The winners of a round meet in the next."""
    SWISS = "swiss"
    """Every round, players meet who have about the same score and have not met before."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """Who plays whom; `games` counts those of an encounter in a round, and `seed` draws lots."""

    players: int
    games: int = 2
    rounds: int = 1
    repeat: int = 2
    format: Format = Format.ROUND_ROBIN
    seeds: int = 1
    swap: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Resign:
    """A side resigns after so many moves in a row at which it gave itself up."""

    moves: int = 1
    centipawns: int = 0


@dataclass(frozen=True, slots=True)
class PlayRules:
    """The rules that all games of a match share."""

    fifty_moves: FiftyMoves = field(default_factory=FiftyMoves)
    scoring: Scoring = field(default_factory=Scoring)
    resign: Resign | None = None
    most_moves: int | None = None


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """Where openings come from."""

    file: Path | None = None
    """None is the first position of chess."""
    pgn: bool | None = None
    """Whether the file has games, and not positions; None leaves it to its name."""
    random: bool = False
    """Whether they are taken in random order; else in that of the file."""
    start: int = 1
    plies: int | None = None

    @property
    def has_games(self) -> bool:
        if self.pgn is not None or self.file is None:
            return bool(self.pgn)
        # A packed file has two suffixes: book.pgn.gz.
        return ".pgn" in [suffix.lower() for suffix in self.file.suffixes]


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Which tables are asked, and from how many men on."""

    folders: str | None = None
    men: int = 5
    syzygy: str | None = None
    ignore_fifty_moves: bool = False


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """A match."""

    engines: tuple[EngineSpec, ...]
    plan: Tournament
    rules: PlayRules = field(default_factory=PlayRules)
    variant: str = "chess"
    """A name of `VARIANTS`, unless an opening is of another variant."""
    concurrency: int = 1
    openings: OpeningSettings = field(default_factory=OpeningSettings)
    tables: TableSettings = field(default_factory=TableSettings)
    sprt: Sprt | None = None
    pgn: Path | None = None
    comment_facts: tuple[str, ...] = ()
    """What its comments have of an engine's line besides its evaluation."""
    event: str = "?"
    site: str = "?"
    seed: int | None = None
    rating_interval: int = 10
    recover: bool = False
    debug: bool = False
    quiet: bool = False
    json: Path | None = None
    crosstable: Path | None = None
    config: Path | None = None
    """The file that the settings are from, as far as they are from one."""
