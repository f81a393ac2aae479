"""What the machine has left, container or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.library import limits
from tbgen.library.limits import available_memory, free_disk

GIB = 1 << 30


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 8 GiB to spare and no containers yet."""
    monkeypatch.setattr(limits, "PROC", tmp_path / "proc")
    monkeypatch.setattr(limits, "CGROUPS", tmp_path / "cgroup")
    (tmp_path / "proc" / "self").mkdir(parents=True)
    write(tmp_path / "proc", {"meminfo": f"MemTotal: 1 kB\nMemAvailable: {8 * GIB // 1024} kB\n"})
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


def test_without_a_container_the_machine_decides(machine: Path) -> None:
    assert available_memory() == 8 * GIB


def test_a_container_s_limit_counts_less_what_is_used_but_for_the_cache(machine: Path) -> None:
    write(machine / "proc" / "self", {"cgroup": "0::/user/job\n"})
    group(machine / "cgroup" / "user" / "job", 4 * GIB, 2 * GIB, GIB)
    assert available_memory() == 3 * GIB


def test_the_limit_of_a_group_further_out_counts_too(machine: Path) -> None:
    write(machine / "proc" / "self", {"cgroup": "0::/user/job\n"})
    group(machine / "cgroup" / "user" / "job", "max", 0, 0)
    group(machine / "cgroup" / "user", 2 * GIB, GIB, 0)
    assert available_memory() == GIB


def test_a_limit_above_what_the_machine_has_changes_nothing(machine: Path) -> None:
    write(machine / "proc" / "self", {"cgroup": "0::/\n"})
    group(machine / "cgroup", 64 * GIB, GIB, 0)
    assert available_memory() == 8 * GIB


def test_the_first_version_of_control_groups_is_known_even_where_its_path_cannot_be_seen(machine: Path) -> None:
    write(machine / "proc" / "self", {"cgroup": "3:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n0::/docker/1\n"})
    group(machine / "cgroup" / "memory", 2 * GIB, GIB, GIB // 2, version=1)
    assert available_memory() == GIB + GIB // 2


def test_more_used_than_allowed_leaves_nothing(machine: Path) -> None:
    write(machine / "proc" / "self", {"cgroup": "0::/\n"})
    group(machine / "cgroup", GIB, 2 * GIB, 0)
    assert available_memory() == 0


def test_the_disk_of_a_folder_that_is_not_there_yet_is_that_of_the_one_above(tmp_path: Path) -> None:
    there, later = free_disk(tmp_path), free_disk(tmp_path / "a" / "b")
    assert there is not None
    assert later is not None
    assert abs(there - later) < GIB
