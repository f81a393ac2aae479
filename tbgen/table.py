"""A solved material in memory. Counts are over all placements of labelled men on 64 squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import WideInts
from tbgen.index.handover import Cells, EntryValues, Numbers, Piece
from tbgen.material import Material
from tbgen.score import Color, Mobility, Score


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
    def material(self) -> Material: ...
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
