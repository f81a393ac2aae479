"""A table with blocks on disk: the same file however often its making was cut short."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tbgen.errors import BuildError
from tbgen.index.layout import layout_of
from tbgen.library import costs
from tbgen.library.build import build
from tbgen.material import table_named
from tbgen.storage.files import path_of
from tbgen.storage.scratch import ScratchStore, scratch_path
from tbgen.table import Run
from tests.copies import bytes_of_table, copy_tables

PAWN = table_named("KPvK")


@pytest.fixture
def folder(tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that KPvK needs, in which even small tables have their blocks on disk."""
    monkeypatch.setattr(costs, "MOST_KEPT_CELLS", 0)
    for child in PAWN.children():
        copy_tables(table_folder, tmp_path, str(child))
    return tmp_path


def cut_short(folder: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Make the table on a disk that is full after so many runs."""
    put = ScratchStore.put

    def full(store: ScratchStore, *run: Any) -> None:
        if len(store.runs()) == after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(store, *run)

    with monkeypatch.context() as patched:
        patched.setattr(ScratchStore, "put", full)
        with pytest.raises(BuildError, match="No space left on device"):
            build(folder, [PAWN])


@pytest.mark.parametrize("after", [0, 1, 7, 23])
def test_a_full_disk_loses_no_more_than_the_blocks_in_flight(
    folder: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    cut_short(folder, monkeypatch, after)
    assert scratch_path(folder, PAWN).exists()
    assert not path_of(folder, PAWN).exists()
    put = ScratchStore.put
    runs = list[Run]()

    def note(store: ScratchStore, run: Run, *rest: Any) -> None:
        runs.append(run)
        put(store, run, *rest)

    monkeypatch.setattr(ScratchStore, "put", note)
    build(folder, [PAWN])
    layout = layout_of(PAWN)
    cells = (len(layout.blocks) - after) * 2 * 64 * layout.block_words
    assert sum(run.end - run.first for run in runs) == cells
    assert bytes_of_table(folder, "KPvK") == bytes_of_table(table_folder, "KPvK")
    assert not scratch_path(folder, PAWN).exists()


def test_blocks_of_other_children_are_solved_again(
    folder: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_short(folder, monkeypatch, 20)
    monkeypatch.setattr("tbgen.storage.reader.TableFile.digest", "another")
    cut_short(folder, monkeypatch, 5)
    with ScratchStore(scratch_path(folder, PAWN), {}) as store:
        assert not store.runs()
    build(folder, [PAWN])
    assert bytes_of_table(folder, "KPvK") == bytes_of_table(table_folder, "KPvK")
