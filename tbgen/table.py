"""A solved table, whole or in parts, as solver, store, writer and reader hand it on.

A cell has three numbers: the entry value as a signed outcome byte, its distance, and the *pattern*
of the middle, which gives the values with scores that have accrued before (see `Patterns`). Cells
without a position and cells that are not primary have a zero entry.

A table is solved in *runs* of blocks. Each run has a dictionary of patterns of its own. When all
runs are there, their dictionaries are merged. *Pieces* then hand on the cells, with the numbers of
their patterns in the merged dictionary.

Counts are over all placements of labelled men on 64 squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints, Ints32, Shorts, SignedBytes, WideInts, Words
from tbgen.index.layout import Layout, layout_of
from tbgen.material import TableMaterial
from tbgen.score import Color, Mobility, Score

Entries = SignedBytes
"""[cell] -> entry value as a signed outcome byte, 0 where there is no position."""
Distances = Shorts
Numbers = Ints32
"""[cell] -> number of its pattern."""
Queries = Sequence[tuple[Score, int]]
"""Accrued scores that a block is asked for, each with a cell.

Cells with Black to move are behind those with White to move.
"""


@dataclass(frozen=True, eq=False)
class Box:
    """Some cells of a plane (a block with one side to move).

    They are a range of every axis from one king to the other.
    """

    first: Ints
    size: Ints
    stride: Ints
    """[axis] how far apart neighbours lie in the arrays that `read` returns."""
    read: Callable[[], tuple[Entries, Distances]]
    """Reads entry values and distances."""

    @classmethod
    def whole(cls, layout: Layout, read: Callable[[], tuple[Entries, Distances]]) -> Box:
        """All cells of a plane."""
        size = np.array(layout.shape[2:], np.int64)
        stride = 64 ** np.arange(len(size) - 1, -1, -1, dtype=np.int64)
        return cls(np.zeros_like(size), size, stride, read)


class Dictionary(NamedTuple):
    """The patterns of a run: pattern n has the rows start[n] to start[n + 1].

    Each row is one number.
    """

    start: Ints
    rows: Ints
    often: Ints
    """[pattern] -> how many cells have it."""


class Cells(NamedTuple):
    """The values of some cells, as flat arrays."""

    entry: Entries
    dtg: Distances
    pattern: Numbers

    def part(self, first: int, end: int) -> Cells:
        return Cells(self.entry[first:end], self.dtg[first:end], self.pattern[first:end])

    @classmethod
    def room(cls, size: int) -> Cells:
        return cls(np.empty(size, np.int8), np.empty(size, np.uint16), np.empty(size, np.uint32))


class Piece(NamedTuple):
    """Some cells whose patterns have a numbering of their own."""

    first: int
    """The first cell."""
    cells: Cells
    numbers: Ints32
    """[number of a pattern in the cells] -> its number in the table."""


@dataclass(frozen=True, eq=False)
class Run:
    """A solved run of a table's cells."""

    first: int
    """Its first cell, and the one after its last."""
    end: int
    rows: int
    """The number of rows of its dictionary."""
    found: Ints
    """How often each outcome occurs, with its longest distance and its first cell.

    Cells count from the run's first.
    """
    en_passant: tuple[Entries, Distances]
    """Values of positions with a right to take en passant, in the order of ChildTables."""


class Child(Protocol):
    """A table that resets lead to, as a solver reads it.

    Cells without a position may have any value.
    """

    def planes(self, first: int, end: int) -> tuple[Entries, Distances]:
        """The values of some planes, in the order of the layout's cells.

        Several threads may call this.
        """

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        """The values of one plane, in parts that several threads can read one by one."""


@dataclass(frozen=True, eq=False)
class EntryValues:
    """Entry values and distances; flat arrays in the order of the layout's cells."""

    material: TableMaterial
    entry: Entries
    dtg: Distances

    def values(self) -> EntryValues:
        return self

    def planes(self, first: int, end: int) -> tuple[Entries, Distances]:
        cells = layout_of(self.material).block_words * 64
        part = slice(first * cells, end * cells)
        return self.entry[part], self.dtg[part]

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        layout = layout_of(self.material)
        cells = layout.block_words * 64
        plane = (2 * block + int(side)) * cells
        part = slice(plane, plane + cells)

        def read() -> tuple[Entries, Distances]:
            return self.entry[part], self.dtg[part]

        return [Box.whole(layout, read)]


def often_first(often: npt.NDArray[Any]) -> Words:
    """The numbers of patterns, states or the like in falling order of their counts.

    Equal counts by number.

    If numbers and counts are below 2**32, this sorts plain numbers.
    """
    rare = np.uint64(often.max(initial=0)) - often.astype(np.uint64, copy=False)
    largest = max(len(rare), int(rare.max(initial=0)))
    if largest >> 32:  # some states of six-man tables have billions of cells
        return np.argsort(rare, kind="stable").astype(np.uint64)
    rare <<= np.uint64(32)
    rare |= np.arange(len(often), dtype=np.uint64)
    rare.sort()
    rare &= np.uint64(0xFFFFFFFF)
    return rare


@dataclass(frozen=True, eq=False)
class Patterns:
    """How holds break: pattern n has the rows start[n] to start[n + 1], sorted by holder and code.

    A row means: from this accrued code of this holder on (until its next row) the other side can
    bring about `outcome` in `dtg` plies. The hold stands if there is no row, or if that outcome is
    no worse for the holder than the accrued score. Pattern 0 has no rows.
    """

    start: WideInts
    holder: npt.NDArray[np.uint8]
    code: npt.NDArray[np.uint8]
    outcome: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.start) - 1

    def held(self, pattern: int, accrued: Score) -> tuple[Score, int]:
        """The outcome and distance, if nobody can improve an accrued score for its holder."""
        first = int(self.start[pattern])
        end = int(self.start[pattern + 1])
        for row in range(end - 1, first - 1, -1):
            if self.holder[row] == int(accrued.holder) and self.code[row] <= accrued.code:
                outcome = Score.from_signed(int(self.outcome[row]))
                if outcome.worth_to(accrued.holder) < accrued.worth_to(accrued.holder):
                    return outcome, int(self.dtg[row])
                break
        return accrued, 0


@dataclass(frozen=True)
class Tally:
    """How often an outcome is an entry value, its longest distance, and its first cell."""

    count: int
    max_dtg: int
    cell: int


@dataclass(frozen=True, eq=False)
class Table(EntryValues):
    """A solved material."""

    pattern: Numbers
    patterns: Patterns
    tallies: Mapping[Color, Mapping[Score, Tally]]
    """By side to move, best outcome for White first."""
    mobility: Mobility = Mobility.RESET

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """The values of the cells from `first` up to `end`."""
        cells = Cells(self.entry, self.dtg, self.pattern).part(first, end)
        yield Piece(first, cells, np.arange(len(self.patterns), dtype=np.uint32))


class Content(Protocol):
    """A solved material, as the writer of files reads it, wherever its cells lie."""

    @property
    def material(self) -> TableMaterial: ...
    @property
    def mobility(self) -> Mobility: ...
    @property
    def patterns(self) -> Patterns: ...
    @property
    def tallies(self) -> Mapping[Color, Mapping[Score, Tally]]: ...

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """The values of the cells from `first` up to `end`.

        Do not change them. Several threads may call this.

        Pieces also end where planes do. If the cells have to be read, each piece may use `room`
        again, so `room` must be large enough for any of them.
        """
