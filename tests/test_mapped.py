"""Arrays in files: like any other, and no longer in memory when there is none left for them."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from tbgen import mapped
from tbgen.mapped import MappedArrays

MIB = 1 << 20


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


def test_pages_are_let_go_when_the_process_has_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resident, seen, is_enough = [5, 15, 5], list[int](), threading.Event()

    def next_resident() -> int:
        seen.append(resident.pop(0) if resident else 5)
        return seen[-1]

    def let_go(_: MappedArrays) -> None:
        gone.append(seen[-1])
        is_enough.set()

    gone = list[int]()
    monkeypatch.setattr(mapped, "_resident_bytes", next_resident)
    monkeypatch.setattr(mapped, "_LEAST_SECONDS", 0.001)
    monkeypatch.setattr(MappedArrays, "let_go", let_go)
    with MappedArrays(tmp_path, 10):
        assert is_enough.wait(60)
    assert gone == [15]
