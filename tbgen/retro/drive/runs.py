"""Runs: where solved cells go, and how all of them together are a table.

Blocks are solved in runs, each with a dictionary of patterns of its own, so that a run says all there is to
know about its blocks: it can leave memory, and a build that was interrupted can go on from the runs it finds.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import MOST_NARROW
from tbgen.errors import RepresentationError
from tbgen.handover import Cells, Dictionary, Distances, Entries, Piece, Run
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.retro.drive.counts import merged, tallies_of
from tbgen.retro.levels.patterns import merge_patterns
from tbgen.score import Color, Mobility
from tbgen.table import Figures, Table

Kept = tuple[Run, Dictionary, Cells]


class BlockStore(Protocol):
    """Where solved cells are kept until all are there; safe to call from several threads."""

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Keep a run; its arrays belong to the store from now on."""

    def runs(self) -> Sequence[Run]:
        """All that are kept, in the order of their cells."""

    def dictionary(self, run: Run) -> Dictionary:
        """The dictionary of a run."""

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        """Entry values and distances of cells first to end of one run; not to be changed."""

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        """The same with the patterns, numbered as in the run's dictionary; in `room` if they have to be read."""


class MemoryStore:
    """A store for tables that are small, or that are solved in one piece."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Kept] = []

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        with self._lock:
            insort(self._kept, (run, dictionary, cells), key=_first_cell)

    def runs(self) -> Sequence[Run]:
        with self._lock:
            return [run for run, _, _ in self._kept]

    def dictionary(self, run: Run) -> Dictionary:
        return self._at(run.first)[1]

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        cells = self.cells(first, end)
        return cells.entry, cells.dtg

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        run, _, cells = self._at(first)
        return cells.part(first - run.first, end - run.first)

    def _at(self, cell: int) -> Kept:
        with self._lock:
            return self._kept[bisect_right(self._kept, cell, key=_first_cell) - 1]


def _first_cell(kept: Kept) -> int:
    return kept[0].first


class Solved:
    """A solved material whose cells lie in a store."""

    def __init__(
        self,
        material: Material,
        store: BlockStore,
        game: Mobility = Mobility.RESET,
        new: Callable[[int, npt.DTypeLike], npt.NDArray[Any]] = np.zeros,
    ) -> None:
        """`new` makes the arrays in which the rows of patterns lie."""
        self.material = material
        self.game = game
        self.store = store
        self.figures = Figures()
        self._runs = store.runs()
        self._starts = [run.first for run in self._runs]
        rows = sum(run.rows for run in self._runs)
        self.patterns, self._numbers = merge_patterns((store.dictionary(run) for run in self._runs), rows, new)
        found = merged((run.first, run.found) for run in self._runs)
        self.tallies = tallies_of(found, layout_of(material).orders)

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """What cells first to end hold, run by run."""
        for number in range(bisect_right(self._starts, first) - 1, bisect_left(self._starts, end)):
            run = self._runs[number]
            start, stop = max(first, run.first), min(end, run.end)
            yield Piece(start, self.store.cells(start, stop, room), self._numbers[number])

    def part(self, first: int, end: int) -> Cells:
        """What cells first to end hold."""
        if len(self.patterns) > MOST_NARROW:
            raise RepresentationError(f"{len(self.patterns):,} patterns", "the 32 bits that a cell in memory has")
        patterns = ((cells, numbers[cells.pattern]) for _, cells, numbers in self.pieces(first, end))
        return Cells.joined([cells._replace(pattern=found.astype(np.uint32, copy=False)) for cells, found in patterns])

    def positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(tally.count for tally in self.tallies[side].values())

    def table(self) -> Table:
        """The whole table in memory."""
        cells = self.part(0, layout_of(self.material).cells)
        return Table(self.material, *cells, self.patterns, self.tallies, self.figures, self.game)
