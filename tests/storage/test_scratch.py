"""Solved blocks on disk: kept, found again, and thrown away where they cannot be trusted."""

from __future__ import annotations

import contextlib
import errno
import itertools
import multiprocessing
import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.storage import arrays
from tbgen.storage.files import partial_of, remove, write_whole
from tbgen.storage.scratch import ScratchStore
from tbgen.table import Cells, Dictionary, Run

IDENTITY = {"material": "KPvK", "source": "abc", "children": {"KvK": "12"}}
SIZE = 5000
PLANE = 1000


def made_up(number: int) -> tuple[Run, Dictionary, Cells]:
    """The run of cells number * SIZE to (number + 1) * SIZE."""
    draw = np.random.default_rng(number)
    first = number * SIZE
    cells = Cells(
        draw.integers(-9, 9, SIZE).astype(np.int8),
        draw.integers(0, 300, SIZE).astype(np.uint16),
        draw.integers(0, 70_000, SIZE).astype(np.uint32),
    )
    rows = draw.integers(0, 1 << 34, 40)
    dictionary = Dictionary(np.arange(0, 41, 4), rows, draw.integers(0, 9, 10))
    right = draw.integers(-9, 9, 64).astype(np.int8), draw.integers(0, 9, 64).astype(np.uint16)
    return (
        Run(first, first + SIZE, len(rows), draw.integers(0, 9, (2, 256, 3)), right),
        dictionary,
        cells,
    )


def opened(path: Path, **changed: Any) -> ScratchStore:
    return ScratchStore(path, {**IDENTITY, **changed}, PLANE)


def assert_has(store: ScratchStore, *numbers: int) -> None:
    assert [run.first // SIZE for run in store.runs()] == sorted(numbers)
    room = Cells.room(SIZE)
    for found, number in zip(store.runs(), sorted(numbers), strict=True):
        run, dictionary, cells = made_up(number)
        assert (found.end, found.rows) == (run.end, run.rows)
        np.testing.assert_array_equal(found.found, run.found)
        for column, there in zip(found.en_passant, run.en_passant, strict=True):
            np.testing.assert_array_equal(column, there, strict=True)
        for column, there in zip(store.dictionary(found), dictionary, strict=True):
            np.testing.assert_array_equal(column, there, strict=True)
        for start, end in ((0, SIZE), (17, 2000), (1999, 2001), (SIZE - 1, SIZE)):
            part = store.cells(run.first + start, run.first + end)
            again = store.cells(run.first + start, run.first + end, room)
            assert all(
                np.shares_memory(column, there) for column, there in zip(again, room, strict=True)
            )
            for column, same, there in zip(part, again, cells, strict=True):
                whole = np.asarray(there)[start:end]
                np.testing.assert_array_equal(column, whole, strict=True)
                np.testing.assert_array_equal(same, whole, strict=True)
            entry, dtg = store.values(run.first + start, run.first + end)
            np.testing.assert_array_equal(entry, cells.entry[start:end])
            np.testing.assert_array_equal(dtg, cells.dtg[start:end])


def filled(path: Path, *numbers: int) -> Path:
    with opened(path) as store:
        for number in numbers:
            store.put(*made_up(number))
    return path


def test_runs_are_there_in_the_order_of_their_cells_and_when_the_folder_is_opened_again(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "KPvK.blocks") as store:
        for number in (7, 4, 1):
            store.put(*made_up(number))
        assert_has(store, 1, 4, 7)
    with opened(tmp_path / "KPvK.blocks") as store:
        assert_has(store, 1, 4, 7)
        store.put(*made_up(2))
        assert_has(store, 1, 2, 4, 7)
        remove(store.path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "changed", [{"source": "abd"}, {"children": {"KvK": "13"}}, {"material": "KPvKP"}]
)
def test_runs_of_another_source_or_child_are_thrown_away(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0, 1)
    with opened(path, **changed) as store:
        assert_has(store)
        store.put(*made_up(5))
    with opened(path, **changed) as store:
        assert_has(store, 5)


def test_a_damaged_file_costs_its_own_run_alone(tmp_path: Path) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0, 1, 2)
    draw = random.Random(6)
    file = sorted(path.iterdir())[1]
    whole = file.read_bytes()
    for place in [0, 31, 32, 40, *(draw.randrange(len(whole)) for _ in range(60))]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged if place % 2 else whole[:place])
        partial_of(file).write_bytes(
            whole
        )  # its builder is killed before it gives the file its name
        with opened(path) as store:
            assert_has(store, 0, 2)
        assert len(list(path.iterdir())) == 2


@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_or_a_link_in_the_place_of_a_store_is_replaced(
    tmp_path: Path, is_link: bool
) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    if is_link:
        (tmp_path / "KPvK.blocks").symlink_to(tmp_path / "precious")
    else:
        (tmp_path / "KPvK.blocks").write_bytes(b"blocks of an earlier program")
    with opened(filled(tmp_path / "KPvK.blocks", 0)) as store:
        assert_has(store, 0)
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0)
    write = write_whole

    def fill_up(parts: Iterable[bytes]) -> Iterator[bytes]:
        yield from itertools.islice(parts, 3)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with opened(path) as store:
        with monkeypatch.context() as patched:
            patched.setattr(arrays, "write_whole", lambda file, parts: write(file, fill_up(parts)))
            with pytest.raises(OSError, match="No space left"):
                store.put(*made_up(1))
        assert_has(store, 0)
        store.put(*made_up(2))
    with opened(path) as store:
        assert_has(store, 0, 2)


def _open_often(folder: str, barrier: Any) -> None:
    for number in range(300):
        barrier.wait()
        with (
            contextlib.suppress(BlockingIOError),
            ScratchStore(Path(folder) / f"{number}", IDENTITY, PLANE),
        ):
            pass  # the other one may have it


def test_two_processes_may_make_the_same_folder_at_once(tmp_path: Path) -> None:
    fresh = multiprocessing.get_context("spawn")
    barrier = fresh.Barrier(2, timeout=60)
    both = [fresh.Process(target=_open_often, args=(str(tmp_path), barrier)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert [each.exitcode for each in both] == [0, 0]
