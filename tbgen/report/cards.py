"""Cards: a record's longest lines as pages and PGN files show them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess
import chess.pgn

from tbgen.material import Material
from tbgen.records.lines import replay
from tbgen.records.record import Longest, Record
from tbgen.report.boards import board_of
from tbgen.report.palette import shade_of
from tbgen.rules.notation import parse_move
from tbgen.score import Color, Outcome


@dataclass(frozen=True)
class Ply:
    """One move of a line as it is shown."""

    number: str
    """Before the move: `1.`, `1...` or nothing."""
    san: str
    steps: str
    """What happens on the board: squares from and to, and what a pawn becomes; several are parted by commas."""
    accrued: str


@dataclass(frozen=True)
class Card:
    """A longest line with its board."""

    material: Material
    side: Color
    outcome: Outcome
    longest: Longest

    @cached_property
    def plies(self) -> tuple[Ply, ...]:
        return tuple(_plies(self.longest))

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


def _plies(longest: Longest) -> Iterator[Ply]:
    moves = longest.moves or ()
    board, outcomes = chess.Board(longest.fen), replay(longest.fen, moves).outcomes
    for ply, san in enumerate(moves):
        number = f"{board.fullmove_number}." if board.turn else "" if ply else f"{board.fullmove_number}…"
        move = parse_move(board, san, ply + 1)
        yield Ply(number, san, steps_of(board, move), str(outcomes[ply + 1]))
        board.push(move)


def steps_of(board: chess.Board, move: chess.Move) -> str:
    """As UCI writes it; a pawn taken en passant is taken first."""
    if not board.is_en_passant(move):
        return move.uci()
    taken = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return f"{chess.square_name(taken)},{move.uci()}"


def pgn_of(cards: Sequence[Card]) -> str:
    """The lines as games of one PGN file."""
    out = io.StringIO()
    for card in cards:
        game = chess.pgn.Game.from_board(_played(card))
        game.headers.update(
            {
                "Event": f"Longest best play to {card.outcome}",
                "Site": str(card.material),
                "Date": "????.??.??",
                "Round": "-",
                "White": "Best play",
                "Black": "Best play",
                "RMobilityResult": str(card.outcome),
                "Annotator": "tbgen",
                "PlyCount": str(card.longest.dtg),
            }
        )
        print(game, end="\n\n", file=out)
    return out.getvalue()


def _played(card: Card) -> chess.Board:
    board = chess.Board(card.longest.fen)
    for ply in card.plies:
        board.push_san(ply.san)
    return board
