"""Frames: Heiner Marxen's analysis with two virtual pieces (docs/hold.md), over all positions.

One man of either side moves. All others stand still, and any other move of the other side is a way out. The search
(closed_sets.py) decides whether a frame holds. This file finds how many plies the other side needs at least to get out,
and a line that takes so many.
"""

from __future__ import annotations

import itertools

import chess

from tbgen.apps.hold import closed_set_kernels as kernels
from tbgen.apps.hold.closed_set_kernels import MOVER
from tbgen.apps.hold.closed_sets import Attempt, HoldSearch
from tbgen.apps.hold.strategy import Goal, Rung
from tbgen.board.board import BLACK, TURN, WHITE, board_of
from tbgen.errors import UsageError
from tbgen.rules.position import is_reset, play_move
from tbgen.score import Color, Score

FRAME_POSITIONS = 2 * 65 * 65 + 2
"""Each man is on any square, or on its first square with its castling rights; either side is to move."""
_MOST_MOVES = 28
"""No man has more moves than a queen, 27."""


def all_frames(board: chess.Board, side: Color) -> list[Attempt]:
    """Every pair of men that are not pawns: one of the side that holds, one of the other; the kings first."""
    pieces = board.occupied & ~board.pawns
    men = sorted(chess.scan_forward(pieces), key=lambda square: -(board.piece_type_at(square) or 0))
    own, other = ([square for square in men if board.color_at(square) is each.chess] for each in (side, side.other))
    return [Attempt(Rung.FRAME, man, other_man) for man in own for other_man in other]


def parse_frame(board: chess.Board, side: Color, text: str) -> Attempt:
    """The frame of the pair that a text such as `Ke1,Ke6` names, in either order.

    >>> parse_frame(chess.Board("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), Color.WHITE, "ke8,h1")
    Attempt(rung=<Rung.FRAME: 'frame'>, holder_man=7, other_man=60)
    """
    names = sorted(name.strip().lower() for name in text.split(","))
    for frame in all_frames(board, side):
        spellings = ((man.lower(), man[-2:]) for man in frame.men(board))
        if any(names == sorted(spelt) for spelt in itertools.product(*spellings)):
            return frame
    raise UsageError(f"a pair is a man of either side, such as Ke1,Ke6, and none is a pawn; not {text!r}")


def searcher_of(goal: Goal, accrued: Score) -> HoldSearch:
    """A searcher with space for any frame."""
    return HoldSearch(FRAME_POSITIONS * (goal.threshold(accrued) + 1), _MOST_MOVES)


class Frame:
    """The positions that two men can bring about, each with a threshold, and the plies to a way out."""

    def __init__(self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> None:
        self.board, self.goal, self.accrued, self.attempt = board, goal, accrued, attempt
        self.keys, states, parents, children = searcher_of(goal, accrued).explore(board, goal, accrued, attempt)
        self.after: list[list[int]] = [[] for _ in states]
        self.before: list[list[int]] = [[] for _ in states]
        for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
            self.after[parent].append(child)
            self.before[child].append(parent)
        self.is_holders: list[bool] = (self.keys[:, TURN] == int(goal.side)).tolist()
        self.plies = self._solved(states.tolist())
        """[node] the least plies of the other side to get out; the first node is the position itself."""

    def _solved(self, states: list[int]) -> list[int | None]:
        """[node] the least plies of the other side to get out, None if it cannot. The search runs backwards."""
        left = [len(after) for after in self.after]
        nodes = range(len(states))
        stuck = [node for node in nodes if self.is_holders[node] and not left[node] and states[node] == kernels.DONE]
        exits = [node for node in nodes if states[node] == kernels.EXIT]
        plies = dict.fromkeys(stuck, 0) | dict.fromkeys(exits, 1)
        queue = list(plies)
        for node in queue:  # grows during the loop, by rising plies
            for parent in self.before[node]:
                left[parent] -= 1
                if parent not in plies and not (self.is_holders[parent] and left[parent]):
                    plies[parent] = plies[node] + 1
                    queue.append(parent)
        return [plies.get(node) for node in nodes]

    def squares_of(self, node: int) -> tuple[chess.Square, chess.Square]:
        """The squares of the holder's man and of the other man."""
        key, (_, *first) = self.keys[node].tolist(), self.attempt
        fixed = self.board.occupied & ~chess.SquareSet(first).mask
        return key[MOVER], chess.lsb((key[WHITE] | key[BLACK]) & ~fixed & ~chess.BB_SQUARES[key[MOVER]])

    def way_out(self) -> list[str]:
        """The shortest way out of a frame that does not hold, against the longest resistance."""
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
        """A move that leaves the frame: preferably one that breaks the goal, else a reset or a move of another man."""
        other_man = self.squares_of(node)[1]
        stuck = [self.squares_of(each)[1] for each in self.after[node] if self.plies[each] == 0]

        def rank(move: chess.Move) -> int:
            reached = play_move(board.copy(stack=False), move, accrued).accrued
            if not self.goal.is_met_by(reached):
                return 0
            if is_reset(board, move) or move.from_square != other_man:
                return 1
            return 2 if move.to_square in stuck else 3

        return min(board.legal_moves, key=rank)
