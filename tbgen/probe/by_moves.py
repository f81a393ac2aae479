"""What moves and replies prove of a position that has no table.

Captures and promotions lead to tables. A move into one is worth at least that to its side. Where it
leads to none, the other side may reply into one, so it is worth at most that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from tbgen.probe.tablebase import Tablebase
from tbgen.rules.position import play_move
from tbgen.score import MATE_CODE, Color, Score


@dataclass(frozen=True, slots=True)
class ProvedByMoves:
    """The least and the most that the side to move gets."""

    least: Score
    most: Score
    best: chess.Move | None
    """A move that gets the least; None if nothing is known of any."""

    @property
    def is_exact(self) -> bool:
        """Whether this is the value."""
        return self.least == self.most

    def in_words(self, board: chess.Board) -> str:
        """What is proved of the position, without a full stop; empty if nothing is.

        The explorer says the same.
        """
        side = Color.of(board.turn)
        leading = "moves into tables" if board.castling_rights else "captures and promotions"
        way = f"what {leading} lead to"
        if self.best is not None:
            way += f": {board.san(self.best)}"
        if self.is_exact:
            return f"{self.least} {self.least.in_words()}, with best play; proved by {way}"
        bounds = []
        if self.best is not None:
            bounds.append(f"at least {self.least}")
        if self.most != Score(MATE_CODE, side):
            bounds.append(f"at most {self.most}")
        if not bounds:
            return ""
        return f"{side} gets {' and '.join(bounds)}, by {way}"


def proved_by_moves(tables: Tablebase, board: chess.Board, accrued: Score) -> ProvedByMoves:
    """The bounds of a position with legal moves, by its moves and the replies to them."""
    side = Color.of(board.turn)
    least = Score(MATE_CODE, side.other)
    most = least
    best = None
    for move, after, accrued_after in _moves(tables, board, accrued):
        lower, upper = _bounds_of(tables, after, accrued_after)
        if lower is not None and (best is None or lower.worth_to(side) > least.worth_to(side)):
            least = lower
            best = move
        most = max(most, upper, key=lambda score: score.worth_to(side))
    return ProvedByMoves(least, most, best)


def _bounds_of(tables: Tablebase, board: chess.Board, accrued: Score) -> tuple[Score | None, Score]:
    """What the side that has just moved gets at least, if that is known, and at most."""
    value = _value(tables, board, accrued)
    if value is not None:
        return value, value
    replier = Color.of(board.turn)
    upper = Score(MATE_CODE, replier.other)
    is_each_known = True
    for _, after, accrued_after in _moves(tables, board, accrued):
        value = _value(tables, after, accrued_after)
        if value is None:
            is_each_known = False
        else:
            upper = max(upper, value, key=lambda score: score.worth_to(replier))
    return (upper if is_each_known else None), upper


def _moves(
    tables: Tablebase, board: chess.Board, accrued: Score
) -> Iterator[tuple[chess.Move, chess.Board, Score]]:
    """Each legal move, the position after it, and what has accrued there."""
    for move in board.legal_moves:
        after = board.copy(stack=False)
        reached = play_move(after, move, accrued, tables.mobility)
        yield move, after.copy(stack=False), reached.accrued


def _value(tables: Tablebase, board: chess.Board, accrued: Score) -> Score | None:
    """The value of a position, if the game is over there or a table has it."""
    if not any(board.legal_moves):
        return accrued
    probe = tables.get(board, accrued)
    return None if probe is None else probe.outcome
