"""Runs: where solved cells go, how all of them together are a table, and what is counted of it.

Blocks are solved in runs, each with a dictionary of patterns of its own, so that a run says all there is to
know about its blocks: it can leave memory, and a build that was interrupted can go on from the runs it finds.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from tbgen.compiled.arrays import Int, Ints, NewArray
from tbgen.compiled.jit import borrowing
from tbgen.index.handover import Cells, Dictionary, Distances, Entries, Piece, Run
from tbgen.index.kernels import row_of_byte
from tbgen.index.layout import layout_of
from tbgen.index.outcomes import ROWS, byte_of_row
from tbgen.index.words import square_bit
from tbgen.material import Material
from tbgen.retro.patterns.histories import merge_patterns
from tbgen.retro.words.block import BlockValues, is_halved, primary_kings
from tbgen.retro.words.geometry import Geometry
from tbgen.score import Color, Mobility, Score
from tbgen.table import Tally

Kept = tuple[Run, Dictionary, Cells]
"""A solved run, with the dictionary of its patterns and what its cells hold."""


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
        material: Material,
        store: BlockStore,
        mobility: Mobility = Mobility.RESET,
        new: NewArray = np.zeros,
    ) -> None:
        """`new` makes the arrays in which the rows of patterns lie."""
        self.material, self.store, self.mobility = material, store, mobility
        self.phase_seconds: Mapping[str, float] = {}
        self._runs = store.runs()
        self._starts = [run.first for run in self._runs]
        rows = sum(run.rows for run in self._runs)
        self.patterns, self._numbers = merge_patterns(
            (store.dictionary(run) for run in self._runs), rows, new
        )
        found = merged((run.first, run.found) for run in self._runs)
        self.tallies = tallies_of(found, layout_of(material).orders)

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """What cells first to end hold, run by run."""
        for number in range(bisect_right(self._starts, first) - 1, bisect_left(self._starts, end)):
            run = self._runs[number]
            start, stop = max(first, run.first), min(end, run.end)
            yield Piece(start, self.store.cells(start, stop, room), self._numbers[number])

    def positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(tally.count for tally in self.tallies[side].values())


Found: TypeAlias = Ints
"""[side, row of an outcome's byte] -> count, longest distance, first cell that has it."""


def nothing_found() -> Found:
    """Before anything is counted."""
    found = np.zeros((2, ROWS, 3), np.int64)
    found[:, :, 1:] = -1
    return found


@borrowing
def count_words(
    geometry: Geometry,
    values: BlockValues,
    own_mirror: bool,
    first: int,
    end: int,
    base: Int,
    men: Ints,
    found: Found,
) -> None:
    """Count a range of words of a block, and clear their cells that are not primary.

    Cells are numbered as if the block's first one had the number `base`; `men` is scratch space for a word's men.
    """
    entry, dtg = values.entry, values.dtg
    with_pawns = len(geometry.pawn_color) > 0
    for side in range(2):
        for word in range(first, end):
            weight = (2 if with_pawns else 8) // (2 if is_halved(geometry, word, own_mirror) else 1)
            primary = primary_kings(geometry, word, own_mirror, men)
            for square in range(64):
                cell = (side * geometry.words + word) * 64 + square
                byte = np.int64(entry[cell])
                if byte == 0:
                    continue
                row = row_of_byte(byte)
                found[side, row, 0] += weight
                if not primary & square_bit(square):
                    entry[cell] = 0
                    if dtg[cell]:  # outcomes alone have none: writing zeros would take up memory
                        dtg[cell] = 0
                elif np.int64(dtg[cell]) > found[side, row, 1]:
                    found[side, row, 1] = dtg[cell]
                    found[side, row, 2] = base + cell


def merged(parts: Iterable[tuple[int, Found]]) -> Found:
    """What was found in parts of a table, in the order of their cells; each comes with its first cell."""
    total = nothing_found()
    for first, found in parts:
        total[:, :, 0] += found[:, :, 0]
        longer = found[:, :, 1] > total[:, :, 1]
        total[longer, 1:] = found[longer, 1:] + [0, first]
    return total


def tallies_of(found: Found, orders: int) -> dict[Color, Mapping[Score, Tally]]:
    """The tallies of a whole table; equal men can be told apart in so many `orders`."""
    tallies = dict[Color, Mapping[Score, Tally]]()
    for color in Color:
        here = found[color] * [orders, 1, 1]
        rows = np.flatnonzero(here[:, 0]).tolist()
        known = {Score.from_signed(byte_of_row(row)): Tally(*here[row].tolist()) for row in rows}
        tallies[color] = dict(sorted(known.items(), reverse=True))
    return tallies
