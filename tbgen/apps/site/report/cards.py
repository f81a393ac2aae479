"""Cards: a record's longest lines as pages and PGN files show them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tbgen.apps.records.record import Longest, Record
from tbgen.apps.site.report.boards import board_of
from tbgen.apps.site.report.palette import shade_of
from tbgen.apps.site.report.playing import Played, changes_of, played
from tbgen.material import Material
from tbgen.score import Color, Outcome

_PGN_COLUMNS: Final = 80


@dataclass(frozen=True)
class Card:
    """A longest line with its board."""

    material: Material
    side: Color
    outcome: Outcome
    longest: Longest

    @cached_property
    def _played(self) -> Played:
        return played(self.longest.fen, self.longest.moves or ())

    @cached_property
    def moves(self) -> str:
        """The moves with their numbers, as PGN writes them."""
        return " ".join(_numbered(self.longest.fen, self.longest.moves or ()))

    @property
    def steps(self) -> str:
        """What happens on the board with each ply; what belongs to one ply is parted by commas."""
        return " ".join(self._played.steps)

    @property
    def scores(self) -> str:
        """The accrued score wherever it changes."""
        return changes_of(self._played.accrued)

    @property
    def key(self) -> str:
        """A name within a page."""
        return f"{str(self.side).lower()}-{self.shade[0]}{self.outcome.code}"

    @property
    def shade(self) -> str:
        return shade_of(self.outcome)

    @property
    def board(self) -> str:
        return board_of(self.longest.fen)

    @property
    def pgn(self) -> str:
        """The line as a game of a PGN file."""
        tags = {
            "Event": f"Longest best play to {self.outcome}",
            "Site": str(self.material),
            "Date": "????.??.??",
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
        heads = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        text = f"{self.moves} {tags['Result']}"
        return f"{heads}\n{textwrap.fill(text, _PGN_COLUMNS, break_long_words=False, break_on_hyphens=False)}\n\n"


def _numbered(fen: str, moves: Sequence[str]) -> Iterator[str]:
    turn, number = fen.split()[1], int(fen.split()[5])
    if turn == "b" and moves:
        yield f"{number}..."
    for place, move in enumerate(moves, 1 if turn == "b" else 0):
        if place % 2 == 0:
            yield f"{number + place // 2}."
        yield move


def _result_of(outcome: Outcome) -> str:
    """The result of a line in ordinary chess: one that ends with neither mate nor stalemate could go on."""
    if outcome.is_mate:
        return "1-0" if outcome.holder is Color.WHITE else "0-1"
    return "1/2-1/2" if outcome.is_stalemate else "*"


def card_of(record: Record, side: Color, outcome: Outcome) -> Card:
    """The card of one longest line."""
    longest = record.sides[side][outcome].longest
    return Card(record.material, side, outcome, longest)


def quiet_card(record: Record) -> Card | None:
    """The card of the longest quiet stretch."""
    quiet = record.quiet
    return None if quiet is None else Card(record.material, quiet.side, quiet.outcome, quiet.longest)


def cards_of(record: Record, side: Color) -> list[Card]:
    """The cards of a side to move whose outcomes are not on the board already, the longest first."""
    outcomes = [outcome for outcome, each in record.sides[side].items() if each.longest.dtg]
    outcomes.sort(key=lambda outcome: -record.sides[side][outcome].longest.dtg)
    return [card_of(record, side, outcome) for outcome in outcomes]


def pgn_of(cards: Sequence[Card]) -> str:
    """The lines as games of one PGN file."""
    return "".join(card.pgn for card in cards)
