"""The interface of the search: one ply deeper each time, until a limit.

Each depth is searched again as long as it needs unknown values of tables, which are probed many at
once. The same position and number of nodes give the same answer.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import chess
import numpy as np

from tbgen.apps.play import search_kernels as kernels
from tbgen.apps.play.search_kernels import OPEN, SearchState, value_of
from tbgen.apps.play.situation import Situation
from tbgen.board.board import (
    BOARD_WORDS,
    PROMOTION_SHIFT,
    TARGET_SHIFT,
    board_of,
    kernel_move,
    words_of,
)
from tbgen.board.moves import MOST_MOVES
from tbgen.compiled.arrays import Ints, SignedBytes
from tbgen.errors import TbgenError
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.probe.successors import key_of_material, keys_of_materials
from tbgen.rules.position import material_of

_STORED_SLOTS: Final = 1 << 20
"""The most of the transposition table: 40 MB."""
_SLOTS_PER_NODE: Final = 8
"""More would hardly save nodes, and clearing them would take longer than a short search."""
_TABLE_SLOTS: Final = 1 << 22
"""Those of the table values: 36 MB."""
_ASKED: Final = 1024
"""The number of table values that are found between two checks for a stop: the disk may be slow."""
_SQUARE_PAIRS: Final = 64 * 64
_SQUARE: Final = 63
"""The bits of a square in a move."""
_NO_LIMIT: Final = 1 << 60
_LAST_KEY: Final = np.uint64(2**64 - 1)
_NEAR_MATE: Final = kernels.MATE - kernels.MOST_PLIES


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
        """The value as UCI writes it; moves are negative if the other side mates."""
        if not self.is_mate:
            return f"cp {round(self.value / kernels.CENTIPAWN)}"
        moves = (self.depth + kernels.MATE - abs(self.value) + 1) // 2
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
    """Runs one search after another.

    `complain` receives errors of tables, which are not probed again.
    """

    def __init__(
        self, tables: Tablebase, complain: Callable[[TbgenError], None] = lambda error: None
    ) -> None:
        self._tables = tables
        self._complain = complain
        self._space = SearchState(
            boards=np.zeros((kernels.MOST_PLIES, BOARD_WORDS), np.uint64),
            moves=np.zeros((kernels.MOST_PLIES, MOST_MOVES), np.int64),
            merits=np.zeros((kernels.MOST_PLIES, MOST_MOVES), np.int64),
            lines=np.zeros((kernels.MOST_PLIES, kernels.MOST_PLIES), np.int64),
            history=np.zeros((0, 0), np.int64),
            stored=np.zeros((0, 0), np.int64),
            table_keys=np.zeros(_TABLE_SLOTS, np.uint64),
            table_outcomes=np.zeros(_TABLE_SLOTS, np.int8),
            known=keys_of_materials(tables.available()),
            asked=np.zeros((_ASKED, BOARD_WORDS), np.uint64),
            slots=np.zeros(_ASKED, np.int64),
            over=np.zeros(0, np.uint64),
            status=np.zeros(kernels.STATUS_COLUMNS, np.int64),
        )
        self._space.status[kernels.MOST_MEN] = tables.max_men

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

        `only` limits the first moves. Each of the `most_lines` best moves has its value. A thread
        waits for `halt` until the time is up, so set it when the search is over.
        """
        started = time.monotonic()
        space = self._begin(now, _NO_LIMIT if most_nodes is None else most_nodes)
        if halt is not None:
            threading.Thread(
                target=_stop_on, args=(halt, seconds, space.status), daemon=True
            ).start()
        moves = dict.fromkeys(only or now.board.legal_moves)
        order = [kernel_move(now.board, move) for move in moves]
        deepest = kernels.DEEPEST
        if most_depth is not None:
            deepest = max(1, min(most_depth, deepest))
        for depth in range(1, deepest + 1):
            best_lines = list[tuple[int, list[int]]]()
            left = order
            while left and len(best_lines) < most_lines:
                value, line = self._best_line(space, left, depth, now.accrued.signed)
                if value == OPEN:
                    return
                best_lines.append((value, line))
                left = [move for move in left if move != line[0]]
            if not best_lines:
                return
            order = [line[0] for _, line in best_lines] + left
            yield Searched(
                depth,
                tuple(Line(value, _moves_of(now.board, line), depth) for value, line in best_lines),
                nodes=int(space.status[kernels.NODES]),
                table_hits=int(space.status[kernels.HITS]),
                seconds=time.monotonic() - started,
            )

    def _begin(self, now: Situation, most_nodes: int) -> SearchState:
        """The arrays for another search, which forgets all but values of tables."""
        status = self._space.status.copy()  # a late stop of the last search must not end this one
        status[kernels.STOP] = 0
        status[kernels.NODES] = 0
        status[kernels.HITS] = 0
        status[kernels.MOST_NODES] = most_nodes
        if 2 * status[kernels.FILED] > _TABLE_SLOTS:
            self._space.table_keys[:] = 0
            self._space.table_outcomes[:] = 0
            status[kernels.FILED] = 0
            status[kernels.ASKED] = 0
        over = [_LAST_KEY]
        for epd, times in now.seen.items():
            if times > 1:
                board = chess.Board(f"{epd} 0 1", chess960=now.board.chess960)
                over.append(kernels.key_of(words_of(board), 0))
        self._space = self._space._replace(
            history=np.zeros((2, _SQUARE_PAIRS), np.int64),
            # The system clears these as they are used.
            stored=np.zeros((_slots_for(most_nodes), kernels.STORED_COLUMNS), np.int64),
            over=np.sort(np.array(over, np.uint64)),
            status=status,
        )
        self._space.boards[0] = words_of(now.board)
        return self._space

    def _best_line(
        self, space: SearchState, moves: Sequence[int], depth: int, accrued: int
    ) -> tuple[int, list[int]]:
        """The value of the root by some moves, or OPEN, and its line.

        It finds all table values that the search needs.
        """
        while True:
            if space.status[kernels.ASKED]:
                self._answer(space)
            best = -kernels.MOST
            line = list[int]()
            for move in moves:
                value = int(value_of(space, 0, move, depth - 1, accrued, best, kernels.MOST))
                if value == OPEN:
                    best = OPEN
                    break
                if value > best:
                    best = value
                    line = [move, *_line_in(space.lines[1].tolist())]
            if not space.status[kernels.ASKED]:
                return best, line
            is_at_limit = space.status[kernels.NODES] >= space.status[kernels.MOST_NODES]
            if space.status[kernels.STOP] or is_at_limit:
                return OPEN, line

    def _answer(self, space: SearchState) -> None:
        """Find the requested values; a damaged table is not probed again."""
        slots = defaultdict[Material, list[int]](list)
        boards = defaultdict[Material, list[chess.Board]](list)
        for row in range(space.status[kernels.ASKED]):
            board = board_of(space.asked[row])
            material = material_of(board)
            slots[material].append(int(space.slots[row]))
            boards[material].append(board)
        space.status[kernels.ASKED] = 0
        for material in slots:
            try:
                space.table_outcomes[slots[material]] = self._outcomes_of(boards[material])
            except TbgenError as error:
                self._complain(error)
                space.known[space.known == key_of_material(material)] = _LAST_KEY
                space.known.sort()

    def _outcomes_of(self, boards: Sequence[chess.Board]) -> SignedBytes:
        """The signed outcomes of positions; an error says why one has none."""
        probes = self._tables.probe_many(boards)
        faulty = np.flatnonzero(probes.fault)
        if len(faulty):
            self._tables.probe(boards[faulty[0]])  # raises the error
        return probes.outcome


