"""Solved blocks on disk: kept, found again, and thrown away where they cannot be trusted."""

from __future__ import annotations

import errno
import os
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.errors import DamagedTableError
from tbgen.handover import Cells, Dictionary, Run
from tbgen.storage import scratch
from tbgen.storage.scratch import ScratchStore

IDENTITY = {"material": "KPvK", "source": "abc", "children": {"KvK": "12"}}
SIZE = 5000


def made_up(number: int) -> tuple[Run, Dictionary, Cells]:
    """The run of cells number * SIZE to (number + 1) * SIZE."""
    draw, first = np.random.default_rng(number), number * SIZE
    cells = Cells(
        draw.integers(-9, 9, SIZE).astype(np.int8),
        draw.integers(0, 300, SIZE).astype(np.uint16),
        draw.integers(0, 70_000, SIZE).astype(np.uint32),
    )
    rows = draw.integers(0, 1 << 34, 40)
    dictionary = Dictionary(np.arange(0, 41, 4), rows, draw.integers(0, 9, 10))
    right = draw.integers(-9, 9, 64).astype(np.int8), draw.integers(0, 9, 64).astype(np.uint16)
    return Run(first, first + SIZE, len(rows), draw.integers(0, 9, (2, 256, 3)), right), dictionary, cells


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
            assert all(np.shares_memory(column, there) for column, there in zip(again, room, strict=True))
            for column, same, there in zip(part, again, cells, strict=True):
                np.testing.assert_array_equal(column, there[start:end], strict=True)
                np.testing.assert_array_equal(same, there[start:end], strict=True)
            entry, dtg = store.values(run.first + start, run.first + end)
            np.testing.assert_array_equal(entry, cells.entry[start:end])
            np.testing.assert_array_equal(dtg, cells.dtg[start:end])


def filled(path: Path, *numbers: int) -> Path:
    with ScratchStore(path, IDENTITY) as store:
        for number in numbers:
            store.put(*made_up(number))
    return path


@pytest.fixture(autouse=True)
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "_FRAME_ITEMS", 1000)
    monkeypatch.setattr(scratch, "_CACHE_BYTES", 30_000)


def test_runs_come_back_as_they_were_put_in_the_order_of_their_cells(tmp_path: Path) -> None:
    with ScratchStore(tmp_path / "KPvK.blocks", IDENTITY) as store:
        for number in (3, 0, 7):
            store.put(*made_up(number))
        assert_has(store, 0, 3, 7)


def test_runs_are_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    path = filled(tmp_path / "KPvK.blocks", 4, 1)
    with ScratchStore(path, IDENTITY) as store:
        assert_has(store, 1, 4)
        store.put(*made_up(2))
    with ScratchStore(path, IDENTITY) as store:
        assert_has(store, 1, 2, 4)


@pytest.mark.parametrize("changed", [{"source": "abd"}, {"children": {"KvK": "13"}}, {"material": "KPvKP"}])
def test_runs_of_another_source_or_child_are_thrown_away(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0, 1)
    with ScratchStore(path, {**IDENTITY, **changed}) as store:
        assert_has(store)
        store.put(*made_up(5))
    with ScratchStore(path, {**IDENTITY, **changed}) as store:
        assert_has(store, 5)


def test_a_cut_off_file_keeps_its_whole_runs(tmp_path: Path) -> None:
    path = tmp_path / "KPvK.blocks"
    ends = [len(filled(path, *range(n)).read_bytes()) for n in (0,)]
    for number in range(3):
        filled(path, number)
        ends.append(path.stat().st_size)
    whole, draw = path.read_bytes(), random.Random(5)
    for length in [0, 1, *ends, *(draw.randrange(len(whole)) for _ in range(40))]:
        path.write_bytes(whole[:length])
        with ScratchStore(path, IDENTITY) as store:
            assert_has(store, *range(max(0, sum(end <= length for end in ends) - 1)))
            store.put(*made_up(9))
            assert made_up(9)[0].first in [run.first for run in store.runs()]


def test_a_flipped_bit_costs_the_run_that_it_is_in_and_those_behind(tmp_path: Path) -> None:
    path = tmp_path / "KPvK.blocks"
    ends = [filled(path, *([number] if number >= 0 else [])).stat().st_size for number in (-1, 0, 1, 2)]
    whole, draw = path.read_bytes(), random.Random(6)
    for place in [draw.randrange(len(whole)) for _ in range(80)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        with ScratchStore(path, IDENTITY) as store:
            assert_has(store, *range(max(0, sum(end <= place for end in ends) - 1)))


def test_a_damaged_head_asks_for_no_memory(tmp_path: Path) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0)
    with ScratchStore(path, IDENTITY) as store:
        assert_has(store, 0)
    whole = path.read_bytes()
    size = whole.index(b"tbgenrun") + 8
    tracemalloc.start()
    try:
        for bit in range(32):
            damaged = bytearray(whole)
            damaged[size + bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            with ScratchStore(path, IDENTITY) as store:
                assert_has(store)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(whole)
    finally:
        tracemalloc.stop()


def test_bytes_that_change_under_a_store_are_noticed(tmp_path: Path) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0)
    with ScratchStore(path, IDENTITY) as store:
        whole = bytearray(path.read_bytes())
        whole[-2000:] = bytes(2000)
        path.write_bytes(whole)
        store._cache.clear()
        with pytest.raises(DamagedTableError, match="not what was written"):
            store.dictionary(store.runs()[0])


def test_a_link_in_the_place_of_a_store_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "KPvK.blocks").symlink_to(tmp_path / "precious")
    filled(tmp_path / "KPvK.blocks", 0)
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_two_processes_do_not_share_a_file(tmp_path: Path) -> None:
    with ScratchStore(tmp_path / "KPvK.blocks", IDENTITY) as store:
        store.put(*made_up(0))
        with pytest.raises(BlockingIOError):
            ScratchStore(tmp_path / "KPvK.blocks", {})
        assert_has(store, 0)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "KPvK.blocks", 0)
    with ScratchStore(path, IDENTITY) as store:
        append = store._append

        def fill_up(start: int, *parts: bytes) -> None:
            append(start, *parts[:3])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(store, "_append", fill_up)
            with pytest.raises(OSError, match="No space left"):
                store.put(*made_up(1))
        assert_has(store, 0)
        store.put(*made_up(2))
        assert_has(store, 0, 2)
    with ScratchStore(path, IDENTITY) as store:
        assert_has(store, 0, 2)


def test_a_store_that_is_removed_leaves_no_file(tmp_path: Path) -> None:
    with ScratchStore(tmp_path / "KPvK.blocks", IDENTITY) as store:
        store.put(*made_up(1))
        store.remove()
    assert not list(tmp_path.iterdir())
