"""Goals, and strategies that keep them: a move for each position, as a table and as a file.

>>> goal = Goal(Color.WHITE, Score("-G3.0"))
>>> goal.is_met_by(Score("-G4.5")), goal.is_met_by(Score("-G2.5")), goal.threshold(Score("G2.0"))
(True, False, 4)
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import chess

from tbgen.errors import InputError, ProofError
from tbgen.reading import parse_json, read_as
from tbgen.rules.facts import to_json
from tbgen.rules.notation import parse_fen
from tbgen.score import MATE_CODE, STALEMATE_CODE, Color, Score

_FORMAT = "tbgen strategy 1"


@dataclass(frozen=True, slots=True)
class Goal:
    """A side keeps an outcome, or a better one, after every ply."""

    side: Color
    outcome: Score

    def is_met_by(self, accrued: Score) -> bool:
        """Whether a score is no worse than the goal for the side."""
        return accrued.worth_to(self.side) >= self.outcome.worth_to(self.side)

    def threshold(self, accrued: Score) -> int:
        """All of the past that matters: a lower code of the other side breaks the hold."""
        return min(accrued.code, self.outcome.code)


def not_mated(side: Color) -> Goal:
    """At least a draw, in ordinary chess: the side is not mated.

    >>> str(not_mated(Color.WHITE).outcome)
    '-G0.5'
    """
    return Goal(side, Score(STALEMATE_CODE, side.other))


def worst(side: Color) -> Score:
    """The outcome that is worse than all others."""
    return Score(MATE_CODE, side.other)


class Rung(enum.Enum):
    """The moves that a search allows; the rungs of a ladder, from the narrowest to the widest."""

    FRAME = "frame"
    """One man of either side makes quiet moves; any other move of the other side is a break."""
    ONE_MAN = "one man"
    """The holder moves one man, which may capture; the other side plays any move."""
    PIECES = "pieces"
    """The holder moves any men but pawns."""
    ALL = "all men"
    """The holder plays any move."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """The moves of a side that keep its goal, in all positions that the other can bring about."""

    board: chess.Board
    accrued: Score
    goal: Goal
    rung: Rung
    men: tuple[str, ...]
    """The moving men, such as ("Qh5", "Kg8"): the holder's, then the other side's if only one of
    its men moves.
    """
    moves: Mapping[tuple[str, int], chess.Move] = field(repr=False)
    """By position (four fields of its FEN) and threshold."""
    leaves: frozenset[str] = field(repr=False)
    """Positions that arise by a reset and that tables answer for."""

    def move_on(self, board: chess.Board, accrued: Score) -> chess.Move | None:
        """The move with an accrued score; None in a position outside the strategy."""
        return self.moves.get((epd_of(board), self.goal.threshold(accrued)))

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
        head = to_json(facts, indent=1).removesuffix("\n}")
        moves = list[list[object]]()
        for epd, threshold in sorted(self.moves):
            moves.append([epd, threshold, self.moves[epd, threshold].uci()])
        leaves = sorted(self.leaves)
        return f'{head},\n "moves": {_lines(moves)},\n "tables": {_lines(leaves)}\n}}\n'


def _lines(items: Iterable[object]) -> str:
    """A list in JSON, with an item a line."""
    return "[\n" + ",\n".join(map(json.dumps, items)) + "\n]"


def epd_of(board: chess.Board) -> str:
    """A position in a strategy: four fields of its FEN, the last only for a legal capture."""
    return board.epd(en_passant="legal")


def name_of(board: chess.Board, square: chess.Square) -> str:
    """A man and its square, such as Qh5."""
    man = board.piece_type_at(square)
    letter = "" if man is None else chess.piece_symbol(man).upper()
    return letter + chess.square_name(square)


@dataclass(frozen=True)
class _Written:
    """A strategy as its file has it."""

    fen: str
    accrued: Score
    side: Color
    goal: Score
    rung: Rung
    men: tuple[str, ...]
    moves: list[tuple[str, int, str]]
    tables: list[str]


def parse_strategy(text: str, name: str = "the strategy") -> Strategy:
    """The strategy in the text of a file; ProofError if it is none.

    >>> parse_strategy("{}")
    Traceback (most recent call last):
    tbgen.errors.ProofError: the strategy is wrong: its format is not 'tbgen strategy 1'
    """
    try:
        facts = parse_json(text)
        if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
            raise ProofError(name, f"its format is not {_FORMAT!r}")
        read: _Written = read_as(_Written, facts)
        board, _ = parse_fen(read.fen)
        moves = {(epd, threshold): chess.Move.from_uci(uci) for epd, threshold, uci in read.moves}
    except (ValueError, InputError) as error:
        raise ProofError(name, str(error)) from None
    goal = Goal(read.side, read.goal)
    return Strategy(board, read.accrued, goal, read.rung, read.men, moves, frozenset(read.tables))
