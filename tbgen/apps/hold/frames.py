"""Frames: Heiner Marxen's analysis with two virtual pieces (docs/hold.md), explored whole.

One man of either side moves: B of the side that holds, C of the other. Everything else stands still, and whatever else
the other side can play is a way out. The search (closure.py) says whether a frame holds. What it does not say is told
here: how many plies C needs at least to get out, by which line, and where the two men may stand.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import chess

from tbgen.apps.hold import closure_kernels as kernels
from tbgen.apps.hold.closure import Attempt, Searcher, reachable
from tbgen.apps.hold.closure_kernels import MOVER, THRESHOLD
from tbgen.apps.hold.strategy import Goal, Rung, name_of
from tbgen.board.board import BLACK, TURN, WHITE, board_of
from tbgen.errors import UsageError
from tbgen.rules.position import is_reset, own_score, play_move
from tbgen.score import Color, Score

FRAME_POSITIONS = 2 * 65 * 65 + 2
"""Each man on any square, or on its first one with its castling rights; either side to move."""
_MOST_MOVES = 28
"""No man has more moves than a queen, 27."""


class Pair(NamedTuple):
    """The first squares of the two men of a frame."""

    b: chess.Square
    c: chess.Square

    def men(self, board: chess.Board) -> tuple[str, str]:
        """The two men by name, such as Ke1 and Ke6."""
        return name_of(board, self.b), name_of(board, self.c)


def all_pairs(board: chess.Board, side: Color) -> list[Pair]:
    """Every pair of men that are not pawns: one of the side that holds, one of the other; the kings first."""
    pieces = board.occupied & ~board.pawns
    men = sorted(chess.scan_forward(pieces), key=lambda square: -(board.piece_type_at(square) or 0))
    own, other = ([square for square in men if board.color_at(square) is each.chess] for each in (side, side.other))
    return [Pair(b, c) for b in own for c in other]


def parse_pair(board: chess.Board, side: Color, text: str) -> Pair:
    """The pair that a text such as `Ke1,Ke6` names, in either order.

    >>> parse_pair(chess.Board("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), Color.WHITE, "ke8,h1")
    Pair(b=7, c=60)
    """
    squares = sorted(_square(board, name.strip()) for name in text.split(","))
    for pair in all_pairs(board, side):
        if sorted(pair) == squares:
            return pair
    raise UsageError(f"a pair is a man of either side, such as Ke1,Ke6, and none is a pawn; not {text!r}")


def _square(board: chess.Board, name: str) -> chess.Square:
    """The square of a man that a text such as `Ke1` or `e1` names."""
    for square in chess.scan_forward(board.occupied):
        man = name_of(board, square)
        if name.lower() in (man.lower(), chess.square_name(square)):
            return square
    raise UsageError(f"{name!r} is no man and its square on the board, such as Ke1")


def searcher_of(goal: Goal, accrued: Score) -> Searcher:
    """A searcher with room for any frame."""
    return Searcher(FRAME_POSITIONS * (goal.threshold(accrued) + 1), _MOST_MOVES)


class Frame:
    """The positions that two men can bring about, each with a threshold, and the plies that C needs to get out."""

    def __init__(self, board: chess.Board, goal: Goal, accrued: Score, pair: Pair, *, everywhere: bool = False) -> None:
        self.board, self.goal, self.accrued, self.pair = board, goal, accrued, pair
        starts = [(board, pair.b), *(_placements(board, pair) if everywhere else ())]
        attempt = Attempt(Rung.FRAME, *pair)
        self.keys, states, parents, children = searcher_of(goal, accrued).explore(starts, goal, accrued, attempt)
        self.after: list[list[int]] = [[] for _ in states]
        self.before: list[list[int]] = [[] for _ in states]
        for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
            self.after[parent].append(child)
            self.before[child].append(parent)
        self.is_b: list[bool] = (self.keys[:, TURN] == int(goal.side)).tolist()
        self.plies = self._solved(states.tolist())
        """[node] the plies that C needs at least until it is out; the first node is the position itself."""

    def _solved(self, states: list[int]) -> list[int | None]:
        """[node] the plies that C needs at least until it is out, None where it never is; worked backwards."""
        left = [len(after) for after in self.after]
        nodes = range(len(states))
        stuck = [node for node in nodes if self.is_b[node] and not left[node] and states[node] == kernels.DONE]
        exits = [node for node in nodes if states[node] == kernels.REFUTED]
        plies = dict.fromkeys(stuck, 0) | dict.fromkeys(exits, 1)
        queue = list(plies)
        for node in queue:  # which grows meanwhile, by rising plies
            for parent in self.before[node]:
                left[parent] -= 1
                if parent not in plies and not (self.is_b[parent] and left[parent]):
                    plies[parent] = plies[node] + 1
                    queue.append(parent)
        return [plies.get(node) for node in nodes]

    def squares_of(self, node: int) -> tuple[chess.Square, chess.Square]:
        """Where B and C stand."""
        key = self.keys[node].tolist()
        b = key[MOVER]
        fixed = self.board.occupied & ~(chess.BB_SQUARES[self.pair.b] | chess.BB_SQUARES[self.pair.c])
        return b, chess.lsb((key[WHITE] | key[BLACK]) & ~fixed & ~chess.BB_SQUARES[b])

    def way_out(self) -> list[str]:
        """C's shortest way out of a frame that does not hold, and B's longest resistance."""
        board, accrued, node, line = self.board.copy(stack=False), self.accrued, 0, list[str]()
        while (left := self.plies[node]) is not None and left > 0:
            if left == 1:
                return [*line, board.san(self._exit(board, accrued, node))]
            node = next(each for each in self.after[node] if self.plies[each] == left - 1)
            after = board_of(self.keys[node])
            move = chess.Move(chess.lsb(board.occupied & ~after.occupied), chess.lsb(after.occupied & ~board.occupied))
            line.append(board.san(move))
            accrued = play_move(board, move, accrued).accrued
        return line

    def _exit(self, board: chess.Board, accrued: Score, node: int) -> chess.Move:
        """A move by which C leaves the frame: best one that breaks the goal, else one of another man or a reset."""
        c = self.squares_of(node)[1]
        stuck = [self.squares_of(each)[1] for each in self.after[node] if self.plies[each] == 0]

        def rank(move: chess.Move) -> int:
            reached = play_move(board.copy(stack=False), move, accrued).accrued
            if not self.goal.is_met_by(reached):
                return 0
            if is_reset(board, move) or move.from_square != c:
                return 1
            return 2 if move.to_square in stuck else 3

        return min(board.legal_moves, key=rank)


def _placements(board: chess.Board, pair: Pair) -> Iterator[tuple[chess.Board, chess.Square]]:
    """The two men on any squares, with either side to move and without castling rights of theirs; and B's square."""
    empty = board.copy(stack=False)
    for square in pair:
        empty.remove_piece_at(square)
    empty.castling_rights, empty.ep_square = empty.clean_castling_rights(), None
    b_man, c_man = (board.piece_at(square) for square in pair)
    for b, c in itertools.permutations(chess.SquareSet(~empty.occupied), 2):
        placed = empty.copy(stack=False)
        placed.set_piece_at(b, b_man)
        placed.set_piece_at(c, c_man)
        for turn in chess.COLORS:
            placed.turn = turn
            if not placed.was_into_check():
                yield placed.copy(stack=False), b


@dataclass(frozen=True, slots=True)
class FrameMap:
    """Where the two men of a frame may stand."""

    _board: chess.Board
    men: tuple[str, str]
    squares: dict[str, tuple[str, ...]]
    """By the square of the other side's man, which is to move: those from which the holder's man holds."""
    zugzwangs: tuple[tuple[str, str], ...]
    """Squares of the holder's man and the other one: held only if the other side is to move."""

    @property
    def are_kings(self) -> bool:
        """Whether both men are kings."""
        return all(man.startswith("K") for man in self.men)

    @property
    def corresponding(self) -> tuple[tuple[str, str], ...]:
        """Of two kings: squares of the holder's king and of the other one, where it holds from no other square."""
        return tuple((found[0], square) for square, found in self.squares.items() if self.are_kings and len(found) == 1)

    def text(self) -> str:
        """The board, with the number of squares that hold for each square of the other side's man; pairs of squares."""
        named = {"corresponding": self.corresponding, "zugzwangs": self.zugzwangs if self.are_kings else ()}
        lists = (f"{name}  {', '.join('-'.join(pair) for pair in pairs)}" for name, pairs in named.items() if pairs)
        wrapped = (textwrap.fill(each, 100, subsequent_indent="  ") for each in lists)
        rows = [
            f"{rank + 1} {''.join(self._cell(chess.square(file, rank)).rjust(3) for file in range(8))}"
            for rank in range(7, -1, -1)
        ]
        return "\n\n".join(["\n".join([*rows, "    a  b  c  d  e  f  g  h"]), *wrapped])

    def _cell(self, square: chess.Square) -> str:
        name, man = chess.square_name(square), self._board.piece_at(square)
        if man is not None and name_of(self._board, square) not in self.men:
            return man.symbol()
        return str(len(self.squares[name])) if name in self.squares else "."


def map_of(board: chess.Board, goal: Goal, accrued: Score, pair: Pair) -> FrameMap:
    """Where the men may stand while B holds: in positions that can arise; if B does not hold, all over the board."""
    frame = Frame(board, goal, accrued, pair, everywhere=True)
    threshold = goal.threshold(accrued)
    at_first = [node for node, key in enumerate(frame.keys) if key[THRESHOLD] == threshold]
    held = {node for node in at_first if frame.plies[node] is None}
    if frame.plies[0] is None:  # only those that can arise while B holds, whichever moves it holds by
        held = reachable(lambda node: (each for each in frame.after[node] if frame.plies[each] is None))
    turned = {frame.squares_of(node): node for node in at_first if frame.is_b[node]}
    squares: dict[str, list[str]] = {}
    zugzwangs = set()
    for c, b in sorted({frame.squares_of(node)[::-1] for node in held if not frame.is_b[node]}):
        names = chess.square_name(b), chess.square_name(c)
        squares.setdefault(names[1], []).append(names[0])
        node = turned.get((b, c))
        if node is not None and (
            frame.plies[node] is not None or own_score(board_of(frame.keys[node])).code < threshold
        ):
            zugzwangs.add(names)
    found = {c: tuple(names) for c, names in squares.items()}
    return FrameMap(board, pair.men(board), found, tuple(sorted(zugzwangs)))
