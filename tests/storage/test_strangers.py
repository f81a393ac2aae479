"""Damaged and dishonest files of tables: refused in one line, with no more memory than their
material has.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import DamagedTableError
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import Index
from tests.project import ROOT
from tests.storage.forging import resealed

NAMES = ("KvK", "KBvK", "KPvK")


@pytest.fixture
def folder(table_folder: Path, tmp_path: Path) -> Path:
    for path in (each for name in NAMES for each in table_folder.glob(f"{name}.*h5")):
        shutil.copyfile(path, tmp_path / path.name)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "items", "reason"),
    [
        ("block_squares", 1 << 28, "block_squares has more items than its material has"),
        ("rows", 1 << 25, "its columns are larger than any table's"),
        ("symbols", 48, "two chunks share bytes"),
    ],
)
def test_a_column_is_no_longer_than_its_material_says_and_has_bytes_of_its_own(
    folder: Path, name: str, items: int, reason: str
) -> None:
    def change(index: Index) -> None:
        dataset = index.datasets[name]
        size = min(items // 2, 1 << 16)
        chunks = np.resize(dataset.chunks, -(-items // size))
        longer = replace(dataset, items=items, chunk_items=size, chunks=chunks)
        index.datasets[name] = longer  # type: ignore[index]

    suffix = ".dtg.h5" if name == "rows" else ".h5"
    resealed(folder / f"KPvK{suffix}", change)
    with pytest.raises(DamagedTableError, match=reason), TableFile(folder / "KPvK.h5") as table:
        table.column(name)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_something_else_with_the_name_of_distances_does_not_hide_the_outcomes(
    folder: Path, make: Callable[[Path], None]
) -> None:
    distances = folder / "KBvK.dtg.h5"
    distances.unlink()
    make(distances)
    with TableFile(folder / "KBvK.h5", outcomes_only=True) as table:
        assert table.values().entry.any()
    with TableFile(folder / "KBvK.h5") as table:
        assert table.counts
        with pytest.raises(DamagedTableError, match=r"KBvK.dtg.h5: it is no regular file"):
            table.values()


def test_facts_that_would_take_long_to_read_are_not_read(folder: Path) -> None:
    resealed(folder / "KPvK.h5", lambda index: index.attributes.update(more="x" * (1 << 20)))
    with pytest.raises(DamagedTableError, match="longer than any that is written"):
        TableFile(folder / "KPvK.h5")


@pytest.mark.parametrize(
    ("files", "seed"),
    [(40, 0), *[pytest.param(2500, seed, marks=pytest.mark.slow) for seed in range(1, 5)]],
)
def test_files_from_strangers_are_read_with_a_gigabyte_of_address_space(
    folder: Path, files: int, seed: int
) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.storage.strangers",
        str(folder),
        str(files),
        str(seed),
        *NAMES,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > files / 2
