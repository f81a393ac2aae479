"""The checker: walks every line that a strategy allows, with the accrued score as the rules have it.

It shares nothing with the search but the strategy itself: positions and moves are python-chess's, and it follows
the real accrued score after each ply, not the threshold that the search keeps in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import chess

from tbgen.errors import ProofError
from tbgen.score import Color, Score

if TYPE_CHECKING:
    from tbgen.apps.hold.strategy import Strategy
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
    """Positions that tables were asked of."""


def check(strategy: Strategy, tables: Tablebase | None = None, name: str = "the proof") -> Checked:
    """Check that a strategy keeps its goal after every ply, whatever the other side plays; else ProofError."""
    walk = _Walk(strategy, name)
    root, accrued = walk.number_of(strategy.board), strategy.accrued
    walk.expect_beginning(walk.places[root])
    first = root, (accrued.code, int(accrued.holder))
    todo, seen, moves = [first], {first}, 0
    while todo:
        number, score = todo.pop()
        steps = walk.steps_of(number, score)
        moves += len(steps)
        for step in steps:
            if step is None:
                continue
            to, resets = step
            place = walk.places[to]
            after = to, place.own if resets or place.own[0] < score[0] else score
            if after not in seen:
                walk.expect_goal(_score(after[1]), place.board)
                seen.add(after)
                todo.append(after)
    for leaf in walk.leaves:
        walk.expect_of_tables(leaf, tables)
    closed = {(number, walk.threshold(score)) for number, score in seen}
    return Checked(len(closed), len(seen), moves, len(walk.leaves))


_Accrued = tuple[int, int]
"""The code and the holder of a score: a set finds tuples sooner than scores."""
_Step = tuple[int, bool]
"""The number of the position that a move leads to, and whether the move is a reset."""


class _Place(NamedTuple):
    """A position of the walk."""

    board: chess.Board
    own: _Accrued


class _Walk:
    """The positions that the walk has met; what is computed of one serves all scores that accrue there."""

    def __init__(self, strategy: Strategy, name: str) -> None:
        self.strategy, self.name = strategy, name
        self.places: list[_Place] = []
        self.leaves: set[str] = set()
        self._numbers: dict[tuple[int | None, ...], int] = {}
        self._steps: dict[tuple[int, int], list[_Step | None]] = {}

    def threshold(self, score: _Accrued) -> int:
        """The threshold under which a strategy has its moves."""
        return min(score[0], self.strategy.goal.outcome.code)

    def number_of(self, board: chess.Board) -> int:
        """The number of a position; boards that differ in counters or an idle right of en passant are one."""
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        passant = board.ep_square if board.has_legal_en_passant() else None
        key = (*kinds, board.occupied_co[chess.WHITE], board.turn, board.castling_rights, passant)
        number = self._numbers.setdefault(key, len(self.places))
        if number == len(self.places):
            code = 2 * board.legal_moves.count() + (not board.is_check())
            self.places.append(_Place(board.copy(stack=False), (code, int(Color.of(not board.turn)))))
        return number

    def steps_of(self, number: int, score: _Accrued) -> list[_Step | None]:
        """The moves that must be looked at: all of the other side, the strategy's of its own."""
        board, own = self.places[number]
        is_own = Color.of(board.turn) is self.strategy.goal.side and own[0] > 1
        key = number, self.threshold(score) if is_own else -1
        if key not in self._steps:
            moves = [self._chosen(board, score)] if is_own else list(board.legal_moves)
            self._steps[key] = [self._step(board, move) for move in moves]
        return self._steps[key]

    def _chosen(self, board: chess.Board, score: _Accrued) -> chess.Move:
        """The strategy's move."""
        move = self.strategy.moves.get((board.epd(en_passant="legal"), self.threshold(score)))
        if move is None:
            raise ProofError(self.name, f"it has no move for {board.fen()} with {_score(score)}")
        if not board.is_legal(move):
            raise ProofError(self.name, f"{move.uci()} is illegal in {board.fen()}")
        return move

    def _step(self, board: chess.Board, move: chess.Move) -> _Step | None:
        """The position after a move; None where the strategy leaves it to tables."""
        resets, after = board.is_zeroing(move), board.copy(stack=False)
        after.push(move)
        if resets and self.strategy.leaves:
            place = after.epd(en_passant="legal")
            if place in self.strategy.leaves:
                self.leaves.add(place)
                return None
        return self.number_of(after), resets

    def expect_beginning(self, place: _Place) -> None:
        """Refuse a score that cannot have accrued where the strategy begins, or that misses the goal."""
        accrued, fen = self.strategy.accrued, place.board.fen()
        if accrued.code > place.own[0]:
            raise ProofError(self.name, f"{accrued} cannot have accrued in {fen}, whose own score is lower")
        self.expect_goal(accrued, place.board)

    def expect_goal(self, accrued: Score, board: chess.Board, by: str = "") -> None:
        """Refuse a score that is worse for the holder than its goal."""
        side, goal = self.strategy.goal.side, self.strategy.goal.outcome
        if accrued.worth_to(side) < goal.worth_to(side):
            raise ProofError(self.name + by, f"{accrued} is worse for {side} than {goal} in {board.fen()}")

    def expect_of_tables(self, leaf: str, tables: Tablebase | None) -> None:
        """Refuse a position left to tables that is worth too little."""
        if tables is None:
            raise ProofError(self.name, f"it leans on tables, such as for {leaf}; give them with --data")
        board = chess.Board(f"{leaf} 0 1")
        self.expect_goal(tables.probe(board).outcome, board, by=", by the tables")


def _score(accrued: _Accrued) -> Score:
    return Score(accrued[0], Color(accrued[1]))
