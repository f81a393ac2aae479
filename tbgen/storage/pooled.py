"""Files that stay open as long as the system allows, and are opened again when they are read."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from weakref import WeakSet

from tbgen.errors import UsageError
from tbgen.storage.files import open_regular
from tbgen.system.process import most_files

_LOCK = threading.Lock()


class ReplacedFileError(OSError):
    """Another file has taken the place of one that had let go of its descriptor."""


class PooledFile:
    """A file for reading, by many threads.

    All of them together keep at most half of the descriptors that the process may have. Beyond
    that, all let go of theirs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_closed = False
        self._opened: io.FileIO | None = None
        self._identity: tuple[int, ...] | None = None
        self.size = os.fstat(self._open().fileno()).st_size

    def read(self, offset: int, size: int) -> bytes:
        """Some bytes; fewer at the end of the file."""
        # The variable keeps a descriptor that another thread lets go.
        opened = self._opened or self._open()
        return os.pread(opened.fileno(), size, offset)

    def close(self) -> None:
        """Close the file once nobody reads from it. Later reads raise a UsageError."""
        with _LOCK:
            self._is_closed = True
            self._opened = None
            _AWAKE.discard(self)

    def _open(self) -> io.FileIO:
        with _LOCK:
            if self._is_closed:
                raise UsageError("the tablebase is closed")
            if self._opened is None:
                if len(_AWAKE) >= most_files() // 2:
                    _let_go()
                opened = open_regular(self._path)
                status = os.fstat(opened.fileno())
                identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
                if self._identity not in (None, identity):
                    raise ReplacedFileError
                self._identity = identity
                self._opened = opened
                _AWAKE.add(self)
            return self._opened


_AWAKE = WeakSet[PooledFile]()
"""The files that have a descriptor."""


def _let_go() -> None:
    """Close the descriptors of all files, each once nobody reads from it."""
    for file in _AWAKE:
        file._opened = None
    _AWAKE.clear()
