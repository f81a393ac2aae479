"""Frames and closed sets again, slowly: python-chess, dictionaries and the definition.

A state is a board with a threshold; `None` plies mean that the other side never gets out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import chess

from .minimax import own

State = tuple[chess.Square, chess.Square, bool]
"""Squares of the holder's man and of the other one, and whether the holder is to move."""
Scored = tuple[str, int, chess.Color]
"""A position, and the code and holder of the score that has accrued there."""

INFINITE = 10**9


class SlowFrame:
    """All placements of two men, none of which has castling rights."""

    def __init__(
        self, board: chess.Board, side: chess.Color, b: chess.Square, c: chess.Square
    ) -> None:
        self.root = board
        self.side = side
        self.b = board.piece_at(b)
        self.c = board.piece_at(c)
        self.empty = board.copy(stack=False)
        for square in (b, c):
            self.empty.remove_piece_at(square)
        self.empty.ep_square = None
        self.codes: dict[State, int] = {}
        self.next: dict[State, list[State]] = {}
        self.before: dict[State, list[State]] = {}
        self.leaves: set[State] = set()
        places = [square for square in chess.SQUARES if self.empty.piece_at(square) is None]
        for x, y in itertools.permutations(places, 2):
            board = self.empty.copy(stack=False)
            board.set_piece_at(x, self.b)
            board.set_piece_at(y, self.c)
            for turn in (True, False):
                board.turn = side if turn else not side
                if not board.was_into_check():
                    self._add((x, y, turn), board)
        for state, after in self.next.items():
            for each in after:
                self.before.setdefault(each, []).append(state)

    def _add(self, state: State, board: chess.Board) -> None:
        moves = list(board.legal_moves)
        self.codes[state] = 2 * len(moves) + (not board.is_check())
        self.next[state] = []
        for move in moves:
            quiet = not board.is_zeroing(move) and not board.is_castling(move)
            if quiet and state[2] and move.from_square == state[0]:
                self.next[state].append((move.to_square, state[1], False))
            elif quiet and not state[2] and move.from_square == state[1]:
                self.next[state].append((state[0], move.to_square, True))
            elif not state[2]:
                self.leaves.add(state)

    def plies(self, threshold: int) -> dict[State, int | None]:
        """The plies that the other side needs at least.

        They are found by value iteration from infinity downwards.
        """
        codes = {
            code for state, code in self.codes.items() if not state[2] and 0 < code < threshold
        }
        values: dict[int, dict[State, int]] = {}
        for accrued in [*sorted(codes), threshold]:
            values[accrued] = self._settled(accrued, values)
        return {
            state: None if found >= INFINITE else found
            for state, found in values[threshold].items()
        }

    def _settled(self, accrued: int, lower: dict[int, dict[State, int]]) -> dict[State, int]:
        values = dict.fromkeys(self.codes, INFINITE)
        asked = set(self.codes)
        while asked:
            fresh = {state: self._value(state, accrued, values, lower) for state in asked}
            changed = [state for state, value in fresh.items() if value != values[state]]
            values.update(fresh)
            # Only what stands before a change is asked again.
            asked = set()
            for state in changed:
                asked.update(self.before.get(state, ()))
        return values

    def _value(
        self, state: State, accrued: int, here: dict[State, int], lower: dict[int, dict[State, int]]
    ) -> int:
        if not state[2]:
            if state in self.leaves:
                return 1
            return min([INFINITE, *(here[after] + 1 for after in self.next[state])])
        if self.codes[state] < accrued:
            return 0
        if not self.next[state]:
            return 0 if self.codes[state] > 1 else INFINITE
        found = []
        for after in self.next[state]:
            code = self.codes[after]
            if code == 0:
                found.append(INFINITE)
            elif code < accrued:
                found.append(lower[code][after])
            else:
                found.append(here[after])
        return min(INFINITE, max(found) + 1)


def can_keep(
    board: chess.Board,
    accrued: tuple[int, chess.Color],
    goal: tuple[int, chess.Color],
    side: chess.Color,
) -> bool:
    """Whether a side can keep a score at a goal or better after every ply.

    It is the greatest closed set, with real scores: a code and its holder. Every line of play is
    followed to its end, so the board should be small.
    """
    least = _worth(goal, side)
    nodes: dict[Scored, list[Scored]] = {}
    first = (board.epd(en_passant="legal"), *accrued)
    todo = [first] if _worth(accrued, side) >= least else []
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes[node] = [after for after in _after(node) if _worth(after[1:], side) >= least]
            todo.extend(nodes[node])
    moves = {node: chess.Board(f"{node[0]} 0 1").legal_moves.count() for node in nodes}
    kept = set(nodes)
    while True:
        lost = {node for node in kept if not _is_kept(node, nodes[node], kept, moves[node], side)}
        if not lost:
            return first in kept
        kept -= lost


def _is_kept(
    node: Scored, after: list[Scored], kept: set[Scored], moves: int, side: chess.Color
) -> bool:
    if moves == 0:
        return True
    found = sum(each in kept for each in after)
    is_to_move = (" w " in node[0]) == (side == chess.WHITE)
    return found > 0 if is_to_move else found == moves


def _after(node: Scored) -> Iterator[Scored]:
    position, accrued, holder = node
    board = chess.Board(f"{position} 0 1")
    for move in list(board.legal_moves):
        resets = board.is_zeroing(move)
        mover = board.turn
        board.push(move)
        _, code = own(board)
        score = (code, mover) if resets or code < accrued else (accrued, holder)
        yield (board.epd(en_passant="legal"), *score)
        board.pop()


def _worth(score: tuple[int, chess.Color], side: chess.Color) -> int:
    return (2000 - score[0]) * (1 if score[1] == side else -1)
