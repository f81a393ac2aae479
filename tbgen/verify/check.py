"""Verify a table: every pair of a position and an accrued score, one ply at a time.

docs/verification.md says why this proves the table. Nothing here knows how tables are solved.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import layout_of
from tbgen.material import Material, Role
from tbgen.score import Color, Score
from tbgen.storage.reader import TableFile
from tbgen.table import Table, Tally
from tbgen.verify.moves import new_scratch
from tbgen.verify.sample import child_cells, drawn_cells, needs_of, victim_cells
from tbgen.verify.subject import (
    Cells,
    Report,
    Source,
    Violation,
    child_values_of,
    fen_of,
    in_words,
    look_up,
    rows_violation,
    shape_violation,
    some_child_values,
    some_subject,
    subject_of,
)
from tbgen.verify.sweeps import (
    ALL_TASKS,
    EVERYTHING_FINE,
    MOST_CODES,
    check_pairs,
    find_filled,
    find_own_codes,
    fold_child,
    fold_pawn_moves,
    tally,
)
from tbgen.verify.values import ChildValues, Subject

Progress = Callable[[str, int, int], None]
"""Told the phase, and how many cells of how many are done."""
Range = tuple[int, int]

_RANGE_CELLS = 1 << 16


def silent(phase: str, done: int, total: int) -> None:
    """Progress that nobody wants to see."""
    del phase, done, total


class Check:
    """The phases of one check; each gives a violation or None."""

    subject: Subject

    def __init__(
        self,
        table: Table | TableFile,
        child_of: Callable[[Material], Source],
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

    def first_violation(self) -> Violation | None:
        """The first law that is broken."""
        violation = self._wrong_form() or self._wrong_position() or self._wrong_reset()
        if violation:
            return violation
        self._note_pawn_moves()
        return self._wrong_pair() or self._wrong_tallies()

    def _wrong_form(self) -> Violation | None:
        """Make the subject; what is wrong with it before any rule of chess is asked."""
        raise NotImplementedError

    def _wrong_tallies(self) -> Violation | None:
        """What is wrong with the counts of outcomes and longest distances."""
        raise NotImplementedError

    def _values_of(self, child: Source, cells: Callable[[], Cells]) -> ChildValues:
        """Values of a child, at least those in the cells in question."""
        raise NotImplementedError

    def _cell(self, place: int) -> int:
        """The cell at a place of the subject's arrays."""
        return int(self.subject.cells[place]) if len(self.subject.cells) else place

    def _places(self) -> int:
        """How many places are looked at."""
        return len(self.subject.cells) or self.layout.cells

    def _index_of_block(self, number: int) -> int:
        """The first place whose cell is in a block of this number or a later one."""
        cell = number * (self.layout.cells // len(self.layout.blocks))
        return int(np.searchsorted(self.subject.cells, cell)) if len(self.subject.cells) else cell

    def _ranges(self, start: int = 0, stop: int | None = None) -> Iterator[Range]:
        stop = self._places() if stop is None else stop
        for begin in range(start, stop, _RANGE_CELLS):
            yield begin, min(begin + _RANGE_CELLS, stop)

    def _first_wrong(self, phase: str, look: Callable[[int, int], int], ranges: Iterable[Range]) -> int:
        """The lowest place that `look` finds in the ranges, all of them looked through side by side."""
        tasks = [(self._pool.submit(look, *cells), cells[1]) for cells in ranges]
        try:
            for task, stop in tasks:
                found = task.result()
                if found != EVERYTHING_FINE:
                    return found
                self._progress(phase, stop, self._places())
        finally:
            for task, _ in tasks:
                task.cancel()
        return EVERYTHING_FINE

    def _unknown_pattern(self) -> Violation | None:
        subject, count = self.subject, len(self.table.patterns)

        def look(start: int, stop: int) -> int:
            wrong = (subject.pattern[start:stop] >= count) & (subject.entry[start:stop] != 0)
            return start + int(wrong.argmax()) if wrong.any() else EVERYTHING_FINE

        place = self._first_wrong("patterns", look, self._ranges())
        if place == EVERYTHING_FINE:
            return None
        stored = f"number {subject.pattern[place]}"
        return Violation("pattern", stored, f"less than {count}", fen_of(self.layout, self._cell(place)))

    def _wrong_position(self) -> Violation | None:
        subject = self.subject
        place = self._first_wrong(
            "positions", lambda start, stop: find_own_codes(subject, new_scratch(), start, stop), self._ranges()
        )
        if place == EVERYTHING_FINE:
            return None
        own, entry, dtg = int(subject.own[place]), int(subject.entry[place]), int(subject.dtg[place])
        cell = self._cell(place)
        fen = fen_of(self.layout, cell)
        if entry == 0:
            return Violation("legal position", "nothing", "an entry value", fen)
        side = self.layout.squares_of(cell)[0]
        expected = in_words(-own - 1 if side == int(Color.WHITE) else own + 1, 0)
        return Violation("end of the game", in_words(entry, dtg), expected, fen)

    def _wrong_reset(self) -> Violation | None:
        """Note what captures and promotions are worth, child by child."""
        for number, material in enumerate(self.layout.material.children()):
            child = self._child_of(material)
            violation = shape_violation(child, layout_of(material))
            if violation:
                return violation
            values = self._values_of(child, partial(child_cells, self.subject, number, material))
            violation = self._missing_successor(number, material, values)
            if violation:
                return violation
        return None

    def _missing_successor(self, number: int, material: Material, child: ChildValues) -> Violation | None:
        subject = self.subject
        place = self._first_wrong(
            f"resets to {material}",
            lambda start, stop: fold_child(subject, number, child, new_scratch(), start, stop),
            self._ranges(),
        )
        if place == EVERYTHING_FINE:
            return None
        law = f"a capture or promotion leads to {material}"
        return Violation(law, "nothing there", "an entry value there", fen_of(self.layout, self._cell(place)))

    def _note_pawn_moves(self) -> None:
        """Note what pawn moves are worth, block after block."""
        material = self.layout.material
        if not self.layout.pawns:
            return
        known = []
        for color in Color:
            if Role.PAWN in material.side(color):
                child = material.without(color, Role.PAWN).canonical()
                cells = partial(victim_cells, self.subject, color, child)
                known.append(self._values_of(self._child_of(child), cells))
        subject, victims = self.subject, (known[0], known[-1])
        for first, last in itertools.pairwise(self.layout.waves):
            self._first_wrong(
                "pawn moves",
                lambda start, stop: fold_pawn_moves(subject, victims, new_scratch(), new_scratch(), start, stop),
                self._ranges(self._index_of_block(first), self._index_of_block(last)),
            )

    def _wrong_pair(self) -> Violation | None:
        subject, reports = self.subject, dict[int, npt.NDArray[np.int64]]()

        def look(start: int, stop: int) -> int:
            reports[start] = np.zeros(8, np.int64)
            best = np.empty((2, MOST_CODES), np.int64)
            return check_pairs(subject, new_scratch(), best, start, stop, reports[start])

        place = self._first_wrong("pairs", look, self._ranges())
        self.positions = sum(int(report[6]) for report in reports.values())
        self.pairs = sum(int(report[7]) for report in reports.values())
        if place == EVERYTHING_FINE:
            return None
        holder, code, *values = map(int, reports[place // _RANGE_CELLS * _RANGE_CELLS][:6])
        accrued = Score(code, Color(holder))
        law = "value" if values[0] != values[2] else "distance"
        fen = fen_of(self.layout, self._cell(place), accrued)
        return Violation(law, in_words(*values[:2]), in_words(*values[2:]), fen, accrued)


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

    def _recounted_tallies(self) -> dict[Color, dict[Score, Tally]]:
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


def _tallies_in(rows: npt.NDArray[np.int64]) -> dict[Score, Tally]:
    """The tallies of one side to move."""
    outcomes = ((byte, rows[byte & 255].tolist()) for byte in range(-127, 128))
    return {Score.from_byte(byte): Tally(*row) for byte, row in outcomes if row[0]}
