"""Verify the tables of a folder: their bytes, the outcomes that their files have twice, then what they say."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints, Ints32, SignedBytes
from tbgen.compiled.jit import borrowing
from tbgen.errors import UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.material import MOST_BUILT_MEN, Material, table_material
from tbgen.score import Score
from tbgen.storage.files import Folders, folder_with, folders_in, path_in, path_of
from tbgen.storage.reader import TableFile
from tbgen.verify.check import Progress, Report, Violation, verify_table
from tbgen.verify.values import Rows, code_of, held_value, rows_in_outcomes, rows_of, signed

_STATES = 1 << 20
"""So many states are looked at in one go: a table may have forty million."""


# report -> accrued score, what the file of outcomes has, what the file of distances has, as signed outcomes
@borrowing
def find_other_break(
    entry: SignedBytes, symbol: Ints, pattern: Ints32, outcomes: Rows, distances: Rows, report: Ints
) -> int:
    """Whether an accrued score that is no higher than the entry value breaks differently in some state."""
    for state in range(len(entry)):
        for code in range(2, code_of(int(entry[state])) + 1):
            for holder in range(2):
                stored = held_value(outcomes, symbol[state], holder, code)[0]
                proved = held_value(distances, pattern[state], holder, code)[0]
                if stored != proved:
                    report[0], report[1], report[2] = signed(holder, code), stored, proved
                    return True
    return False


def wrong_outcome_row(file: TableFile, threads: int, progress: Progress) -> Violation | None:
    """A break in the file of outcomes that is not the one whose distance is known, which is held against the moves."""
    outcomes, distances, count = rows_in_outcomes(file), rows_of(file.patterns), len(file.states.entry)
    columns: Sequence[npt.NDArray[Any]] = file.states.entry, file.symbol_of_state, file.states.pattern

    def look(first: int) -> npt.NDArray[np.int64] | None:
        entry, symbol, pattern = (column[first : first + _STATES] for column in columns)
        report = np.zeros(3, np.int64)
        return report if find_other_break(entry, symbol, pattern, outcomes, distances, report) else None

    with ThreadPoolExecutor(threads) as pool:
        for number, report in enumerate(pool.map(look, range(0, count, _STATES))):
            if report is not None:
                accrued, stored, proved = (str(Score.from_byte(each)) for each in report.tolist())
                return Violation(f"what {accrued} becomes by the file of outcomes", stored, proved)
            progress("outcomes", min((number + 1) * _STATES, count), count)
    return None


def verify_tables(
    materials: Iterable[str | Material],
    folders: Folders,
    *,
    sample: int | None = None,
    threads: int | None = None,
    progress: Callable[[Material, float], None] | None = None,
) -> list[Report]:
    """Prove tables right or wrong, as `tbgen verify` does.

    Arguments:
        materials: Materials or their names.
        folders: As for `Tablebase`.
        sample: The number of positions to check in each table; all without it.
        threads: The number of threads; one for each core without it.
        progress: The verifier calls it with a table and the part of a phase that is done.

    Returns:
        A report for each table. Its `violation` says what is wrong, or is None.

    Raises:
        MissingTableError: A table, or one that it leads to, is missing.
        DamagedTableError: A file has other bytes than its check sums say, or contradicts itself.
        MaterialError: A text names no material.
        UsageError: `sample` is less than 1.

    >>> import tempfile, tbgen
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = tbgen.build_tables(["KvK"], folder)
    ...     [report.violation for report in verify_tables(tables, folder, threads=1)]
    [None]
    """
    if sample is not None and sample < 1:
        raise UsageError(f"sample must be 1 or more, not {sample}")
    paths, reports = folders_in(folders), list[Report]()
    for material in (table_material(str(each), MOST_BUILT_MEN) for each in materials):

        def tell(phase: str, done: int, total: int, material: Material = material) -> None:
            if progress is not None:
                progress(material, done / max(total, 1))

        home = folder_with(paths, material)
        reports.append(verify_file(home, material, sample=sample, threads=threads, progress=tell, others=paths))
    return reports


def verify_file(
    folder: Path,
    material: Material,
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = lambda *_: None,
    others: Sequence[Path] = (),
) -> Report:
    """Check a table file against those of its children; an error of TableError if one cannot be read.

    `others` are folders that children may lie in too. `sample` and `seed` are those of verify_table.
    """
    start = time.monotonic()
    with TableFile(path_of(folder, material)) as file:
        progress("checksum", 0, file.size)
        file.check()
        progress("outcomes", 0, file.size)
        workers = threads or os.cpu_count() or 1
        violation = _wrong_example(file) or wrong_outcome_row(file, workers, progress)
        with contextlib.ExitStack() as opened:

            def child_of(material: Material) -> TableFile:
                return opened.enter_context(TableFile(path_in([folder, *others], material)))

            report = verify_table(file, child_of, sample=sample, seed=seed, threads=threads, progress=progress)
    return replace(report, seconds=time.monotonic() - start, violation=report.violation or violation)


def _wrong_example(file: TableFile) -> Violation | None:
    """An example position that is not the one in the cell of its tally, or an outcome without a longest distance."""
    for side, tallies in file.tallies.items():
        for outcome, tally in tallies.items():
            stored, expected = file.longest[side, outcome][1], fen_of_cell(file.order.layout, tally.cell)
            if stored.split()[:2] != expected.split()[:2]:
                return Violation(f"example of {outcome} with {side} to move", stored, expected)
        for outcome, count in file.counts[side].items():  # others than those of tallies are not counted again
            if outcome not in tallies:
                return Violation(f"count of {outcome} with {side} to move", str(count), "no such entry value")
    return None
