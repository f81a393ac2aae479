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
ABOVE_ALL_CODES = 2000


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
        free = [square for square in chess.SQUARES if self.empty.piece_at(square) is None]
        for at_b, at_c in itertools.permutations(free, 2):
            board = self.empty.copy(stack=False)
            board.set_piece_at(at_b, self.b)
            board.set_piece_at(at_c, self.c)
            for holder_moves in (True, False):
                board.turn = side if holder_moves else not side
                if not board.was_into_check():
                    self._add((at_b, at_c, holder_moves), board)
        for state, reached in self.next.items():
            for after in reached:
                self.before.setdefault(after, []).append(state)

    def _add(self, state: State, board: chess.Board) -> None:
        moves = list(board.legal_moves)
        self.codes[state] = 2 * len(moves) + (not board.is_check())
        self.next[state] = []
        b, c, holder_moves = state
        for move in moves:
            is_quiet = not board.is_zeroing(move) and not board.is_castling(move)
            if is_quiet and holder_moves and move.from_square == b:
                self.next[state].append((move.to_square, c, False))
            elif is_quiet and not holder_moves and move.from_square == c:
                self.next[state].append((b, move.to_square, True))
            elif not holder_moves:
                self.leaves.add(state)

    def plies(self, threshold: int) -> dict[State, int | None]:
        """The plies that the other side needs at least.

        They are found by value iteration from infinity downwards.
        """
        lower_codes = set[int]()
        for (_, _, holder_moves), code in self.codes.items():
            if not holder_moves and 0 < code < threshold:
                lower_codes.add(code)
        values: dict[int, dict[State, int]] = {}
        for accrued in [*sorted(lower_codes), threshold]:
            values[accrued] = self._settled(accrued, values)
        plies: dict[State, int | None] = {}
        for state, value in values[threshold].items():
            plies[state] = value if value < INFINITE else None
        return plies

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
        _, _, holder_moves = state
        if not holder_moves:
            if state in self.leaves:
                return 1
            ways_out = [here[after] + 1 for after in self.next[state]]
            return min([INFINITE, *ways_out])
        if self.codes[state] < accrued:
            return 0
        if not self.next[state]:
            return 0 if self.codes[state] > 1 else INFINITE
        answers = []
        for after in self.next[state]:
            code = self.codes[after]
            if code == 0:
                answers.append(INFINITE)
            elif code < accrued:
                answers.append(lower[code][after])
            else:
                answers.append(here[after])
        return min(INFINITE, max(answers) + 1)


def can_keep(
    board: chess.Board,
    accrued: tuple[int, chess.Color],
    goal: tuple[int, chess.Color],
    side: chess.Color,
) -> bool:
    """Whether a side can keep a score at a goal or better after every ply.

    It follows every line of play with real scores, a code and its holder, so the board should be
    small. The positions that are kept are the greatest closed set.
    """
    least = _worth(goal, side)
    nodes: dict[Scored, list[Scored]] = {}
    first = (board.epd(en_passant="legal"), *accrued)
    todo = [first] if _worth(accrued, side) >= least else []
    while todo:
        node = todo.pop()
        if node in nodes:
            continue
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
    staying = sum(reached in kept for reached in after)
    is_to_move = (" w " in node[0]) == (side == chess.WHITE)
    if is_to_move:
        return staying > 0
    return staying == moves


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
    code, holder = score
    worth = ABOVE_ALL_CODES - code
    return worth if holder == side else -worth
