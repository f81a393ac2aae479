"""Verify a table: every pair of a position and an accrued score, one ply at a time.

docs/verification.md shows why this proves the table. The verifier does not know how tables are
solved.
"""

from __future__ import annotations

import itertools
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.facts import facts_of
from tbgen.index.layout import fen_of_cell, layout_of
from tbgen.material import Material, with_man
from tbgen.men import Role
from tbgen.score import Color, Score
from tbgen.storage.reader import TableFile
from tbgen.system.watching import tell_nobody
from tbgen.table import Table, Tally
from tbgen.text import in_plies
from tbgen.verify.cells import Men, men_of
from tbgen.verify.moves import new_scratch
from tbgen.verify.pairs import MOST_CODES, check_pairs, find_other_break, find_own_codes, tally
from tbgen.verify.resets import (
    EVERYTHING_FINE,
    MOST_NEEDS,
    PAIRS_TASK,
    ChildTable,
    drawn_cells,
    fold_pawn_moves,
    list_resets,
    needs_of,
    note_resets,
)
from tbgen.verify.values import TableSource, known_in, rows_in_outcomes, rows_of, subject_of

TellPhase = Callable[[str, int, int], None]
"""Receives the phase, the number of checked cells and that of all cells."""

Range = tuple[int, int]
"""The first index, and the one after the last."""

_RANGE_CELLS = 1 << 16
"""The number of cells that a thread checks at once."""
_LISTED = 1 << 12
"""The number of cells whose resets are listed together."""
_STATES = 1 << 20
"""The number of states that are checked together: a table may have forty million."""
_SPARSE = 64
"""If a sample has more than one cell in this many, the whole table is read."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that a table breaks, and the position."""

    law: str
    stored: str
    expected: str
    fen: str | None = None
    accrued: Score | None = None

    def __str__(self) -> str:
        where = "" if self.fen is None else f"{self.fen}: "
        return f"{where}{self.law}: stored {self.stored}, expected {self.expected}"

    def facts(self) -> dict[str, Any]:
        """The violation as JSON has it, with the FEN as other programs read it."""
        fen = None
        if self.fen is not None:
            fen = " ".join(self.fen.split()[:6])
        return facts_of(self, fen=fen)


