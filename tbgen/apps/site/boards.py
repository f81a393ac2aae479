"""Boards and lines for templates: the drawing of a position, its map and picture, and best play from it.

`templates/board.html` has the drawing. A page has squares and men once, and each board on it takes a few lines.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import chess
import chess.svg

from tbgen.apps.games.results import classical_result
from tbgen.apps.games.tags import format_game, numbered
from tbgen.apps.records.record import Longest, Record, Replay, replay
from tbgen.apps.site.palette import shade_of
from tbgen.errors import InputError, TableError, UsageError
from tbgen.facts import facts_of, plain
from tbgen.material import Material
from tbgen.probe import Probe, Tablebase
from tbgen.rules.notation import parse_fen
from tbgen.score import Color, Score

Map = Mapping[chess.Square, Probe | None]
"""The value of a position with one man on each square; None if he cannot stand there."""

_STYLE = re.compile(r' style="([^"]*)"')
_PROPERTY = re.compile(r"\s*([^:;]+?)\s*:\s*([^;]*[^;\s])")


def shapes_of_men() -> str:
    """The men as SVG, each with an id such as `white-king`."""
    return "".join(
        without_styles(chess.svg.PIECES[chess.Piece(kind, color).symbol()])
        for color in chess.COLORS
        for kind in chess.PIECE_TYPES
    )


def without_styles(svg: str) -> str:
    """An SVG with attributes instead of styles, which a policy without inline styles accepts.

    >>> without_styles('<path style="fill: none; stroke: #000"/>')
    '<path fill="none" stroke="#000"/>'
    """
    return _STYLE.sub(
        lambda style: "".join(f' {name}="{value}"' for name, value in _PROPERTY.findall(style[1])),
        svg,
    )


def in_words(board: chess.Board) -> str:
    """The men of a position and the side to move.

    >>> in_words(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 0 1"))
    'White: Ke6, Bf5. Black: Kg5. White to move.'
    """
    sides = (
        f"{side}: "
        + ", ".join(
            f"{chess.piece_symbol(kind).upper()}{chess.square_name(square)}"
            for kind in reversed(chess.PIECE_TYPES)
            for square in board.pieces(kind, side.chess)
        )
        for side in Color
    )
    return f"{'. '.join(sides)}. {Color.of(board.turn)} to move."


def signed(outcome: Score) -> str:
    """An outcome with a minus sign instead of a hyphen."""
    return str(outcome).replace("-", "\N{MINUS SIGN}")


# Maps.


def man_on(board: chess.Board, name: str) -> chess.Square:
    """The square of a man; UsageError if there is none.

    >>> man_on(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 0 1"), "f5") == chess.F5
    True
    """
    if name not in chess.SQUARE_NAMES:
        raise UsageError(f"{name!r} is no square; name one from a1 to h8")
    square = chess.parse_square(name)
    if board.piece_at(square) is None:
        raise UsageError(f"there is no man on {name}; name the square of one")
    return square


def map_of(tables: Tablebase, board: chess.Board, accrued: Score | None, man: chess.Square) -> Map:
    """The value of the position with one man on every square, the others and the side to move as they are."""
    found = dict[chess.Square, Probe | None].fromkeys(chess.SQUARES)
    others = board.copy(stack=False)
    others.ep_square = None
    piece = others.remove_piece_at(man)
    for square in chess.SquareSet(~others.occupied):
        moved = others.copy(stack=False)
        moved.set_piece_at(square, piece)
        with contextlib.suppress(InputError):
            found[square] = tables.probe(moved, accrued)
    return found


def map_facts(
    tables: Tablebase, board: chess.Board, accrued: Score | None, man: str
) -> dict[str, Any]:
    """A map as JSON has it: every square with its value, or null where the man cannot stand."""
    square, here = man_on(board, man), tables.probe(board, accrued)
    values = map_of(tables, board, accrued, square).items()
    return {
        "fen": board.fen(),
        "material": str(here.material.canonical()),
        "accrued": plain(accrued),
        "man": man,
        "piece": str(board.piece_at(square)),
        "squares": {
            chess.square_name(each): value and facts_of(value, "outcome", "dtg")
            for each, value in values
        },
    }


def map_lines(values: Map) -> list[str]:
    """A map as eight lines of outcomes, and the count of each."""
    texts = ["." if value is None else str(value.outcome) for _, value in sorted(values.items())]
    lines = [
        f"{rank + 1} {' '.join(f'{text:^6}' for text in texts[8 * rank : 8 * rank + 8])}"
        for rank in reversed(range(8))
    ]
    files = "  " + " ".join(f"{each:^6}" for each in "abcdefgh").rstrip()
    counts = Counter(each.outcome for each in values.values() if each is not None)
    return [
        *lines,
        files,
        ", ".join(f"{outcome} on {counts[outcome]}" for outcome in sorted(counts, reverse=True)),
    ]


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
        tags = {
            "Event": f"Longest best play to {self.outcome}",
            "Site": str(self.material),
            "Round": "-",
            "White": "Best play",
            "Black": "Best play",
            "Result": classical_result(self.outcome)
            if self.outcome.is_mate or self.outcome.is_stalemate
            else "*",
            "Annotator": "tbgen",
            "FEN": self.longest.fen,
            "PlyCount": str(self.longest.dtg),
            "RMobilityResult": str(self.outcome),
            "SetUp": "1",
        }
        return format_game(tags, self.moves.split()) + "\n\n"


def cards_of(record: Record) -> list[Card]:
    """The longest lines of a record, the longest first."""
    return sorted(
        (Card(record.material, *line) for line in record.lines()),
        key=lambda card: -card.longest.dtg,
    )


def best_cards(records: Iterable[Record]) -> dict[Score, Card]:
    """For each outcome its longest line over all tables, best outcome for White first."""
    best: dict[Score, Card] = {}
    cards = (card for record in records for card in cards_of(record) if card.longest.dtg)
    for card in sorted(cards, key=lambda card: -card.longest.dtg):
        best.setdefault(card.outcome, card)
    return dict(sorted(best.items(), reverse=True))


def zugzwang_cards(record: Record, tables: Tablebase | None) -> list[Card]:
    """The longest mutual zugzwang with either side to move; without moves if tables for them are missing."""
    waiting = record.zugzwangs.longest
    if waiting is None:
        return []
    black = waiting.fen.replace(" w ", " b ")
    asked = ((Color.WHITE, waiting.fen, waiting.white), (Color.BLACK, black, waiting.black))
    return [
        Card(
            record.material,
            side,
            value.outcome,
            Longest(value.dtg, fen, _best_play(tables, fen, value.dtg)),
        )
        for side, fen, value in asked
    ]


def _best_play(tables: Tablebase | None, fen: str, dtg: int) -> str | None:
    if tables is not None:
        with contextlib.suppress(TableError):
            return " ".join(step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg))
    return None
