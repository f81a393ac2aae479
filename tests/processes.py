"""What tests ask of other processes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether a process is there and not just waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid: int) -> list[int]:
    """The processes that another has started and that are still there."""
    children = list[int]()
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return children


def have_ended(processes: Iterable[int], seconds: float = 20.0) -> bool:
    """Whether other processes end within some seconds."""
    end = time.monotonic() + seconds
    while any(map(is_running, processes)) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(map(is_running, processes))
