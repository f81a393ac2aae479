"""Verify the tables of a folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from tbgen.errors import UsageError
from tbgen.material import MOST_BUILT_MEN, Material, TableMaterial, table_material
from tbgen.storage.files import Folders, folder_with, folders_in, men_of_folder, path_in, path_of
from tbgen.storage.reader import TableFile
from tbgen.system.watching import tell_nobody
from tbgen.verify.check import verify_table
from tbgen.verify.report import Report, TellPhase


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
        A report for each table. Its `violation` says what is wrong, or is None. Without distances
        a table is only found to agree with the moves, and its report is of `outcomes_only`.

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
    paths = folders_in(folders)
    men = men_of_folder(paths[0])
    reports = list[Report]()
    for wanted in [table_material(material, MOST_BUILT_MEN, men) for material in materials]:
        report = verify_file(
            folder_with(paths, wanted),
            wanted,
            sample=sample,
            threads=threads,
            progress=partial(_tell_share, progress or tell_nobody, wanted),
            others=paths,
        )
        reports.append(report)
    return reports


def _tell_share(
    tell: Callable[[Material, float], None],
    material: TableMaterial,
    phase: str,
    done: int,
    total: int,
) -> None:
    tell(material, done / max(total, 1))


def verify_file(
    folder: Path,
    material: TableMaterial,
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: TellPhase = tell_nobody,
    others: Sequence[Path] = (),
) -> Report:
    """Check a table file against those of its children; a TableError if one cannot be read.

    Without a file of distances, the outcomes alone are checked, which is no proof.

    `others` are folders that children may lie in too. `sample` and `seed` are those of
    verify_table.
    """
    with contextlib.ExitStack() as opened:
        file = opened.enter_context(TableFile(path_of(folder, material)))
        outcomes_only = not file.has_distances
        if outcomes_only:
            file = opened.enter_context(TableFile(file.path, outcomes_only=True))

        def child_of(material: TableMaterial) -> TableFile:
            path = path_in([folder, *others], material)
            return opened.enter_context(TableFile(path, outcomes_only=outcomes_only))

        return verify_table(
            file, child_of, sample=sample, seed=seed, threads=threads, progress=progress
        )
