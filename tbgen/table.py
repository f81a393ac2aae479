"""Table: what a solved material holds, in memory.

Three numbers a cell: the entry value as a signed outcome byte, its distance, and the *pattern* of the
middle, which says what becomes of scores accrued before. Cells that hold no position, and cells that
are not primary, have a zero entry. Counts are over all placements of labelled men on 64 squares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tbgen.material import Material
from tbgen.score import Accrued, Color, Outcome


@dataclass(frozen=True, eq=False)
class Patterns:
    """How holds break: pattern n has the rows start[n] to start[n + 1], sorted by holder and code.

    A row says: from this accrued code of this holder on (until its next row) the other side can bring
    about `outcome` in `dtg` plies. Where that is no worse for the holder than what it has accrued, and
    where there is no row, the hold stands. Pattern 0 has no rows.
    """

    start: npt.NDArray[np.uint32]
    holder: npt.NDArray[np.uint8]
    code: npt.NDArray[np.uint8]
    outcome: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.start) - 1

    def value(self, pattern: int, accrued: Accrued) -> tuple[Outcome, int]:
        """The outcome and distance of a position whose accrued score nobody can better for its holder."""
        for row in range(int(self.start[pattern + 1]) - 1, int(self.start[pattern]) - 1, -1):
            if self.holder[row] == accrued.holder and self.code[row] <= accrued.code:
                outcome = Outcome.from_byte(int(self.outcome[row]))
                worse = outcome < accrued.outcome if accrued.holder is Color.WHITE else outcome > accrued.outcome
                return (outcome, int(self.dtg[row])) if worse else (accrued.outcome, 0)
        return accrued.outcome, 0


@dataclass(frozen=True, eq=False)
class Values:
    """What a solver asks of a table that resets lead to; flat arrays in the order of its layout's cells."""

    material: Material
    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Tally:
    """How often an outcome is an entry value, its longest distance, and the first cell that has it."""

    count: int
    max_dtg: int
    cell: int


@dataclass(frozen=True)
class Figures:
    """What it took to solve a table."""

    phase_seconds: Mapping[str, float] = field(default_factory=dict)
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    sweeps: int = 0
    threads: int = 1


@dataclass(frozen=True, eq=False)
class Table:
    """A solved material; flat arrays in the order of its layout's cells."""

    material: Material
    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]
    patterns: Patterns
    tallies: Mapping[Color, Mapping[Outcome, Tally]]
    """By side to move, best outcome for White first."""
    figures: Figures = field(default_factory=Figures)

    def positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(tally.count for tally in self.tallies[side].values())
