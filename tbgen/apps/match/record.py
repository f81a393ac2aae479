"""A finished game as PGN, and what a match needs to know of it when it reads it back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import chess

from tbgen.apps.games.tags import KNOCKOUT, write_tags
from tbgen.apps.games.writer import format_game, numbered
from tbgen.apps.match.openings import Opening
from tbgen.apps.match.play import Ending, Sheet
from tbgen.apps.match.schedule import Pairing
from tbgen.rules.game import FiftyMoveSetting, Ply
from tbgen.rules.points import Scoring
from tbgen.score import Score
from tbgen.text import cleaned

TAG_LENGTH = 255
"""The longest value of a tag that the PGN standard asks programs to read."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The tags that all games of a match share."""

    event: str
    site: str
    match: str
    """Identifies the match, so that its games are found again."""
    is_knockout: bool = False


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game."""

    pairing: Pairing
    names: tuple[str, str]
    opening: Opening
    sheet: Sheet
    ending: Ending
    scoring: Scoring
    fifty_moves: FiftyMoveSetting
    started: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class StoredGame:
    """The facts of a finished game that standings need."""

    number: int
    outcome: Score
    termination: str
    details: str
    plies: int


def stored(record: GameRecord) -> StoredGame:
    """The facts that will be read back of a game."""
    return StoredGame(
        record.pairing.number,
        record.ending.outcome,
        record.ending.termination,
        record.ending.details,
        record.sheet.game.last.number,
    )


def to_pgn(record: GameRecord, heading: Heading) -> str:
    """The game as it is appended to the file; an empty line ends it."""
    plies, (number, white) = record.sheet.game.plies, _first_move(record.opening)
    moves = ((ply.san, _comment(record.sheet, before, ply)) for before, ply in pairwise(plies))
    tags = {name: cleaned(value, TAG_LENGTH) for name, value in _tags(record, heading).items()}
    return format_game(tags, numbered(number, white, moves)) + "\n\n"


def _tags(record: GameRecord, heading: Heading) -> dict[str, str]:
    game, ending, pairing = record.sheet.game, record.ending, record.pairing
    known = write_tags(ending.outcome, record.scoring, fifty_moves=record.fifty_moves)
    tags = {
        "Event": heading.event,
        "Site": heading.site,
        "Date": f"{record.started:%Y.%m.%d}",
        "Round": str(pairing.round),
        "White": record.names[0],
        "Black": record.names[1],
        **known,
        "RMobilitySource": ending.source.value,
        **({} if ending.table is None else {"RMobilityTablebase": ending.table}),
        **({} if ending.bounds is None else {"RMobilityBounds": ending.bounds}),
        "Termination": ending.termination,
        "TerminationDetails": ending.details,
        **_position_tags(record.opening),
    }
    controls = [str(clock.control) for clock in record.sheet.clocks]
    if controls[0] == controls[1]:
        tags["TimeControl"] = controls[0]
    else:
        tags["WhiteTimeControl"], tags["BlackTimeControl"] = controls
    tags["GameStartTime"] = f"{record.started:%Y-%m-%dT%H:%M:%S%z}"
    tags["GameDuration"] = _clock_text(record.seconds)
    tags["PlyCount"] = str(game.last.number)
    if heading.is_knockout:
        tags["EventType"] = KNOCKOUT
    tags["MatchId"], tags["MatchGame"] = heading.match, str(pairing.number)
    return tags


def _position_tags(opening: Opening) -> dict[str, str]:
    tags = {"Variant": "Chess960"} if opening.chess960 else {}
    if opening.fen != chess.STARTING_FEN or opening.chess960:
        tags |= {"SetUp": "1", "FEN": opening.fen}
    if opening.accrued is not None:
        tags["RMobilityAccrued"] = str(opening.accrued)
    return tags


def _first_move(opening: Opening) -> tuple[int, bool]:
    fields = opening.fen.split()
    return int(fields[5]), fields[1] == "w"


def _comment(sheet: Sheet, before: Ply, ply: Ply) -> str:
    """The clock, what the engine said, the time it took, and the accrued score where it changes."""
    note = sheet.notes.get(ply.number)
    parts = ["book"] if note is None else [f"{note.evaluation} {note.seconds:.3f}s".strip()]
    if ply.accrued != before.accrued or ply.since != before.since:
        parts.append(f"accrued {ply.accrued}")
    if sheet.seen_by_tables is not None and sheet.seen_by_tables[0] == ply.number:
        parts.append(sheet.seen_by_tables[1].words)
    if ply.end is not None:
        parts.append(ply.end.value)
    clock = "" if note is None or note.remaining is None else f"[%clk {_clock_text(note.remaining)}] "
    return clock + ", ".join(parts)


def _clock_text(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock_text(3725.25)
    '1:02:05.250'
    """
    whole, part = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{part:03}"
