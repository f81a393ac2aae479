"""Verify a table: every pair of a position and an accrued score, one ply at a time.

docs/verification.md says why this proves the table. Nothing here knows how tables are solved.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.score import Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.table import Table, Tally
from tbgen.verify.laws import Check, Progress, silent
from tbgen.verify.moves import new_scratch
from tbgen.verify.resets import EVERYTHING_FINE
from tbgen.verify.sample import drawn_cells, needs_of
from tbgen.verify.subject import (
    Cells,
    Source,
    child_values_of,
    look_up,
    rows_violation,
    shape_violation,
    some_child_values,
    some_subject,
    subject_of,
)
from tbgen.verify.sweeps import ALL_TASKS, find_filled, tally
from tbgen.verify.values import ChildValues
from tbgen.verify.violations import Report, Violation, fen_of, in_words

_SPARSE = 64
"""A sample that is more than one cell in so many is no sample."""


def verify_table(
    table: Table | TableFile,
    child_of: Callable[[Material], Source],
    *,
    sample: int | None = None,
    seed: int = 0,
    blanks: bool = True,
    threads: int | None = None,
    progress: Progress = silent,
) -> Report:
    """Check a table against its children, which are taken one at a time.

    With `sample`, only so many random positions, each with all its accrued scores; of tables that are files only what
    this needs is read, and tallies are not counted again. `blanks` says that cells without a position have no entry
    value, as a solver leaves them; a file fills them up with what packs best.
    """
    start, layout = time.monotonic(), layout_of(table.material)
    check: _WholeCheck | SampleCheck
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        if sample is not None and sample * _SPARSE < layout.cells:
            check = SampleCheck(table, child_of, pool, progress)
            check.cells = drawn_cells(layout, sample, seed)
        else:
            whole = table.table() if isinstance(table, TableFile) else table
            check = _WholeCheck(whole, child_of, pool, progress)
            check.blanks = blanks
        violation = check.first_violation()
    return Report(table.material, check.positions, check.pairs, time.monotonic() - start, violation)


class _WholeCheck(Check):
    """All positions of a table."""

    table: Table
    blanks: bool

    def _wrong_form(self) -> Violation | None:
        violation = shape_violation(self.table, self.layout) or rows_violation(self.table)
        if violation:
            return violation
        self.subject = subject_of(self.table)
        self.subject.task[:] = ALL_TASKS
        return self._unknown_pattern() or (self._filled_blank() if self.blanks else None)

    def _filled_blank(self) -> Violation | None:
        subject = self.subject
        cell = self._first_wrong(
            "blanks", lambda start, stop: find_filled(subject, new_scratch(), start, stop), self._ranges()
        )
        if cell == EVERYTHING_FINE:
            return None
        stored = in_words(int(subject.entry[cell]), int(subject.dtg[cell]))
        return Violation("cell of no legal position", stored, "nothing", fen_of(self.layout, cell))

    def _values_of(self, child: Source, cells: Callable[[], Cells]) -> ChildValues:
        return child_values_of(child.values() if isinstance(child, TableFile) else child)

    def _wrong_tallies(self) -> Violation | None:
        """Count once more how often each outcome is an entry value, and how long it takes."""
        recounted = self._recounted_tallies()
        for side in Color:
            stored = dict(self.table.tallies.get(side, {}))
            for outcome in sorted(recounted[side].keys() | stored.keys(), reverse=True):
                expected, there = recounted[side].get(outcome), stored.get(outcome)
                if expected != there:
                    return Violation(f"tally of {outcome} with {side} to move", str(there), str(expected))
        return None

    def _recounted_tallies(self) -> dict[Color, dict[Outcome, Tally]]:
        subject, orders, parts = self.subject, self.layout.orders, dict[int, npt.NDArray[np.int64]]()

        def look(start: int, stop: int) -> int:
            parts[start] = np.zeros((2, 256, 3), np.int64)
            return tally(subject, new_scratch(), orders, start, stop, parts[start])

        self._first_wrong("tallies", look, self._ranges())
        found = np.zeros((2, 256, 3), np.int64)
        for _, part in sorted(parts.items()):
            longer = (part[..., 0] > 0) & ((found[..., 0] == 0) | (part[..., 1] > found[..., 1]))
            found[longer, 1:] = part[longer, 1:]
            found[..., 0] += part[..., 0]
        return {side: _tallies_in(found[side]) for side in Color}


class SampleCheck(Check):
    """Some positions of a table; nothing is known of it but what their check needs."""

    cells: Cells

    def _wrong_form(self) -> Violation | None:
        violation = rows_violation(self.table)
        if violation:
            return violation
        cells, tasks = needs_of(self.layout, self.cells)
        self.subject = some_subject(self.table, cells, partial(self._progress, "reading"))
        self.subject.task[:-1] = tasks
        return self._unknown_pattern()

    def _values_of(self, child: Source, cells: Callable[[], Cells]) -> ChildValues:
        return some_child_values(child, cells(), partial(self._progress, f"reading {child.material}"))

    def _wrong_tallies(self) -> Violation | None:
        """The positions that tallies name as the longest have the outcome and the distance."""
        for side in Color:
            for outcome, stored in self.table.tallies.get(side, {}).items():
                entry, dtg = (int(found[0]) for found in look_up(self.table, np.array([stored.cell]))[:2])
                if (entry, dtg) != (outcome.to_byte(), stored.max_dtg):
                    fen, expected = fen_of(self.layout, stored.cell), in_words(outcome.to_byte(), stored.max_dtg)
                    return Violation(f"longest {outcome}", in_words(entry, dtg), expected, fen)
        return None


def _tallies_in(rows: npt.NDArray[np.int64]) -> dict[Outcome, Tally]:
    """The tallies of one side to move."""
    outcomes = ((byte, rows[byte & 255].tolist()) for byte in range(-127, 128))
    return {Outcome.from_byte(byte): Tally(*row) for byte, row in outcomes if row[0]}
