"""The checker: walks every line that a strategy allows, with the accrued score as the rules have it.

It shares nothing with the search but the strategy itself: positions and moves are python-chess's, and what counts is
the real accrued score after each ply, not the threshold that the search keeps in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from tbgen.errors import ProofError
from tbgen.score import Accrued, Color

if TYPE_CHECKING:
    from tbgen.apps.hold.strategy import Strategy
    from tbgen.probe import Tablebase

_ANY_CODE = 2000
"""More than any code."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a checker has looked at."""

    positions: int
    """Positions with a threshold: the closed set."""
    pairs: int
    """Positions with their accrued scores."""
    moves: int
    probes: int
    """Positions that tables were asked of."""

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"positions": self.positions, "pairs": self.pairs, "moves": self.moves, "probes": self.probes}


def check(strategy: Strategy, tables: Tablebase | None = None, name: str = "the proof") -> Checked:
    """Check that a strategy keeps its goal after every ply, whatever the other side plays; else ProofError."""
    walk = _Walk(strategy, name)
    expect_beginning(strategy, name)
    todo, seen = [(strategy.board.copy(stack=False), strategy.accrued)], set[tuple[str, Accrued]]()
    while todo:
        board, accrued = todo.pop()
        key = board.epd(en_passant="legal"), accrued
        if key not in seen:
            seen.add(key)
            todo.extend(walk.after(board, accrued))
    for leaf in walk.leaves:
        expect_of_tables(strategy, leaf, tables, name)
    closed = {(place, min(accrued.code, strategy.goal.outcome.code)) for place, accrued in seen}
    return Checked(len(closed), len(seen), walk.moves, len(walk.leaves))


class _Walk:
    """What is found on the way."""

    def __init__(self, strategy: Strategy, name: str) -> None:
        self.strategy = strategy
        self.name = name
        self.moves = 0
        self.leaves = set[str]()

    def after(self, board: chess.Board, accrued: Accrued) -> Iterator[tuple[chess.Board, Accrued]]:
        """The positions that are reached in one ply, and what has accrued in them."""
        for move in self._moves(board, accrued):
            self.moves += 1
            resets = board.is_zeroing(move)
            reached = board.copy(stack=False)
            reached.push(move)
            place = reached.epd(en_passant="legal")
            if resets and place in self.strategy.leaves:
                self.leaves.add(place)
                continue
            own = Accrued(_own_code(reached), Color.WHITE if board.turn == chess.WHITE else Color.BLACK)
            after = own if resets or own.code < accrued.code else accrued
            expect_score(self.strategy, after, reached, self.name)
            yield reached, after

    def _moves(self, board: chess.Board, accrued: Accrued) -> list[chess.Move]:
        """The moves that must be looked at: all of the other side, the strategy's of its own."""
        legal = list(board.legal_moves)
        if not legal or (board.turn == chess.WHITE) != (self.strategy.goal.side is Color.WHITE):
            return legal
        threshold = min(accrued.code, self.strategy.goal.outcome.code)
        move = self.strategy.moves.get((board.epd(en_passant="legal"), threshold))
        if move is None:
            raise ProofError(self.name, f"it has no move for {board.fen()} with {accrued}")
        if move not in legal:
            raise ProofError(self.name, f"{move.uci()} is illegal in {board.fen()}")
        return [move]


def _own_code(board: chess.Board) -> int:
    """The code of a position by itself."""
    return 2 * board.legal_moves.count() + (not board.is_check())


def expect_beginning(strategy: Strategy, name: str) -> None:
    """Refuse a score that cannot have accrued where the strategy begins, or that misses the goal."""
    board, accrued = strategy.board, strategy.accrued
    if accrued.code > _own_code(board):
        raise ProofError(name, f"{accrued} cannot have accrued in {board.fen()}, whose own score is lower")
    expect_score(strategy, accrued, board, name)


def expect_score(strategy: Strategy, score: Accrued, board: chess.Board, name: str) -> None:
    """Refuse a score that is worse for the holder than its goal."""
    goal, side = strategy.goal.outcome, strategy.goal.side
    if _worth(score.code, score.holder is side) < _worth(goal.code, goal.holder is side):
        raise ProofError(name, f"{score} is worse for {side} than {goal} in {board.fen()}")


def _worth(code: int, is_own: bool) -> int:
    """A number that is the greater, the better a score is for the side that asks."""
    return _ANY_CODE - code if is_own else code - _ANY_CODE


def expect_of_tables(strategy: Strategy, place: str, tables: Tablebase | None, name: str) -> None:
    """Refuse a position left to tables that is worth too little."""
    if tables is None:
        raise ProofError(name, f"it leans on tables, such as for {place}; give them with --data")
    board = chess.Board(f"{place} 0 1")
    expect_score(strategy, tables.probe(board).outcome.accrued, board, f"{name}, by the tables")
