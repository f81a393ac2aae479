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
from functools import cached_property, partial
from typing import Any, Final

import chess
import numpy as np
import numpy.typing as npt

from tbgen.apps.records.keeping import (
    Keeping,
    Known,
    find_own_codes,
    weigh_moves_into,
    weigh_moves_within,
)
from tbgen.compiled.arrays import Bools, Ints
from tbgen.errors import UsageError
from tbgen.index.layout import Slot, fen_of_cell
from tbgen.index.outcomes import worth_to_white
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.score import Color
from tbgen.storage.files import Folders, folders_in, path_in
from tbgen.storage.reader import TableFile
from tbgen.verify.cells import links_of, men_of
from tbgen.verify.moves import NO_POSITION, new_scratch
from tbgen.verify.resets import ChildTable
from tbgen.verify.values import rows_in_outcomes

_PLAIN: Final = ("white", "check", "own", "moves", "outcome", "plies", "drawn")
_KEEPING: Final = ("keep_result", "keep", "only")
_TURNING: Final = ("other", "zugzwang", "mate_zugzwang")
"""The columns of every table, besides the squares of its men; docs/find.md explains them."""

_PART_CELLS: Final = 1 << 17
_SYMBOLS_OF_16_BITS: Final = 1 << 16


class TablePositions(contextlib.AbstractContextManager["TablePositions"]):
    """The positions of a table, which stays in memory with all tables that its moves lead to."""

    def __init__(self, folders: Folders, material: Material, threads: int | None = None) -> None:
        """Open a table; the tables that its moves lead to are read when they are needed.

        Arguments:
            folders: The folders of the tables.
            material: A canonical material.
            threads: Threads that share the work; one for each processor by default.
        """
        self._folders = folders_in(folders)
        self.file = TableFile(path_in(self._folders, material))
        if not self.file.mobility.forgets:
            self.file.close()
            raise UsageError(f"the moves of {self.file.mobility} mobility are not counted")
        self.material = material
        self.layout = self.file.order.layout
        self.men = names_of(self.layout.slots)
        """[slot] -> the name of its column."""
        self._tables = Tablebase(self._folders)
        self._workers = threads or os.cpu_count() or 1
        self._reading = threading.Lock()
        """One thread at a time reads what is not in memory yet."""

    def __exit__(self, *error: object) -> None:
        self.file.close()
        self._tables.close()

    @property
    def columns(self) -> list[str]:
        """The names of all columns that this table has."""
        names = [*_PLAIN, *_KEEPING, *_TURNING, *self.men]
        if not self.file.has_distances:
            names.remove("plies")
        return names

    @property
    def part_count(self) -> int:
        """The number of `parts`."""
        return -(-self.layout.cells // _PART_CELLS)

    def parts(self) -> Iterator[Ints]:
        """The cells of all positions, in ascending order, part by part.

        Positions that differ by symmetry alone have one cell.
        """
        for start in range(0, self.layout.cells, _PART_CELLS):
            own = self._known.own[start : start + _PART_CELLS]
            yield start + np.flatnonzero(own != NO_POSITION)

    def for_each_part(self, work: Callable[[Ints], Any]) -> Iterator[Any]:
        """What a function makes of each part, in order; threads do the work."""
        parts = self.parts()
        with ThreadPoolExecutor(self._workers) as pool:
            while group := [cells for _, cells in zip(range(self._workers), parts, strict=False)]:
                yield from pool.map(work, group)

    def codes(self, cells: Ints) -> Ints:
        """The own code of each position."""
        return self._known.own[cells].astype(np.int64)

    def entries(self, cells: Ints) -> Ints:
        """The entry value of each position as a signed outcome."""
        return self._known.entry[self._known.symbol[cells]].astype(np.int64)

    def squares(self, cells: Ints) -> Ints:
        """[position, slot] -> the square of the man."""
        block, _, king, *rest = np.unravel_index(cells, self.layout.shape)
        pawns = self._known.men.blocks[block]
        if not self.layout.pawns:
            king = np.array(TRIANGLE)[king]
        return np.column_stack([pawns, king, *rest])

    def select(self, cells: Ints, names: Collection[str]) -> dict[str, npt.NDArray[Any]]:
        """Some columns of the positions in some cells; scores are signed outcomes, 0 for none."""
        entries = self.entries(cells)
        codes = self.codes(cells)
        sides = self._sides(cells)
        columns: dict[str, npt.NDArray[Any]] = {
            "white": sides == int(Color.WHITE),
            "check": codes % 2 == 0,
            "own": np.where(sides == int(Color.BLACK), codes + 1, -codes - 1),
            "moves": codes // 2,
            "outcome": entries,
            "drawn": results_of(entries) == 0,
        }
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
        """Count the moves of each position that keep what it is worth."""
        keeping = Keeping(
            np.ascontiguousarray(cells),
            self.entries(cells),
            outcome=np.zeros(len(cells), np.int64),
            result=np.zeros(len(cells), np.int64),
        )
        scratch = new_scratch()
        taken = np.zeros((2, len(cells) * self.layout.pawns), np.int64)
        count = weigh_moves_within(self._known, keeping, scratch, new_scratch(), taken)
        with self._reading:
            children = self._children
        for number, child in enumerate(children):
            weigh_moves_into(self._known, number, child, keeping, scratch)
        if count:
            self._weigh_double_steps(keeping, *taken[:, :count])
        return keeping

    def _weigh_double_steps(self, keeping: Keeping, numbers: Ints, pawns: Ints) -> None:
        """Count double steps that may be taken en passant, by probes: cells have no such rights.

        Arguments:
            keeping: What has been counted so far.
            numbers: The position of each step.
            pawns: The square of each pawn before its step.
        """
        boards = list[chess.Board]()
        for cell, pawn in zip(keeping.cell[numbers].tolist(), pawns.tolist(), strict=True):
            board = chess.Board(fen_of_cell(self.layout, cell))
            board.push(chess.Move(pawn, pawn + (16 if board.turn else -16)))
            boards.append(board)
        after = self._tables.probe_many(boards).outcome.astype(np.int64)
        entries = keeping.entry[numbers]
        np.add.at(keeping.outcome, numbers, after == entries)
        np.add.at(keeping.result, numbers, results_of(after) == results_of(entries))

    def _turned(self, cells: Ints, entries: Ints, sides: Ints) -> dict[str, npt.NDArray[Any]]:
        """The columns that compare a position with the same men when the other side is to move."""
        plane = self.file.order.plane_places
        turned = np.where(sides == int(Color.WHITE), cells + plane, cells - plane)
        is_legal = self._known.own[turned] != NO_POSITION
        other = np.where(is_legal, self.entries(turned), 0)
        is_white = sides == int(Color.WHITE)
        white = np.where(is_white, entries, other)
        black = np.where(is_white, other, entries)
        loses_result = results_of(white) < results_of(black)
        return {
            "other": other,
            "zugzwang": is_legal & (worth_to_white(white) < worth_to_white(black)),
            "mate_zugzwang": is_legal & loses_result,
        }

    def _sides(self, cells: Ints) -> Ints:
        """The side to move of each position."""
        return cells // self.file.order.plane_places % 2

    @cached_property
    def _known(self) -> Known:
        symbols = len(self.file.column("symbols"))
        kind = np.uint16 if symbols <= _SYMBOLS_OF_16_BITS else np.uint32
        symbol = _by_cells(self.file, self.file.symbols, kind)
        own = np.empty(self.layout.cells, np.uint8)
        men = men_of(self.layout)

        def find(start: int) -> None:
            stop = min(start + _PART_CELLS, len(own))
            find_own_codes(men, new_scratch(), own, start, stop)

        with ThreadPoolExecutor(self._workers) as pool:
            list(pool.map(find, range(0, len(own), _PART_CELLS)))
        entry = np.ascontiguousarray(self.file.column("symbols")["entry"])
        return Known(men, links_of(self.layout), own, symbol, entry, rows_in_outcomes(self.file))

    @cached_property
    def _children(self) -> list[ChildTable]:
        """The tables that captures and promotions lead to."""
        children = list[ChildTable]()
        for material in self.material.children():
            with TableFile(path_in(self._folders, material)) as file:
                entry = _by_cells(file, file.entries, np.int8)
                men = men_of(file.order.layout)
                children.append(
                    ChildTable(men, np.zeros(0, np.int64), entry, np.zeros(0, np.uint16))
                )
        return children

    @cached_property
    def _plies(self) -> npt.NDArray[Any]:
        """[cell] -> the distance of its entry value."""
        return _by_cells(self.file, partial(_distances, self.file), np.uint16)


def names_of(slots: Collection[Slot]) -> list[str]:
    """The name of each man: his side and his letter, and a number from the second of equals on.

    >>> from tbgen.index.layout import slots_of
    >>> names_of(slots_of(Material.parse("KRRvK")))
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


def _by_cells(
    file: TableFile, read: Callable[[int, int], npt.NDArray[Any]], kind: npt.DTypeLike
) -> npt.NDArray[Any]:
    """A stream of a table in the order of cells; `read` gives it in that of places."""
    order = file.order
    column = np.empty(order.layout.cells, kind)
    for part in order.parts():
        order.from_file(read(part.start, part.stop), column[part])
    return column


def _distances(file: TableFile, first: int, end: int) -> npt.NDArray[Any]:
    return file.symbols_and_dtg(first, end)[1]
