"""Closed sets, searched lazily: one move of the holder at a time, all of the other side's; and frames as a whole.

In a frame one man of either side moves (Heiner Marxen's analysis with two virtual pieces, docs/hold.md). All others
stand still, and any other move of the other side is a way out.
"""

from __future__ import annotations

import enum
import itertools
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
from tbgen.errors import UsageError
from tbgen.probe import Tablebase
from tbgen.probe.successors import keys_of_materials
from tbgen.rules.position import is_reset, play_move
from tbgen.score import Color, Score

_EDGES = 12
"""The space for edges, as a multiple of the nodes."""
_AT_A_TIME = 20_000
"""The nodes that are expanded between two reports."""

FRAME_POSITIONS = 2 * 65 * 65 + 2
"""Each man is on any square, or on its first square with its castling rights; either side is to move."""
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
        return tuple(
            name_of(board, square)
            for square in (self.holder_man, self.other_man)
            if square != ANY_MAN
        )


RUNGS: Final = {
    Rung.FRAME: kernels.QUIET,
    Rung.ONE_MAN: kernels.CAPTURES,
    Rung.PIECES: kernels.CAPTURES,
    Rung.ALL: kernels.ALL,
}
"""Rung -> the moves of the holder's men."""


class HoldSearch:
    """The arrays of searches, which use them in turn, and the tables that the searches may use."""

    def __init__(
        self,
        nodes: int,
        edges_a_node: int = _EDGES,
        tables: Tablebase | None = None,
        watch: WatchNodes | None = None,
    ) -> None:
        nodes, edges = (
            nodes + MOST_MOVES,
            edges_a_node * nodes + MOST_MOVES,
        )  # the last one still has all successors
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
        self.tables, self._watch, self.expanded = tables, watch, 0
        self._materials = (
            np.zeros(0, np.uint64) if tables is None else keys_of_materials(tables.available())
        )

    def search(
        self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt
    ) -> Strategy | HoldVerdict:
        """The strategy of a closed set with the root in it; BROKEN if there is none, UNKNOWN without space for it."""
        task = _task(board, goal, attempt)
        self._begin(board, goal.threshold(accrued), attempt)
        counts, state = self._space.counts, self._space.state
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
            if ended == kernels.FINISHED:
                leaves = np.flatnonzero(state[: counts[kernels.NODES]] == kernels.ASKED).tolist()
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

    def explore(
        self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt
    ) -> tuple[Words, Bytes, SignedInts32, SignedInts32]:
        """All positions that moves of two men lead to, with their thresholds.

        Returns keys and states by node, EXIT where the other side has a way out; and parents and children by move.
        """
        task = _task(board, goal, attempt)._replace(is_whole=True)
        self._begin(board, goal.threshold(accrued), attempt)
        ended = kernels.search(
            self._space, task, self._materials, self._scratch, len(self._space.state)
        )
        assert ended == kernels.FINISHED, "a frame has at most FRAME_POSITIONS with each threshold"
        nodes, edges = (
            int(self._space.counts[kernels.NODES]),
            int(self._space.counts[kernels.EDGES]),
        )
        return (
            self._space.keys[:nodes].copy(),
            self._space.state[:nodes].copy(),
            self._space.edge_parent[:edges].copy(),
            self._space.edge_child[:edges].copy(),
        )

    def _answer(self, task: HoldTask, goal: Goal, leaves: Sequence[int], tables: Tablebase) -> None:
        """Look leaves up in the tables, and refute those that are worth too little."""
        boards = [board_of(self._space.keys[leaf]) for leaf in leaves]
        for leaf, found in zip(leaves, tables.probe_many(boards), strict=True):
            if found is not None and goal.is_met_by(
                found[0]
            ):  # an entry value; None where a table has no answer
                self._space.state[leaf] = kernels.SURE
            else:
                kernels.refute(self._space, task, leaf, self._scratch.refuted)

    def _strategy(
        self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt
    ) -> Strategy:
        """The strategy from the nodes of the search."""
        moves, leaves = {}, set()
        for node in self._needed():
            state, key = self._space.state[node], self._space.keys[node]
            reached = board_of(key)
            if state == kernels.SURE:
                leaves.add(epd_of(reached))
            elif state == kernels.DONE and Color.of(reached.turn) is goal.side:
                threshold, move = int(key[kernels.THRESHOLD]), int(self._space.move[node])
                found = reached.find_move(
                    move & 63, move >> TARGET_SHIFT & 63, move >> PROMOTION_SHIFT or None
                )
                moves[epd_of(reached), threshold] = found
        root = board.copy(stack=False)
        return Strategy(
            root, accrued, goal, attempt.rung, attempt.men(board), moves, frozenset(leaves)
        )

    def _needed(self) -> set[int]:
        """The nodes that support the root: the chosen successors of the holder, all of the other side's."""
        space, edges = self._space, int(self._space.counts[kernels.EDGES])
        parents, children = space.edge_parent[:edges], space.edge_child[:edges]
        is_needed = (space.state[parents] == kernels.DONE) & (
            space.state[children] != kernels.REFUTED
        )
        after, seen, todo = defaultdict[int, set[int]](set), {0}, [0]
        for parent, child in zip(
            parents[is_needed].tolist(), children[is_needed].tolist(), strict=True
        ):
            after[parent].add(child)
        while todo:
            fresh = after[todo.pop()] - seen
            seen |= fresh
            todo += fresh
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
    """Every pair of men that are not pawns: one of the side that holds, one of the other; the kings first."""
    pieces = board.occupied & ~board.pawns
    men = sorted(chess.scan_forward(pieces), key=lambda square: -(board.piece_type_at(square) or 0))
    own, other = (
        [square for square in men if board.color_at(square) is each.chess]
        for each in (side, side.other)
    )
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
    raise UsageError(
        f"a pair is a man of either side, such as Ke1,Ke6, and none is a pawn; not {text!r}"
    )


