"""Lines as pages step through them: the longest of a table, and those of mutual zugzwangs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from tbgen.apps.games.results import classical_result
from tbgen.apps.games.writing import format_game, numbered
from tbgen.apps.pages.palette import shade_of
from tbgen.apps.records.record import Longest, OutcomeAt, Record, Replay, replay
from tbgen.errors import TableError
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen
from tbgen.score import Color, Score


@dataclass(frozen=True)
class Card:
    """A line with the board at its beginning."""

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
    def key(self) -> str:
        """A name within a page."""
        return f"{str(self.side).lower()}-{shade_of(self.outcome)[0]}{self.outcome.code}"

    @property
    def pgn(self) -> str:
        """The line as a game of a PGN file."""
        is_over = self.outcome.is_mate or self.outcome.is_stalemate
        tags = {
            "Event": f"Longest best play to {self.outcome}",
            "Site": str(self.material),
            "Round": "-",
            "White": "Best play",
            "Black": "Best play",
            "Result": classical_result(self.outcome) if is_over else "*",
            "Annotator": "tbgen",
            "FEN": self.longest.fen,
            "PlyCount": str(self.longest.dtg),
            "RMobilityResult": str(self.outcome),
            "SetUp": "1",
        }
        return format_game(tags, self.moves.split()) + "\n\n"


def plies_of(card: Card) -> int:
    """The number of plies of a line, a key to sort by."""
    return card.longest.dtg


def quiet_plies_of(card: Card) -> int:
    """The number of plies before the first capture or pawn move, a key to sort by."""
    return card.longest.quiet_plies


def cards_of(record: Record) -> list[Card]:
    """The longest lines of a record, the longest first."""
    cards = [Card(record.material, *line) for line in record.lines()]
    return sorted(cards, key=plies_of, reverse=True)


def best_cards(records: Iterable[Record]) -> dict[Score, Card]:
    """For each outcome its longest line over all tables, best outcome for White first."""
    cards = list[Card]()
    for record in records:
        cards += [card for card in cards_of(record) if card.longest.dtg]
    best = dict[Score, Card]()
    for card in sorted(cards, key=plies_of, reverse=True):
        best.setdefault(card.outcome, card)
    return dict(sorted(best.items(), reverse=True))


def zugzwang_cards(record: Record, tables: Tablebase | None) -> list[Card]:
    """The longest mutual zugzwang with either side to move.

    It has no moves if tables for them are missing.
    """
    waiting = record.zugzwangs.longest
    if waiting is None:
        return []
    white_to_move = waiting.fen
    black_to_move = waiting.fen.replace(" w ", " b ")
    return [
        _zugzwang_card(record, tables, Color.WHITE, white_to_move, waiting.white),
        _zugzwang_card(record, tables, Color.BLACK, black_to_move, waiting.black),
    ]


def _zugzwang_card(
    record: Record, tables: Tablebase | None, side: Color, fen: str, value: OutcomeAt
) -> Card:
    line = _best_play(tables, fen, value.dtg)
    return Card(record.material, side, value.outcome, Longest(value.dtg, fen, line))


def _best_play(tables: Tablebase | None, fen: str, plies: int) -> str | None:
    """The moves of best play; None if tables for them are missing."""
    if tables is None:
        return None
    board, _ = parse_fen(fen)
    with contextlib.suppress(TableError):
        return " ".join(step.san for step in tables.line(board, max_plies=plies))
    return None


def with_numbers(fen: str, moves: Iterable[str]) -> str:
    """Moves with their numbers, as PGN writes them.

    >>> with_numbers("8/8/8/4KBk1/8/8/8/8 b - - 0 7", ["Kh4", "Kf4"])
    '7... Kh4 8. Kf4'
    """
    board = chess.Board(fen)
    without_comments = [(move, "") for move in moves]
    return " ".join(numbered(board.fullmove_number, board.turn, without_comments))


def changes_of(accrued: Sequence[Score]) -> str:
    """The accrued score wherever it changes.

    `0 G5.5 7 G3.5` is G5.5 at first, and G3.5 from the seventh ply on.
    """
    changes = list[str]()
    for ply, score in enumerate(accrued):
        if ply == 0 or score != accrued[ply - 1]:
            changes.append(f"{ply} {score}")
    return " ".join(changes)
