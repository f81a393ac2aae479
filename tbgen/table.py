"""A solved material in memory. Counts are over all placements of labelled men on 64 squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import WideInts
from tbgen.index.handover import Cells, EntryValues, Numbers, Piece
from tbgen.index.layout import Layout
from tbgen.index.outcomes import are_white, codes_of, worth_to_white
from tbgen.material import Material
from tbgen.score import Color, Mobility, Score

_CODE_BITS = 11
_KEY_BITS = _CODE_BITS + 1

MOST_KEPT_CELLS = 1 << 24
"""Tables with at most this many cells are solved in seconds and stay in memory."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """How holds break: pattern n has the rows start[n] to start[n + 1], sorted by holder and code.

    A row means: from this accrued code of this holder on (until its next row) the other side can bring about `outcome`
    in `dtg` plies. The hold stands if there is no row, or if that outcome is no worse for the holder than the accrued
    score. Pattern 0 has no rows.
    """

    start: WideInts
    holder: npt.NDArray[np.uint8]
    code: npt.NDArray[np.uint8]
    outcome: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.start) - 1

    def values(
        self, patterns: npt.NDArray[np.uint32], accrued: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The outcomes and distances, signed, of positions whose accrued scores stand or are broken."""
        wanted = patterns.astype(np.int64) << _KEY_BITS | ~are_white(accrued) << _CODE_BITS | codes_of(accrued)
        row = np.searchsorted(self._keys, wanted, side="right") - 1
        found = row >= 0
        found[found] = self._keys[row[found]] >> _CODE_BITS == wanted[found] >> _CODE_BITS
        outcome, dtg = accrued.copy(), np.zeros(len(accrued), np.int64)
        broken = self.outcome[row[found]].astype(np.int64)
        loss = worth_to_white(accrued[found]) - worth_to_white(broken)
        worse = np.where(are_white(accrued[found]), loss, -loss) > 0
        places = np.flatnonzero(found)[worse]
        outcome[places], dtg[places] = broken[worse], self.dtg[row[places]]
        return outcome, dtg

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        """[row] pattern, holder and code as one number, in ascending order."""
        start = self.start.astype(np.int64)
        pattern = np.repeat(np.arange(len(self), dtype=np.int64), start[1:] - start[:-1])
        keys: npt.NDArray[np.int64] = pattern << _KEY_BITS | self.holder.astype(np.int64) << _CODE_BITS | self.code
        return keys


@dataclass(frozen=True)
class Tally:
    """How often an outcome is an entry value, its longest distance, and the first cell that has it."""

    count: int
    max_dtg: int
    cell: int


@dataclass(frozen=True)
class Effort:
    """The cost of solving a table."""

    phase_seconds: Mapping[str, float] = field(default_factory=dict)
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    threads: int = 1


@dataclass(frozen=True, eq=False)
class Table(EntryValues):
    """A solved material."""

    pattern: Numbers
    patterns: Patterns
    tallies: Mapping[Color, Mapping[Score, Tally]]
    """By side to move, best outcome for White first."""
    figures: Effort = field(default_factory=Effort)
    game: Mobility = Mobility.RESET

    def positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(tally.count for tally in self.tallies[side].values())

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """The values of the cells from `first` up to `end`."""
        cells = Cells(self.entry, self.dtg, self.pattern).part(first, end)
        yield Piece(first, cells, np.arange(len(self.patterns), dtype=np.uint32))


def fits_memory(layout: Layout) -> bool:
    """Whether a table's solved blocks stay in memory: if it is small, or has just one."""
    return len(layout.blocks) == 1 or layout.cells <= MOST_KEPT_CELLS


class Content(Protocol):
    """A solved material, as the writer of files reads it, wherever its cells lie."""

    @property
    def material(self) -> Material: ...
    @property
    def game(self) -> Mobility: ...
    @property
    def patterns(self) -> Patterns: ...
    @property
    def tallies(self) -> Mapping[Color, Mapping[Score, Tally]]: ...

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        """The values of the cells from `first` up to `end`. Do not change them. Several threads may call this.

        Pieces also end where planes do. If the cells have to be read, each piece may use `room` again, so `room` must
        be large enough for any of them.
        """
