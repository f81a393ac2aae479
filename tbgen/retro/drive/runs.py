"""Runs: where solved cells go, and how all of them together are a table.

Blocks are solved in runs, each with a dictionary of patterns of its own, so that a run says all
there is to know about its blocks: it can leave memory, and a build that was interrupted can go on
from the runs it finds.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from tbgen.compiled.arrays import NewArray
from tbgen.index.layout import layout_of
from tbgen.material import TableMaterial
from tbgen.retro.drive.results import merged, tallies_of
from tbgen.retro.patterns.dictionaries import merge_patterns
from tbgen.score import Color, Mobility
from tbgen.table import Cells, Dictionary, Distances, Entries, Piece, Run

Kept = tuple[Run, Dictionary, Cells]
"""A solved run, with the dictionary of its patterns and what its cells hold."""


class RunStore(Protocol):
    """Where solved runs are kept; safe to call from several threads."""

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Keep a run; its arrays belong to the store from now on."""

    def runs(self) -> Sequence[Run]:
        """All that are kept, in the order of their cells."""

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        """Entry values and distances of cells first to end of one run; not to be changed."""


class TableStore(RunStore, Protocol):
    """Where solved cells are kept until all of a table are there."""

    def dictionary(self, run: Run) -> Dictionary:
        """The dictionary of a run."""

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        """The same with the patterns, numbered as in the run's dictionary.

        If they have to be read, they are in `room`.
        """


class MemoryStore:
    """A store for tables that are small, or that are solved in one piece."""

    def __init__(self) -> None:
        self._kept = dict[int, Kept]()
        """[first cell] -> its run; adding one is a single step, so threads need no lock."""

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        self._kept[run.first] = run, dictionary, cells

    def runs(self) -> Sequence[Run]:
        return [self._kept[first][0] for first in sorted(self._kept)]

    def dictionary(self, run: Run) -> Dictionary:
        return self._at(run.first)[1]

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        cells = self.cells(first, end)
        return cells.entry, cells.dtg

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        run, _, cells = self._at(first)
        return cells.part(first - run.first, end - run.first)

    def _at(self, cell: int) -> Kept:
        firsts = sorted(self._kept)
        return self._kept[firsts[bisect_right(firsts, cell) - 1]]


class Solved:
    """A solved material whose cells lie in a store."""

    def __init__(
        self,
        material: TableMaterial,
        store: TableStore,
        mobility: Mobility = Mobility.RESET,
        new: NewArray = np.zeros,
    ) -> None:
        """`new` makes the arrays in which the rows of patterns lie."""
        self.material = material
        self.store = store
        self.mobility = mobility
        self.phase_seconds: Mapping[str, float] = {}
        self._runs = store.runs()
        self._starts = [run.first for run in self._runs]
        rows = sum(run.rows for run in self._runs)
        dictionaries = (store.dictionary(run) for run in self._runs)
        self.patterns, self._numbers = merge_patterns(dictionaries, rows, new)
        found = merged((run.first, run.found) for run in self._runs)
        self.tallies = tallies_of(found, layout_of(material).orders)

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """What cells first to end hold, run by run."""
        first_run = bisect_right(self._starts, first) - 1
        for number in range(first_run, bisect_left(self._starts, end)):
            run = self._runs[number]
            start = max(first, run.first)
            stop = min(end, run.end)
            yield Piece(start, self.store.cells(start, stop, room), self._numbers[number])

    def positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(tally.count for tally in self.tallies[side].values())
