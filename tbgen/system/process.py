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
    with contextlib.suppress(OSError, KeyError):
        figures = dict(line.split(":", 1) for line in (_PROC / "self" / "status").read_text().splitlines())
        return int(figures["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def available_memory() -> int | None:
    """Bytes that this process and its children can take without swapping; None where the system does not say.

    A container's limit counts as well as the machine.
    """
    import psutil  # a probe does without

    try:
        return max(0, min([int(psutil.virtual_memory().available), *_free_in_containers()]))
    except (OSError, NotImplementedError):  # a Linux without /proc, say
        return None


def threads_for(memory_bytes: int, most: int) -> int:
    """How many threads memory allows if each takes so much: at least one, and `most` at most."""
    room = available_memory()
    return most if room is None else min(most, max(1, room // memory_bytes))


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


def most_files() -> int:
    """The number of files that this process may have open; a million if there is no limit.

    A server keeps an eighth for solved blocks, each of which is a mapped file.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if limit == resource.RLIM_INFINITY else limit


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

    A number that is written begins to be watched, or no longer is.
    """
    import subprocess  # a probe does without this, too

    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WARDEN], stdin=subprocess.PIPE, text=True, bufsize=1, process_group=0
    )
    assert process.stdin is not None
    atexit.register(process.wait)
    atexit.register(process.stdin.close)
    return process.stdin


def end_with_us(group: int, ended: Future[Any]) -> None:
    """Have a group of processes killed if this process is gone before `ended` is done."""

    def tell(_: object = None) -> None:
        with contextlib.suppress(OSError, ValueError):  # somebody has ended it, or this process is about to end
            print(group, file=_warden())

    tell()
    ended.add_done_callback(tell)


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
        lock(descriptor, fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(descriptor: int, how: int = 0) -> None:
    """Lock an open file until it is closed, once no other process has; a system without such locks goes without."""
    if hasattr(fcntl, "flock"):
        fcntl.flock(descriptor, fcntl.LOCK_EX | how)


def reserve_disk(file: IO[bytes], size: int) -> None:
    """Make an empty file this long, of zeros that the disk has room for; OSError if it has not."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        zeros = bytes(1 << 20)
        for start in range(0, size, len(zeros)):
            file.write(zeros[: size - start])
        file.flush()


def free_disk(folder: Path) -> int | None:
    """Bytes that files in a folder, which need not be there yet, can take; None where the system does not say."""
    with contextlib.suppress(OSError):
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        return shutil.disk_usage(there).free
    return None
