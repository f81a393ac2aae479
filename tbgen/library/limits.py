"""Limits: what the machine has left for a build, and what a table has taken of it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

PROC, CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Bytes that this process and its children can take without swapping; None where the system does not say.

    A container's limit counts as well as the machine.
    """
    found = [_free_memory(), *_free_in_containers()]
    known = [free for free in found if free is not None]
    return max(0, min(known)) if known else None


def _free_memory() -> int | None:
    with contextlib.suppress(OSError, KeyError, ValueError, IndexError):
        lines = (PROC / "meminfo").read_text("ascii").splitlines()
        figures = dict(line.split(":", 1) for line in lines)
        return int(figures["MemAvailable"].split()[0]) * 1024
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_in_containers() -> Iterator[int]:
    """What is left under the limit of each control group that this process is in, of either version."""
    try:
        lines = (PROC / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            yield from _free_under(CGROUPS, path, ("memory.max", "memory.current", "inactive_file"))
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _free_under(CGROUPS / "memory", path, names)


def _free_under(root: Path, path: str, names: tuple[str, str, str]) -> Iterator[int]:
    """What is left in a group and in those around it; inside a container only some of them can be seen."""
    limit_name, usage_name, cache_name = names
    group = root / path.lstrip("/")
    for folder in (group, *group.parents):
        if folder != root and root not in folder.parents:
            return
        with contextlib.suppress(OSError, KeyError, ValueError):
            limit = int((folder / limit_name).read_text())  # "max" is no limit
            usage = int((folder / usage_name).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            yield limit - usage + int(stat[cache_name])


def free_disk(folder: Path) -> int | None:
    """Bytes that files in a folder, which need not be there yet, can take; None where the system does not say."""
    for place in (folder, *folder.absolute().parents):
        try:
            return shutil.disk_usage(place).free
        except FileNotFoundError:
            continue
        except OSError:
            break
    return None
