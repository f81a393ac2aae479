"""Verify a table: every pair of a position and an accrued score, one ply at a time.

docs/verification.md says why this proves the table. Nothing here knows how tables are solved.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import layout_of
from tbgen.material import Material, Role
from tbgen.score import Accrued, Color, Outcome
from tbgen.table import Table, Tally, Values
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.resets import EVERYTHING_FINE, fold_child, fold_pawn_moves
from tbgen.verify.subject import child_values_of, rows_violation, shape_violation, subject_of
from tbgen.verify.sweeps import ALL_TASKS, check_pairs, find_filled, find_own_codes, find_own_codes_of, mark, tally
from tbgen.verify.values import ChildValues
from tbgen.verify.violations import Report, Violation, fen_of, in_words

Progress = Callable[[str, int, int], None]
"""Told the phase, and how many cells of how many are done."""
Range = tuple[int, int]

_RANGE_CELLS = 1 << 16
_SPARSE = 64
"""A sample that is more than one cell in so many is no sample."""


def silent(phase: str, done: int, total: int) -> None:
    """Progress that nobody wants to see."""
    del phase, done, total


def verify_table(
    table: Table,
    child_of: Callable[[Material], Table | Values],
    *,
    sample: int | None = None,
    seed: int = 0,
    blanks: bool = True,
    threads: int | None = None,
    progress: Progress = silent,
) -> Report:
    """Check a table against its children, which are taken one at a time.

    With `sample`, only so many random positions, each with all its accrued scores; rows and tallies are
    checked in full all the same. `blanks` says that cells without a position have no entry value, as a
    solver leaves them; a file fills them up with what packs best.
    """
    start = time.monotonic()
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        check = _Check(table, child_of, pool, progress)
        violation = check.first_violation(sample, seed, blanks=blanks)
    return Report(table.material, check.positions, check.pairs, time.monotonic() - start, violation)


class _Check:
    """The phases of one check; each gives a violation or None."""

    def __init__(
        self,
        table: Table,
        child_of: Callable[[Material], Table | Values],
        pool: ThreadPoolExecutor,
        progress: Progress,
    ) -> None:
        self.table = table
        self.layout = layout_of(table.material)
        self.positions = 0
        self.pairs = 0
        self._child_of = child_of
        self._pool = pool
        self._progress = progress

    def first_violation(self, sample: int | None, seed: int, *, blanks: bool) -> Violation | None:
        violation = shape_violation(self.table, self.layout) or rows_violation(self.table)
        if violation:
            return violation
        self.subject = subject_of(self.table)
        violation = self._unknown_pattern() or (self._filled_blank() if blanks else None)
        if violation:
            return violation
        if sample is None:
            self.subject.task[:] = ALL_TASKS
        else:
            self._draw(sample, seed)
        violation = self._wrong_position() or self._wrong_reset()
        if violation:
            return violation
        self._note_pawn_moves()
        return self._wrong_pair() or self._wrong_tallies()

    def _draw(self, sample: int, seed: int) -> None:
        """Ask for the check of so many random positions; of all cells where that would be a large part of them."""
        random, cells, task = np.random.default_rng(seed), self.layout.cells, self.subject.task
        if sample * _SPARSE >= cells:
            task[:] = ALL_TASKS
            return
        missing = sample
        while missing > 0:
            drawn = np.unique(random.integers(0, cells, missing))
            drawn = drawn[task[drawn] == 0]
            task[drawn] = ALL_TASKS
            missing -= find_own_codes_of(self.subject, drawn)
        self._mark(np.flatnonzero((task == ALL_TASKS) & (self.subject.own != NO_POSITION)))

    def _mark(self, cells: npt.NDArray[np.int64]) -> None:
        """Ask for all that the check of these cells needs."""
        while len(cells):
            found = np.empty(len(cells) * 4, np.int64)
            cells = found[: mark(self.subject, cells, found)]

    def _ranges(self, start: int = 0, stop: int | None = None) -> Iterator[Range]:
        stop = self.layout.cells if stop is None else stop
        for begin in range(start, stop, _RANGE_CELLS):
            yield begin, min(begin + _RANGE_CELLS, stop)

    def _first_wrong(self, phase: str, look: Callable[[int, int], int], ranges: Iterable[Range]) -> int:
        """The lowest cell that `look` finds in the ranges, all of them looked through side by side."""
        tasks = [(self._pool.submit(look, *cells), cells[1]) for cells in ranges]
        try:
            for task, stop in tasks:
                found = task.result()
                if found != EVERYTHING_FINE:
                    return found
                self._progress(phase, stop, self.layout.cells)
        finally:
            for task, _ in tasks:
                task.cancel()
        return EVERYTHING_FINE

    def _unknown_pattern(self) -> Violation | None:
        subject, count = self.subject, len(self.table.patterns)

        def look(start: int, stop: int) -> int:
            wrong = (subject.pattern[start:stop] >= count) & (subject.entry[start:stop] != 0)
            return start + int(wrong.argmax()) if wrong.any() else EVERYTHING_FINE

        cell = self._first_wrong("patterns", look, self._ranges())
        if cell == EVERYTHING_FINE:
            return None
        stored = f"number {subject.pattern[cell]}"
        return Violation("pattern", stored, f"less than {count}", fen_of(self.layout, cell))

    def _filled_blank(self) -> Violation | None:
        subject = self.subject
        cell = self._first_wrong("blanks", lambda start, stop: find_filled(subject, start, stop), self._ranges())
        if cell == EVERYTHING_FINE:
            return None
        stored = in_words(int(subject.entry[cell]), int(subject.dtg[cell]))
        return Violation("cell of no legal position", stored, "nothing", fen_of(self.layout, cell))

    def _wrong_position(self) -> Violation | None:
        subject = self.subject
        cell = self._first_wrong("positions", lambda start, stop: find_own_codes(subject, start, stop), self._ranges())
        if cell == EVERYTHING_FINE:
            return None
        own, entry, dtg = int(subject.own[cell]), int(subject.entry[cell]), int(subject.dtg[cell])
        fen = fen_of(self.layout, cell)
        if entry == 0:
            return Violation("legal position", "nothing", "an entry value", fen)
        side = self.layout.squares_of(cell)[0]
        expected = in_words(-own - 1 if side == Color.WHITE else own + 1, 0)
        return Violation("end of the game", in_words(entry, dtg), expected, fen)

    def _wrong_reset(self) -> Violation | None:
        """Note what captures and promotions are worth, child by child."""
        for number, material in enumerate(self.layout.material.children()):
            child = self._child_of(material)
            violation = shape_violation(child, layout_of(material))
            if violation:
                return violation
            violation = self._missing_successor(number, material, child_values_of(child))
            if violation:
                return violation
        return None

    def _missing_successor(self, number: int, material: Material, child: ChildValues) -> Violation | None:
        subject = self.subject
        cell = self._first_wrong(
            f"resets to {material}",
            lambda start, stop: fold_child(subject, number, child, start, stop),
            self._ranges(),
        )
        if cell == EVERYTHING_FINE:
            return None
        law = f"a capture or promotion leads to {material}"
        return Violation(law, "nothing there", "an entry value there", fen_of(self.layout, cell))

    def _note_pawn_moves(self) -> None:
        """Note what pawn moves are worth, block after block."""
        material = self.layout.material
        if not self.layout.pawns:
            return
        children = [
            material.without(color, Role.PAWN).canonical() for color in Color if Role.PAWN in material.side(color)
        ]
        known = [child_values_of(self._child_of(child)) for child in children]
        subject, victims = self.subject, (known[0], known[-1])
        block = self.layout.cells // len(self.layout.blocks)
        for first, last in zip(self.layout.waves, self.layout.waves[1:], strict=False):
            self._first_wrong(
                "pawn moves",
                lambda start, stop: fold_pawn_moves(subject, victims, start, stop),
                self._ranges(first * block, last * block),
            )

    def _wrong_pair(self) -> Violation | None:
        subject, reports = self.subject, dict[int, npt.NDArray[np.int64]]()

        def look(start: int, stop: int) -> int:
            reports[start] = np.zeros(8, np.int64)
            return check_pairs(subject, start, stop, reports[start])

        cell = self._first_wrong("pairs", look, self._ranges())
        self.positions = sum(int(report[6]) for report in reports.values())
        self.pairs = sum(int(report[7]) for report in reports.values())
        if cell == EVERYTHING_FINE:
            return None
        holder, code, *values = map(int, reports[cell // _RANGE_CELLS * _RANGE_CELLS][:6])
        accrued = Accrued(code, Color(holder))
        law = "value" if values[0] != values[2] else "distance"
        fen = fen_of(self.layout, cell, accrued)
        return Violation(law, in_words(*values[:2]), in_words(*values[2:]), fen, accrued)

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
            return tally(subject, orders, start, stop, parts[start])

        self._first_wrong("tallies", look, self._ranges())
        found = np.zeros((2, 256, 3), np.int64)
        for _, part in sorted(parts.items()):
            longer = (part[..., 0] > 0) & ((found[..., 0] == 0) | (part[..., 1] > found[..., 1]))
            found[longer, 1:] = part[longer, 1:]
            found[..., 0] += part[..., 0]
        return {side: _tallies_in(found[side]) for side in Color}


def _tallies_in(rows: npt.NDArray[np.int64]) -> dict[Outcome, Tally]:
    """The tallies of one side to move."""
    outcomes = ((byte, rows[byte & 255].tolist()) for byte in range(-127, 128))
    return {Outcome.from_byte(byte): Tally(*row) for byte, row in outcomes if row[0]}
