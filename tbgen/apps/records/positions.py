"""All positions of a table as columns, and how many moves of each keep what it is worth.

A *column* is an array with an item for each position, such as `moves` or `outcome`. The squares of
the men are columns too: `wk`, `bk`, `wr`, and `wr2` for a second rook.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

import chess
import numpy as np
import numpy.typing as npt

from tbgen.apps.records.keeping import (
    CELL,
    LINK,
    POSITION,
    ROWS_OF_MOVES,
    SLOT,
    TAKABLE,
    TO,
    WITHIN,
    find_child_cells,
    find_own_codes,
    find_positions,
    let_accrue,
    list_all_moves,
)
from tbgen.compiled.arrays import Bools, Ints
from tbgen.errors import UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.index.outcomes import ranks_of
from tbgen.index.placements import Slot
from tbgen.index.squares import TRIANGLE
from tbgen.material import TableMaterial
from tbgen.probe import Tablebase
from tbgen.score import Color
from tbgen.storage.files import Folders, folders_in, path_in
from tbgen.storage.reader import TableFile
from tbgen.verify.cells import links_of, men_of
from tbgen.verify.moves import NO_POSITION, new_scratch
from tbgen.verify.reading import rows_in_outcomes

_OF_CODES: Final = frozenset({"check", "own", "moves"})
_KEEPING: Final = ("keep_result", "keep", "only")
_TURNING: Final = ("other", "zugzwang", "mate_zugzwang")
"""The columns of every table, besides the squares of its men; docs/find.md explains them."""

_PART_CELLS: Final = 1 << 17

T = TypeVar("T")


class Keeping(NamedTuple):
    """How many legal moves some positions have, and how many keep what they are worth."""

    moves: Ints
    result: Ints
    """The moves that keep the win of a side by mate, or the draw."""
    outcome: Ints
    """The moves that keep the entry value."""
    entries: Ints
    """The entry values, as signed outcomes."""


class _EntriesByCell:
    """The entry values of a table by cells.

    A table that is to stay in memory is unpacked once; else its chunks are, each time.
    """

    def __init__(self, file: TableFile, *, in_memory: bool) -> None:
        self.file = file
        self.men = men_of(file.order.layout)
        self._in_memory = in_memory
        self._reading = threading.Lock()
        """One thread at a time reads what is not in memory yet."""

    def symbols(self, cells: Ints) -> Ints:
        """The symbols of some cells: entry values with what accrued scores become."""
        if not self._in_memory:
            return self.file.look_up(cells).pattern.astype(np.int64)
        with self._reading:
            every = self._every_symbol
        return every[cells].astype(np.int64)

    def entries(self, cells: Ints) -> Ints:
        """The entry values of some cells, as signed outcomes."""
        if not self._in_memory:
            return self.file.look_up(cells).entry.astype(np.int64)
        with self._reading:
            every = self._every_entry
        return every[cells].astype(np.int64)

    def entries_of(self, symbols: Ints) -> Ints:
        """The entry values of some symbols, as signed outcomes."""
        return self.file.entries_of(symbols).astype(np.int64)

    @cached_property
    def _every_symbol(self) -> npt.NDArray[Any]:
        order = self.file.order
        return order.from_file(self.file.symbols(0, order.layout.cells))

    @cached_property
    def _every_entry(self) -> npt.NDArray[Any]:
        """[cell] -> its entry value, a byte, where symbols may take two."""
        return self.file.values().entry


class TablePositions(contextlib.AbstractContextManager["TablePositions"]):
    """The positions of a table, and what their moves lead to."""

    def __init__(
        self,
        folders: Folders,
        material: TableMaterial,
        threads: int | None = None,
        *,
        in_memory: bool = True,
    ) -> None:
        """Open a table; the tables that its moves lead to are opened when they are needed.

        Arguments:
            folders: The folders of the tables.
            material: The material of the table.
            threads: Threads that share the work; one for each processor by default.
            in_memory: Whether tables stay in memory. A few million positions are looked up in the
                files just as fast, if all of them are asked for at once.
        """
        self._folders = folders_in(folders)
        self._in_memory = in_memory
        self._opened = contextlib.ExitStack()
        self._values = self._open(material)
        self.file = self._values.file
        if not self.file.mobility.forgets:
            self._opened.close()
            raise UsageError(f"the moves of {self.file.mobility} mobility are not counted")
        self.material = material
        self.layout = self.file.order.layout
        self.men = names_of(self.layout.slots)
        """[slot] -> the name of its column."""
        self._links = links_of(self.layout)
        self._rows = rows_in_outcomes(self.file)
        self._tables = self._opened.enter_context(Tablebase(self._folders))
        self._workers = threads or os.cpu_count() or 1
        self._reading = threading.Lock()
        """One thread at a time reads what is not in memory yet."""

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def _open(self, material: TableMaterial) -> _EntriesByCell:
        file = TableFile(path_in(self._folders, material), outcomes_only=True)
        return _EntriesByCell(self._opened.enter_context(file), in_memory=self._in_memory)

    @cached_property
    def _children(self) -> list[_EntriesByCell]:
        """The tables that captures and promotions lead to, numbered as in `Links`."""
        return [self._open(material) for material in self.material.children()]

    @property
    def columns(self) -> list[str]:
        """The names of all columns that this table has."""
        plies = ["plies"] if self.file.has_distances else []
        plain = ["white", "check", "own", "moves", "outcome", *plies, "drawn"]
        return [*plain, *_KEEPING, *_TURNING, *self.men]

    @property
    def part_count(self) -> int:
        """The number of parts of `for_each_part`."""
        return len(self._starts_of_parts())

    def for_each_part(self, work: Callable[[Ints], T]) -> Iterator[T]:
        """What a function makes of the cells of all positions, part by part; threads do the work.

        Cells come in ascending order. Positions that differ by symmetry alone have one cell.
        """

        def work_from(start: int) -> T:
            end = min(start + _PART_CELLS, self.layout.cells)
            return work(self._positions_among(np.arange(start, end)))

        with ThreadPoolExecutor(self._workers) as pool:
            starts = self._starts_of_parts()
            for first in range(0, len(starts), self._workers):
                yield from pool.map(work_from, starts[first : first + self._workers])

    def _starts_of_parts(self) -> range:
        return range(0, self.layout.cells, _PART_CELLS)

    def _positions_among(self, cells: Ints) -> Ints:
        """The cells among some that are the primary ones of legal positions."""
        are_positions = np.zeros(len(cells), np.uint8)
        find_positions(self._values.men, cells, are_positions, new_scratch())
        return cells[are_positions > 0]

    def drawn(self, count: int, seed: int) -> Ints:
        """The cells of positions drawn at random, each as likely as any other each time."""
        random = np.random.default_rng(seed)
        cells = np.zeros(0, np.int64)
        while len(cells) < count:
            some = random.integers(0, self.layout.cells, count)
            cells = np.concatenate([cells, self._positions_among(some)])
        return cells[:count]

    def codes(self, cells: Ints) -> Ints:
        """The own code of each position; NO_POSITION for a cell that is none."""
        codes = np.empty(len(cells), np.int64)
        find_own_codes(self._values.men, cells, codes, new_scratch())
        return codes

    def entries(self, cells: Ints) -> Ints:
        """The entry value of each position as a signed outcome."""
        return self._values.entries_of(self._values.symbols(cells))

    def squares(self, cells: Ints) -> Ints:
        """[position, slot] -> the square of the man."""
        block, _, king, *rest = np.unravel_index(cells, self.layout.shape)
        pawns = self._values.men.blocks[block]
        if not self.layout.pawns:
            king = np.array(TRIANGLE)[king]
        return np.column_stack([pawns, king, *rest])

    def select(self, cells: Ints, names: Collection[str]) -> dict[str, npt.NDArray[Any]]:
        """Some columns of the positions in some cells; scores are signed outcomes, 0 for none."""
        entries = self.entries(cells)
        sides = self.sides(cells)
        columns: dict[str, npt.NDArray[Any]] = {
            "white": sides == int(Color.WHITE),
            "outcome": entries,
            "drawn": results_of(entries) == 0,
        }
        if not _OF_CODES.isdisjoint(names):
            codes = self.codes(cells)
            columns["check"] = codes % 2 == 0
            columns["own"] = np.where(sides == int(Color.BLACK), codes + 1, -codes - 1)
            columns["moves"] = codes // 2
        if "plies" in names:
            with self._reading:
                columns["plies"] = self._plies[cells]
        if not set(names).isdisjoint(_KEEPING):
            kept = self.keeping(cells)
            columns |= {"keep_result": kept.result, "keep": kept.outcome, "only": kept.outcome == 1}
        if not set(names).isdisjoint(_TURNING):
            columns |= self._turned(cells, entries, sides)
        if not set(names).isdisjoint(self.men):
            columns |= zip(self.men, self.squares(cells).T, strict=True)
        return {name: columns[name] for name in names}

    def keeping(self, cells: Ints) -> Keeping:
        """Count the moves of each position, and those that keep what it is worth."""
        codes = self.codes(cells)
        moves = np.empty((ROWS_OF_MOVES, int((codes // 2).sum())), np.int64)
        men = self._values.men
        list_all_moves(men, self._links, cells, moves, new_scratch(), new_scratch())
        # What all of these cells hold is looked up at once, which reads a file once.
        within = np.flatnonzero(moves[LINK] == WITHIN)
        symbols = self._values.symbols(np.concatenate([cells, moves[CELL, within]]))
        entries = self._values.entries_of(symbols[: len(cells)])
        after = np.zeros(moves.shape[1], np.int64)
        after[within] = self._after_moves_within(
            cells, codes, moves[:, within], symbols[len(cells) :]
        )
        self._add_moves_into_children(cells, moves, after)
        takable = np.flatnonzero(moves[LINK] == TAKABLE)
        after[takable] = self._after_double_steps(cells, moves[:, takable])
        numbers = moves[POSITION]
        before = entries[numbers]

        def count(are_kept: Bools) -> Ints:
            return np.bincount(numbers[are_kept], minlength=len(cells))

        return Keeping(
            codes // 2,
            result=count(results_of(after) == results_of(before)),
            outcome=count(after == before),
            entries=entries,
        )

    def _after_moves_within(self, cells: Ints, codes: Ints, moves: Ints, symbols: Ints) -> Ints:
        """The outcomes of moves to cells of this table that have some symbols."""
        outcomes = self._values.entries_of(symbols)
        # A quiet move leaves the own score to the side that waited.
        is_quiet = moves[SLOT] >= self.layout.pawns
        numbers = moves[POSITION, is_quiet]
        waiting = 1 - self.sides(cells)
        held = outcomes[is_quiet]
        let_accrue(
            self._values.men,
            self._rows,
            moves[CELL, is_quiet],
            symbols[is_quiet],
            waiting[numbers],
            codes[numbers],
            held,
            new_scratch(),
        )
        outcomes[is_quiet] = held
        return outcomes

    def _add_moves_into_children(self, cells: Ints, moves: Ints, after: Ints) -> None:
        """Write down the outcomes of captures and promotions."""
        links = moves[LINK]
        with self._reading:
            children = self._children
        for number, child in enumerate(children):
            into = np.flatnonzero((links > WITHIN) & (self._links.child[links] == number))
            into_child = moves[:, into]
            men = self._values.men
            find_child_cells(men, self._links, child.men, cells, into_child, new_scratch())
            outcomes = child.entries(into_child[CELL])
            is_reversed = self._links.reversed[links[into]] > 0
            after[into] = np.where(is_reversed, -outcomes, outcomes)

    def _after_double_steps(self, cells: Ints, moves: Ints) -> Ints:
        """The outcomes of double steps that may be taken, by probes: cells have no such rights."""
        boards = list[chess.Board]()
        for cell, to in zip(cells[moves[POSITION]].tolist(), moves[TO].tolist(), strict=True):
            board = chess.Board(fen_of_cell(self.layout, cell))
            board.push(chess.Move(to - 16 if board.turn else to + 16, to))
            boards.append(board)
        return self._tables.probe_many(boards).outcome.astype(np.int64)

    def _turned(self, cells: Ints, entries: Ints, sides: Ints) -> dict[str, npt.NDArray[Any]]:
        """The columns that compare a position with the same men when the other side is to move."""
        plane = self.file.order.plane_places
        turned = np.where(sides == int(Color.WHITE), cells + plane, cells - plane)
        is_legal = self.codes(turned) != NO_POSITION
        other = np.where(is_legal, self.entries(turned), 0)
        is_white = sides == int(Color.WHITE)
        white = np.where(is_white, entries, other)
        black = np.where(is_white, other, entries)
        loses_result = results_of(white) < results_of(black)
        return {
            "other": other,
            "zugzwang": is_legal & (ranks_of(white) < ranks_of(black)),
            "mate_zugzwang": is_legal & loses_result,
        }

    def sides(self, cells: Ints) -> Ints:
        """The side to move of each position, 0 for White."""
        return cells // self.file.order.plane_places % 2

    @cached_property
    def _plies(self) -> npt.NDArray[Any]:
        """[cell] -> the distance of its entry value."""
        with TableFile(self.file.path) as table:
            return table.values().dtg


def names_of(slots: Collection[Slot]) -> list[str]:
    """The name of each man: his side and his letter, and a number from the second of equals on.

    >>> from tbgen.index.layout import slots_of
    >>> from tbgen.material import Material
    >>> names_of(slots_of(Material.parse("KRRvK").canonical()))
    ['wk', 'wr', 'wr2', 'bk']
    """
    names = list[str]()
    for color, kind in slots:
        name = f"{'wb'[int(color)]}{kind.letter.lower()}"
        before = sum(known.rstrip("23456789") == name for known in names)
        names.append(f"{name}{before + 1}" if before else name)
    return names


def results_of(entries: Ints) -> Ints:
    """What ordinary chess says of some entry values: 1 if White mates, -1 if Black does, else 0."""
    is_mate: Bools = abs(entries) == 1
    return np.where(is_mate, entries, 0)
