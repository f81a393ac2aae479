"""Locks, also those of a system that the suite does not run on."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tbgen import disk


def locked_by(path: Path) -> str:
    """What another process says of a lock."""
    code = "import os, sys; from tbgen.disk import try_lock; print(try_lock(os.open(sys.argv[1], os.O_RDWR)))"
    return subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True).stdout.strip()


def test_a_lock_is_one_process_s_until_it_closes_the_file(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as file:
        assert disk.try_lock(file.fileno())
        assert locked_by(tmp_path / "lock") == "False"
    assert locked_by(tmp_path / "lock") == "True"


def test_any_folder_may_be_brought_to_the_disk(tmp_path: Path) -> None:
    disk.sync_folder(tmp_path)
    disk.sync_folder(tmp_path / "that is not there")


class WindowsLocks:
    """Stands in for msvcrt: the byte at the position is one descriptor's, and others are told so with an OSError."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.taken: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        assert (mode, length) == (self.LK_NBLCK, 1)
        place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        if self.taken.setdefault(place, descriptor) != descriptor:
            raise PermissionError(13, "Permission denied")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The module as Windows has it, and the locks that are taken there."""
    locks = WindowsLocks()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", locks)  # type: ignore[arg-type]
    spec = importlib.util.spec_from_file_location("disk_of_windows", disk.__file__)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return SimpleNamespace(disk=module, locks=locks)


def test_windows_locks_a_byte_that_no_content_is_in_and_leaves_the_position(
    windows: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "lock").write_bytes(b"state")
    with (tmp_path / "lock").open("r+b", buffering=0) as file:
        file.seek(3)
        assert windows.disk.try_lock(file.fileno())
        assert file.tell() == 3
    ((_, byte),) = windows.locks.taken
    assert byte > 1_000_000


def test_who_waits_for_a_lock_of_windows_sleeps_between_two_tries(windows: SimpleNamespace, tmp_path: Path) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            windows.locks.taken.clear()

    with (tmp_path / "lock").open("wb") as first, (tmp_path / "lock").open("ab") as second:
        assert windows.disk.try_lock(first.fileno())
        assert not windows.disk.try_lock(second.fileno())
        windows.disk.wait_for_lock(second.fileno(), pause)
    assert len(pauses) == 3
    assert min(pauses) >= 0.05
