"""Verify a table: every pair of a position and an accrued score, one ply at a time.

docs/verification.md shows why this proves the table. The verifier does not know how tables are solved.
"""

from __future__ import annotations

import itertools
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.facts import facts_of
from tbgen.index.layout import fen_of_cell, layout_of
from tbgen.material import Material, with_man
from tbgen.men import Role
from tbgen.score import Color, Score
from tbgen.storage.reader import TableFile
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

_RANGE_CELLS = 1 << 16
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
        return facts_of(self, fen=None if self.fen is None else " ".join(self.fen.split()[:6]))


@dataclass(frozen=True, slots=True)
class Report:
    """The extent and the result of a check; `pairs` are of a position and an accrued score."""

    material: Material
    positions: int
    pairs: int
    seconds: float
    violation: Violation | None

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
    progress: TellPhase = lambda *_: None,
) -> Report:
    """Check a table against its children, which are read one at a time; children of en passant captures stay longer.

    With `sample`, the check takes only so many random positions, each with all its accrued scores. It then unpacks only
    what it needs of a file, and does not count tallies again. Cells without a position may have any value, because a
    file fills them with the value that packs best. Checksums come first. Outcomes, which the files have twice, come
    last.
    """
    start, layout = time.monotonic(), layout_of(table.material)
    if isinstance(table, TableFile):
        progress("checksum", 0, table.size)
        table.check()
    is_sample = sample is not None and sample * _SPARSE < layout.cells
    cells = drawn_cells(layout, sample or 0, seed) if is_sample else None
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        check = Check(table, child_of, pool, progress, cells)
        violation = next(check.violations(), None)
        if violation is None and isinstance(table, TableFile):
            violation = next(
                itertools.chain(_wrong_examples(table), check.wrong_outcome_rows(table)), None
            )
    positions, pairs = check.counts.sum(axis=0).tolist()
    return Report(table.material, positions, pairs, time.monotonic() - start, violation)