@dataclass(frozen=True, slots=True)
class Report:
    """The extent and the result of a check; `pairs` are of a position and an accrued score."""

    material: Material
    positions: int
    pairs: int
    seconds: float
    violation: Violation | None
    outcomes_only: bool = False
    """Whether there were no distances: outcomes that agree with the moves are not proved by that.
    """

    def facts(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return facts_of(
            self,
            right=self.violation is None,
            symmetry_left_out=True,
            seconds=round(self.seconds, 3),
        )


def in_words(outcome: int, dtg: int) -> str:
    """A signed outcome and its distance.

    >>> in_words(-8, 3)
    '-G3.5 in 3 plies'
    """
    if outcome == 0:
        return "nothing"
    return f"{Score.from_signed(outcome)} in {in_plies(dtg)}"


def verify_table(
    table: Table | TableFile,
    child_of: Callable[[Material], TableSource],
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: TellPhase = tell_nobody,
) -> Report:
    """Check a table against its children.

    Children are read one at a time. Those of en passant captures stay longer. With `sample`, the
    check takes only so many random positions, each with all its accrued scores. It then unpacks
    only what it needs of a file, and does not count tallies again. Cells without a position may
    have any value, because a file fills them with the value that packs best. Checksums come first.
    Outcomes, which the files have twice, come last. A file that is read for its outcomes alone is
    compared with the moves as far as these go, which is no proof.
    """
    start = time.monotonic()
    if isinstance(table, TableFile):
        progress("checksum", 0, table.size)
        table.check()
    layout = layout_of(table.material)
    cells = None
    if sample is not None and sample * _SPARSE < layout.cells:
        cells = drawn_cells(layout, sample, seed)
    outcomes_only = isinstance(table, TableFile) and table.outcomes_only
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        check = Check(table, child_of, pool, progress, cells)
        violation = next(check.violations(), None)
        if violation is None and isinstance(table, TableFile) and not outcomes_only:
            in_file = itertools.chain(_wrong_examples(table), check.wrong_outcome_rows(table))
            violation = next(in_file, None)
    positions, pairs = check.counts.sum(axis=0).tolist()
    seconds = time.monotonic() - start
    return Report(table.material, positions, pairs, seconds, violation, outcomes_only)


class Check:
    """The phases of one check.

    A phase relies on those before it, so only the first violation is certain.

    It checks all positions of a table, or those in some cells. For the latter it reads only what
    they need.
    """

    def __init__(
        self,
        table: Table | TableFile,
        child_of: Callable[[Material], TableSource],
        pool: ThreadPoolExecutor,
        progress: TellPhase = tell_nobody,
        cells: Ints | None = None,
    ) -> None:
        self._child_of = child_of
        self._pool = pool
        self._progress = progress
        self._is_sample = cells is not None
        self.layout = layout_of(table.material)
        self.table = table
        needed = None
        self._cells: Sequence[int] | Ints = range(self.layout.cells)
        """[index in the subject's arrays] -> cell."""
        tasks: int | npt.NDArray[np.uint8] = PAIRS_TASK
        if cells is not None:
            needed, tasks = needs_of(self.layout, cells)
            self._cells = needed
        elif isinstance(table, TableFile) and not table.outcomes_only:
            self.table = table.table()
        self.subject = subject_of(self.table, needed, partial(progress, "reading"))
        self.subject.task[: len(self._cells)] = tasks
        self.counts = np.zeros((0, 2), np.int64)
        """[range] -> the number of checked positions and pairs."""
        self._without_pawn = dict[Color, ChildTable]()

    def violations(self) -> Iterator[Violation]:
        """The broken laws."""
        if self.subject.plies:
            yield from rows_violations(self.table)
        yield from self._wrong_positions()
        yield from self._wrong_resets()
        yield from self._wrong_pairs()
        if not self._is_sample:
            yield from self._wrong_counts()
        elif self.subject.plies:
            yield from self._wrong_longest()

    def _fen(self, index: int, accrued: Score | None = None) -> str:
        """The FEN of the cell at an index.

        A halfmove clock of 1 means that another score has accrued.
        """
        fen = fen_of_cell(self.layout, int(self._cells[index]))
        if accrued is None:
            return fen
        return f"{fen.removesuffix('0 1')}1 1 {accrued}"

    def _ranges(self, step: int, first: int = 0, end: int | None = None) -> list[Range]:
        """Ranges of indices, within bounds or of all."""
        end = len(self._cells) if end is None else end
        return [(start, min(start + step, end)) for start in range(first, end, step)]

    def _wrong(
        self,
        phase: str,
        look: Callable[[int, int], int],
        ranges: Sequence[Range],
        total: int | None = None,
    ) -> Iterator[int]:
        """The lowest index that `look` finds in each range.

        Threads search the ranges side by side.
        """
        most = len(self._cells) if total is None else total

        def look_in(bounds: Range) -> int:
            return look(*bounds)

        indices = cast("Generator[int, None, None]", self._pool.map(look_in, ranges))
        with closing(indices):  # which cancels the rest, however the loop ends
            for (_, end), index in zip(ranges, indices, strict=True):
                if index != EVERYTHING_FINE:
                    yield index
                self._progress(phase, end, most)

    def _wrong_positions(self) -> Iterator[Violation]:
        subject = self.subject

        def look(start: int, end: int) -> int:
            return find_own_codes(subject, new_scratch(), start, end)

        for index in self._wrong("positions", look, self._ranges(_RANGE_CELLS)):
            entry = int(subject.entry[index])
            stored = in_words(entry, int(subject.dtg[index]))
            fen = self._fen(index)
            if entry == 0:
                yield Violation("legal position", stored, "an entry value", fen)
                continue
            holder = Color.BLACK if " w " in fen else Color.WHITE
            own_score = Score(int(subject.own[index]), holder)
            yield Violation("end of the game", stored, in_words(own_score.signed, 0), fen)

    def _wrong_resets(self) -> Iterator[Violation]:
        """Note the values of captures and promotions, child by child, then of pawn moves."""
        for number, material in enumerate(self.layout.material.children()):
            yield from self._missing_successors(number, material)
        if self.layout.pawns:
            self._note_pawn_moves()

    def _missing_successors(self, number: int, material: Material) -> Iterator[Violation]:
        """Note the values of resets to a child.

        A check of some positions reads only their cells of it.
        """
        child = self._child(number, material)
        for color in Color:
            if self._is_without_pawn(material, color):
                self._without_pawn[color] = child

        def look(start: int, end: int) -> int:
            return note_resets(self.subject, child, self._resets_to(number, child.men, start, end))

        for index in self._wrong(f"resets to {material}", look, self._ranges(_LISTED)):
            law = f"a capture or promotion leads to {material}"
            yield Violation(law, "nothing there", "an entry value there", self._fen(index))

    def _child(self, number: int, material: Material) -> ChildTable:
        """The values of a child: of all cells, or of those that a check of some positions needs."""
        men = men_of(layout_of(material))
        cells = None
        if self._is_sample:
            listed = [
                np.unique(self._resets_to(number, men, start, end)[0])
                for start, end in self._ranges(_LISTED)
            ]
            cells = np.unique(np.concatenate(listed))
        tell = partial(self._progress, f"reading {material}")
        columns = known_in(self._child_of(material), cells, tell)
        if cells is None:
            cells = np.zeros(0, np.int64)
        return ChildTable(men, cells, entry=columns[0], dtg=columns[1])

    def _is_without_pawn(self, child: Material, color: Color) -> bool:
        """Whether a child is the table without a pawn of a colour.

        Captures en passant lead to it.
        """
        parent = self.layout.material
        if Role.PAWN not in parent.side(color):
            return False
        return with_man(parent, color, Role.PAWN).canonical() == child

    def _resets_to(self, number: int, men: Men, start: int, end: int) -> Ints:
        """The resets from a range of indices to a child, as list_resets writes them."""
        resets = np.empty((3, (end - start) * MOST_NEEDS), np.int64)
        count = list_resets(
            self.subject, number, men, new_scratch(), new_scratch(), start, end, resets
        )
        return resets[:, :count].copy()

    def _note_pawn_moves(self) -> None:
        """Note the values of pawn moves, block by block."""
        # Nobody takes en passant if one side has no pawns, so any table serves for that side.
        any_child = next(iter(self._without_pawn.values()))
        children = (
            self._without_pawn.get(Color.WHITE, any_child),
            self._without_pawn.get(Color.BLACK, any_child),
        )

        def look(start: int, end: int) -> int:
            return fold_pawn_moves(self.subject, children, new_scratch(), new_scratch(), start, end)

        cells_of_block = 2 * 64 * self.layout.block_words
        waves = [bisect_left(self._cells, block * cells_of_block) for block in self.layout.waves]
        for first, end in itertools.pairwise(waves):
            indices = self._wrong("pawn moves", look, self._ranges(_LISTED, first, end))
            list(indices)  # which contain no fault

    def _wrong_pairs(self) -> Iterator[Violation]:
        ranges = self._ranges(_RANGE_CELLS)
        reports = np.zeros((len(ranges), 8), np.int64)
        """[range] -> what `check_pairs` reports."""
        self.counts = reports[:, 6:]

        def look(start: int, end: int) -> int:
            best = np.empty((2, MOST_CODES), np.int64)
            report = reports[start // _RANGE_CELLS]
            return check_pairs(self.subject, new_scratch(), best, start, end, report)

        for index in self._wrong("pairs", look, ranges):
            report = reports[index // _RANGE_CELLS, :6].tolist()
            holder, code, stored, stored_dtg, expected, expected_dtg = report
            accrued = Score(code, Color(holder))
            yield Violation(
                "value" if stored != expected else "distance",
                in_words(stored, stored_dtg),
                in_words(expected, expected_dtg),
                self._fen(index, accrued),
                accrued,
            )

    def _wrong_counts(self) -> Iterator[Violation]:
        """Count outcomes as entry values again, with their longest distances if there are any."""
        counted = self._counted()
        for side in Color:
            tallies: Mapping[Score, Tally | int]
            counted_here: Mapping[Score, Tally | int] = counted[side]
            if isinstance(self.table, TableFile):  # outcomes alone have no distances to compare
                tallies = self.table.counts.get(side, {})
                counted_here = {outcome: tally.count for outcome, tally in counted[side].items()}
            else:
                tallies = self.table.tallies.get(side, {})
            for outcome in sorted(counted_here.keys() | tallies.keys(), reverse=True):
                stored = tallies.get(outcome)
                expected = counted_here.get(outcome)
                if stored != expected:
                    law = f"tally of {outcome} with {side} to move"
                    yield Violation(law, str(stored), str(expected))

    def _counted(self) -> dict[Color, dict[Score, Tally]]:
        """The tallies, counted again."""
        orders = self.layout.orders
        ranges = self._ranges(_RANGE_CELLS)
        parts = np.zeros((len(ranges), 2, 256, 3), np.int64)
        """[range, side to move, outcome & 255] -> count, longest distance, first cell that has it.
        """

        def look(start: int, end: int) -> int:
            part = parts[start // _RANGE_CELLS]
            return tally(self.subject, new_scratch(), orders, start, end, part)

        list(self._wrong("tallies", look, ranges))  # which contain no fault
        counts = parts[..., 0]
        longest = np.where(counts > 0, parts[..., 1], -1)
        range_with_longest = longest.argmax(axis=0)[None, ..., None]
        rows = np.take_along_axis(parts, range_with_longest, axis=0)[0]
        rows[..., 0] = counts.sum(axis=0)
        tallies: dict[Color, dict[Score, Tally]] = {side: {} for side in Color}
        for side in Color:
            for outcome in range(-127, 128):
                count, max_dtg, cell = rows[int(side), outcome & 255].tolist()
                if count:
                    tallies[side][Score.from_signed(outcome)] = Tally(count, max_dtg, cell)
        return tallies

    def _wrong_longest(self) -> Iterator[Violation]:
        """Look up the positions with the longest distances."""
        for tallies in self.table.tallies.values():
            for outcome, longest in tallies.items():
                columns = known_in(self.table, np.array([longest.cell]))
                entry = int(columns[0][0])
                dtg = int(columns[1][0])
                if (entry, dtg) != (outcome.signed, longest.max_dtg):
                    yield Violation(
                        f"longest {outcome}",
                        in_words(entry, dtg),
                        in_words(outcome.signed, longest.max_dtg),
                        fen_of_cell(self.layout, longest.cell),
                    )

    def wrong_outcome_rows(self, file: TableFile) -> Iterator[Violation]:
        """Breaks of holds in the outcomes file that differ from those in the distances file.

        The latter obey the laws.
        """
        states = file.states
        count = len(states.entry)
        outcomes = rows_in_outcomes(file)
        distances = rows_of(file.patterns)
        ranges = self._ranges(_STATES, 0, count)
        reports = np.zeros((len(ranges), 3), np.int64)
        """[range] -> accrued score, what the outcomes file has, what the distances file has."""

        def look(start: int, end: int) -> int:
            return find_other_break(
                states.entry,
                file.symbol_of_state,
                states.pattern,
                outcomes,
                distances,
                start,
                end,
                reports[start // _STATES],
            )

        for index in self._wrong("outcomes", look, ranges, count):
            scores = [Score.from_signed(outcome) for outcome in reports[index // _STATES].tolist()]
            accrued, stored, proved = map(str, scores)
            yield Violation(f"what {accrued} becomes by the file of outcomes", stored, proved)


def rows_violations(table: Table | TableFile) -> Iterator[Violation]:
    """Pattern rows that make no sense."""
    rows = table.patterns
    starts = rows.start.astype(np.int64)
    count = len(rows.code)
    if starts[1]:
        yield Violation("pattern rows", f"{starts[1]} before those of any state", "none")
    is_wrong = (rows.holder > 1) | (rows.code < 2) | (rows.outcome == 0) | (rows.outcome == -128)
    keys = (rows.holder.astype(np.uint16) << 8) | rows.code
    falls = keys[1:] <= keys[:-1]
    first_rows = starts[(starts > 0) & (starts < count)]
    falls[first_rows - 1] = False
    is_wrong[1:] |= falls
    if is_wrong.any():
        row = int(is_wrong.argmax())
        stored = f"holder {rows.holder[row]}, code {rows.code[row]}, outcome {rows.outcome[row]}"
        expected = "a holder 0 or 1, codes from 2 on in ascending order, an outcome"
        yield Violation(f"pattern row {row}", stored, expected)


def _wrong_examples(file: TableFile) -> Iterator[Violation]:
    """Example positions outside the cells of their tallies; outcomes without a longest distance."""
    for side, tallies in file.tallies.items():
        for outcome, longest in tallies.items():
            _, stored, _ = file.longest[side, outcome]
            expected = fen_of_cell(file.order.layout, longest.cell)
            if stored.split()[:2] != expected.split()[:2]:
                yield Violation(f"example of {outcome} with {side} to move", stored, expected)
        # Tallies are counted again, but not an outcome that has a count and no tally.
        for outcome, count in file.counts[side].items():
            if outcome not in tallies:
                law = f"count of {outcome} with {side} to move"
                yield Violation(law, str(count), "no such entry value")
