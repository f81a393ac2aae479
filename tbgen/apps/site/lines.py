"""Lines: best play from a position as pages and PGN files show it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from tbgen.apps.games.writer import format_game, numbered
from tbgen.apps.records.record import Longest, Record, Replay, replay
from tbgen.apps.site.palette import shade_of
from tbgen.errors import TableError
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.fen import parse_fen
from tbgen.score import Color, Score


def changes_of(accrued: Sequence[Score]) -> str:
    """The accrued score wherever it changes: `0 G5.5 7 G3.5` is G5.5 at first, and G3.5 from the seventh ply on."""
    changes = (ply for ply, score in enumerate(accrued) if ply == 0 or score != accrued[ply - 1])
    return " ".join(f"{ply} {accrued[ply]}" for ply in changes)


def with_numbers(fen: str, moves: Iterable[str]) -> str:
    """Moves with their numbers, as PGN writes them.

    >>> with_numbers("8/8/8/4KBk1/8/8/8/8 b - - 0 7", ["Kh4", "Kf4"])
    '7... Kh4 8. Kf4'
    """
    board = chess.Board(fen)
    return " ".join(numbered(board.fullmove_number, board.turn, ((move, "") for move in moves)))


@dataclass(frozen=True)
class Card:
    """A line with the board that it begins on."""

    material: Material
    side: Color
    outcome: Score
    longest: Longest

    @cached_property
    def replay(self) -> Replay:
        return replay(self.longest.fen, self.longest.moves)

    @cached_property
    def moves(self) -> str:
        return with_numbers(self.longest.fen, self.longest.moves)

    @property
    def scores(self) -> str:
        """The accrued score wherever it changes."""
        return changes_of(self.replay.outcomes)

    @property
    def key(self) -> str:
        """A name within a page."""
        return f"{str(self.side).lower()}-{shade_of(self.outcome)[0]}{self.outcome.code}"

    @property
    def pgn(self) -> str:
        """The line as a game of a PGN file."""
        tags = {
            "Event": f"Longest best play to {self.outcome}",
            "Site": str(self.material),
            "Round": "-",
            "White": "Best play",
            "Black": "Best play",
            "Result": _result_of(self.outcome),
            "Annotator": "tbgen",
            "FEN": self.longest.fen,
            "PlyCount": str(self.longest.dtg),
            "RMobilityResult": str(self.outcome),
            "SetUp": "1",
        }
        return format_game(tags, self.moves.split()) + "\n\n"


def _result_of(outcome: Score) -> str:
    """The result of a line in ordinary chess: one that ends with neither mate nor stalemate could go on."""
    if outcome.is_mate:
        return "1-0" if outcome.holder is Color.WHITE else "0-1"
    return "1/2-1/2" if outcome.is_stalemate else "*"


def longest_card(record: Record) -> Card | None:
    """The longest of all lines of a record; None if it has no position."""
    found = record.longest()
    return None if found is None else Card(record.material, *found)


def quiet_card(record: Record) -> Card | None:
    """The line with the longest quiet stretch."""
    quiet = record.quiet
    return None if quiet is None else Card(record.material, quiet.side, quiet.outcome, quiet.longest)


def cards_of(record: Record, side: Color) -> list[Card]:
    """The lines of a side to move whose outcomes are not on the board already, the longest first."""
    outcomes = record.sides[side].outcomes
    cards = [Card(record.material, side, outcome, each.longest) for outcome, each in outcomes.items()]
    return sorted((card for card in cards if card.longest.dtg), key=lambda card: -card.longest.dtg)


def best_cards(records: Iterable[Record]) -> dict[Score, Card]:
    """For each outcome its longest line over all tables, best outcome for White first."""
    best: dict[Score, Card] = {}
    for card in (card for record in records for side in Color for card in cards_of(record, side)):
        if card.outcome not in best or card.longest.dtg > best[card.outcome].longest.dtg:
            best[card.outcome] = card
    return dict(sorted(best.items(), reverse=True))


def zugzwang_cards(record: Record, tables: Tablebase | None) -> list[Card]:
    """The longest mutual zugzwang with either side to move; without moves where tables for them are missing."""
    waiting = record.zugzwangs.longest
    if waiting is None:
        return []
    black = waiting.fen.replace(" w ", " b ")
    asked = ((Color.WHITE, waiting.fen, waiting.white), (Color.BLACK, black, waiting.black))
    return [
        Card(record.material, side, value.outcome, Longest(value.dtg, fen, _best_play(tables, fen, value.dtg)))
        for side, fen, value in asked
    ]


def _best_play(tables: Tablebase | None, fen: str, dtg: int) -> str | None:
    if tables is not None:
        with contextlib.suppress(TableError):
            return " ".join(step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg))
    return None
