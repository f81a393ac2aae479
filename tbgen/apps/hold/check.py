"""The checker: walks every line that a strategy allows, with the accrued score by the rules.

It shares only the strategy itself with the search. Positions and moves are python-chess's. It follows the accrued score
after each ply, and not the threshold that the search uses instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from tbgen.apps.hold.strategy import Strategy, epd_of
from tbgen.errors import ProofError
from tbgen.score import Color, Score, code_of

if TYPE_CHECKING:
    from tbgen.probe import Tablebase


@dataclass(frozen=True, slots=True)
class Checked:
    """The counts of a check."""

    positions: int
    """Positions with a threshold: the closed set."""
    pairs: int
    """Positions with their accrued scores."""
    moves: int
    probes: int
    """Positions with an answer from tables."""


def check(strategy: Strategy, tables: Tablebase | None = None, name: str = "the proof") -> Checked:
    """Check that a strategy keeps its goal after every ply, whatever the other side plays; else ProofError."""
    graph, accrued = _Graph(strategy, tables, name), strategy.accrued
    root = graph.number_of(strategy.board)
    board, own = graph.positions[root]
    if accrued.code > own.code:
        raise ProofError(
            name, f"{accrued} cannot have accrued in {board.fen()}, whose own score is lower"
        )
    todo, seen, moves = [(root, accrued)], {(root, accrued)}, 0
    while todo:
        number, score = todo.pop()
        graph.expect_goal(score, graph.positions[number][0])
        steps = graph.steps_of(number, score)
        moves += len(steps)
        for to, resets in filter(None, steps):
            own = graph.positions[to][1]
            after = to, own if resets or own.code < score.code else score
            if after not in seen:
                seen.add(after)
                todo.append(after)
    closed = {(number, strategy.goal.threshold(score)) for number, score in seen}
    return Checked(len(closed), len(seen), moves, len(graph.leaves))


_Arrival = tuple[int, bool]
"""The number of the position that a move leads to, and whether the move is a reset."""


class _Graph:
    """The positions that the walk has met. Facts about one serve all scores that accrue there."""

    def __init__(self, strategy: Strategy, tables: Tablebase | None, name: str) -> None:
        self.strategy, self.tables, self.name = strategy, tables, name
        self.positions: list[tuple[chess.Board, Score]] = []
        """Positions with their own scores."""
        self.leaves: set[str] = set()
        self._numbers: dict[tuple[int | None, ...], int] = {}
        self._steps: dict[tuple[int, int], list[_Arrival | None]] = {}

    def number_of(self, board: chess.Board) -> int:
        """The number of a position. Boards that differ in counters or an idle right of en passant are one position."""
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        passant = board.ep_square if board.has_legal_en_passant() else None
        key = (*kinds, board.occupied_co[chess.WHITE], board.turn, board.castling_rights, passant)
        number = self._numbers.setdefault(key, len(self.positions))
        if number == len(self.positions):
            code = code_of(board.legal_moves.count(), in_check=board.is_check())
            self.positions.append((board, Score(code, Color.of(not board.turn))))
        return number

    def steps_of(self, number: int, score: Score) -> list[_Arrival | None]:
        """The moves to check: all of the other side, the strategy's of its own side."""
        (board, own), goal = self.positions[number], self.strategy.goal
        is_own = Color.of(board.turn) is goal.side and own.moves > 0
        key = number, goal.threshold(score) if is_own else -1
        if key not in self._steps:
            moves = [self._chosen(board, score)] if is_own else list(board.legal_moves)
            self._steps[key] = [self._step(board, move) for move in moves]
        return self._steps[key]

    def _chosen(self, board: chess.Board, score: Score) -> chess.Move:
        """The strategy's move."""
        move = self.strategy.move_on(board, score)
        if move is None:
            raise ProofError(self.name, f"it has no move for {board.fen()} with {score}")
        if not board.is_legal(move):
            raise ProofError(self.name, f"{move.uci()} is illegal in {board.fen()}")
        return move

    def _step(self, board: chess.Board, move: chess.Move) -> _Arrival | None:
        """The position after a move; None if the strategy leaves it to tables."""
        resets, after = board.is_zeroing(move), board.copy(stack=False)
        after.push(move)
        if not (
            resets and self.strategy.leaves and (leaf := epd_of(after)) in self.strategy.leaves
        ):
            return self.number_of(after), resets
        if self.tables is None:
            raise ProofError(
                self.name, f"it leans on tables, such as for {leaf}; give them with --data"
            )
        if leaf not in self.leaves:
            self.leaves.add(leaf)
            self.expect_goal(self.tables.probe(after).outcome, after, by=", by the tables")
        return None

    def expect_goal(self, accrued: Score, board: chess.Board, by: str = "") -> None:
        """Refuse a score that is worse for the holder than its goal."""
        goal = self.strategy.goal
        if not goal.is_met_by(accrued):
            raise ProofError(
                self.name + by,
                f"{accrued} is worse for {goal.side} than {goal.outcome} in {board.fen()}",
            )
