"""Frames: Heiner Marxen's analysis with two virtual pieces, for a threshold and all that it can fall to.

Every placement of one man of either side is a position, everything else stands still. B is the man of the side that
holds, C that of the other. Whatever else the other side can play is a way out. Worked backwards from these, what
remains is a closed set (docs/hold.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import chess
import numpy as np

from tbgen.apps.hold.frame_kernels import (
    B_MOVES,
    C_MOVES,
    FIRST,
    NEVER,
    NO_POSITION,
    ROWS,
    WORDS,
    Level,
    Men,
    Positions,
    fill_codes,
    fill_moves,
    note_arrivals,
    solve_level,
)
from tbgen.apps.hold.goals import Goal
from tbgen.board.board import KIND, RIGHTS
from tbgen.board.convert import words_of
from tbgen.rules.position import color_of, is_reset
from tbgen.score import Accrued, Color

_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_RAYS = {
    chess.KNIGHT: _LEAPS,
    chess.BISHOP: _DIAGONAL,
    chess.ROOK: _STRAIGHT,
    chess.QUEEN: _STRAIGHT + _DIAGONAL,
    chess.KING: _STRAIGHT + _DIAGONAL,
}


class Pair(NamedTuple):
    """The first squares of the two men of a frame."""

    b: chess.Square
    c: chess.Square


class State(NamedTuple):
    """A position of a frame: squares of both men, whether they still have castling rights, who is to move."""

    b: chess.Square
    c: chess.Square
    keeps_b: bool
    keeps_c: bool
    b_moves: bool

    @property
    def place(self) -> tuple[int, int, int]:
        """Where arrays have it."""
        row = FIRST if self.keeps_b else self.b
        return B_MOVES if self.b_moves else C_MOVES, self.keeps_c * ROWS + row, self.c


@dataclass(frozen=True, eq=False)
class Frame:
    """A solved frame."""

    board: chess.Board
    goal: Goal
    threshold: int
    pair: Pair
    root: State
    positions: Positions
    levels: dict[int, np.ndarray[tuple[int, int, int], np.dtype[np.int16]]]
    """By threshold: plies that C needs at least until it is out; -1 where it never is."""
    count: int
    """How many positions there are."""

    def code(self, state: State) -> int:
        """The own code of a state; -1 if it is no position."""
        return int(self.positions.codes[state.place])

    def plies(self, state: State, threshold: int) -> int | None:
        """The plies that C needs at least until it is out; None where it never is."""
        if not state.b_moves and self.positions.leaves[state.place[1]] >> np.uint64(state.c) & np.uint64(1):
            return 1
        if not state.b_moves and self.code(state) < 2:
            return None
        found = int(self.levels[threshold][state.place])
        return None if found == NEVER else found

    def moves(self, state: State) -> Iterator[State]:
        """The positions that a quiet move of the frame's man to move leads to."""
        man = self.board.piece_type_at(self.pair.b if state.b_moves else self.pair.c)
        assert man is not None
        own, other = (state.b, state.c) if state.b_moves else (state.c, state.b)
        for to in _reached(man, own, _fixed(self.board, self.pair) | chess.BB_SQUARES[other]):
            b, c = (to, state.c) if state.b_moves else (state.b, to)
            keeps_b, keeps_c = state.keeps_b and not state.b_moves, state.keeps_c and state.b_moves
            after = State(b, c, keeps_b, keeps_c, not state.b_moves)
            if self.code(after) != NO_POSITION:
                yield after

    def after(self, state: State, threshold: int, reached: State) -> int | None:
        """The threshold once a quiet move has led from one state to another; None if the hold is broken."""
        return self.goal.after(threshold, self.code(reached), by_holder=state.b_moves, reset=False)

    @property
    def root_plies(self) -> int | None:
        """The plies that C needs at least from the position itself, which may have an en passant right."""
        moves = list(self.board.legal_moves)
        if not moves:
            return None
        frame_moves = list(self.moves(self.root))
        if not self.root.b_moves and len(moves) != len(frame_moves):
            return 1
        found = [self._plies_after(each) for each in frame_moves]
        if self.root.b_moves:
            broken = [plies for plies in found if plies is not None]
            return None if len(broken) < len(found) else max(broken, default=-1) + 1
        return min((plies + 1 for plies in found if plies is not None), default=None)

    def _plies_after(self, reached: State) -> int | None:
        threshold = self.after(self.root, self.threshold, reached)
        return 0 if threshold is None else self.plies(reached, threshold)

    def board_of(self, state: State) -> chess.Board:
        """The state as a board, without an en passant right."""
        board = self.board.copy(stack=False)
        b, c = board.remove_piece_at(self.pair.b), board.remove_piece_at(self.pair.c)
        board.set_piece_at(state.b, b)
        board.set_piece_at(state.c, c)
        board.castling_rights = int(_rights(self.board, self.pair)[int(state.keeps_b), int(state.keeps_c)])
        board.turn = (color_of(chess.WHITE) is self.goal.side) == state.b_moves
        board.ep_square = None
        return board


def solve(board: chess.Board, goal: Goal, accrued: Accrued, pair: Pair) -> Frame:
    """Solve the frame of a pair of men."""
    men, positions = _men(board, goal.side, pair), _positions(board, pair)
    words, fixed = words_of(board), np.uint64(_fixed(board, pair))
    for square in pair:
        bit = np.uint64(chess.BB_SQUARES[square])
        words[:2] &= ~bit
        words[KIND + 1 : RIGHTS] &= ~bit
    words[RIGHTS + 1] = 0
    count = int(fill_codes(words, _rights(board, pair), men, positions))
    fill_moves(fixed, men, positions)
    threshold = goal.threshold(accrued)
    keeps = men.b_rights == 1, men.c_rights == 1
    root = State(pair.b, pair.c, *keeps, color_of(board.turn) is goal.side)
    levels = _levels(positions, men, fixed, threshold)
    return Frame(board.copy(stack=False), goal, threshold, pair, root, positions, levels, count)


