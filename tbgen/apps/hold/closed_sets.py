"""Closed sets, searched lazily: one move of the holder at a time, all of the other side's; and
frames as a whole.

In a frame one man of either side moves (Heiner Marxen's analysis with two virtual pieces,
docs/hold.md). All others stand still, and any other move of the other side is a way out.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.apps.hold import closed_set_kernels as kernels
from tbgen.apps.hold.closed_set_kernels import ANY_MAN, HoldTask
from tbgen.apps.hold.strategy import Goal, Rung, Strategy, epd_of, name_of
from tbgen.board.board import BLACK, PROMOTION_SHIFT, TARGET_SHIFT, TURN, WHITE, board_of, words_of
from tbgen.board.moves import MOST_MOVES
from tbgen.compiled.arrays import Bytes, SignedInts32, Words
from tbgen.probe import Tablebase
from tbgen.probe.successors import keys_of_materials
from tbgen.rules.position import is_reset, play_move
from tbgen.score import Color, Score

_EDGES = 12
"""The space for edges, as a multiple of the nodes."""
_AT_A_TIME = 20_000
"""The nodes that are expanded between two reports."""

FRAME_POSITIONS = 2 * 65 * 65 + 2
"""Each man is on any square, or on his first one with castling rights; either side is to move."""
_MOST_MOVES = 28
"""No man has more moves than a queen, 27."""

WatchNodes = Callable[[int], None]
"""Receives the number of nodes that have been expanded since the last report."""


class HoldVerdict(enum.Enum):
    """The result of a search for a hold; it never means that a position is lost."""

    HELD = "held"
    BROKEN = "broken by two men"
    """The other side leaves every frame, and no wider search that was tried holds."""
    UNKNOWN = "unknown"
    """The same, but a wider search ran out of nodes."""


class Attempt(NamedTuple):
    """The men that a search moves."""

    rung: Rung
    holder_man: chess.Square = ANY_MAN
    """The one man that the holder moves."""
    other_man: chess.Square = ANY_MAN
    """The one man whose quiet moves are followed."""

    def men(self, board: chess.Board) -> tuple[str, ...]:
        """The men that it names, such as Ke1 and Ke6."""
        squares = (self.holder_man, self.other_man)
        return tuple(name_of(board, square) for square in squares if square != ANY_MAN)


RUNGS: Final = {
    Rung.FRAME: kernels.QUIET,
    Rung.ONE_MAN: kernels.CAPTURES,
    Rung.PIECES: kernels.CAPTURES,
    Rung.ALL: kernels.ALL,
}
"""Rung -> the moves of the holder's men."""


class Explored(NamedTuple):
    """The positions of a frame and the moves between them."""

    keys: Words
    """[node, word]"""
    states: Bytes
    """[node] EXIT where the other side has a way out."""
    parents: SignedInts32
    """[move]"""
    children: SignedInts32
    """[move]"""


