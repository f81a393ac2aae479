"""From a Table to what the kernels take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import kind_of_numbers
from tbgen.index.layout import Layout, layout_of
from tbgen.storage.reader import TableFile
from tbgen.table import EntryValues, Patterns, Table
from tbgen.verify.men import links_of, men_of, numbering_of
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.values import ChildValues, Rows, Subject
from tbgen.verify.violations import Violation

S = TypeVar("S", bound=np.generic)
Cells = npt.NDArray[np.int64]
Source = Table | EntryValues | TableFile
"""Where values come from: memory, or a file that is asked for what is needed."""

Tell = Callable[[int, int], None]
"""Told how many chunks of how many have been read."""

_ALL = np.zeros(0, np.int64)


def _array(values: npt.NDArray[S], dtype: type[S]) -> npt.NDArray[S]:
    """The array in the one form that the kernels are compiled for."""
    return np.require(values, dtype, ["C", "W"])


def child_values_of(table: Table | EntryValues) -> ChildValues:
    """A child's entry values."""
    numbering = numbering_of(layout_of(table.material))
    return ChildValues(numbering, _ALL, _array(table.entry, np.int8), _array(table.dtg, np.uint16))


def some_child_values(child: Source, cells: Cells, tell: Tell | None = None) -> ChildValues:
    """A child's entry values in some cells, which are listed in ascending order."""
    numbering = numbering_of(layout_of(child.material))
    entry, dtg, *_ = look_up(child, cells, tell)
    return ChildValues(numbering, cells, _ended(entry, np.int8), _ended(dtg, np.uint16))


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
        row_start=_array(rows.start, kind_of_numbers(len(rows.code) + 1)),
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


def shape_violation(table: Source, layout: Layout) -> Violation | None:
    """Arrays of the wrong length, which the kernels must not see; a file has been asked when it was opened."""
    if isinstance(table, TableFile):
        return None
    for name in ("entry", "dtg", "pattern"):
        found = len(getattr(table, name, table.entry))
        if found != layout.cells:
            return Violation(f"cells of {table.material} in {name}", str(found), str(layout.cells))
    return None


def rows_violation(table: Table | TableFile) -> Violation | None:
    """Pattern rows that no reader can make sense of."""
    rows = table.patterns
    starts, count = rows.start.astype(np.int64), len(rows.code)
    if len(starts) < 2 or starts[0] != 0 or starts[1] != 0 or starts[-1] != count or (np.diff(starts) < 0).any():
        return Violation("pattern starts", "out of order", f"ascending from two zeros to {count}")
    if any(len(part) != count for part in (rows.holder, rows.outcome, rows.dtg)):
        return Violation("pattern rows", "columns of unequal length", f"{count} each")
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
