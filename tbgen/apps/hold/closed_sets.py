"""Closed sets wider than a frame, searched lazily: one move of the holder at a time, all of the other side's."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.apps.hold import closed_set_kernels as kernels
from tbgen.apps.hold.closed_set_kernels import (
    ANY_MAN,
    DONE,
    KEY_WORDS,
    NODES,
    SURE,
    THRESHOLD,
    HoldBuffers,
    HoldTask,
    Space,
)
from tbgen.apps.hold.strategy import Goal, Rung, Strategy, epd_of, name_of
from tbgen.board.board import PROMOTION_SHIFT, TARGET_SHIFT, board_of, words_of
from tbgen.board.moves import MOST_MOVES
from tbgen.compiled.arrays import Bytes, SignedInts32, Words
from tbgen.probe import Tablebase
from tbgen.probe.successors import keys_of
from tbgen.score import Color, Score

_EDGES = 12
"""The space for edges, as a multiple of the nodes."""
_AT_A_TIME = 20_000
"""The nodes that are expanded between two reports."""

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
        return tuple(name_of(board, square) for square in (self.holder_man, self.other_man) if square != ANY_MAN)


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
        self, nodes: int, edges_a_node: int = _EDGES, tables: Tablebase | None = None, watch: WatchNodes | None = None
    ) -> None:
        nodes, edges = nodes + MOST_MOVES, edges_a_node * nodes + MOST_MOVES  # the last one still has all successors
        size = 1 << (2 * nodes).bit_length()
        self._space = Space(
            table=np.empty(size, np.int32),
            keys=np.empty((nodes, KEY_WORDS), np.uint64),
            state=np.empty(nodes, np.uint8),
            parents=np.empty(nodes, np.int32),
            move=np.empty(nodes, np.int64),
            edge_parent=np.empty(edges, np.int32),
            edge_child=np.empty(edges, np.int32),
            edge_next=np.empty(edges, np.int32),
            stack=np.empty(nodes + 2 * edges, np.int32),
            counts=np.zeros(kernels.COUNTS, np.int64),
        )
        self._scratch = HoldBuffers(
            moves=np.empty(MOST_MOVES, np.int64),
            keys=np.empty((MOST_MOVES, KEY_WORDS), np.uint64),
            states=np.empty(MOST_MOVES, np.int64),
            ranks=np.empty(MOST_MOVES, np.int64),
            refuted=np.empty(nodes, np.int32),
        )
        self.tables, self._watch, self.expanded = tables, watch, 0
        self._materials = np.zeros(0, np.uint64) if tables is None else keys_of(tables)

    def search(self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> Strategy | HoldVerdict:
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
                leaves = np.flatnonzero(state[: counts[NODES]] == kernels.ASKED).tolist()
                if self.tables is None or not leaves:
                    return self._strategy(board, goal, accrued, attempt)
                self._answer(task, goal, leaves, self.tables)

    def _begin(self, board: chess.Board, threshold: int, attempt: Attempt) -> None:
        """Forget all nodes, and add the root."""
        self._space.table[:] = kernels.NONE
        self._space.counts[:] = 0
        kernels.add(self._space, words_of(board), threshold, attempt.holder_man, self._scratch.keys[0])

    def explore(
        self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt
    ) -> tuple[Words, Bytes, SignedInts32, SignedInts32]:
        """All positions that moves of two men lead to, with their thresholds.

        Returns keys and states by node, EXIT where the other side has a way out; and parents and children by move.
        """
        task = _task(board, goal, attempt)._replace(is_whole=True)
        self._begin(board, goal.threshold(accrued), attempt)
        ended = kernels.search(self._space, task, self._materials, self._scratch, len(self._space.state))
        assert ended == kernels.FINISHED, "a frame has at most FRAME_POSITIONS with each threshold"
        nodes, edges = int(self._space.counts[NODES]), int(self._space.counts[kernels.EDGES])
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
            if found is not None and goal.is_met_by(found[0]):  # an entry value; None where a table has no answer
                self._space.state[leaf] = SURE
            else:
                kernels.refute(self._space, task, leaf, self._scratch.refuted)

    def _strategy(self, board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> Strategy:
        """The strategy from the nodes of the search."""
        moves, leaves = {}, set()
        for node in self._needed():
            state, key = self._space.state[node], self._space.keys[node]
            reached = board_of(key)
            if state == SURE:
                leaves.add(epd_of(reached))
            elif state == DONE and Color.of(reached.turn) is goal.side:
                threshold, move = int(key[THRESHOLD]), int(self._space.move[node])
                found = reached.find_move(move & 63, move >> TARGET_SHIFT & 63, move >> PROMOTION_SHIFT or None)
                moves[epd_of(reached), threshold] = found
        root = board.copy(stack=False)
        return Strategy(root, accrued, goal, attempt.rung, attempt.men(board), moves, frozenset(leaves))

    def _needed(self) -> set[int]:
        """The nodes that support the root: the chosen successors of the holder, all of the other side's."""
        space, edges = self._space, int(self._space.counts[kernels.EDGES])
        parents, children = space.edge_parent[:edges], space.edge_child[:edges]
        is_needed = (space.state[parents] == DONE) & (space.state[children] != kernels.REFUTED)
        after, seen, todo = defaultdict[int, set[int]](set), {0}, [0]
        for parent, child in zip(parents[is_needed].tolist(), children[is_needed].tolist(), strict=True):
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
