"""Known values: tables that captures lead to, of which outcomes are enough, and blocks that are solved, in a folder."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from tbgen.compiled.folders import source_digest
from tbgen.errors import NO_TABLE
from tbgen.index.layout import HOW_BITS, Squares
from tbgen.material import Material
from tbgen.probe.stored import OpenTables
from tbgen.retro.drive.many_blocks import SolvedRun
from tbgen.retro.patterns.histories import merge_patterns
from tbgen.score import Score
from tbgen.storage.files import remove
from tbgen.storage.scratch import SUFFIX, ScratchStore
from tbgen.system.process import lock_shared, try_lock
from tbgen.table import Entries, Numbers, Patterns

_SOURCES = source_digest(("index", "position", "retro"))
"""Other sources may make other values, so blocks and classes of theirs are not read."""
_FRAME_CELLS = 1 << 16
"""Cells that are compressed together: a single position needs one frame."""


class KnownTables(OpenTables):
    """The tables of some folders, opened when they are first asked for, one position or one plane at a time."""

    @cached_property
    def recent_plane(self) -> Callable[[Material, Squares, int], Entries]:
        """`plane` with a cache of sixteen planes: 256 MiB where four men are not pawns."""
        return lru_cache(maxsize=16)(self.plane)

    def has(self, material: Material) -> bool:
        """Whether there is the table of a material."""
        with contextlib.suppress(*NO_TABLE):
            self.table(material)
            return True
        return False

    def digest(self, material: Material) -> str:
        """The digest of a table's outcomes."""
        return self.table(material).file.digest

    def plane(self, material: Material, pawns: Squares, side: int) -> Entries:
        """The entry values of the block of some pawns with one side to move, in the order of the layout's cells."""
        file = self.table(material).file
        places, block = file.order.plane_places, file.order.layout.address_of(pawns) >> HOW_BITS
        first = (2 * block + side) * places
        return file.order.from_file(file.entries(first, first + places))


class SolvedBlock:
    """A solved block: its values by cells."""

    def __init__(self, store: ScratchStore) -> None:
        self._store, (self.run,) = store, store.runs()

    @cached_property
    def _merged(self) -> tuple[Patterns, list[Numbers]]:
        """How holds break, and the number of each pattern of the block among them: about 25 MB with four free men."""
        return merge_patterns([self._store.dictionary(self.run)], self.run.rows)

    def plane(self, side: int) -> Entries:
        """The entry values with one side to move."""
        half = self.run.end // 2
        return self._store.values(side * half, (side + 1) * half)[0]

    def value(self, cell: int, held: Score | None = None) -> tuple[Score, int]:
        """The entry value of a position and its distance, or those of an accrued score that is held."""
        cells = self._store.cells(cell, cell + 1)
        if held is None:
            return Score.from_byte(int(cells.entry[0])), int(cells.dtg[0])
        patterns, (numbers,) = self._merged
        outcome, dtg = patterns.values(numbers[cells.pattern], np.array([held.signed], np.int64))
        return Score.from_signed(int(outcome[0])), int(dtg[0])


class BlockFolder:
    """Solved blocks in files. Several processes may use a folder at once.

    Blocks are read again and again until a position is solved. So whoever reads or writes shares a lock of the folder
    until then, and blocks are removed only by a process that has it alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.used = folder, dict[str, SolvedBlock]()
        self._sharing, self._shared, self._opening = contextlib.ExitStack(), list[int](), threading.Lock()

    def get(self, key: str) -> SolvedBlock | None:
        """A solved block; None if it is not there."""
        if key not in self.used and self._path(key).is_dir():
            with contextlib.suppress(OSError), self.store(key) as store:
                if store.runs():
                    os.utime(self._path(key))
                    self.used[key] = SolvedBlock(store)
        return self.used.get(key)

    def put(self, key: str, solved: SolvedRun) -> None:
        """Keep a solved block."""
        self.folder.mkdir(parents=True, exist_ok=True)
        run = replace(solved.run, first=0, end=solved.run.end - solved.run.first)
        with self.store(key) as store:
            store.put(run, solved.dictionary, solved.cells)
            self.used[key] = SolvedBlock(store)

    def shrink(self, most_bytes: int) -> None:
        """Remove the least recently used blocks beyond so many bytes, but none in use, here or elsewhere."""
        if all(map(try_lock, self._shared)):
            self._remove_beyond(most_bytes)
        self.close()

    def close(self) -> None:
        """Let others remove blocks."""
        self._shared.clear()
        self._sharing.close()

    def _remove_beyond(self, most_bytes: int) -> None:
        found = sorted(self.folder.glob("*" + SUFFIX), key=lambda path: path.stat().st_mtime)
        sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for path in found}
        excess = sum(sizes.values()) - most_bytes
        for path, size in sizes.items():
            if excess > 0 and path.name.removesuffix(SUFFIX) not in self.used:
                remove(path)
                excess -= size

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def store(self, key: str) -> ScratchStore:
        """Open a block's files; another thread or process that writes them is waited for."""
        with self._opening:
            if not self._shared:
                shared = os.open(self.folder, os.O_RDONLY)
                self._sharing.callback(os.close, shared)
                lock_shared(shared)
                self._shared.append(shared)
        return ScratchStore(self._path(key), {"key": key, "frame": _FRAME_CELLS}, _FRAME_CELLS, patience=10)


def folder_to_write(folders: Iterable[Path], names: Sequence[str]) -> contextlib.AbstractContextManager[str]:
    """The first folder that can be written to, with its folders of these names; or else one that goes away again."""
    for folder in folders:
        if all(os.access(at, os.W_OK | os.X_OK) for at in (folder, *filter(Path.exists, map(folder.joinpath, names)))):
            return contextlib.nullcontext(str(folder))
    return tempfile.TemporaryDirectory(prefix="tbgen-")


def key_of(facts: Sequence[object]) -> str:
    """A digest of what values rest on, and of the sources that make them."""
    return sha256(repr([_SOURCES, *facts]).encode()).hexdigest()[:40]
