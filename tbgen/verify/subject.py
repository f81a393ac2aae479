"""From a Table to what the kernels take."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout, layout_of
from tbgen.table import Table, Values
from tbgen.verify.men import links_of, men_of, numbering_of
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.values import ChildValues, Subject
from tbgen.verify.violations import Violation

S = TypeVar("S", bound=np.generic)


def _array(values: npt.NDArray[S], dtype: type[S]) -> npt.NDArray[S]:
    """The array in the one form that the kernels are compiled for."""
    return np.require(values, dtype, ["C", "W"])


def child_values_of(table: Table | Values) -> ChildValues:
    """A child's entry values."""
    numbering = numbering_of(layout_of(table.material))
    return ChildValues(numbering, _array(table.entry, np.int8), _array(table.dtg, np.uint16))


def subject_of(table: Table) -> Subject:
    """A table to be checked, nothing asked for yet."""
    layout = layout_of(table.material)
    cells, rows = layout.cells, table.patterns
    return Subject(
        men=men_of(layout),
        numbering=numbering_of(layout),
        links=links_of(layout),
        entry=_array(table.entry, np.int8),
        dtg=_array(table.dtg, np.uint16),
        pattern=_array(table.pattern, np.uint32),
        row_start=_array(rows.start, np.uint32),
        rows=np.stack((rows.holder, rows.code, rows.outcome, rows.dtg), axis=1).astype(np.int32),
        task=np.zeros(cells, np.uint8),
        own=np.full(cells, NO_POSITION, np.uint8),
        reset=np.zeros(cells, np.int8),
        shortest=np.zeros(cells, np.uint16),
        longest=np.zeros(cells, np.uint16),
    )


def shape_violation(table: Table | Values, layout: Layout) -> Violation | None:
    """Arrays of the wrong length, which the kernels must not see."""
    for name in ("entry", "dtg", "pattern"):
        found = len(getattr(table, name, table.entry))
        if found != layout.cells:
            return Violation(f"cells of {table.material} in {name}", str(found), str(layout.cells))
    return None


def rows_violation(table: Table) -> Violation | None:
    """Pattern rows that no reader can make sense of."""
    rows = table.patterns
    starts, count = rows.start.astype(np.int64), len(rows.code)
    if len(starts) < 2 or starts[0] != 0 or starts[1] != 0 or starts[-1] != count or (np.diff(starts) < 0).any():
        return Violation("pattern starts", "out of order", f"ascending from two zeros to {count}")
    if any(len(part) != count for part in (rows.holder, rows.outcome, rows.dtg)):
        return Violation("pattern rows", "columns of unequal length", f"{count} each")
    strange = (rows.holder > 1) | (rows.code < 2) | (rows.outcome == 0) | (rows.outcome == -128)
    keys = rows.holder.astype(np.int64) * 256 + rows.code
    falls = np.diff(keys, prepend=-1) <= 0
    falls[starts[:-1][starts[:-1] < count]] = False
    wrong = np.flatnonzero(strange | falls)
    if len(wrong):
        row = int(wrong[0])
        stored = f"holder {rows.holder[row]}, code {rows.code[row]}, outcome {rows.outcome[row]}"
        expected = "a holder 0 or 1, codes from 2 on in ascending order, an outcome"
        return Violation(f"pattern row {row}", stored, expected)
    return None
