"""What the machine has left, container or not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tbgen.system import process
from tbgen.system.process import available_memory, free_disk, threads_for

GIB = 1 << 30


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 8 GiB to spare and no containers yet."""
    monkeypatch.setattr(process, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(process, "_CGROUPS", tmp_path / "cgroup")
    (tmp_path / "proc" / "self").mkdir(parents=True)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=8 * GIB))
    return tmp_path


def write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def group(folder: Path, limit: int | str, usage: int, cache: int, *, version: int = 2) -> None:
    names = ("memory.max", "memory.current", "inactive_file")
    if version == 1:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    stat = f"anon 5\n{names[2]} {cache}\n"
    write(folder, {names[0]: f"{limit}\n", names[1]: f"{usage}\n", "memory.stat": stat})


@pytest.mark.parametrize(
    ("cgroup", "groups", "free"),
    [
        ("", {}, 8),
        ("0::/user/job", {"user/job": (4, 2, 1)}, 3),
        ("0::/user/job", {"user/job": ("max", 0, 0), "user": (2, 1, 0)}, 1),
        ("0::/", {"": (64, 0, 0)}, 8),
        ("0::/", {"": (1, 2, 0)}, 0),
    ],
    ids=[
        "none",
        "limit less use but for the cache",
        "the group further out",
        "more than there is",
        "too much used",
    ],
)
def test_a_container_s_limit_counts_less_what_is_used(
    machine: Path, cgroup: str, groups: dict[str, tuple[int | str, int, int]], free: int
) -> None:
    write(machine / "proc" / "self", {"cgroup": cgroup})
    for name, (limit, usage, cache) in groups.items():
        most = limit if isinstance(limit, str) else limit * GIB
        group(machine / "cgroup" / name, most, usage * GIB, cache * GIB)
    assert available_memory() == free * GIB


def test_the_disk_of_a_folder_that_is_not_there_yet_is_that_of_the_one_above(
    tmp_path: Path,
) -> None:
    there = free_disk(tmp_path)
    later = free_disk(tmp_path / "a" / "b")
    assert there is not None
    assert later is not None
    assert abs(there - later) < GIB


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("gib", "most", "beside", "threads"), [(1, 4, 0, 4), (3, 4, 0, 2), (3, 4, 4, 1), (9, 4, 9, 1)]
)
def test_as_many_threads_as_memory_allows_and_at_least_one(
    gib: int, most: int, beside: int, threads: int
) -> None:
    assert threads_for(gib * GIB, most, beside=beside * GIB) == threads
