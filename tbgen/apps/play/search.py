"""The interface of the search: one ply deeper each time, until a limit.

Each depth is searched again as long as it needs unknown values of tables, which are probed many at once. The same
position and number of nodes give the same answer.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import chess
import numpy as np

from tbgen.apps.play import search_kernels as at
from tbgen.apps.play.search_kernels import OPEN, SearchState, value_of
from tbgen.board.board import (
    BOARD_WORDS,
    PROMOTION_SHIFT,
    TARGET_SHIFT,
    board_of,
    kernel_move,
    words_of,
)
from tbgen.board.moves import MOST_MOVES
from tbgen.compiled.arrays import Ints
from tbgen.errors import TbgenError
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.probe.successors import key_of, keys_of
from tbgen.rules.position import material_of

if TYPE_CHECKING:
    from tbgen.apps.play.player import Situation

_STORED_SLOTS: Final = 1 << 20
_TABLE_SLOTS: Final = 1 << 22
_ASKED: Final = 1024
"""The number of table values that are found between two checks for a stop: the disk may be slow."""
_NO_LIMIT: Final = 1 << 60
_LAST_KEY: Final = np.uint64(2**64 - 1)
_NEAR_MATE: Final = at.MATE - at.MOST_PLIES


@dataclass(frozen=True, slots=True)
class Line:
    """A move, its value to the side that makes it, and the expected continuation."""

    value: int
    moves: tuple[chess.Move, ...]
    depth: int

    @property
    def is_mate(self) -> bool:
        """Whether a mate is seen."""
        return abs(self.value) >= _NEAR_MATE

    @property
    def score(self) -> str:
        """The value as UCI writes it; a negative number of moves means that the other side mates."""
        if not self.is_mate:
            return f"cp {round(self.value / at.CENTIPAWN)}"
        moves = (self.depth + at.MATE - abs(self.value) + 1) // 2
        return f"mate {moves if self.value > 0 else -moves}"


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search to a depth."""

    depth: int
    lines: tuple[Line, ...]
    nodes: int
    table_hits: int
    seconds: float


