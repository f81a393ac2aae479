"""Process: what it may use, the memory that it has taken, and how it gives some back."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from pathlib import Path

_PROC = Path("/proc/self")

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What glibc's `mallopt` calls them."""
_MOST_KEPT = 32 << 20
"""As far as glibc goes by itself: larger arrays are given back when they are freed."""


def processors() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def give_back() -> None:
    """Let the system have the memory that the C library keeps after it was freed, where the C library can be told.

    What a large table has left would be counted as a small one's that is made after it by the same process.
    """
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed() -> None:
    """Have the C library keep what is freed for what comes next, as it does by itself, where it is told otherwise.

    Dask tells its workers to give everything back at once: each array of a child then began with new pages.
    """
    if "MALLOC_TRIM_THRESHOLD_" in os.environ:
        with contextlib.suppress(OSError, TypeError, AttributeError):
            library = ctypes.CDLL(None)
            library.mallopt(_MMAP_THRESHOLD, _MOST_KEPT)
            library.mallopt(_TRIM_THRESHOLD, 2 * _MOST_KEPT)


def forget_peak() -> None:
    """Let the peak of this process's memory begin anew, so that it is that of one table; Linux alone can do that."""
    with contextlib.suppress(OSError):
        (_PROC / "clear_refs").write_text("5")


def peak_bytes() -> int:
    """The most memory this process has had since `forget_peak`, or so far where the system cannot forget."""
    with contextlib.suppress(OSError, KeyError, ValueError, IndexError):
        lines = (_PROC / "status").read_text().splitlines()
        return int(dict(line.split(":", 1) for line in lines)["VmHWM"].split()[0]) * 1024
    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
