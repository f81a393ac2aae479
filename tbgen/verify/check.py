"""Verify a table: every pair of a position and an accrued score, one ply at a time.

docs/verification.md shows why this proves the table. The verifier does not know how tables are
solved.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.index.layout import Layout, fen_of_cell, layout_of
from tbgen.material import TableMaterial
from tbgen.score import Color, Score
from tbgen.storage.reader import TableFile
from tbgen.system.process import available_memory
from tbgen.system.watching import tell_nobody
from tbgen.table import Table, Tally
from tbgen.verify.kept import some_cells
from tbgen.verify.pairs import find_other_break
from tbgen.verify.parts import CheckedPart, parts_of, sampled_part
from tbgen.verify.phases import PartCheck, has_plies, merged
from tbgen.verify.ranges import Range, Searchers, ranges_of
from tbgen.verify.reading import TableSource, entry_values_in, rows_in_outcomes, rows_of
from tbgen.verify.report import Report, TellPhase, Violation, in_words
from tbgen.verify.resets import drawn_cells

_STATES = 1 << 20
"""The number of states that are checked together: a table may have forty million."""
_SPARSE = 64
"""If a sample has more than one cell in this many, the whole table is read."""

_BYTES_WITH_DISTANCES = 14
"""What a cell takes while it is checked: see `Subject`."""
_BYTES_WITHOUT_DISTANCES = 8
_BYTES_OF_CHILD_WITH_DISTANCES = 3
_BYTES_OF_CHILD_WITHOUT_DISTANCES = 1
_CHILDREN_AT_ONCE = 3
"""One that is read, and those that captures en passant of either colour lead to."""


def verify_table(
    table: Table | TableFile,
    child_of: Callable[[TableMaterial], TableSource],
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    most_cells: int | None = None,
    progress: TellPhase = tell_nobody,
) -> Report:
    """Check a table against its children.

    A table of more than `most_cells`, by default as many as memory has room for, is checked in
    parts. Children are read one at a time, again for each part. Those of en passant captures stay
    longer. With `sample`, the check takes only so many random positions, each with all its accrued
    scores. It then unpacks only what it needs of a file, and does not count tallies again. Cells
    without a position may have any value, because a file fills them with the value that packs best.
    Checksums come first. Outcomes, which the files have twice, come last. A file that is read for
    its outcomes alone is compared with the moves as far as these go, which is no proof.
    """
    start = time.monotonic()
    if isinstance(table, TableFile):
        progress("checksum", 0, table.size)
        table.check()
    layout = layout_of(table.material)
    if sample is not None and sample * _SPARSE >= layout.cells:
        sample = None
    if sample is None:
        parts = parts_of(layout, most_cells or cells_in_memory(layout, has_plies(table)))
    else:
        parts = [sampled_part(layout, drawn_cells(layout, sample, seed))]
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        check = Check(table, child_of, pool, progress)
        violation = next(check.violations(parts, is_sample=sample is not None), None)
    positions, pairs = check.counts
    seconds = time.monotonic() - start
    return Report(table.material, positions, pairs, seconds, violation, not has_plies(table))


def cells_in_memory(layout: Layout, plies: bool) -> int:
    """How many cells can be checked at once, beside the children, in the memory that is free."""
    available = available_memory()
    if available is None:
        return layout.cells
    children = [layout_of(child).cells for child in layout.material.children()]
    of_child = _BYTES_OF_CHILD_WITH_DISTANCES if plies else _BYTES_OF_CHILD_WITHOUT_DISTANCES
    of_cell = _BYTES_WITH_DISTANCES if plies else _BYTES_WITHOUT_DISTANCES
    of_children = sum(sorted(children)[-_CHILDREN_AT_ONCE:]) * of_child
    # Half is left for the lists of each thread and for other programs.
    return max(0, available // 2 - of_children) // of_cell


class Check:
    """The check of a table, part by part."""

    def __init__(
        self,
        table: Table | TableFile,
        child_of: Callable[[TableMaterial], TableSource],
        pool: ThreadPoolExecutor,
        progress: TellPhase = tell_nobody,
    ) -> None:
        self._table = table
        self._layout = layout_of(table.material)
        self._child_of = child_of
        self._pool = pool
        self._progress = progress
        self._counts = list[Ints]()
        """[part] -> how many positions and pairs have been checked in each of its ranges."""
        self._tallies = list[Ints]()
        """[part] -> what it counts."""

    @property
    def counts(self) -> tuple[int, int]:
        """How many positions and pairs have been checked."""
        nothing = np.zeros((1, 2), np.int64)
        positions, pairs = np.concatenate([nothing, *self._counts]).sum(axis=0).tolist()
        return positions, pairs

    def violations(self, parts: Sequence[CheckedPart], *, is_sample: bool) -> Iterator[Violation]:
        """The broken laws. Only the first is certain."""
        table = self._table
        plies = has_plies(table)
        if plies:
            yield from rows_violations(table)
        for number, part in enumerate(parts, 1):
            searchers = self._searchers(number, len(parts))
            yield from self._wrong_in_part(part, searchers, is_sample)
        if not is_sample:
            yield from self._wrong_counts(merged(np.stack(self._tallies)))
        elif plies:
            yield from self._wrong_longest()
        if plies and isinstance(table, TableFile):
            yield from _wrong_examples(table)
            yield from self._wrong_outcome_rows(table)

    def _wrong_in_part(
        self, part: CheckedPart, searchers: Searchers, is_sample: bool
    ) -> Iterator[Violation]:
        """The broken laws in a part, whose arrays are let go at the end."""
        check = PartCheck(self._table, self._child_of, searchers, part)
        self._counts.append(check.counts)
        yield from check.violations()
        if not is_sample:
            self._tallies.append(check.counted())

    def _searchers(self, number: int, parts: int) -> Searchers:
        """The threads for a part, which say its number if there are several."""
        if parts == 1:
            return Searchers(self._pool, self._progress)

        def tell(phase: str, done: int, total: int) -> None:
            self._progress(f"part {number} of {parts}, {phase}", done, total)

        return Searchers(self._pool, tell)

    def _wrong_counts(self, counted: Ints) -> Iterator[Violation]:
        """Compare new counts of entry values, with their longest distances if there are any."""
        for side in Color:
            found = _tallies_of(counted[int(side)])
            stored_here: Mapping[Score, Tally | int]
            counted_here: Mapping[Score, Tally | int]
            if isinstance(self._table, TableFile) and self._table.outcomes_only:
                stored_here = self._table.counts.get(side, {})
                counted_here = {outcome: tally.count for outcome, tally in found.items()}
            else:
                stored_here = self._table.tallies.get(side, {})
                counted_here = found
            for outcome in sorted(counted_here.keys() | stored_here.keys(), reverse=True):
                stored = stored_here.get(outcome)
                expected = counted_here.get(outcome)
                if stored != expected:
                    law = f"tally of {outcome} with {side} to move"
                    yield Violation(law, str(stored), str(expected))

    def _wrong_longest(self) -> Iterator[Violation]:
        """Look up the positions with the longest distances."""
        for tallies in self._table.tallies.values():
            for outcome, longest in tallies.items():
                values = entry_values_in(self._table, some_cells(np.array([longest.cell])))
                entry = int(values.entry[0])
                dtg = int(values.dtg[0])
                if (entry, dtg) != (outcome.signed, longest.max_dtg):
                    yield Violation(
                        f"longest {outcome}",
                        in_words(entry, dtg),
                        in_words(outcome.signed, longest.max_dtg),
                        fen_of_cell(self._layout, longest.cell),
                    )

    def _wrong_outcome_rows(self, file: TableFile) -> Iterator[Violation]:
        """Breaks of holds in the outcomes file that differ from those in the distances file.

        The latter obey the laws.
        """
        states = file.states
        count = len(states.entry)
        outcomes = rows_in_outcomes(file)
        distances = rows_of(file.patterns)
        ranges = ranges_of(_STATES, 0, count)
        reports = np.zeros((len(ranges), 3), np.int64)
        """[range] -> accrued score, what the outcomes file has, what the distances file has."""

        def look(part: Range) -> int:
            return find_other_break(
                states.entry,
                file.symbol_of_state,
                states.pattern,
                outcomes,
                distances,
                part.first,
                part.end,
                reports[part.number],
            )

        searchers = Searchers(self._pool, self._progress)
        for index in searchers.wrong("outcomes", look, ranges, count):
            scores = [Score.from_signed(outcome) for outcome in reports[index // _STATES].tolist()]
            accrued, stored, proved = map(str, scores)
            yield Violation(f"what {accrued} becomes by the file of outcomes", stored, proved)


def _tallies_of(rows: Ints) -> dict[Score, Tally]:
    """The tallies of a side to move, from [outcome & 255]."""
    tallies = dict[Score, Tally]()
    for outcome in range(-127, 128):
        count, max_dtg, cell = rows[outcome & 255].tolist()
        if count:
            tallies[Score.from_signed(outcome)] = Tally(count, max_dtg, cell)
    return tallies


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
