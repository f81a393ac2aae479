"""The phases of the check of one part of a table: its positions, their resets, every pair.

A phase relies on those before it, so only the first violation is certain.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.index.layout import fen_of_cell, layout_of
from tbgen.material import TableMaterial, with_man
from tbgen.men import Role
from tbgen.score import Color, Score
from tbgen.storage.reader import TableFile
from tbgen.table import Table
from tbgen.verify.cells import Men, links_of, men_of
from tbgen.verify.kept import cells_at, cells_of_block, some_cells, whole_table
from tbgen.verify.moves import NO_POSITION, new_scratch
from tbgen.verify.pairs import MOST_CODES, check_pairs, find_own_codes, tally
from tbgen.verify.parts import CheckedPart
from tbgen.verify.ranges import Range, Searchers, ranges_of
from tbgen.verify.reading import (
    TableSource,
    entry_values_in,
    rows_in_outcomes,
    rows_of,
    values_in,
)
from tbgen.verify.report import Violation, in_words
from tbgen.verify.resets import (
    MOST_NEEDS,
    ChildTable,
    fold_pawn_moves,
    list_resets,
    note_resets,
)
from tbgen.verify.values import Subject

_RANGE_CELLS = 1 << 16
"""The number of cells that a thread checks at once."""
_LISTED = 1 << 12
"""The number of cells whose resets are listed together."""


def has_plies(table: Table | TableFile) -> bool:
    """Whether a table has distances that can be checked."""
    return not (isinstance(table, TableFile) and table.outcomes_only)


def subject_of(
    table: Table | TableFile, part: CheckedPart, tell: Callable[[int, int], None]
) -> Subject:
    """A part of a table, nothing of which is checked yet."""
    layout = layout_of(table.material)
    if isinstance(table, TableFile) and table.outcomes_only:
        rows = rows_in_outcomes(table)
    else:
        rows = rows_of(table.patterns)
    values = values_in(table, part.kept, tell)
    size = len(values.entry)
    return Subject(
        forgets=table.mobility.forgets,
        plies=has_plies(table),
        men=men_of(layout),
        links=links_of(layout),
        kept=part.kept,
        entry=values.entry,
        dtg=values.dtg,
        pattern=values.pattern,
        rows=rows,
        task=part.task_of_cells(),
        own=np.full(size, NO_POSITION, np.uint8),
        reset=np.zeros(size, np.int8),
        shortest=np.zeros(size, np.uint16),
        longest=np.zeros(size, np.uint16),
    )


class PartCheck:
    """The check of one part. It reads only what the part needs."""

    def __init__(
        self,
        table: Table | TableFile,
        child_of: Callable[[TableMaterial], TableSource],
        searchers: Searchers,
        part: CheckedPart,
    ) -> None:
        self._child_of = child_of
        self._searchers = searchers
        self._part = part
        self._layout = layout_of(table.material)
        self.subject = subject_of(table, part, partial(searchers.progress, "reading"))
        self._reports = np.zeros((len(self._ranges(_RANGE_CELLS)), 8), np.int64)
        """[range] -> what `check_pairs` reports."""
        self._without_pawn = dict[Color, ChildTable]()

    @property
    def counts(self) -> Ints:
        """[range] -> the number of positions and pairs that have been checked so far."""
        return self._reports[:, 6:]

    def violations(self) -> Iterator[Violation]:
        yield from self._wrong_positions()
        yield from self._wrong_resets()
        yield from self._wrong_pairs()

    def _fen(self, index: int, accrued: Score | None = None) -> str:
        """The FEN of the cell at an index.

        A halfmove clock of 1 means that another score has accrued.
        """
        cell = int(cells_at(self._part.kept, np.array([index]))[0])
        fen = fen_of_cell(self._layout, cell)
        if accrued is None:
            return fen
        return f"{fen.removesuffix('0 1')}1 1 {accrued}"

    def _ranges(self, step: int) -> list[Range]:
        return ranges_of(step, 0, self._part.kept.total)

    def _wrong(
        self, phase: str, look: Callable[[Range], int], ranges: list[Range]
    ) -> Iterator[int]:
        return self._searchers.wrong(phase, look, ranges, self._part.kept.total)

    def _wrong_positions(self) -> Iterator[Violation]:
        subject = self.subject

        def look(cells: Range) -> int:
            return find_own_codes(subject, new_scratch(), cells.first, cells.end)

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
        for number, material in enumerate(self._layout.material.children()):
            yield from self._missing_successors(number, material)
        if self._layout.pawns:
            self._note_pawn_moves()

    def _missing_successors(self, number: int, material: TableMaterial) -> Iterator[Violation]:
        """Note the values of resets to a child.

        A check of some positions reads only their cells of it.
        """
        child = self._child(number, material)
        for color in Color:
            if self._is_without_pawn(material, color):
                self._without_pawn[color] = child

        def look(cells: Range) -> int:
            return note_resets(self.subject, child, self._resets_to(number, child.men, cells))

        for index in self._wrong(f"resets to {material}", look, self._ranges(_LISTED)):
            law = f"a capture or promotion leads to {material}"
            yield Violation(law, "nothing there", "an entry value there", self._fen(index))

    def _child(self, number: int, material: TableMaterial) -> ChildTable:
        """The values of a child: of all cells, or of those that a check of some positions needs."""
        layout = layout_of(material)
        men = men_of(layout)
        if len(self._part.kept.blocks):
            kept = whole_table(layout)
        else:
            listed = [
                np.unique(self._resets_to(number, men, cells)[0]) for cells in self._ranges(_LISTED)
            ]
            kept = some_cells(np.unique(np.concatenate(listed)))
        tell = partial(self._searchers.progress, f"reading {material}")
        values = entry_values_in(self._child_of(material), kept, tell)
        return ChildTable(men, kept, values.entry, values.dtg)

    def _is_without_pawn(self, child: TableMaterial, color: Color) -> bool:
        """Whether a child is the table without a pawn of a colour.

        Captures en passant lead to it.
        """
        parent = self._layout.material
        if Role.PAWN not in parent.side(color):
            return False
        return with_man(parent, color, Role.PAWN).canonical() == child

    def _resets_to(self, number: int, men: Men, cells: Range) -> Ints:
        """The resets from a range of indices to a child, as list_resets writes them."""
        resets = np.empty((3, (cells.end - cells.first) * MOST_NEEDS), np.int64)
        count = list_resets(
            self.subject,
            number,
            men,
            new_scratch(),
            new_scratch(),
            cells.first,
            cells.end,
            resets,
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

        def look(cells: Range) -> int:
            return fold_pawn_moves(
                self.subject, children, new_scratch(), new_scratch(), cells.first, cells.end
            )

        for first, end in itertools.pairwise(self._waves()):
            indices = self._wrong("pawn moves", look, ranges_of(_LISTED, first, end))
            list(indices)  # which contain no fault

    def _waves(self) -> list[int]:
        """The indices at which waves begin, and the number of kept cells."""
        kept = self._part.kept
        cells = cells_of_block(self._layout)
        waves = np.array(self._layout.waves)
        if len(kept.blocks):
            return (np.searchsorted(kept.blocks, waves) * cells).tolist()
        return np.searchsorted(kept.some, waves * cells).tolist()

    def _wrong_pairs(self) -> Iterator[Violation]:
        reports = self._reports

        def look(cells: Range) -> int:
            best = np.empty((2, MOST_CODES), np.int64)
            report = reports[cells.number]
            return check_pairs(self.subject, new_scratch(), best, cells.first, cells.end, report)

        for index in self._wrong("pairs", look, self._ranges(_RANGE_CELLS)):
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

    def counted(self) -> Ints:
        """[side to move, outcome & 255] -> count, longest distance, first cell that has it."""
        orders = self._layout.orders
        ranges = self._ranges(_RANGE_CELLS)
        tallies = np.zeros((len(ranges), 2, 256, 3), np.int64)

        def look(cells: Range) -> int:
            found = tallies[cells.number]
            return tally(self.subject, new_scratch(), orders, cells.first, cells.end, found)

        list(self._wrong("tallies", look, ranges))  # which contain no fault
        return merged(tallies)


def merged(tallies: Ints) -> Ints:
    """The tallies of several ranges or parts, which follow each other, as one."""
    counts = tallies[..., 0]
    longest = np.where(counts > 0, tallies[..., 1], -1)
    first_with_longest = longest.argmax(axis=0)[None, ..., None]
    rows: Ints = np.take_along_axis(tallies, first_with_longest, axis=0)[0]
    rows[..., 0] = counts.sum(axis=0)
    return rows
