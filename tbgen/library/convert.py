"""Convert: tables of an earlier format as those of today, without solving them again.

Each table is written beside the old one, read back and compared with it place by place, and only then put in its
place: distances first, then outcomes. Whoever is killed on the way has the old table or the new one, and the same call
goes on from there.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import numpy as np

from tbgen.errors import DamagedTableError, OutdatedTableError, TableError
from tbgen.library.manifest import FileRecord, read_manifest, record
from tbgen.material import Material
from tbgen.storage.details import occurring
from tbgen.storage.files import WrittenTable, build_lock, path_of
from tbgen.storage.former import FORMER, FormerFile
from tbgen.storage.layers import Layer
from tbgen.storage.reader import TableFile
from tbgen.storage.writer import Numbered, write_numbered

BESIDE: Final = ".converting"
"""The folder, within the tables', where new files lie until they are found to be right."""


def former_tables(folder: Path, materials: Iterable[Material]) -> list[Material]:
    """Those of some tables in a folder that have the earlier format."""
    return [material for material in materials if _is_former(path_of(folder, material))]


def convert(
    folder: Path,
    materials: Iterable[Material],
    threads: int = 1,
    tell: Callable[[Material], None] = lambda _: None,
    on_wait: Callable[[], None] = lambda: None,
) -> None:
    """Convert tables of the earlier format; `tell` hears of each when it is in place."""
    with build_lock(folder, on_wait):
        for material in former_tables(folder, materials):
            _record(folder, material, _convert_one(folder, material, threads))
            tell(material)


def _convert_one(folder: Path, material: Material, threads: int) -> WrittenTable:
    beside = folder / BESIDE
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    try:
        former = FormerFile(path_of(folder, material), material)
        table, made_by = former.numbered(), former.attributes
        written = write_numbered(
            beside,
            dataclasses.replace(table),  # a copy of the frame: the writer lets numbers go, which are compared below
            generator=made_by["generator"],
            source=made_by["source"],
            threads=threads,
        )
        _compare(beside, table)
        for layer in (Layer.DISTANCES, Layer.OUTCOMES):
            os.replace(path_of(beside, material, layer), path_of(folder, material, layer))
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return written


def _compare(folder: Path, table: Numbered) -> None:
    """DamagedTableError if a table in a folder has other values in any place."""
    numbers, patterns = occurring(table.states.pattern, table.patterns)
    with TableFile(path_of(folder, table.material)) as file:
        file.check()
        found, states, cells = file.patterns, file.states, file.order.chunk_cells
        names = [each.name for each in dataclasses.fields(patterns)]
        same = all(np.array_equal(getattr(found, name), getattr(patterns, name)) for name in names)
        for chunk in range(file.order.chunks):
            ids = file.chunk(chunk)
            old = table.numbers[chunk * cells : chunk * cells + len(ids)]
            pairs = (states.entry, table.states.entry), (states.dtg, table.states.dtg), (states.pattern, numbers)
            same = same and all(np.array_equal(new[ids], there[old]) for new, there in pairs)
        if not (same and file.tallies == table.tallies):
            raise DamagedTableError(str(file.path), "it does not hold what it was converted from")


def _record(folder: Path, material: Material, written: WrittenTable) -> None:
    """Tell the manifest of the new files; what it took to make the table stays."""
    known = read_manifest(folder).get(str(material), FileRecord(0, ""))
    made = dataclasses.replace(
        known,
        bytes=written.bytes,
        sha256=written.outcomes.sha256,
        sha256_of_distances=written.distances.sha256,
    )
    record(folder, {material: made})


def _is_former(path: Path) -> bool:
    try:
        TableFile(path).close()
    except OutdatedTableError as error:
        return error.found == f"format {FORMER}"
    except TableError:
        pass
    return False
