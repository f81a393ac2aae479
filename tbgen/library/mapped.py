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
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

_FASTEST = 48 << 30
"""Bytes a second: the system has whole groups of pages at hand when one is read. Two threads took 28 GiB a second."""

_LEAST_SECONDS, _MOST_SECONDS = 0.002, 1.0
"""Between two looks at the memory of this process; as long as what is free could be filled in, within these."""

_WORTH_LETTING_GO = 64 << 20
"""So many pages are let go at a time. Where the rest of the process alone takes what it may, that is as many as there
have to be again before the next time."""

_TOUCHED_MEANWHILE = 384 << 20
"""Bytes of files that kernels may touch before a thread sees it, to begin with. It cannot be bounded (record 270)."""

_PIECE = 32 << 20
"""Bytes of an array whose pages are let go together, in a few milliseconds; then it is seen whether more have to be."""


def _resident_bytes() -> int:
    """The memory of this process and the pages of files that it has touched; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read(128).split()[1]) * mmap.PAGESIZE
    return 0


class _Piece(NamedTuple):
    """A part of an array."""

    pages: weakref.ref[mmap.mmap]
    start: int
    length: int


class MappedArrays:
    """Arrays in files of a folder; while it is entered, this process keeps within its memory by letting go of them.

    How much it touches before a look is seen at each look; twice the most of that is kept free.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most = folder, most_bytes
        self._highest = 0
        self._pieces: dict[int, deque[_Piece]] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._watch = threading.Thread(target=self._keep_within, daemon=True)

    def zeros(self, size: int, kind: npt.DTypeLike, rank: int = 0) -> npt.NDArray[Any]:
        """A flat array of zeros; pages of the least rank are let go first.

        OSError if the disk cannot take it; once it is there, writing to it cannot fail.
        """
        kind = np.dtype(kind)
        length = max(size * kind.itemsize, 1)
        with tempfile.TemporaryFile(dir=self._folder) as file:
            os.posix_fallocate(file.fileno(), 0, length)
            pages = mmap.mmap(file.fileno(), length)
        known = weakref.ref(pages)
        with self._lock:
            pieces = self._pieces.setdefault(rank, deque())
            pieces.extend(_Piece(known, start, min(_PIECE, length - start)) for start in range(0, length, _PIECE))
        return np.frombuffer(pages, kind, size)

    def let_go(self, most: int = -1) -> int:
        """Let go of pages until the process has no more bytes than this, and say how many it has.

        Of equal rank those come first that were let go longest ago. What the pages hold stays in the files,
        or in what the system keeps of these.
        """
        resident = 0
        with self._lock:
            for _, pieces in sorted(self._pieces.items()):
                for _ in range(len(pieces)):
                    piece = pieces.popleft()
                    if (pages := piece.pages()) is None:
                        continue
                    pages.madvise(mmap.MADV_DONTNEED, piece.start, piece.length)
                    pieces.append(piece)
                    resident = _resident_bytes()
                    self._highest = max(self._highest, resident)
                    if resident <= most:
                        return resident
        return resident

    def _keep_within(self) -> None:
        free, resident = _TOUCHED_MEANWHILE, _resident_bytes()
        most = self._most - free
        while not self._is_over.wait(min(max((most - resident) / _FASTEST, _LEAST_SECONDS), _MOST_SECONDS)):
            resident = self._highest = _resident_bytes()
            if resident > most:
                resident = self.let_go(self._most - free - _WORTH_LETTING_GO)
                free = max(free, 2 * (self._highest - most))
                most = max(self._most - free, resident + _WORTH_LETTING_GO)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._watch.join()