class Engine:
    """Runs one search after another; `complain` receives errors of tables, which are not probed again."""

    def __init__(
        self, tables: Tablebase, complain: Callable[[TbgenError], None] = lambda error: None
    ) -> None:
        self._tables, self._complain = tables, complain
        self._space = SearchState(
            boards=np.zeros((at.MOST_PLIES, BOARD_WORDS), np.uint64),
            moves=np.zeros((at.MOST_PLIES, MOST_MOVES), np.int64),
            merits=np.zeros((at.MOST_PLIES, MOST_MOVES), np.int64),
            lines=np.zeros((at.MOST_PLIES, at.MOST_PLIES), np.int64),
            history=np.zeros((0, 0), np.int64),
            stored=np.zeros((0, 0), np.int64),
            table_keys=np.zeros(_TABLE_SLOTS, np.uint64),
            table_outcomes=np.zeros(_TABLE_SLOTS, np.int8),
            known=keys_of(tables),
            asked=np.zeros((_ASKED, BOARD_WORDS), np.uint64),
            slots=np.zeros(_ASKED, np.int64),
            over=np.zeros(0, np.uint64),
            status=np.zeros(at.STATUS, np.int64),
        )
        self._space.status[at.MOST_MEN] = tables.max_men

    def deepen(
        self,
        now: Situation,
        most_depth: int | None = None,
        most_nodes: int | None = None,
        seconds: float | None = None,
        halt: threading.Event | None = None,
        *,
        only: Sequence[chess.Move] = (),
        most_lines: int = 1,
    ) -> Iterator[Searched]:
        """The results at depth 1, 2 and so on, until a limit, or until `halt` is set.

        `only` limits the first moves. Each of the `most_lines` best moves has its value. A thread waits for `halt`
        until the time is up, so set it when the search is over.
        """
        started = time.monotonic()
        space = self._begin(now, _NO_LIMIT if most_nodes is None else most_nodes)
        if halt is not None:
            threading.Thread(
                target=_stop_on, args=(halt, seconds, space.status), daemon=True
            ).start()
        moves = dict.fromkeys(only or now.board.legal_moves)
        order = [kernel_move(now.board, move) for move in moves]
        deepest = at.DEEPEST if most_depth is None else max(1, min(most_depth, at.DEEPEST))
        for depth in range(1, deepest + 1):
            found, left = list[tuple[int, list[int]]](), order
            while left and len(found) < most_lines:
                value, line = self._best_line(space, left, depth, now.accrued.signed)
                if value == OPEN:
                    return
                found.append((value, line))
                left = [move for move in left if move != line[0]]
            if not found:
                return
            order = [*(line[0] for _, line in found), *left]
            lines = tuple(Line(value, _moves_of(now.board, line), depth) for value, line in found)
            nodes, hits = int(space.status[at.NODES]), int(space.status[at.HITS])
            yield Searched(depth, lines, nodes, hits, time.monotonic() - started)

    def _begin(self, now: Situation, most_nodes: int) -> SearchState:
        """The arrays for another search, which forgets all but values of tables."""
        status = self._space.status.copy()  # a late stop of the last search must not end this one
        status[[at.STOP, at.NODES, at.HITS]], status[at.MOST_NODES] = 0, most_nodes
        if 2 * status[at.FILED] > _TABLE_SLOTS:
            (
                self._space.table_keys[:],
                self._space.table_outcomes[:],
                status[[at.FILED, at.ASKED]],
            ) = 0, 0, 0
        over = [
            at.key_of(words_of(chess.Board(f"{epd} 0 1")), 0)
            for epd, times in now.seen.items()
            if times > 1
        ]
        self._space = self._space._replace(
            history=np.zeros((2, 4096), np.int64),
            stored=np.zeros(
                (_STORED_SLOTS, 5), np.int64
            ),  # the system clears them as they are used
            over=np.sort(np.array([*over, _LAST_KEY], np.uint64)),
            status=status,
        )
        self._space.boards[0] = words_of(now.board)
        return self._space

    def _best_line(
        self, space: SearchState, moves: Sequence[int], depth: int, accrued: int
    ) -> tuple[int, list[int]]:
        """The value of the root by some moves, or OPEN, and its line; finds all table values that it needs."""
        while True:
            if space.status[at.ASKED]:
                self._answer(space)
            best, line = -at.MOST, list[int]()
            for move in moves:
                value = int(value_of(space, 0, move, depth - 1, accrued, best, at.MOST))
                if value == OPEN:
                    best = OPEN
                    break
                if value > best:
                    best, line = (
                        value,
                        [move, *takewhile(at.NO_MOVE.__ne__, space.lines[1].tolist())],
                    )
            if not space.status[at.ASKED]:
                return best, line
            if space.status[at.STOP] or space.status[at.NODES] >= space.status[at.MOST_NODES]:
                return OPEN, line

    def _answer(self, space: SearchState) -> None:
        """Find the requested values; a damaged table is not probed again."""
        of_material = dict[Material, list[tuple[int, chess.Board]]]()
        for slot, words in zip(
            space.slots[: space.status[at.ASKED]].tolist(), space.asked, strict=False
        ):
            board = board_of(words)
            of_material.setdefault(material_of(board), []).append((slot, board))
        space.status[at.ASKED] = 0
        for material, rows in of_material.items():
            slots, boards = zip(*rows, strict=True)
            try:
                found = self._tables.probe_many(boards)
                for number in np.flatnonzero(found.fault)[:1].tolist():
                    self._tables.probe(boards[number])  # which says what is wrong
                space.table_outcomes[list(slots)] = found.outcome
            except TbgenError as error:
                self._complain(error)
                space.known[space.known == key_of(material)] = (
                    _LAST_KEY  # the search goes on without it
                )
                space.known.sort()


def _stop_on(halt: threading.Event, seconds: float | None, status: Ints) -> None:
    """End the search of a status when its time is up, or as soon as `halt` is set."""
    halt.wait(seconds)
    status[at.STOP] = 1


def _moves_of(board: chess.Board, line: Sequence[int]) -> tuple[chess.Move, ...]:
    """The moves of a line, up to the first that python-chess refuses: it ignores impossible en passant rights."""
    walker, moves = board.copy(stack=False), list[chess.Move]()
    with contextlib.suppress(chess.IllegalMoveError):
        for packed in line:
            moves.append(
                walker.find_move(
                    packed & 63, packed >> TARGET_SHIFT & 63, packed >> PROMOTION_SHIFT or None
                )
            )
            walker.push(moves[-1])
    return tuple(moves)