class HoldSearch:
    """The arrays of searches, which use them in turn, and the tables that the searches may use."""

    def __init__(
        self,
        nodes: int,
        edges_a_node: int = _EDGES,
        tables: Tablebase | None = None,
        watch: WatchNodes | None = None,
    ) -> None:
        # The last node still has all successors.
        edges = edges_a_node * nodes + MOST_MOVES
        nodes = nodes + MOST_MOVES
        size = 1 << (2 * nodes).bit_length()
        self._space = kernels.Space(
            table=np.empty(size, np.int32),
            keys=np.empty((nodes, kernels.KEY_WORDS), np.uint64),
            state=np.empty(nodes, np.uint8),
            parents=np.empty(nodes, np.int32),
            move=np.empty(nodes, np.int64),
            edge_parent=np.empty(edges, np.int32),
            edge_child=np.empty(edges, np.int32),
            edge_next=np.empty(edges, np.int32),
            stack=np.empty(nodes + 2 * edges, np.int32),
            counts=np.zeros(kernels.COUNTS, np.int64),
        )
        self._scratch = kernels.HoldBuffers(
            moves=np.empty(MOST_MOVES, np.int64),
            keys=np.empty((MOST_MOVES, kernels.KEY_WORDS), np.uint64),
            states=np.empty(MOST_MOVES, np.int64),
            costs=np.empty(MOST_MOVES, np.int64),
            refuted=np.empty(nodes, np.int32),
        )
        self.tables = tables
        self.expanded = 0
        """The nodes that all searches have expanded."""
        self._watch = watch
        self._materials = keys_of_materials([] if tables is None else tables.available())

    def search(
        self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt
    ) -> Strategy | HoldVerdict:
        """The strategy of a closed set with the root in it.

        BROKEN if there is none, UNKNOWN without space for it.
        """
        task = _task(board, goal, attempt)
        self._begin(board, goal.threshold(accrued), attempt)
        counts = self._space.counts
        state = self._space.state
        while True:
            counts[kernels.EXPANDED] = 0
            ended = kernels.search(self._space, task, self._materials, self._scratch, _AT_A_TIME)
            self.expanded += int(counts[kernels.EXPANDED])
            if self._watch is not None:
                self._watch(int(counts[kernels.EXPANDED]))
            if ended == kernels.FULL:
                return HoldVerdict.UNKNOWN
            if state[0] == kernels.REFUTED:
                return HoldVerdict.BROKEN
            if ended == kernels.PAUSED:
                continue
            nodes = counts[kernels.NODES]
            leaves = np.flatnonzero(state[:nodes] == kernels.ASKED).tolist()
            if self.tables is None or not leaves:
                return self._strategy(board, goal, accrued, attempt)
            self._answer(task, goal, leaves, self.tables)

    def _begin(self, board: chess.Board, threshold: int, attempt: Attempt) -> None:
        """Forget all nodes, and add the root."""
        self._space.table[:] = kernels.NONE
        self._space.counts[:] = 0
        kernels.add(
            self._space, words_of(board), threshold, attempt.holder_man, self._scratch.keys[0]
        )

    def explore(self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> Explored:
        """All positions that moves of two men lead to, with their thresholds."""
        task = _task(board, goal, attempt)._replace(is_whole=True)
        self._begin(board, goal.threshold(accrued), attempt)
        ended = kernels.search(
            self._space, task, self._materials, self._scratch, len(self._space.state)
        )
        assert ended == kernels.FINISHED, "a frame has at most FRAME_POSITIONS with each threshold"
        nodes = int(self._space.counts[kernels.NODES])
        edges = int(self._space.counts[kernels.EDGES])
        return Explored(
            keys=self._space.keys[:nodes].copy(),
            states=self._space.state[:nodes].copy(),
            parents=self._space.edge_parent[:edges].copy(),
            children=self._space.edge_child[:edges].copy(),
        )

    def _answer(self, task: HoldTask, goal: Goal, leaves: Sequence[int], tables: Tablebase) -> None:
        """Look leaves up in the tables, and refute those that are worth too little."""
        boards = [board_of(self._space.keys[leaf]) for leaf in leaves]
        for leaf, answer in zip(leaves, tables.probe_many(boards), strict=True):
            # An answer begins with the entry value. It is None where a table has none.
            if answer is not None and goal.is_met_by(answer[0]):
                self._space.state[leaf] = kernels.SURE
            else:
                kernels.refute(self._space, task, leaf, self._scratch.refuted)

    def _strategy(
        self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt
    ) -> Strategy:
        """The strategy from the nodes of the search."""
        moves = dict[tuple[str, int], chess.Move]()
        leaves = set[str]()
        for node in self._needed():
            state = self._space.state[node]
            key = self._space.keys[node]
            reached = board_of(key)
            if state == kernels.SURE:
                leaves.add(epd_of(reached))
            elif state == kernels.DONE and Color.of(reached.turn) is goal.side:
                move = int(self._space.move[node])
                threshold = int(key[kernels.THRESHOLD])
                moves[epd_of(reached), threshold] = reached.find_move(
                    move & 63, (move >> TARGET_SHIFT) & 63, (move >> PROMOTION_SHIFT) or None
                )
        root = board.copy(stack=False)
        men = attempt.men(board)
        return Strategy(root, accrued, goal, attempt.rung, men, moves, frozenset(leaves))

    def _needed(self) -> set[int]:
        """The nodes that support the root: the chosen successors of the holder, all of the other
        side's.
        """
        space = self._space
        edges = int(space.counts[kernels.EDGES])
        parents = space.edge_parent[:edges]
        children = space.edge_child[:edges]
        is_supported = space.state[parents] == kernels.DONE
        is_needed = is_supported & (space.state[children] != kernels.REFUTED)
        after = defaultdict[int, set[int]](set)
        needed_parents = parents[is_needed].tolist()
        for parent, child in zip(needed_parents, children[is_needed].tolist(), strict=True):
            after[parent].add(child)
        seen = {0}
        todo = [0]
        while todo:
            fresh = after[todo.pop()] - seen
            seen |= fresh
            todo.extend(fresh)
        return seen


def _task(board: chess.Board, goal: Goal, attempt: Attempt) -> HoldTask:
    frozen = 0
    if attempt.other_man != ANY_MAN:
        frozen = board.occupied_co[goal.side.other.chess] & ~chess.BB_SQUARES[attempt.other_man]
    return HoldTask(
        side=int(goal.side),
        code=goal.outcome.code,
        is_own=goal.outcome.holder is goal.side,
        allowed=RUNGS[attempt.rung],
        frozen=np.uint64(frozen),
    )


def all_frames(board: chess.Board, side: Color) -> list[Attempt]:
    """Every pair of men that are not pawns: one of the side that holds, one of the other.

    The kings first.
    """
    others = _men_of(board, side.other)
    frames = list[Attempt]()
    for man in _men_of(board, side):
        frames.extend(Attempt(Rung.FRAME, man, other_man) for other_man in others)
    return frames


def _men_of(board: chess.Board, side: Color) -> list[chess.Square]:
    """The squares of a side's men but pawns, the king first."""
    squares = list[chess.Square]()
    for role in reversed(range(chess.KNIGHT, chess.KING + 1)):
        squares.extend(board.pieces(role, side.chess))
    return squares


def searcher_of(goal: Goal, accrued: Score) -> HoldSearch:
    """A searcher with space for any frame."""
    return HoldSearch(FRAME_POSITIONS * (goal.threshold(accrued) + 1), _MOST_MOVES)


class Frame:
    """The positions that two men can bring about, each with a threshold, and the plies out."""

    def __init__(self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> None:
        self.board = board
        self.goal = goal
        self.accrued = accrued
        self.attempt = attempt
        explored = searcher_of(goal, accrued).explore(board, goal, accrued, attempt)
        self.keys = explored.keys
        states = explored.states.tolist()
        edges = zip(explored.parents.tolist(), explored.children.tolist(), strict=True)
        self.after: list[list[int]] = [[] for _ in states]
        self.before: list[list[int]] = [[] for _ in states]
        for parent, child in edges:
            self.after[parent].append(child)
            self.before[child].append(parent)
        self.is_holders: list[bool] = (self.keys[:, TURN] == int(goal.side)).tolist()
        self.plies = self._solved(states)
        """[node] the least plies to get out; the first node is the position itself."""

    def _solved(self, states: list[int]) -> list[int | None]:
        """[node] the least plies of the other side to get out, None if it cannot.

        The search runs backwards.
        """
        left = [len(after) for after in self.after]
        plies = dict[int, int]()
        for node, state in enumerate(states):
            is_stuck = self.is_holders[node] and not left[node] and state == kernels.DONE
            if is_stuck:
                plies[node] = 0
        for node, state in enumerate(states):
            if state == kernels.EXIT:
                plies[node] = 1
        queue = list(plies)
        for node in queue:  # grows during the loop, by rising plies
            for parent in self.before[node]:
                left[parent] -= 1
                has_choice = self.is_holders[parent] and left[parent]
                if parent not in plies and not has_choice:
                    plies[parent] = plies[node] + 1
                    queue.append(parent)
        return [plies.get(node) for node in range(len(states))]

    def squares_of(self, node: int) -> tuple[chess.Square, chess.Square]:
        """The squares of the holder's man and of the other man."""
        key = self.keys[node].tolist()
        holder_square = key[kernels.MOVER]
        first_squares = (self.attempt.holder_man, self.attempt.other_man)
        standing = self.board.occupied & ~chess.SquareSet(first_squares).mask
        moving = (key[WHITE] | key[BLACK]) & ~standing
        other_square = chess.lsb(moving & ~chess.BB_SQUARES[holder_square])
        return holder_square, other_square

    def way_out(self) -> list[str]:
        """The shortest way out of a frame that does not hold, against the longest resistance."""
        board = self.board.copy(stack=False)
        accrued = self.accrued
        node = 0
        line = list[str]()
        while True:
            left = self.plies[node]
            if not left:
                return line
            if left == 1:
                return [*line, board.san(self._exit(board, accrued, node))]
            node = next(child for child in self.after[node] if self.plies[child] == left - 1)
            after = board_of(self.keys[node])
            origin = chess.lsb(board.occupied & ~after.occupied)
            target = chess.lsb(after.occupied & ~board.occupied)
            move = chess.Move(origin, target)
            line.append(board.san(move))
            accrued = play_move(board, move, accrued).accrued

    def _exit(self, board: chess.Board, accrued: Score, node: int) -> chess.Move:
        """A move that leaves the frame: preferably one that breaks the goal, else a reset or a move
        of another man.
        """
        _, other_man = self.squares_of(node)
        stuck = [self.squares_of(child)[1] for child in self.after[node] if self.plies[child] == 0]

        def cost(move: chess.Move) -> int:
            reached = play_move(board.copy(stack=False), move, accrued).accrued
            if not self.goal.is_met_by(reached):
                return 0
            if is_reset(board, move) or move.from_square != other_man:
                return 1
            return 2 if move.to_square in stuck else 3

        return min(board.legal_moves, key=cost)
