"""Solved blocks in a folder, and the names of their files."""

import contextlib
import itertools
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from tbgen.closures.costs import MOST_IN_MEMORY
from tbgen.compiled.folders import source_digest
from tbgen.errors import TableError
from tbgen.storage.arrays import Array, ArrayFile, head_of, write_arrays, zeros_in_file
from tbgen.storage.files import remove_partials_of_the_dead
from tbgen.system.process import most_files

_SOURCES = source_digest(("closures", "index", "retro"))
"""Other sources may make other values, so blocks of theirs are not read."""

SUFFIX: Final = ".block"
"""Of the file of a block that is solved alone."""

GROUP_SUFFIX: Final = ".blocks"
"""Of the file of many blocks of one material, which were solved together."""

WHOLE: Final = "WHOLE"
"""Ends the name of a block that is solved once; the names of others end with the bound."""

NAMES: Final = "names"
"""The fact of a file of many that has the names of its blocks."""

FRAME: Final = 1 << 16
"""Cells of a block that are compressed together; reading one cell unpacks as many."""


class StoredBlock(Protocol):
    """A block that is solved with one bound, as it is kept."""

    def items(
        self, part: str, first: int = 0, end: int | None = None, room: Array | None = None
    ) -> Array:
        """The items of a part from `first` up to `end`, in `room` or a new array."""


class BlockOfGroup:
    """A block in a file of many: its cells lie behind those of the blocks before it."""

    def __init__(self, file: ArrayFile, number: int) -> None:
        self._file = file
        self._number = number

    def items(
        self, part: str, first: int = 0, end: int | None = None, room: Array | None = None
    ) -> Array:
        start, after = self._file.facts[part][self._number : self._number + 2]
        stop = after if end is None else start + end
        return self._file.items(part, start + first, stop, room)


class BlockFolder:
    """Solved blocks in files, for one solve.

    Several processes may use a folder at once, and remove what others use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.used = set[str]()
        """The names of files that this solve uses."""
        self._opened = lru_cache(maxsize=most_files() // 8)(ArrayFile)
        self._groups = dict[str, Sequence[str]]()
        """[file of many blocks] -> their names."""
        self._places = dict[str, tuple[str, int]]()
        """[name of a block in such a file] -> the file, and its number there."""

    def names(self) -> set[str]:
        """The names of the blocks that are there now."""
        self.look()
        alone = (path.name.removesuffix(SUFFIX) for path in self.folder.glob("*" + SUFFIX))
        return {*self._places, *alone}

    def keys(self) -> set[str]:
        """The keys of the blocks that are there now, with all their bounds."""
        keys = set[str]()
        halves = set[str]()
        for name in self.names():
            key, _, part = name.rpartition("-")
            if part == WHOLE or key in halves:
                keys.add(key)
            halves.add(key)
        return keys

    def look(self) -> None:
        """Learn which blocks the files of many blocks have now."""
        groups = dict[str, Sequence[str]]()
        places = dict[str, tuple[str, int]]()
        for path in self.folder.glob("*" + GROUP_SUFFIX):
            groups[path.name] = self._groups.get(path.name) or names_in(path)
            for number, name in enumerate(groups[path.name]):
                places[name] = (path.name, number)
        self._groups = groups
        self._places = places

    def get(self, name: str) -> StoredBlock | None:
        """A solved block; None if it is not there, damaged, or another user's alone."""
        try:
            if name in self._places:
                file, number = self._places[name]
                return BlockOfGroup(self._open(file), number)
            return self._open(name + SUFFIX)
        except (FileNotFoundError, PermissionError, TableError):
            self._places.pop(name, None)
            return None

    def put(self, name: str, arrays: Mapping[str, Array]) -> None:
        """Keep a solved block; DamagedTableError if the disk returns other bytes than it took."""
        is_kept = self.get(name) is not None
        while not is_kept:
            is_kept = self._write(name + SUFFIX, {}, arrays)

    def put_group(self, prefix: str, blocks: Mapping[str, Mapping[str, Array]]) -> None:
        """Keep some solved blocks of one material in a file."""
        arrays = dict[str, Array]()
        facts: dict[str, Any] = {NAMES: list(blocks)}
        parts = dict.fromkeys(part for values in blocks.values() for part in values)
        for part in parts:
            rows = [values[part] for values in blocks.values()]
            arrays[part] = np.concatenate(rows)
            facts[part] = list(itertools.accumulate(map(len, rows), initial=0))
        name = f"{prefix}-{key_of(list(blocks))}{GROUP_SUFFIX}"
        while not self._write(name, facts, arrays):
            pass
        self.look()

    def _write(self, name: str, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> bool:
        """Write a file, and open it; False if another process has removed it, or the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            write_arrays(self.folder / name, facts, arrays, FRAME)
            self._open(name)
            return True
        return False

    def _open(self, name: str) -> ArrayFile:
        """A file of solved blocks, which is now the one used last."""
        path = self.folder / name
        file = self._opened(path)
        if name not in self.used:
            with contextlib.suppress(OSError):  # only its owner may mark a file as used
                os.utime(path)
        self.used.add(name)
        return file

    def zeros(self, size: int, kind: npt.DTypeLike) -> Array:
        """A flat array of zeros, which lies in a file if it is large."""
        if size * np.dtype(kind).itemsize < MOST_IN_MEMORY:
            return np.zeros(size, kind)
        return zeros_in_file(self.folder.parent, size, kind)

    def shrink(self, most_bytes: int) -> None:
        """Remove the least recently used blocks beyond so many bytes, but none used by this solve.

        Remove unfinished blocks of killed processes as well.
        """
        remove_partials_of_the_dead(self.folder)
        files = list[tuple[float, int, Path]]()
        for path in [*self.folder.glob("*" + SUFFIX), *self.folder.glob("*" + GROUP_SUFFIX)]:
            with contextlib.suppress(FileNotFoundError):  # another process has just removed it
                stat = path.stat()
                files.append((stat.st_mtime, stat.st_size, path))
        excess = sum(size for _, size, _ in files) - most_bytes
        for _, size, path in sorted(files):
            if excess > 0 and path.name not in self.used:
                path.unlink(missing_ok=True)
                excess -= size


def names_in(path: Path) -> Sequence[str]:
    """The names of the blocks in a file of many; none if it is damaged, or has just been removed.

    Its digest is checked when a block is read.
    """
    with contextlib.suppress(OSError, ValueError, LookupError):
        names: Sequence[str] = head_of(path)[NAMES]
        return names
    return ()


def key_of(facts: Sequence[object]) -> str:
    """A digest of what values rest on, and of the sources that make them."""
    return sha256(repr([_SOURCES, *facts]).encode()).hexdigest()[:40]