class Check:
    """The phases of one check. A phase relies on those before it, so only the first violation is certain.

    It checks all positions of a table, or those in some cells. For the latter it reads only what they need.
    """

    def __init__(
        self,
        table: Table | TableFile,
        child_of: Callable[[Material], TableSource],
        pool: ThreadPoolExecutor,
        progress: TellPhase = lambda *_: None,
        cells: Ints | None = None,
    ) -> None:
        self.table = table.table() if cells is None and isinstance(table, TableFile) else table
        self.layout = layout_of(table.material)
        self.counts = np.zeros((0, 2), np.int64)
        """[range] -> the number of checked positions and pairs."""
        self._without_pawn = dict[Color, ChildTable]()
        self._child_of, self._pool, self._progress = child_of, pool, progress
        self._is_sample = cells is not None
        needed, tasks = (None, PAIRS_TASK) if cells is None else needs_of(self.layout, cells)
        self.subject = subject_of(self.table, needed, partial(progress, "reading"))
        self._cells: Sequence[int] | Ints = range(self.layout.cells) if needed is None else needed
        """[index in the subject's arrays] -> cell."""
        self.subject.task[: len(self._cells)] = tasks

    def violations(self) -> Iterator[Violation]:
        """The broken laws."""
        yield from rows_violations(self.table)
        yield from self._wrong_positions()
        yield from self._wrong_resets()
        yield from self._wrong_pairs()
        yield from self._wrong_longest() if self._is_sample else self._wrong_counts()

    def _fen(self, index: int, accrued: Score | None = None) -> str:
        """The FEN of the cell at an index; a halfmove clock of 1 means that another score has accrued."""
        fen = fen_of_cell(self.layout, int(self._cells[index]))
        return fen if accrued is None else f"{fen.removesuffix('0 1')}1 1 {accrued}"

    def _ranges(self, step: int, first: int = 0, end: int | None = None) -> list[tuple[int, int]]:
        """Ranges of indices, within bounds or of all."""
        end = len(self._cells) if end is None else end
        return [(start, min(start + step, end)) for start in range(first, end, step)]

    def _wrong(
        self,
        phase: str,
        look: Callable[[int, int], int],
        ranges: Sequence[tuple[int, int]],
        total: int | None = None,
    ) -> Iterator[int]:
        """The lowest index that `look` finds in each range; threads search the ranges side by side."""
        most = len(self._cells) if total is None else total
        # Closing the answers cancels the rest, however the loop ends.
        with closing(
            cast("Generator[int, None, None]", self._pool.map(lambda each: look(*each), ranges))
        ) as indices:
            for (_, end), index in zip(ranges, indices, strict=True):
                if index != EVERYTHING_FINE:
                    yield index
                self._progress(phase, end, most)

    def _wrong_positions(self) -> Iterator[Violation]:
        for index in self._wrong(
            "positions",
            lambda start, end: find_own_codes(self.subject, new_scratch(), start, end),
            self._ranges(_RANGE_CELLS),
        ):
            own, entry, dtg = (
                int(column[index])
                for column in (self.subject.own, self.subject.entry, self.subject.dtg)
            )
            fen = self._fen(index)
            law = "end of the game" if entry else "legal position"
            expected = (
                in_words(-own - 1 if " w " in fen else own + 1, 0) if entry else "an entry value"
            )
            yield Violation(law, in_words(entry, dtg), expected, fen)

    def _wrong_resets(self) -> Iterator[Violation]:
        """Note the values of captures and promotions, child by child, then of pawn moves."""
        for number, material in enumerate(self.layout.material.children()):
            yield from self._missing_successors(number, material)
        if self.layout.pawns:
            self._note_pawn_moves()

    def _missing_successors(self, number: int, material: Material) -> Iterator[Violation]:
        """Note the values of resets to a child. A check of some positions reads only their cells of it."""
        parent, men, cells = self.layout.material, men_of(layout_of(material)), None
        listed = partial(self._resets_to, number, men)
        if self._is_sample:
            cells = np.unique(
                np.concatenate([np.unique(listed(*each)[0]) for each in self._ranges(_LISTED)])
            )
        entry, dtg, *_ = known_in(
            self._child_of(material), cells, partial(self._progress, f"reading {material}")
        )
        child = ChildTable(men, np.zeros(0, np.int64) if cells is None else cells, entry, dtg)
        for color in Color:
            if (
                Role.PAWN in parent.side(color)
                and with_man(parent, color, Role.PAWN).canonical() == material
            ):
                self._without_pawn[color] = child
        for index in self._wrong(
            f"resets to {material}",
            lambda start, end: note_resets(self.subject, child, listed(start, end)),
            self._ranges(_LISTED),
        ):
            law = f"a capture or promotion leads to {material}"
            yield Violation(law, "nothing there", "an entry value there", self._fen(index))

    def _resets_to(self, number: int, men: Men, start: int, end: int) -> Ints:
        """The resets from a range of indices to a child, as list_resets writes them."""
        found = np.empty((3, (end - start) * MOST_NEEDS), np.int64)
        count = list_resets(
            self.subject, number, men, new_scratch(), new_scratch(), start, end, found
        )
        return found[:, :count].copy()

    def _note_pawn_moves(self) -> None:
        """Note the values of pawn moves, block by block."""
        either = next(
            iter(self._without_pawn.values())
        )  # nobody takes en passant if one side has no pawns
        children = (
            self._without_pawn.get(Color.WHITE, either),
            self._without_pawn.get(Color.BLACK, either),
        )
        waves = [
            bisect_left(self._cells, block * self.layout.block_words * 128)
            for block in self.layout.waves
        ]
        for first, end in itertools.pairwise(waves):
            indices = self._wrong(
                "pawn moves",
                lambda start, end: fold_pawn_moves(
                    self.subject, children, new_scratch(), new_scratch(), start, end
                ),
                self._ranges(_LISTED, first, end),
            )
            list(indices)  # which contain no fault

    def _wrong_pairs(self) -> Iterator[Violation]:
        ranges = self._ranges(_RANGE_CELLS)
        reports = np.zeros((len(ranges), 8), np.int64)
        self.counts = reports[:, 6:]
        for index in self._wrong(
            "pairs",
            lambda start, end: check_pairs(
                self.subject,
                new_scratch(),
                np.empty((2, MOST_CODES), np.int64),
                start,
                end,
                reports[start // _RANGE_CELLS],
            ),
            ranges,
        ):
            holder, code, *values = reports[index // _RANGE_CELLS, :6].tolist()
            accrued = Score(code, Color(holder))
            law = "value" if values[0] != values[2] else "distance"
            fen = self._fen(index, accrued)
            yield Violation(law, in_words(*values[:2]), in_words(*values[2:]), fen, accrued)

    def _wrong_counts(self) -> Iterator[Violation]:
        """Count outcomes as entry values again, with their longest distances."""
        orders, ranges = self.layout.orders, self._ranges(_RANGE_CELLS)
        parts = np.zeros((len(ranges), 2, 256, 3), np.int64)
        indices = self._wrong(
            "tallies",
            lambda start, end: tally(
                self.subject, new_scratch(), orders, start, end, parts[start // _RANGE_CELLS]
            ),
            ranges,
        )
        list(indices)  # which contain no fault
        with_longest = np.where(parts[..., 0] > 0, parts[..., 1], -1).argmax(axis=0)
        found = np.take_along_axis(parts, with_longest[None, ..., None], axis=0)[0]
        found[..., 0] = parts[..., 0].sum(axis=0)
        for side in Color:
            rows = ((byte, found[int(side), byte & 255].tolist()) for byte in range(-127, 128))
            counted = {Score.from_signed(byte): Tally(*row) for byte, row in rows if row[0]}
            stored = self.table.tallies.get(side, {})
            for outcome in sorted(counted.keys() | stored.keys(), reverse=True):
                expected, there = counted.get(outcome), stored.get(outcome)
                if expected != there:
                    yield Violation(
                        f"tally of {outcome} with {side} to move", str(there), str(expected)
                    )

    def _wrong_longest(self) -> Iterator[Violation]:
        """Look up the positions with the longest distances."""
        for outcome, longest in itertools.chain(
            *(tallies.items() for tallies in self.table.tallies.values())
        ):
            entry, dtg = (
                int(found[0]) for found in known_in(self.table, np.array([longest.cell]))[:2]
            )
            if (entry, dtg) != (outcome.signed, longest.max_dtg):
                expected, fen = (
                    in_words(outcome.signed, longest.max_dtg),
                    fen_of_cell(self.layout, longest.cell),
                )
                yield Violation(f"longest {outcome}", in_words(entry, dtg), expected, fen)

    def wrong_outcome_rows(self, file: TableFile) -> Iterator[Violation]:
        """Breaks of holds in the outcomes file that differ from those in the distances file, which obey the laws."""
        columns, count = (
            (file.states.entry, file.symbol_of_state, file.states.pattern),
            len(file.states.entry),
        )
        outcomes, distances, ranges = (
            rows_in_outcomes(file),
            rows_of(file.patterns),
            self._ranges(_STATES, 0, count),
        )
        reports = np.zeros((len(ranges), 3), np.int64)
        for index in self._wrong(
            "outcomes",
            lambda start, end: find_other_break(
                *columns, outcomes, distances, start, end, reports[start // _STATES]
            ),
            ranges,
            count,
        ):
            accrued, stored, proved = (
                str(Score.from_signed(each)) for each in reports[index // _STATES].tolist()
            )
            yield Violation(f"what {accrued} becomes by the file of outcomes", stored, proved)


def rows_violations(table: Table | TableFile) -> Iterator[Violation]:
    """Pattern rows that make no sense."""
    rows = table.patterns
    starts, count = rows.start.astype(np.int64), len(rows.code)
    if starts[1]:
        yield Violation("pattern rows", f"{starts[1]} before those of any state", "none")
    strange = (rows.holder > 1) | (rows.code < 2) | (rows.outcome == 0) | (rows.outcome == -128)
    keys = rows.holder.astype(np.uint16) << 8 | rows.code
    falls = keys[1:] <= keys[:-1]
    falls[starts[(starts > 0) & (starts < count)] - 1] = False
    strange[1:] |= falls
    if strange.any():
        row = int(strange.argmax())
        stored = f"holder {rows.holder[row]}, code {rows.code[row]}, outcome {rows.outcome[row]}"
        expected = "a holder 0 or 1, codes from 2 on in ascending order, an outcome"
        yield Violation(f"pattern row {row}", stored, expected)


def _wrong_examples(file: TableFile) -> Iterator[Violation]:
    """Example positions that are not in the cells of their tallies, and outcomes without a longest distance."""
    for side, tallies in file.tallies.items():
        for outcome, known in tallies.items():
            stored, expected = (
                file.longest[side, outcome][1],
                fen_of_cell(file.order.layout, known.cell),
            )
            if stored.split()[:2] != expected.split()[:2]:
                yield Violation(f"example of {outcome} with {side} to move", stored, expected)
        for outcome, count in file.counts[
            side
        ].items():  # other examples than those of tallies are not counted again
            if outcome not in tallies:
                yield Violation(
                    f"count of {outcome} with {side} to move", str(count), "no such entry value"
                )
