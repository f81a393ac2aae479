"""Process: its processors, memory and disk, the signals that it holds back, and children that end with it."""

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
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import Future

_PROC, _CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")

_MMAP_THRESHOLD = -3
"""glibc's number for the size from which an array has a map of its own; it grows up to 32 MiB unless it is set."""
_FIGURES = {
    "": ("max", "current", "inactive_file"),
    "memory": ("limit_in_bytes", "usage_in_bytes", "total_inactive_file"),
}
"""[controller of a control group; none in version 2] -> the names of its limit, its usage, and the cache in that."""


def processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forget_peak() -> None:
    """Reset this process's peak of memory, to measure that of one table; only Linux can do it.

    The C library first returns freed memory to the system. Otherwise a small table would be charged for what a large
    one left in the same process.
    """
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        (_PROC / "self" / "clear_refs").write_text("5")


def free_memory() -> None:
    """Give the system what glibc keeps of freed memory, and in the whole process from now on large arrays at once."""
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another C library
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, 1 << 22)
        library.malloc_trim(0)


def peak_bytes() -> int:
    """The most memory of this process since `forget_peak`, or since its start where the system cannot reset it."""
    with contextlib.suppress(OSError, KeyError):
        figures = dict(
            line.split(":", 1) for line in (_PROC / "self" / "status").read_text().splitlines()
        )
        return int(figures["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )


def available_memory() -> int | None:
    """The bytes that this process and its children can take without swapping; None if the system does not tell.

    The limit of a container counts as well as the machine.
    """
    import psutil  # a probe does not need it

    try:
        return max(0, min([int(psutil.virtual_memory().available), *_free_in_containers()]))
    except (OSError, NotImplementedError):  # such as a Linux without /proc
        return None


def threads_for(memory_bytes: int, most: int) -> int:
    """The number of threads that memory allows, if each takes so much: at least one and at most `most`."""
    room = available_memory()
    return most if room is None else min(most, max(1, room // memory_bytes))


def _free_in_containers() -> Iterator[int]:
    """The memory left under the limit of each control group of this process, of either version."""
    with contextlib.suppress(OSError):
        for line in (_PROC / "self" / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in _FIGURES.keys() & controllers.split(","):
                yield from _free_under(_CGROUPS / controller, path, *_FIGURES[controller])


def _free_under(
    root: Path, path: str, limit_name: str, usage_name: str, cache_name: str
) -> Iterator[int]:
    """The memory left in a group and in the groups around it; a container shows only some of them."""
    group = root / path.lstrip("/")
    for folder in [each for each in (group, *group.parents) if each.is_relative_to(root)]:
        with contextlib.suppress(OSError, KeyError, ValueError):
            limit = int((folder / f"memory.{limit_name}").read_text())  # "max" means no limit
            usage = int((folder / f"memory.{usage_name}").read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            yield limit - usage + int(stat[cache_name])


def most_files() -> int:
    """The number of files that this process may have open; a million if there is no limit.

    A server keeps an eighth for solved blocks, each of which is an open file.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if limit == resource.RLIM_INFINITY else limit


def follow_parent() -> None:
    """End this process with its parent, whatever happens to the parent. The parent handles SIGINT."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # a terminal sends it to all processes of the group
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back until the end of the block, when their handlers run; for starting processes.

    An exception from a handler in the middle would leave a pool of processes that cannot be shut down. Started
    processes would inherit blocked signals, so signals are not blocked.
    """
    held, before = list[int](), dict[signal.Signals, Any]()
    if (
        threading.current_thread() is threading.main_thread()
    ):  # only the main thread has handlers of signals
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


@cache
def _warden() -> IO[str]:
    """The pipe to a process that kills groups of processes when this process is gone, however it ended.

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


def end_with_us(group: int, ended: Future[Any]) -> None:
    """Kill a group of processes if this process ends before `ended` is done."""

    def tell(_: object = None) -> None:
        with contextlib.suppress(
            OSError, ValueError
        ):  # somebody has killed the warden, or this process is ending
            print(group, file=_warden())

    tell()
    ended.add_done_callback(tell)


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk, if folders can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, unless another process holds the lock; return whether it worked."""
    try:
        lock(descriptor, fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(descriptor: int, how: int = 0) -> None:
    """Lock an open file until it is closed, once no other process holds the lock; does nothing without such locks."""
    if hasattr(fcntl, "flock"):
        fcntl.flock(descriptor, fcntl.LOCK_EX | how)


def reserve_disk(file: IO[bytes], size: int) -> None:
    """Make an empty file of this length, with its space on the disk reserved; OSError if there is not enough."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        zeros = bytes(1 << 20)
        for start in range(0, size, len(zeros)):
            file.write(zeros[: size - start])
        file.flush()


def free_disk(folder: Path) -> int | None:
    """The bytes that files in a folder can take, even if it does not exist yet; None if the system does not tell."""
    with contextlib.suppress(OSError):
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        return shutil.disk_usage(there).free
    return None
