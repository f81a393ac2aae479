"""The table that is checked, as kernels take it, and what a verifier finds: the first violation of a law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout, fen_of_cell, layout_of
from tbgen.material import Material
from tbgen.score import Score
from tbgen.storage.reader import TableFile
from tbgen.table import EntryValues, Patterns, Table
from tbgen.text import facts_of, in_plies
from tbgen.verify.cells import links_of, men_of, numbering_of
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.resets import Cells
from tbgen.verify.values import Rows, Subject


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that a table breaks, and where."""

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
    """What was checked; `pairs` are of a position and an accrued score."""

    material: Material
    positions: int
    pairs: int
    seconds: float
    violation: Violation | None

    def facts(self) -> dict[str, Any]:
        """The report as JSON has it."""
        derived = {"right": self.violation is None, "symmetry_left_out": True, "seconds": round(self.seconds, 3)}
        return facts_of(self, **derived)


def in_words(outcome: int, dtg: int) -> str:
    """A signed outcome and its distance.

    >>> in_words(-8, 3)
    '-G3.5 in 3 plies'
    """
    if outcome == 0:
        return "nothing"
    return f"{Score.from_signed(outcome)} in {in_plies(dtg)}"


def fen_of(layout: Layout, cell: int, accrued: Score | None = None) -> str:
    """The FEN of a cell; a halfmove clock of 1 says that the accrued score is not the position's own.

    >>> fen_of(layout_of(Material.parse("KvK")), 63, Score("G2.5"))
    '7k/8/8/8/8/8/8/K7 w - - 1 1 G2.5'
    """
    fen = fen_of_cell(layout, cell)
    return fen if accrued is None else f"{fen.removesuffix('0 1')}1 1 {accrued}"


S = TypeVar("S", bound=np.generic)
Source = Table | EntryValues | TableFile
"""Where values come from: memory, or a file that is asked for what is needed."""

Tell = Callable[[int, int], None]
"""Told how many chunks of how many have been read."""

_ALL = np.zeros(0, np.int64)


def _array(values: npt.NDArray[S], dtype: type[S]) -> npt.NDArray[S]:
    """The array in the one form that the kernels are compiled for."""
    return np.require(values, dtype, ["C", "W"])


def look_up(source: Source, cells: Cells, tell: Tell | None = None) -> list[npt.NDArray[Any]]:
    """Entry values and distances in some cells, and patterns where there are any."""
    if isinstance(source, TableFile):
        return source.look_up(cells, tell)
    arrays: list[npt.NDArray[Any]] = [source.entry, source.dtg]
    if isinstance(source, Table):
        arrays.append(source.pattern)
    return [array[cells] for array in arrays]


def _ended(values: npt.NDArray[S], dtype: type[S]) -> npt.NDArray[S]:
    """The array with a last item for what is not in it."""
    return np.append(_array(values, dtype), dtype(0))


def subject_of(table: Table) -> Subject:
    """A table to be checked, nothing asked for yet."""
    arrays = (_array(table.entry, np.int8), _array(table.dtg, np.uint16), _array(table.pattern, np.uint32))
    return _subject(table, _ALL, *arrays)


def some_subject(source: Table | TableFile, cells: Cells, tell: Tell | None = None) -> Subject:
    """Some cells of a table, listed in ascending order."""
    entry, dtg, pattern = look_up(source, cells, tell)
    return _subject(source, cells, _ended(entry, np.int8), _ended(dtg, np.uint16), _ended(pattern, np.uint32))


def _subject(
    source: Table | TableFile,
    listed: Cells,
    entry: npt.NDArray[np.int8],
    dtg: npt.NDArray[np.uint16],
    pattern: npt.NDArray[np.uint32],
) -> Subject:
    layout, rows, cells = layout_of(source.material), source.patterns, len(entry)
    return Subject(
        forgets=source.game.forgets,
        men=men_of(layout),
        numbering=numbering_of(layout),
        links=links_of(layout),
        cells=listed,
        entry=entry,
        dtg=dtg,
        pattern=pattern,
        row_start=_array(rows.start, np.uint32),
        rows=rows_of(rows),
        task=np.zeros(cells, np.uint8),
        own=np.full(cells, NO_POSITION, np.uint8),
        reset=np.zeros(cells, np.int8),
        shortest=np.zeros(cells, np.uint16),
        longest=np.zeros(cells, np.uint16),
    )


def rows_of(patterns: Patterns) -> Rows:
    """The rows of all patterns, one after another."""
    return Rows(
        _array(patterns.holder, np.uint8),
        _array(patterns.code, np.uint8),
        _array(patterns.outcome, np.int8),
        _array(patterns.dtg, np.uint16),
    )


def rows_violation(table: Table | TableFile) -> Violation | None:
    """Pattern rows that no reader can make sense of."""
    rows = table.patterns
    starts, count = rows.start.astype(np.int64), len(rows.code)
    if starts[1]:
        return Violation("pattern rows", f"{starts[1]} before those of any state", "none")
    strange = (rows.holder > 1) | (rows.code < 2) | (rows.outcome == 0) | (rows.outcome == -128)
    keys = rows.holder.astype(np.uint16) << 8 | rows.code
    falls = keys[1:] <= keys[:-1]
    falls[starts[(starts > 0) & (starts < count)] - 1] = False
    strange[1:] |= falls
    if strange.any():
        row = int(strange.argmax())
        stored = f"holder {rows.holder[row]}, code {rows.code[row]}, outcome {rows.outcome[row]}"
        expected = "a holder 0 or 1, codes from 2 on in ascending order, an outcome"
        return Violation(f"pattern row {row}", stored, expected)
    return None
