"""Everything that a match is told: what the command line and a TOML file are turned into."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from pathlib import Path

from tbgen.apps.match.engine import EngineSpec
from tbgen.apps.match.openings import Order
from tbgen.apps.match.play import Resign
from tbgen.apps.match.schedule import Format, Policy
from tbgen.apps.match.sprt import Sprt
from tbgen.rules.game import FiftyMoves
from tbgen.rules.points import Scoring


class Notation(enum.Enum):
    """How an opening file is written."""

    EPD = "epd"
    PGN = "pgn"


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """Where openings come from."""

    file: Path
    notation: Notation
    order: Order = Order.SEQUENTIAL
    start: int = 1
    plies: int | None = None
    policy: Policy = Policy.DEFAULT


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Which tables are asked, from how many men on, and whether they end games."""

    folders: str | None = None
    men: int = 5
    adjudicate: bool = True
    syzygy: str | None = None
    syzygy_men: int = 7
    ignore_fifty_moves: bool = False


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """A match."""

    engines: tuple[EngineSpec, ...]
    games: int = 2
    rounds: int = 1
    repeat: int = 2
    format: Format = Format.ROUND_ROBIN
    seeds: int = 1
    swap: bool = True
    chess960: bool = False
    concurrency: int = 1
    openings: OpeningSettings | None = None
    fifty_moves: FiftyMoves = field(default_factory=FiftyMoves)
    scoring: Scoring = field(default_factory=Scoring)
    resign: Resign | None = None
    most_moves: int | None = None
    tables: TableSettings = field(default_factory=TableSettings)
    sprt: Sprt | None = None
    pgn: Path | None = None
    event: str = "?"
    site: str = "?"
    seed: int | None = None
    wait: float = 0.0
    rating_interval: int = 10
    recover: bool = False
    debug: bool = False
    quiet: bool = False
    json: Path | None = None