def _slots_for(most_nodes: int) -> int:
    """The slots of the transposition table of a search: a power of two."""
    wanted = _SLOTS_PER_NODE * most_nodes
    return min(_STORED_SLOTS, 1 << wanted.bit_length())


def _stop_on(halt: threading.Event, seconds: float | None, status: Ints) -> None:
    """End the search of a status when its time is up, or as soon as `halt` is set."""
    halt.wait(seconds)
    status[kernels.STOP] = 1


def _line_in(moves: Sequence[int]) -> list[int]:
    """The moves before the end of a line."""
    line = list[int]()
    for move in moves:
        if move == kernels.NO_MOVE:
            break
        line.append(move)
    return line


def _moves_of(board: chess.Board, line: Sequence[int]) -> tuple[chess.Move, ...]:
    """The moves of a line, up to the first that python-chess refuses.

    It ignores impossible en passant rights.
    """
    walker = board.copy(stack=False)
    moves = list[chess.Move]()
    for packed in line:
        origin = packed & _SQUARE
        target = (packed >> TARGET_SHIFT) & _SQUARE
        promotion = packed >> PROMOTION_SHIFT
        try:
            move = walker.find_move(origin, target, promotion or None)
        except chess.IllegalMoveError:
            break
        moves.append(move)
        walker.push(move)
    return tuple(moves)
