"""Solved blocks in a folder, and the names of their files."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.closures.costs import MOST_IN_MEMORY
from tbgen.compiled.folders import source_digest
from tbgen.errors import TableError
from tbgen.storage.arrays import ArrayFile, write_arrays, zeros_in_file
from tbgen.storage.files import remove_partials_of_the_dead
from tbgen.system.process import most_files

_SOURCES = source_digest(("closures", "index", "retro"))
"""Other sources may make other values, so blocks of theirs are not read."""

SUFFIX: Final = ".block"

_FRAME: Final = 1 << 16
"""Cells of a block that are compressed together; reading one cell unpacks as many."""


class BlockFolder:
    """Solved blocks in files, for one solve.

    Several processes may use a folder at once, and remove what others use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.used = set[str]()
        self._opened = lru_cache(maxsize=most_files() // 8)(ArrayFile)

    def keys(self) -> set[str]:
        """The blocks that are there now."""
        return {path.name.removesuffix(SUFFIX) for path in self.folder.glob("*" + SUFFIX)}

    def get(self, key: str) -> ArrayFile | None:
        """A solved block; None if it is not there, damaged, or another user's alone."""
        try:
            return self._open(key)
        except (FileNotFoundError, PermissionError, TableError):
            return None

    def put(self, key: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep a solved block; DamagedTableError if the disk returns other bytes than it took."""
        is_kept = self.get(key) is not None
        while not is_kept:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Another process may remove the block, or the folder, at any moment.
            with contextlib.suppress(FileNotFoundError):
                write_arrays(self._path(key), {}, arrays, _FRAME)
                self._open(key)
                is_kept = True

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def _open(self, key: str) -> ArrayFile:
        """A solved block, which is now the one used last."""
        path = self._path(key)
        file = self._opened(path)
        if key not in self.used:
            with contextlib.suppress(OSError):  # only its owner may mark a file as used
                os.utime(path)
        self.used.add(key)
        return file

    def zeros(self, size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """A flat array of zeros, which lies in a file if it is large."""
        if size * np.dtype(kind).itemsize < MOST_IN_MEMORY:
            return np.zeros(size, kind)
        return zeros_in_file(self.folder.parent, size, kind)

    def shrink(self, most_bytes: int) -> None:
        """Remove the least recently used blocks beyond so many bytes, but none used by this solve.

        Remove unfinished blocks of killed processes as well.
        """
        remove_partials_of_the_dead(self.folder)
        blocks = list[tuple[float, int, Path]]()
        for path in self.folder.glob("*" + SUFFIX):
            with contextlib.suppress(FileNotFoundError):  # another process has just removed it
                stat = path.stat()
                blocks.append((stat.st_mtime, stat.st_size, path))
        excess = sum(size for _, size, _ in blocks) - most_bytes
        for _, size, path in sorted(blocks):
            if excess > 0 and path.name.removesuffix(SUFFIX) not in self.used:
                path.unlink(missing_ok=True)
                excess -= size


def key_of(facts: Sequence[object]) -> str:
    """A digest of what values rest on, and of the sources that make them."""
    return sha256(repr([_SOURCES, *facts]).encode()).hexdigest()[:40]
