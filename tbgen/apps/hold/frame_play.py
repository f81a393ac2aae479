"""What a solved frame says: the strategy that holds, C's way out, and where the men may stand."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import chess

from tbgen.apps.hold.frames import Frame, State
from tbgen.apps.hold.strategy import Rung, Strategy, name_of, place_of
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Accrued


def strategy_of(frame: Frame, accrued: Accrued) -> Strategy:
    """The strategy of a frame that holds: what it has visited before all else, then what leaves C the fewest moves."""
    board, start = frame.board, (frame.root, frame.threshold)
    moves: dict[tuple[str, int], chess.Move] = {}
    seen = set() if board.has_legal_en_passant() else {start}
    todo = [(*start, board)]
    while todo:
        state, threshold, here = todo.pop()
        reached = list(_held_after(frame, state, threshold))
        if state.b_moves and reached:
            best = min(reached, key=lambda each: (each not in seen, frame.code(each[0]), each))
            moves[place_of(here), threshold] = chess.Move(state.b, best[0].b)
            reached = [best]
        fresh = sorted((each for each in reached if each not in seen), key=lambda each: -frame.code(each[0]))
        seen.update(fresh)
        todo.extend((after, limit, frame.board_of(after)) for after, limit in fresh)
    men = tuple(name_of(board, square) for square in frame.pair)
    return Strategy(board.copy(stack=False), accrued, frame.goal, Rung.FRAME, men, moves, frozenset())


def _held_after(frame: Frame, state: State, threshold: int) -> Iterator[tuple[State, int]]:
    """The states a move away that are held, with their thresholds."""
    for after in frame.moves(state):
        limit = frame.after(state, threshold, after)
        if limit is not None and frame.plies(after, limit) is None:
            yield after, limit


def way_out(frame: Frame) -> list[str]:
    """C's shortest way out of a frame that does not hold, and B's longest resistance."""
    board, state, threshold = frame.board.copy(stack=False), frame.root, frame.threshold
    line = list[str]()
    left = frame.root_plies
    while left:
        if left == 1:
            line.append(board.san(_exit(frame, board, state, threshold)))
            break
        found = [(after, frame.after(state, threshold, after)) for after in frame.moves(state)]
        lengths = [(_plies(frame, after, limit), after, limit) for after, limit in found]
        known = [(plies, after, limit) for plies, after, limit in lengths if plies is not None]
        plies, after, limit = (max if state.b_moves else min)(known, key=lambda each: (each[0], each[1]))
        assert limit is not None
        move = chess.Move(state.b, after.b) if state.b_moves else chess.Move(state.c, after.c)
        line.append(board.san(move))
        board.push(move)
        state, threshold, left = after, limit, plies
    return line


def _plies(frame: Frame, state: State, threshold: int | None) -> int | None:
    return 0 if threshold is None else frame.plies(state, threshold)


def _exit(frame: Frame, board: chess.Board, state: State, threshold: int) -> chess.Move:
    """A move by which C leaves the frame: best one that lowers the score, else one of another man or a reset."""

    def rank(move: chess.Move) -> int:
        reset = is_reset(board, move)
        after = board.copy(stack=False)
        after.push(move)
        if frame.goal.after(threshold, own_score(after).code, by_holder=False, reset=reset) is None:
            return 0
        if reset or move.from_square != state.c or board.is_castling(move):
            return 1
        reached = State(state.b, move.to_square, state.keeps_b, False, True)
        return 2 if frame.plies(reached, threshold) == 0 else 3

    return min(board.legal_moves, key=rank)


@dataclass(frozen=True, slots=True)
class FrameMap:
    """Where the two men of a frame may stand."""

    board: chess.Board
    men: tuple[str, str]
    squares: dict[str, tuple[str, ...]]
    """By the square of the other side's man, which is to move: those from which the holder's man holds."""
    zugzwangs: tuple[tuple[str, str], ...]
    """Squares of the holder's man and the other one: held only if the other side is to move."""
    are_kings: bool

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "men": list(self.men),
            "squares": {square: list(found) for square, found in self.squares.items()},
            "zugzwangs": [list(pair) for pair in self.zugzwangs],
        }

    @property
    def corresponding(self) -> tuple[tuple[str, str], ...]:
        """Of two kings: squares of the holder's king and of the other one, where it holds from no other square."""
        return tuple((found[0], square) for square, found in self.squares.items() if self.are_kings and len(found) == 1)

    def text(self) -> str:
        """The board, with the number of squares that hold for each square of the other side's man; pairs of squares."""
        named = {"corresponding": self.corresponding, "zugzwangs": self.zugzwangs if self.are_kings else ()}
        lists = (f"{name}  {', '.join('-'.join(pair) for pair in pairs)}" for name, pairs in named.items() if pairs)
        wrapped = (textwrap.fill(each, 100, subsequent_indent="  ") for each in lists)
        return "\n\n".join([self._drawn(), *wrapped])

    def _drawn(self) -> str:
        rows = []
        for rank in range(7, -1, -1):
            cells = (self._cell(chess.square(file, rank)).rjust(3) for file in range(8))
            rows.append(f"{rank + 1} {''.join(cells)}")
        return "\n".join([*rows, "    a  b  c  d  e  f  g  h"])

    def _cell(self, square: chess.Square) -> str:
        name, man = chess.square_name(square), self.board.piece_at(square)
        if man is not None and name_of(self.board, square) not in self.men:
            return man.symbol()
        return str(len(self.squares[name])) if name in self.squares else "."


def map_of(frame: Frame) -> FrameMap:
    """Where the men may stand while B holds; all over the board if it does not."""
    states = sorted(_reached(frame) if frame.root_plies is None else _held(frame), key=lambda each: (each.c, each.b))
    squares: dict[str, list[str]] = {}
    zugzwangs = set()
    for state in states:
        b, c = chess.square_name(state.b), chess.square_name(state.c)
        if b not in squares.setdefault(c, []):
            squares[c].append(b)
        if _is_zugzwang(frame, state):
            zugzwangs.add((b, c))
    roles = {frame.board.piece_type_at(square) for square in frame.pair}
    b_name, c_name = (name_of(frame.board, square) for square in frame.pair)
    found = {c: tuple(names) for c, names in squares.items()}
    return FrameMap(frame.board, (b_name, c_name), found, tuple(sorted(zugzwangs)), roles == {chess.KING})


def _is_zugzwang(frame: Frame, state: State) -> bool:
    """Whether a state that is held with C to move is not with B to move."""
    turned = state._replace(b_moves=True)
    return frame.code(turned) >= 0 and frame.plies(turned, frame.threshold) is not None


def _reached(frame: Frame) -> set[State]:
    """The states with C to move that can arise while B holds, whichever moves it holds by."""
    start = (frame.root, frame.threshold)
    seen, todo = {start}, [start]
    while todo:
        fresh = [each for each in _held_after(frame, *todo.pop()) if each not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return {state for state, _ in seen if not state.b_moves}


def _held(frame: Frame) -> set[State]:
    """All states with C to move that are held."""
    states = (State(b, c, False, False, False) for b in chess.SQUARES for c in chess.SQUARES)
    return {state for state in states if frame.code(state) >= 0 and frame.plies(state, frame.threshold) is None}
