"""Values of kept cells, from memory or from a file, as arrays for kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.storage.reader import TableFile
from tbgen.system.watching import tell_nobody
from tbgen.table import Cells, EntryValues, Patterns, Table
from tbgen.verify.kept import KeptCells, cells_at
from tbgen.verify.values import Rows

TableSource = Table | EntryValues | TableFile
"""A source of values: memory, or a file that is read where needed."""

_AT_ONCE = 1 << 22
"""The number of cells that are read together, if a plane has fewer."""


def values_in(
    source: TableSource, kept: KeptCells, tell: Callable[[int, int], None] = tell_nobody
) -> Cells:
    """Entry values, distances and patterns of kept cells, with a last item of zeros each.

    `tell` is told how many chunks have been read of those that some cells of a file take.
    """
    if not isinstance(source, TableFile):
        values = source.values()
        pattern = values.pattern if isinstance(values, Table) else np.zeros(len(values.entry))
        cells = cells_at(kept, np.arange(kept.total))
        return _in_arrays(values.entry[cells], values.dtg[cells], pattern[cells])
    if len(kept.blocks) == 0:
        return _in_arrays(*source.look_up(kept.some, tell))
    values_of_blocks = _room_for(kept, with_patterns=True)
    index = 0
    for first, end in _runs_of_places(source, kept.blocks):
        part = values_of_blocks.part(index, index + end - first)
        in_file = source.values_of(source.numbers(first, end))
        source.order.from_file(in_file.entry, part.entry)
        source.order.from_file(in_file.pattern, part.pattern)
        if not source.outcomes_only:
            source.order.from_file(in_file.dtg, part.dtg)
        index += end - first
    return values_of_blocks


def entry_values_in(
    source: TableSource, kept: KeptCells, tell: Callable[[int, int], None] = tell_nobody
) -> Cells:
    """The same without patterns, which take more memory than all the rest."""
    if not isinstance(source, TableFile) or len(kept.blocks) == 0:
        return values_in(source, kept, tell)
    values = _room_for(kept, with_patterns=False)
    plane = source.order.plane_places
    index = 0
    for first, end in _runs_of_places(source, kept.blocks):
        part = slice(index, index + end - first)
        entry, dtg = source.planes(first // plane, end // plane)
        values.entry[part] = entry
        if not source.outcomes_only:
            values.dtg[part] = dtg
        index = part.stop
    return values


def _room_for(kept: KeptCells, *, with_patterns: bool) -> Cells:
    """Zeros. Those that nobody writes take no memory, such as distances of outcomes alone."""
    return Cells(
        np.zeros(kept.total + 1, np.int8),
        np.zeros(kept.total + 1, np.uint16),
        np.zeros(kept.total + 1 if with_patterns else 0, np.uint32),
    )


def _in_arrays(entry: npt.NDArray[Any], dtg: npt.NDArray[Any], pattern: npt.NDArray[Any]) -> Cells:
    """Values of the types that kernels are compiled for, with an item more each."""
    return Cells(
        typed(np.append(entry, 0), "i1"),
        typed(np.append(dtg, 0), "u2"),
        typed(np.append(pattern, 0), "u4"),
    )


def _runs_of_places(file: TableFile, blocks: Ints) -> Iterator[tuple[int, int]]:
    """The first place of planes that follow each other in the file, and that after the last."""
    plane = file.order.plane_places
    most = max(1, _AT_ONCE // plane)
    ends = np.flatnonzero(np.diff(blocks) != 1) + 1
    for run in np.split(blocks, ends):
        end = 2 * (int(run[-1]) + 1)
        for first in range(2 * int(run[0]), end, most):
            yield first * plane, min(first + most, end) * plane


def rows_of(patterns: Patterns) -> Rows:
    """The rows of all patterns in the distances file."""
    start = typed(patterns.start, "u4")
    return Rows(
        first=start[:-1],
        end=start[1:],
        holder=typed(patterns.holder, "u1"),
        code=typed(patterns.code, "u1"),
        outcome=typed(patterns.outcome, "i1"),
        dtg=typed(patterns.dtg, "u2"),
    )


def rows_in_outcomes(file: TableFile) -> Rows:
    """The rows of a table's symbols, without distances.

    An error of TableError if the file is missing or damaged.
    """
    symbols = file.column("symbols")
    rows = file.column("outcome_rows")
    first = np.ascontiguousarray(symbols["first"])
    are_there = first + symbols["rows"].astype(np.int64) <= len(rows)
    file.outcomes.expect(are_there.all(), "a symbol has rows that are not there")
    return Rows(
        first=first,
        end=first + symbols["rows"],
        holder=np.ascontiguousarray(rows["holder"]),
        code=np.ascontiguousarray(rows["code"]),
        outcome=np.ascontiguousarray(rows["outcome"]),
        dtg=np.zeros(len(rows), np.uint16),
    )


def typed(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """The array in the memory layout that the kernels are compiled for."""
    return np.require(values, kind, ["C", "W"])
