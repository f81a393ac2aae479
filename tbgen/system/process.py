"""Process: its processors, memory and disk, the signals that it holds back, and its children."""

from __future__ import annotations

import atexit
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
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import asyncio
    import concurrent.futures

_PROC = Path("/proc")
_CGROUPS = Path("/sys/fs/cgroup")

_MMAP_THRESHOLD = -3
"""glibc's number for the size from which an array has a map of its own.

It grows up to 32 MiB unless it is set.
"""
_MAPPED_BYTES = 1 << 22
"""Larger arrays go back to the system as soon as they are freed."""
_KIB = 1024


class _GroupFigures(NamedTuple):
    """The names of the figures of a control group."""

    limit: str
    usage: str
    cache: str
    """The part of the usage that the system gives back when it needs memory."""


_FIGURES = {
    "": _GroupFigures("max", "current", "inactive_file"),
    "memory": _GroupFigures("limit_in_bytes", "usage_in_bytes", "total_inactive_file"),
}
"""[controller of a control group; none in version 2] -> the names of its figures."""


def processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def forget_peak() -> None:
    """Reset this process's peak of memory, to measure that of one table; only Linux can do it.

    The C library first returns freed memory to the system. Otherwise a small table would be charged
    for what a large one left in the same process.
    """
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        (_PROC / "self" / "clear_refs").write_text("5")


def free_memory() -> None:
    """Give the system what glibc keeps of freed memory, and from now on large arrays at once."""
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another C library
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _MAPPED_BYTES)
        library.malloc_trim(0)


def peak_bytes() -> int:
    """The most memory of this process since `forget_peak`.

    It is that since the start of the process where the system cannot reset it.
    """
    with contextlib.suppress(OSError):
        for line in (_PROC / "self" / "status").read_text().splitlines():
            name, _, figure = line.partition(":")
            if name == "VmHWM":
                return int(figure.split()[0]) * _KIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if sys.platform == "darwin":
        return peak
    return peak * _KIB


def available_memory() -> int | None:
    """The bytes that this process and its children can take without swapping.

    It is None if the system does not tell. The limit of a container counts as well as the machine.
    """
    import psutil  # a probe does not need it

    try:
        free = int(psutil.virtual_memory().available)
        return max(0, min([free, *_free_in_containers()]))
    except (OSError, NotImplementedError):  # such as a Linux without /proc
        return None


def threads_for(memory_bytes: int, most: int, *, beside: int = 0) -> int:
    """The number of threads that memory allows, from one to `most`, if each takes so much.

    All of them take their memory beside some bytes.
    """
    room = available_memory()
    if room is None:
        return most
    return min(most, max(1, (room - beside) // memory_bytes))


def _free_in_containers() -> Iterator[int]:
    """The memory left under the limit of each control group of this process, of either version."""
    with contextlib.suppress(OSError):
        for line in (_PROC / "self" / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in _FIGURES.keys() & controllers.split(","):
                yield from _free_under(_CGROUPS / controller, path, _FIGURES[controller])


def _free_under(root: Path, path: str, names: _GroupFigures) -> Iterator[int]:
    """The memory left in a group and in those around it, of which a container shows only some."""
    group = root / path.lstrip("/")
    for folder in (group, *group.parents):
        if not folder.is_relative_to(root):
            continue
        with contextlib.suppress(OSError, KeyError, ValueError):
            limit = int((folder / f"memory.{names.limit}").read_text())  # "max" means no limit
            usage = int((folder / f"memory.{names.usage}").read_text())
            lines = (folder / "memory.stat").read_text().splitlines()
            figures = dict(line.split() for line in lines)
            yield limit - usage + int(figures[names.cache])


_MANY_FILES = 1 << 20
"""A million, if there is no limit."""


def most_files() -> int:
    """The number of files that this process may have open; a million if there is no limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return _MANY_FILES
    return limit


def follow_parent() -> None:
    """End this process with its parent, however that ends. The parent handles SIGINT."""
    # A terminal sends SIGINT to all processes of the group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


_WARDEN = """
import os, sys
groups = set()
for line in sys.stdin:
    groups ^= {int(line)}
for group in groups:
    try:
        os.killpg(group, 9)
    except OSError:
        pass
"""


_telling = threading.Lock()
"""One warden is started, and hears one number at a time."""


@cache
def _warden() -> IO[str]:
    """The pipe to a process that kills groups of processes when this process is gone.

    Writing a group's number begins or ends its watch.
    """
    import subprocess  # a probe does not need this, either

    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WARDEN],
        stdin=subprocess.PIPE,
        text=True,
        bufsize=1,
        process_group=0,
    )
    assert process.stdin is not None
    atexit.register(process.wait)
    atexit.register(process.stdin.close)
    return process.stdin


def end_with_us(group: int, ended: asyncio.Future[Any] | concurrent.futures.Future[Any]) -> None:
    """Kill a group of processes if this process ends before `ended` is done."""

    def tell(_: object = None) -> None:
        # Somebody may have killed the warden, or this process may be ending.
        with contextlib.suppress(OSError, ValueError), _telling:
            _warden().write(f"{group}\n")

    tell()
    ended.add_done_callback(tell)


def kill_group(leader: int) -> None:
    """End a process that was started with a group of its own, and its children.

    The system may give the number away once the process has ended, so this comes once.
    """
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


def how_it_ended(code: int) -> str:
    """What the exit code of a process says.

    >>> how_it_ended(-11), how_it_ended(-40), how_it_ended(3)
    ('signal SIGSEGV', 'signal 40', 'exit code 3')
    """
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:  # real-time signals have no names
        return f"signal {-code}"


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk, if folders can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, unless another process holds the lock.

    Returns whether it worked.
    """
    try:
        lock(descriptor, fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(descriptor: int, how: int = 0) -> None:
    """Lock an open file until it is closed, once no other process holds the lock.

    It does nothing without such locks.
    """
    if hasattr(fcntl, "flock"):
        fcntl.flock(descriptor, fcntl.LOCK_EX | how)


def reserve_disk(file: IO[bytes], size: int) -> None:
    """Give an empty file this length, and reserve its space; OSError if there is not enough."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        zeros = bytes(1 << 20)
        for start in range(0, size, len(zeros)):
            file.write(zeros[: size - start])
        file.flush()


def free_disk(folder: Path) -> int | None:
    """The bytes that files in a folder can take, even if it does not exist yet.

    It is None if the system does not tell.
    """
    with contextlib.suppress(OSError):
        for path in (folder, *folder.absolute().parents):
            if path.exists():
                return shutil.disk_usage(path).free
    return None