def searcher_of(goal: Goal, accrued: Score) -> HoldSearch:
    """A searcher with space for any frame."""
    return HoldSearch(FRAME_POSITIONS * (goal.threshold(accrued) + 1), _MOST_MOVES)


class Frame:
    """The positions that two men can bring about, each with a threshold, and the plies to a way out."""

    def __init__(self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> None:
        self.board, self.goal, self.accrued, self.attempt = board, goal, accrued, attempt
        self.keys, states, parents, children = searcher_of(goal, accrued).explore(
            board, goal, accrued, attempt
        )
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
        stuck = [
            node
            for node in nodes
            if self.is_holders[node] and not left[node] and states[node] == kernels.DONE
        ]
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
        return key[kernels.MOVER], chess.lsb(
            (key[WHITE] | key[BLACK]) & ~fixed & ~chess.BB_SQUARES[key[kernels.MOVER]]
        )

    def way_out(self) -> list[str]:
        """The shortest way out of a frame that does not hold, against the longest resistance."""
        board, accrued, node, line = self.board.copy(stack=False), self.accrued, 0, list[str]()
        while (left := self.plies[node]) is not None and left > 0:
            if left == 1:
                return [*line, board.san(self._exit(board, accrued, node))]
            node = next(each for each in self.after[node] if self.plies[each] == left - 1)
            after = board_of(self.keys[node])
            move = chess.Move(
                chess.lsb(board.occupied & ~after.occupied),
                chess.lsb(after.occupied & ~board.occupied),
            )
            line.append(board.san(move))
            accrued = play_move(board, move, accrued).accrued
        return line

    def _exit(self, board: chess.Board, accrued: Score, node: int) -> chess.Move:
        """A move that leaves the frame: preferably one that breaks the goal, else a reset or a move of another man."""
        other_man = self.squares_of(node)[1]
        stuck = [self.squares_of(each)[1] for each in self.after[node] if self.plies[each] == 0]

        def cost(move: chess.Move) -> int:
            reached = play_move(board.copy(stack=False), move, accrued).accrued
            if not self.goal.is_met_by(reached):
                return 0
            if is_reset(board, move) or move.from_square != other_man:
                return 1
            return 2 if move.to_square in stuck else 3

        return min(board.legal_moves, key=cost)
