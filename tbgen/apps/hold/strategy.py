"""Strategies: what a side plays to keep its goal, as a table of moves and as a file."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import chess

from tbgen.apps.hold.goals import Goal
from tbgen.errors import InputError, ProofError
from tbgen.rules.fen import parse_fen
from tbgen.score import Accrued, Color, parse_score
from tbgen.text import trouble

_FORMAT = "tbgen strategy 1"


class Rung(enum.Enum):
    """How much a search lets move; the rungs of a ladder, from the narrowest to the widest."""

    FRAME = "frame"
    """One man of either side makes quiet moves; whatever else the other side plays is a break."""
    FRAME_TABLES = "frame + tables"
    """The same, and tables answer for resets that lead to them."""
    ONE_MAN = "one man"
    """The holder moves one man, which may capture; the other side plays what it likes."""
    PIECES = "pieces"
    """The holder moves any men but pawns."""
    ALL = "all men"
    """The holder plays what it likes."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """The moves of one side that keep its goal, in every position that the other side can bring about."""

    board: chess.Board
    accrued: Accrued
    goal: Goal
    rung: Rung
    men: tuple[str, ...]
    """The men that move, such as ("Qh5", "Kg8"): the holder's, and that of the other side where only one does."""
    moves: Mapping[tuple[str, int], chess.Move] = field(repr=False)
    """By position (four fields of its FEN) and threshold."""
    leaves: frozenset[str] = field(repr=False)
    """Positions that arise by a reset and are left to the tables."""

    def move_on(self, board: chess.Board, accrued: Accrued) -> chess.Move | None:
        """What is played with an accrued score; None in a position that the strategy does not know."""
        return self.moves.get((place_of(board), self.goal.threshold(accrued)))

    def text(self) -> str:
        """The strategy as a file has it: JSON, with a position a line."""
        facts = {
            "format": _FORMAT,
            "fen": self.board.fen(),
            "accrued": str(self.accrued),
            "side": self.goal.side.name.lower(),
            "goal": str(self.goal.outcome),
            "rung": self.rung.value,
            "men": list(self.men),
        }
        head = json.dumps(facts, indent=1).removesuffix("\n}")
        moves = _lines(
            [place, threshold, self.moves[place, threshold].uci()] for place, threshold in sorted(self.moves)
        )
        return f'{head},\n "moves": {moves},\n "tables": {_lines(sorted(self.leaves))}\n}}\n'


def _lines(items: Iterable[object]) -> str:
    """A list in JSON, with an item a line."""
    return "[\n" + ",\n".join(map(json.dumps, items)) + "\n]"


def place_of(board: chess.Board) -> str:
    """A position as strategies know it: four fields of its FEN, the last only where a legal capture needs it."""
    return board.epd(en_passant="legal")


def name_of(board: chess.Board, square: chess.Square) -> str:
    """A man and its square, such as Qh5."""
    man = board.piece_type_at(square)
    return ("" if man is None else chess.piece_symbol(man).upper()) + chess.square_name(square)


def parse_strategy(text: str, name: str = "the strategy") -> Strategy:
    """The strategy that a file writes; ProofError if it is none.

    >>> parse_strategy("{}")
    Traceback (most recent call last):
    tbgen.errors.ProofError: the strategy is wrong: its format is not 'tbgen strategy 1'
    """
    try:
        facts = json.loads(text)
        if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
            raise ProofError(name, f"its format is not {_FORMAT!r}")
        return _strategy_of(facts)
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise ProofError(name, trouble(error)) from None


def _strategy_of(facts: dict[str, Any]) -> Strategy:
    board, _ = parse_fen(facts["fen"])
    side = Color[facts["side"].upper()]
    goal = Goal(side, parse_score(facts["goal"]).outcome)
    moves = {(place, int(threshold)): chess.Move.from_uci(uci) for place, threshold, uci in facts["moves"]}
    men = tuple(map(str, facts["men"]))
    leaves = frozenset(map(str, facts["tables"]))
    return Strategy(board, parse_score(facts["accrued"]), goal, Rung(facts["rung"]), men, moves, leaves)
