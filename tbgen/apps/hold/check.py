"""The checker: walks every line that a strategy allows, with the accrued score by the rules.

It shares only the strategy itself with the search. Positions and moves are python-chess's. It
follows the accrued score after each ply, and not the threshold that the search uses instead.
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
    """Check that a strategy keeps its goal after every ply, whatever the other side plays.

    Else ProofError.
    """
    graph = _Graph(strategy, tables, name)
    root = graph.number_of(strategy.board)
    board, own = graph.positions[root]
    if strategy.accrued.code > own.code:
        raise ProofError(
            name,
            f"{strategy.accrued} cannot have accrued in {board.fen()}, whose own score is lower",
        )
    pairs = {(root, strategy.accrued)}
    todo = [(root, strategy.accrued)]
    moves = 0
    while todo:
        number, accrued = todo.pop()
        board, _ = graph.positions[number]
        graph.expect_goal(accrued, board)
        arrivals = graph.arrivals_of(number, accrued)
        moves += len(arrivals)
        for arrival in arrivals:
            if arrival is None:
                continue
            reached, is_reset = arrival
            _, own = graph.positions[reached]
            is_replaced = is_reset or own.code < accrued.code
            pair = (reached, own if is_replaced else accrued)
            if pair not in pairs:
                pairs.add(pair)
                todo.append(pair)
    closed = {(number, strategy.goal.threshold(accrued)) for number, accrued in pairs}
    return Checked(len(closed), len(pairs), moves, len(graph.leaves))


_Arrival = tuple[int, bool]
"""The number of the position that a move leads to, and whether the move is a reset."""


class _Graph:
    """The positions that the walk has met. Facts about one serve all scores that accrue there."""

    def __init__(self, strategy: Strategy, tables: Tablebase | None, name: str) -> None:
        self.strategy = strategy
        self.tables = tables
        self.name = name
        self.positions: list[tuple[chess.Board, Score]] = []
        """Positions with their own scores."""
        self.leaves: set[str] = set()
        self._numbers: dict[tuple[int | None, ...], int] = {}
        self._arrivals: dict[tuple[int, int | None], list[_Arrival | None]] = {}
        """By position, and by threshold where the strategy chooses the move."""

    def number_of(self, board: chess.Board) -> int:
        """The number of a position.

        Boards that differ in counters or an idle right of en passant are one position.
        """
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        passant = board.ep_square if board.has_legal_en_passant() else None
        key = (*kinds, board.occupied_co[chess.WHITE], board.turn, board.castling_rights, passant)
        number = self._numbers.setdefault(key, len(self.positions))
        if number == len(self.positions):
            code = code_of(board.legal_moves.count(), in_check=board.is_check())
            self.positions.append((board, Score(code, Color.of(not board.turn))))
        return number

    def arrivals_of(self, number: int, accrued: Score) -> list[_Arrival | None]:
        """Where the moves to be checked lead: all of the other side, the strategy's own."""
        board, own = self.positions[number]
        goal = self.strategy.goal
        is_chosen = Color.of(board.turn) is goal.side and own.moves > 0
        threshold = goal.threshold(accrued) if is_chosen else None
        key = (number, threshold)
        if key not in self._arrivals:
            moves = [self._chosen(board, accrued)] if is_chosen else list(board.legal_moves)
            self._arrivals[key] = [self._arrival(board, move) for move in moves]
        return self._arrivals[key]

    def _chosen(self, board: chess.Board, score: Score) -> chess.Move:
        """The strategy's move."""
        move = self.strategy.move_on(board, score)
        if move is None:
            raise ProofError(self.name, f"it has no move for {board.fen()} with {score}")
        if not board.is_legal(move):
            raise ProofError(self.name, f"{move.uci()} is illegal in {board.fen()}")
        return move

    def _arrival(self, board: chess.Board, move: chess.Move) -> _Arrival | None:
        """The position after a move; None if the strategy leaves it to tables."""
        is_reset = board.is_zeroing(move)
        after = board.copy(stack=False)
        after.push(move)
        if not is_reset or not self.strategy.leaves:
            return self.number_of(after), is_reset
        leaf = epd_of(after)
        if leaf not in self.strategy.leaves:
            return self.number_of(after), is_reset
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
