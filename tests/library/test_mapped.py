"""Arrays in files: like any other, and no longer in memory when there is none left for them."""

from __future__ import annotations

import mmap
import os
import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tbgen.library import mapped
from tbgen.library.mapped import MappedArrays

MIB = 1 << 20


def touched_bytes(array: npt.NDArray[np.uint8]) -> int:
    """The pages of an array that this process has at hand."""
    first, count = array.ctypes.data // mmap.PAGESIZE, array.nbytes // mmap.PAGESIZE
    with Path("/proc/self/pagemap").open("rb", buffering=0) as file:
        pages = np.frombuffer(os.pread(file.fileno(), 8 * count, 8 * first), np.uint64)
    return int((pages >> np.uint64(63)).sum()) * mmap.PAGESIZE


def test_what_is_written_stays_when_the_pages_are_let_go(tmp_path: Path) -> None:
    with MappedArrays(tmp_path, 1 << 40) as files:
        array = files.zeros(MIB, np.uint32)
        assert not array.any()
        array[:] = np.arange(MIB)
        files.let_go()
        np.testing.assert_array_equal(array, np.arange(MIB))
    assert list(tmp_path.iterdir()) == [], "a killed process leaves nothing either"


@pytest.mark.parametrize("size", [0, 1, 4097])
def test_arrays_have_any_size(tmp_path: Path, size: int) -> None:
    array = MappedArrays(tmp_path, 0).zeros(size, np.uint16)
    assert (array.shape, array.dtype, array.flags.writeable, array.flags.aligned) == ((size,), np.uint16, True, True)


def test_a_disk_that_is_full_says_so_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, offset: int, length: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        MappedArrays(tmp_path, 0).zeros(1, np.int8)


def watched(monkeypatch: pytest.MonkeyPatch, folder: Path, resident: list[int], highest: int) -> list[int]:
    """What is to be left when pages are let go, of a process that is granted 1000 MiB and has so many after another.

    When pages are let go, they become as many as `highest` before they become few.
    """
    targets, is_over = list[int](), threading.Event()

    def next_resident() -> int:
        if len(resident) == 1:
            is_over.set()
        return (resident.pop(0) if len(resident) > 1 else resident[0]) * MIB

    def let_go(files: MappedArrays, most: int) -> int:
        targets.append(most // MIB)
        files._highest = highest * MIB
        return most

    monkeypatch.setattr(mapped, "_resident_bytes", next_resident)
    monkeypatch.setattr(mapped, "_LEAST_SECONDS", 0.001)
    monkeypatch.setattr(mapped, "_FASTEST", 1 << 50)
    monkeypatch.setattr(MappedArrays, "let_go", let_go)
    with MappedArrays(folder, 1000 * MIB):
        assert is_over.wait(60)
    return targets


def test_pages_are_let_go_when_the_process_has_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, tmp_path, [5, 616, 617, 5], 617) == [552]


def test_twice_of_what_is_touched_between_two_looks_is_kept_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watched(monkeypatch, tmp_path, [5, 900, 617, 5], 876) == [552, 416]


def test_what_is_touched_least_is_let_go_first_and_no_more_than_has_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = MappedArrays(tmp_path, 0)
    arrays = {rank: files.zeros(MIB, np.uint8, rank) for rank in (2, 0, 1)}
    for array in arrays.values():
        array[:] = 1
    resident = iter([9, 5, 5])
    monkeypatch.setattr(mapped, "_resident_bytes", lambda: next(resident))
    assert files.let_go(5) == 5
    assert [touched_bytes(arrays[rank]) for rank in range(3)] == [0, 0, MIB]


def test_what_was_let_go_longest_ago_is_let_go_first_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, page = MappedArrays(tmp_path, 0), mmap.PAGESIZE
    monkeypatch.setattr(mapped, "_PIECE", page)
    array = files.zeros(3 * page, np.uint8)
    monkeypatch.setattr(mapped, "_resident_bytes", lambda: 5)
    there = []
    for _ in range(4):
        array[:] = 1
        assert files.let_go(5) == 5
        there.append([touched_bytes(array[start : start + page]) // page for start in range(0, array.size, page)])
    assert there == [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]]


def test_arrays_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    files = MappedArrays(tmp_path, 0)
    array = files.zeros(MIB, np.uint8)
    array[:] = 1
    del array
    assert files.let_go() == 0, "there is nothing to let go"