def _levels(
    positions: Positions, men: Men, fixed: np.uint64, threshold: int
) -> dict[int, np.ndarray[tuple[int, int, int], np.dtype[np.int16]]]:
    """The plies at each threshold that B's moves may lead to, from the lowest upwards."""
    codes = positions.codes[C_MOVES]
    is_leaf = (positions.leaves[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(bool)
    below = np.unique(codes[(codes >= 2) & (codes < threshold) & ~is_leaf])
    arrived = np.zeros((2, WORDS), np.uint64)
    arrived[0] = positions.leaves
    levels, last = {}, 1
    for each in (*below.tolist(), threshold):
        plies = np.empty((2, WORDS, 64), np.int16)
        broken_b, broken_c, lower, held = np.zeros((4, WORDS), np.uint64)
        level = Level(plies, broken_b, broken_c, arrived, lower, held)
        last = int(solve_level(positions, men, fixed, each, last, level))
        if len(arrived) <= last >> 1:
            arrived = np.vstack([arrived, np.zeros((last, WORDS), np.uint64)])
        note_arrivals(positions, men, each, level._replace(arrived=arrived))
        levels[each] = plies
    return levels


def _men(board: chess.Board, side: Color, pair: Pair) -> Men:
    b, c = board.piece_type_at(pair.b), board.piece_type_at(pair.c)
    assert b is not None
    assert c is not None
    keeps = [bool(_lost(board, square)) for square in pair]
    return Men(int(side), b, pair.b, int(keeps[0]), c, pair.c, int(keeps[1]))


def _positions(board: chess.Board, pair: Pair) -> Positions:
    """Arrays to be filled, with the moves of B's man."""
    man = board.piece_type_at(pair.b)
    assert man is not None
    rays, fixed = _RAYS[man], _fixed(board, pair)
    steps = np.full((ROWS, len(rays), 8), -1, np.int64)
    for row in range(ROWS):
        square = pair.b if row == FIRST else row
        for ray, (right, up) in enumerate(rays):
            for step, to in enumerate(_ray(man, square, right, up, fixed)):
                steps[row, ray, step] = to
    codes = np.full((2, WORDS, 64), NO_POSITION, np.int16)
    leaves, can = np.zeros((2, WORDS), np.uint64)
    return Positions(codes, np.zeros((2, WORDS), np.uint64), leaves, can, steps)


def _ray(man: chess.PieceType, square: chess.Square, right: int, up: int, occupied: int) -> Iterator[chess.Square]:
    """The empty squares on a ray, as far as a man goes."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    for _ in range(1 if man in (chess.KNIGHT, chess.KING) else 7):
        file, rank = file + right, rank + up
        if not (0 <= file < 8 and 0 <= rank < 8) or occupied & chess.BB_SQUARES[chess.square(file, rank)]:
            return
        yield chess.square(file, rank)


def _reached(man: chess.PieceType, square: chess.Square, occupied: int) -> Iterator[chess.Square]:
    for right, up in _RAYS[man]:
        yield from _ray(man, square, right, up, occupied)


def _fixed(board: chess.Board, pair: Pair) -> int:
    """The men that stand still."""
    return board.occupied & ~(chess.BB_SQUARES[pair.b] | chess.BB_SQUARES[pair.c])


def _lost(board: chess.Board, square: chess.Square) -> int:
    """The castling rights that are lost when the man on a square moves."""
    rights = board.clean_castling_rights()
    if board.piece_type_at(square) == chess.KING:
        return rights & board.occupied_co[bool(board.color_at(square))]
    return rights & chess.BB_SQUARES[square]


def _rights(board: chess.Board, pair: Pair) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """[B keeps its rights, C keeps its rights] -> all castling rights."""
    kept = np.full((2, 2), board.clean_castling_rights(), np.uint64)
    kept[0] &= ~np.uint64(_lost(board, pair.b))
    kept[:, 0] &= ~np.uint64(_lost(board, pair.c))
    return kept


def survivors(board: chess.Board, side: Color, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs whose frame C does not leave at its first move; for these alone a frame is worth solving."""
    if color_of(board.turn) is not side:
        only = _only_man(board)
        return [pair for pair in pairs if only in (None, pair.c)]
    found = set[tuple[chess.Square, chess.Square | None]]()
    movers = {pair.b for pair in pairs}
    walker = board.copy(stack=False)
    for move in list(board.legal_moves):
        if move.from_square in movers and not is_reset(board, move) and not board.is_castling(move):
            walker.push(move)
            only = _only_man(walker)
            walker.pop()
            if only != _SEVERAL:
                found.add((move.from_square, only))
    return [pair for pair in pairs if (pair.b, pair.c) in found or (pair.b, None) in found]


_SEVERAL = -1


def _only_man(board: chess.Board) -> chess.Square | None:
    """The man that makes all legal moves, quiet ones; None without any move, _SEVERAL in all other cases."""
    only: chess.Square | None = None
    for move in board.generate_legal_moves():
        if is_reset(board, move) or board.is_castling(move) or only not in (None, move.from_square):
            return _SEVERAL
        only = move.from_square
    return only
