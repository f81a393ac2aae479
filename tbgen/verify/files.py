"""Verify the tables of a folder: their bytes, then what they say."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.storage.files import path_in, path_of
from tbgen.storage.reader import TableFile
from tbgen.verify.check import verify_table
from tbgen.verify.laws import Progress, silent
from tbgen.verify.outcomes import wrong_outcome_row
from tbgen.verify.violations import Report, Violation, fen_of


def verify_file(
    folder: Path,
    material: Material,
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = silent,
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
        violation = _wrong_example(file) or _unknown_count(file) or wrong_outcome_row(file, workers, progress)
        with contextlib.ExitStack() as opened:
            child_of = _reader_of([folder, *others], opened)
            report = verify_table(
                file, child_of, sample=sample, seed=seed, blanks=False, threads=threads, progress=progress
            )
    return replace(report, seconds=time.monotonic() - start, violation=report.violation or violation)


def _reader_of(folders: Sequence[Path], opened: contextlib.ExitStack) -> Callable[[Material], TableFile]:
    def child_of(material: Material) -> TableFile:
        return opened.enter_context(TableFile(path_in(folders, material)))

    return child_of


def _wrong_example(file: TableFile) -> Violation | None:
    """An example position that is not the one in the cell of its tally."""
    layout = layout_of(file.material)
    for side, tallies in file.tallies.items():
        for outcome, tally in tallies.items():
            stored, expected = file.examples[side, outcome], fen_of(layout, tally.cell)
            if stored.split()[:2] != expected.split()[:2]:
                return Violation(f"example of {outcome} with {side} to move", stored, expected)
    return None


def _unknown_count(file: TableFile) -> Violation | None:
    """An outcome that is counted and has no longest distance; the others are counted again."""
    for side, tallies in file.tallies.items():
        for outcome, count in file.counts[side].items():
            if outcome not in tallies:
                return Violation(f"count of {outcome} with {side} to move", str(count), "no such entry value")
    return None
