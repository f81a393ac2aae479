"""Mapped: arrays that lie in files without a name, where there is more to hold than memory.

To whoever uses such an array it is like any other. The system keeps of it what it has memory for, and reads the rest
when it is touched. Pages that this process has touched count as its own: when there are too many of them, it lets go of
those that lie in files, which costs little as long as the system need not write them out.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

_FASTEST = 16 << 30
"""Bytes a second: threads fill memory with some gigabytes a second at most."""

_LEAST_SECONDS, _MOST_SECONDS = 0.02, 1.0
"""Between two looks at the memory of this process; as long as what is free could be filled in, within these."""

_WORTH_LETTING_GO = 64 << 20
"""Where the rest of the process alone takes what it may, pages are let go only when there are so many again."""


def _resident_bytes() -> int:
    """The memory of this process and the pages of files that it has touched; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * mmap.PAGESIZE
    return 0


class MappedArrays:
    """Arrays in files of a folder; while it is entered, this process keeps within its memory by letting go of them."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most = folder, most_bytes
        self._maps: list[weakref.ref[mmap.mmap]] = []
        self._is_over = threading.Event()
        self._watch = threading.Thread(target=self._keep_within, daemon=True)

    def zeros(self, size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """A flat array of zeros. OSError if the disk cannot take it; once it is there, writing to it cannot fail."""
        kind = np.dtype(kind)
        length = max(size * kind.itemsize, 1)
        with tempfile.TemporaryFile(dir=self._folder) as file:
            os.posix_fallocate(file.fileno(), 0, length)
            pages = mmap.mmap(file.fileno(), length)
        self._maps.append(weakref.ref(pages))
        return np.frombuffer(pages, kind, size)

    def let_go(self) -> None:
        """Let go of all pages; what they hold stays in the files, or in what the system keeps of these."""
        for known in list(self._maps):
            if (pages := known()) is not None:
                pages.madvise(mmap.MADV_DONTNEED)

    def _keep_within(self) -> None:
        most, resident = self._most, _resident_bytes()
        while not self._is_over.wait(min(max((most - resident) / _FASTEST, _LEAST_SECONDS), _MOST_SECONDS)):
            resident = _resident_bytes()
            if resident > most:
                self.let_go()
                resident = _resident_bytes()
                most = max(self._most, resident + _WORTH_LETTING_GO)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._watch.join()
