"""The search as a caller has it: ply by ply deeper, until a limit is met.

Each depth is searched again as long as it asks for values of tables that are not known yet; they are found many at
once. With the same position and the same number of nodes the answer is the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import chess
import numpy as np

from tbgen.apps.play import search_kernels as at
from tbgen.apps.play.search_kernels import OPEN, Search, search
from tbgen.board.board import BOARD_WORDS, kernel_move, words_of
from tbgen.board.moves import MOST_MOVES
from tbgen.compiled.arrays import Ints
from tbgen.errors import TbgenError
from tbgen.material import Material, Role
from tbgen.probe import Tablebase
from tbgen.rules.game import Situation
from tbgen.score import Color

_ROLES: Final = tuple(sorted(Role, reverse=True))
_STORED_SLOTS: Final = 1 << 20
_TABLE_SLOTS: Final = 1 << 22
_ASKED: Final = 4096
_AT_ONCE: Final = 512
"""So many values of tables are found before a stop is looked for: the disk may be slow."""
_NO_LIMIT: Final = 1 << 60
_NEAR_MATE: Final = at.MATE - at.MOST_PLIES


@dataclass(frozen=True, slots=True)
class Line:
    """A move with its value to the side that makes it, and how the game may go on."""

    value: int
    moves: tuple[chess.Move, ...]
    depth: int

    @property
    def is_mate(self) -> bool:
        """Whether a mate is seen."""
        return abs(self.value) >= _NEAR_MATE

    @property
    def score(self) -> str:
        """The value as UCI has it; the moves to a mate are negative if the other side gives it."""
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
    """One search after another; `complain` is told what is wrong with tables, which are not asked again."""

    def __init__(self, tables: Tablebase, complain: Callable[[TbgenError], None] = lambda error: None) -> None:
        self._tables, self._complain = tables, complain
        self._status = np.zeros(at.STATUS, np.int64)
        self._table_keys = np.zeros(_TABLE_SLOTS, np.uint64)
        self._table_outcomes = np.zeros(_TABLE_SLOTS, np.int8)
        self._materials: dict[int, Material] = {}
        """Counts of men -> the material that has them, for tables that the search may ask."""
        self._damaged: set[int] = set()

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

        `only` are the moves to choose from, if not all; each of the `most_lines` best has its value.
        A thread waits for `halt` until the time is up: set it when the search is over.
        """
        started = time.monotonic()
        space = self._space(now, _NO_LIMIT if most_nodes is None else most_nodes)
        if halt is not None:
            threading.Thread(target=_stop_on, args=(halt, seconds, space.status), daemon=True).start()
        moves = dict.fromkeys(only or now.board.legal_moves)  # each once: kernels have room for no more
        order = np.array([kernel_move(now.board, move) for move in moves], np.int64)
        deepest = at.DEEPEST if most_depth is None else max(1, min(most_depth, at.DEEPEST))
        for depth in range(1, deepest + 1):
            found, left = list[tuple[int, Ints]](), order
            while len(left) and len(found) < most_lines:
                value = self._sure_value(space, left, depth)
                if value == OPEN:
                    return
                line = space.lines[0, : space.frames[0, at.LENGTH]].copy()
                found.append((value, line))
                left = left[left != line[0]]
            if not found:
                return
            order = np.array([*(line[0] for _, line in found), *left], np.int64)
            lines = tuple(Line(value, _moves_of(now.board, line), depth) for value, line in found)
            nodes, hits = int(self._status[at.NODES]), int(self._status[at.HITS])
            yield Searched(depth, lines, nodes, hits, time.monotonic() - started)

    def _space(self, now: Situation, most_nodes: int) -> Search:
        men = len(now.board.piece_map())
        known = [each for one in self._tables.available() if one.men <= men for each in (one, one.flipped())]
        self._materials = {_counts_of(each): each for each in known}
        self._status = self._status.copy()  # a late stop of the last search must not end this one
        self._status[[at.STOP, at.NODES, at.HITS, at.ASKED]] = 0
        self._status[[at.MOST_NODES, at.MOST_MEN]] = most_nodes, max((each.men for each in known), default=0)
        if 2 * self._status[at.FILED] > _TABLE_SLOTS:  # else they serve the next search, too
            self._table_keys[:], self._table_outcomes[:], self._status[at.FILED] = 0, 0, 0
        twice = [words_of(chess.Board(f"{epd} 0 1")) for epd, times in now.seen.items() if times > 1]
        space = Search(
            boards=np.zeros((at.MOST_PLIES, BOARD_WORDS), np.uint64),
            moves=np.zeros((at.MOST_PLIES, MOST_MOVES), np.int64),
            merits=np.zeros((at.MOST_PLIES, MOST_MOVES), np.int64),
            frames=np.zeros((at.MOST_PLIES, at.FRAME), np.int64),
            lines=np.zeros((at.MOST_PLIES, at.MOST_PLIES), np.int64),
            history=np.zeros((2, 4096), np.int64),
            stored=np.zeros((_STORED_SLOTS, 2), np.uint64),
            table_keys=self._table_keys,
            table_outcomes=self._table_outcomes,
            known=np.array(sorted(self._materials.keys() - self._damaged), np.int64),
            asked=np.zeros((_ASKED, 4), np.int64),
            over=np.array(twice, np.uint64).reshape(-1, BOARD_WORDS),
            status=self._status,
        )
        space.boards[0] = words_of(now.board)
        space.frames[0, at.ACCRUED] = now.accrued.signed
        return space

    def _sure_value(self, space: Search, moves: Ints, depth: int) -> int:
        """The value of the root by some moves, or OPEN; whatever tables are asked for is found."""
        while True:
            value = int(search(space, moves, depth))
            if not self._status[at.ASKED]:
                return value
            if self._status[at.NODES] < self._status[at.MOST_NODES]:
                self._answer(space)
            asked = space.asked[: self._status[at.ASKED], 0]
            self._status[at.ASKED] = 0
            if self._status[at.STOP] or self._status[at.NODES] >= self._status[at.MOST_NODES]:
                # What was asked for is taken back. It was filed last, so no other position is sought behind it.
                self._table_keys[asked], self._table_outcomes[asked] = 0, 0
                self._status[at.FILED] -= len(asked)
                return OPEN

    def _answer(self, space: Search) -> None:
        """Find the values that have been asked for, until the search is to stop; a damaged table is not asked again."""
        slots, counts, squares, turns = space.asked[: self._status[at.ASKED]].T
        for men in np.unique(counts).tolist():
            material, rows = self._materials[men], np.flatnonzero(counts == men)
            shifts = at.SQUARE_BITS * np.arange(material.men - 1, -1, -1)
            try:
                for start in range(0, len(rows), _AT_ONCE):
                    if self._status[at.STOP]:
                        return
                    some = rows[start : start + _AT_ONCE]
                    answers = self._tables.probe_many(material, turns[some] == 0, squares[some, None] >> shifts & 63)
                    space.table_outcomes[slots[some]] = answers.outcome
            except TbgenError as error:
                self._complain(error)
                self._damaged.add(men)
                space.known[space.known == men] = _NO_LIMIT  # beyond all men: the search looks on for itself
                space.known.sort()


def _stop_on(halt: threading.Event, seconds: float | None, status: Ints) -> None:
    """End the search of a status when its time is up, or as soon as `halt` is set."""
    halt.wait(seconds)
    status[at.STOP] = 1


def _counts_of(material: Material) -> int:
    """The counts of a material's men, as kernels have them."""
    counts = 0
    for color in Color:
        for role in _ROLES:
            counts = counts << at.COUNT_BITS | material.side(color).count(role)
    return counts


def _moves_of(board: chess.Board, line: Ints) -> tuple[chess.Move, ...]:
    """The moves of a line, up to the first that python-chess refuses: it ignores impossible en passant rights."""
    walker, moves = board.copy(stack=False), list[chess.Move]()
    for packed in line.tolist():
        names = {kernel_move(walker, move): move for move in walker.legal_moves}
        if packed not in names:
            break
        moves.append(names[packed])
        walker.push(moves[-1])
    return tuple(moves)
