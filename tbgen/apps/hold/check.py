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
    first = root, (accrued.code, int(accrued.holder))
    walk.expect_beginning(walk.places[root])
    todo, seen, moves = [first], {first}, 0
    while todo:
        number, score = todo.pop()
        mover, steps = walk.places[number].mover, walk.steps_of(number, score)
        moves += len(steps)
        for step in steps:
            if step.is_leaf:
                continue
            after = step.to, (step.code, mover) if step.resets or step.code < score[0] else score
            if after not in seen:
                walk.expect_goal(after[1], step.to)
                seen.add(after)
                todo.append(after)
    for leaf in walk.leaves:
        walk.expect_of_tables(leaf, tables)
    closed = {(number, walk.threshold(score)) for number, score in seen}
    return Checked(len(closed), len(seen), moves, len(walk.leaves))


class _Place(NamedTuple):
    """A position of the walk."""

    board: chess.Board
    code: int
    mover: int


class _Step(NamedTuple):
    """The position after a move."""

    to: int
    """The number of the position; -1 for a leaf."""
    code: int
    """Its own code."""
    resets: bool
    is_leaf: bool
    """Whether the strategy leaves the position to tables."""


class _Walk:
    """The positions that the walk has met; what is computed of one serves all scores that accrue there."""

    def __init__(self, strategy: Strategy, name: str) -> None:
        self.strategy = strategy
        self.name = name
        self.side = strategy.goal.side
        self.places: list[_Place] = []
        self.leaves: set[str] = set()
        self._good: set[tuple[int, int]] = set()
        self._numbers: dict[tuple[int | None, ...], int] = {}
        self._steps: dict[tuple[int, int], list[_Step]] = {}

    def threshold(self, score: tuple[int, int]) -> int:
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
            mover = Color.WHITE if board.turn == chess.WHITE else Color.BLACK
            self.places.append(_Place(board.copy(stack=False), code, int(mover)))
        return number

    def steps_of(self, number: int, score: tuple[int, int]) -> list[_Step]:
        """The moves that must be looked at: all of the other side, the strategy's of its own."""
        place = self.places[number]
        is_own = place.mover == int(self.side) and place.code > 1
        key = number, self.threshold(score) if is_own else -1
        if key not in self._steps:
            moves = [self._chosen(place.board, score)] if is_own else list(place.board.legal_moves)
            self._steps[key] = [self._step(place.board, move) for move in moves]
        return self._steps[key]

    def _chosen(self, board: chess.Board, score: tuple[int, int]) -> chess.Move:
        """The strategy's move."""
        move = self.strategy.moves.get((board.epd(en_passant="legal"), self.threshold(score)))
        if move is None:
            raise ProofError(self.name, f"it has no move for {board.fen()} with {_accrued(score)}")
        if not board.is_legal(move):
            raise ProofError(self.name, f"{move.uci()} is illegal in {board.fen()}")
        return move

    def _step(self, board: chess.Board, move: chess.Move) -> _Step:
        resets = board.is_zeroing(move)
        board.push(move)
        try:
            if resets and self.strategy.leaves:
                place = board.epd(en_passant="legal")
                if place in self.strategy.leaves:
                    self.leaves.add(place)
                    return _Step(-1, 0, resets, is_leaf=True)
            number = self.number_of(board)
            return _Step(number, self.places[number].code, resets, is_leaf=False)
        finally:
            board.pop()

    def expect_beginning(self, place: _Place) -> None:
        """Refuse a score that cannot have accrued where the strategy begins, or that misses the goal."""
        accrued, board = self.strategy.accrued, place.board
        if accrued.code > place.code:
            raise ProofError(self.name, f"{accrued} cannot have accrued in {board.fen()}, whose own score is lower")
        self._compare(accrued, board)

    def expect_goal(self, score: tuple[int, int], number: int) -> None:
        """Refuse a score that is worse for the holder than its goal."""
        if score not in self._good:
            self._compare(_accrued(score), self.places[number].board)
            self._good.add(score)

    def _compare(self, accrued: Score, board: chess.Board, by: str = "") -> None:
        goal = self.strategy.goal.outcome
        if accrued.worth_to(self.side) < goal.worth_to(self.side):
            raise ProofError(self.name + by, f"{accrued} is worse for {self.side} than {goal} in {board.fen()}")

    def expect_of_tables(self, leaf: str, tables: Tablebase | None) -> None:
        """Refuse a position left to tables that is worth too little."""
        if tables is None:
            raise ProofError(self.name, f"it leans on tables, such as for {leaf}; give them with --data")
        board = chess.Board(f"{leaf} 0 1")
        self._compare(tables.probe(board).outcome, board, by=", by the tables")


def _accrued(score: tuple[int, int]) -> Score:
    return Score(score[0], Color(score[1]))
