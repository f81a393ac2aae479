"""Process: its processors, memory and disk, the signals that it holds back, and children that end with it."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import multiprocessing
import multiprocessing.connection
import os
import resource
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_PROC, _CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl."""
_FIGURES = {
    "": ("max", "current", "inactive_file"),
    "memory": ("limit_in_bytes", "usage_in_bytes", "total_inactive_file"),
}
"""[controller of a control group; none in version 2] -> the names of its limit, its usage, and the cache in that."""


def processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forget_peak() -> None:
    """Let the peak of this process's memory begin anew, so that it is that of one table; Linux alone can do that.

    The C library first returns freed memory to the system. Otherwise a small table would be charged for what a large
    one left in the same process.
    """
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        (_PROC / "self" / "clear_refs").write_text("5")


def peak_bytes() -> int:
    """The most memory this process has had since `forget_peak`, or so far where the system cannot forget."""
    unit = 1 if sys.platform == "darwin" else 1024
    found = _bytes_in(_PROC / "self" / "status", "VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit if found is None else found


def available_memory() -> int | None:
    """Bytes that this process and its children can take without swapping; None where the system does not say.

    A container's limit counts as well as the machine.
    """
    found = [_bytes_in(_PROC / "meminfo", "MemAvailable"), *_free_in_containers()]
    known = [free for free in found if free is not None]
    return max(0, min(known)) if known else None


def threads_for(memory_bytes: int, most: int) -> int:
    """How many threads memory allows if each takes so much: at least one, and `most` at most."""
    room = available_memory()
    return most if room is None else min(most, max(1, room // memory_bytes))


def _bytes_in(file: Path, name: str) -> int | None:
    """A figure of a file such as `/proc/meminfo`, which has it in kB; None where the system has no such file."""
    with contextlib.suppress(OSError, KeyError, ValueError, IndexError):
        figures = dict(line.split(":", 1) for line in file.read_text().splitlines())
        return int(figures[name].split()[0]) * 1024
    return None


def _free_in_containers() -> Iterator[int]:
    """The memory left under the limit of each control group of this process, of either version."""
    with contextlib.suppress(OSError):
        for line in (_PROC / "self" / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in _FIGURES.keys() & controllers.split(","):
                yield from _free_under(_CGROUPS / controller, path, *_FIGURES[controller])


def _free_under(root: Path, path: str, limit_name: str, usage_name: str, cache_name: str) -> Iterator[int]:
    """The memory left in a group and in those around it; a container shows only some of them."""
    group = root / path.lstrip("/")
    for folder in [each for each in (group, *group.parents) if each.is_relative_to(root)]:
        with contextlib.suppress(OSError, KeyError, ValueError):
            limit = int((folder / f"memory.{limit_name}").read_text())  # "max" is no limit
            usage = int((folder / f"memory.{usage_name}").read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            yield limit - usage + int(stat[cache_name])


def follow_parent() -> None:
    """Make this process end with its parent, whatever happens to that one; SIGINT is the parent's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all of its processes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back until the end, when their handlers run; for starting processes.

    An exception raised by a handler halfway through would leave a pool of processes that cannot be shut down. Blocking
    the signals instead would be inherited by the processes that are started.
    """
    held, before = list[int](), dict[signal.Signals, Any]()
    if threading.current_thread() is threading.main_thread():  # no other has handlers of signals
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda number, _: held.append(number))
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for missed in held:
            signal.raise_signal(missed)


def death_signal() -> Callable[[], None] | None:
    """The call by which a starting process asks to be killed when its parent dies; None if the system has none.

    The signal follows the thread that starts the process, which must live as long as the parent.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()  # looked up here: little is safe between fork and exec

    def follow() -> None:
        prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it died before that
            os._exit(1)

    return follow


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder to the disk, where folders can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, unless another process has; return whether it is ours."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def free_disk(folder: Path) -> int | None:
    """Bytes that files in a folder, which need not be there yet, can take; None where the system does not say."""
    with contextlib.suppress(OSError):
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        return shutil.disk_usage(there).free
    return None
