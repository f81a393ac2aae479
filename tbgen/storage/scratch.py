"""Scratch: the solved blocks of a table on its way, on disk, so that they can leave memory and outlive their builder.

A folder beside the tables has a file for each run of blocks. The file appears whole or not at all. It begins with the
digest of the rest, and a line says what it depends on; a file that is damaged or depends on something else is removed.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError
from tbgen.material import Material
from tbgen.storage.codec import SCRATCH_LEVEL, pack, unpack_into
from tbgen.storage.files import write_whole
from tbgen.system.disk import try_lock
from tbgen.table import Cells, Dictionary, Distances, Entries, Run

SUFFIX: Final = ".blocks"
RUN_SUFFIX: Final = ".run"
_DIGEST_BYTES: Final = 32

Array = npt.NDArray[Any]


class _Frame(NamedTuple):
    """A compressed part of a column."""

    items: int
    offset: int
    size: int


class _Column(NamedTuple):
    kind: str
    frames: Sequence[_Frame]

    @property
    def items(self) -> int:
        return sum(frame.items for frame in self.frames)


class _Stored(NamedTuple):
    """A run, and where its arrays lie."""

    run: Run
    path: Path
    columns: Mapping[str, _Column]

    @property
    def first(self) -> int:
        return self.run.first


def scratch_path(folder: Path, material: Material) -> Path:
    """Where the solved blocks of a canonical material's table are kept until it is written."""
    return folder / f"{material}{SUFFIX}"


def remove_scratch(path: Path) -> None:
    """Remove the solved blocks of a table, and whatever else has their name; only for the holder of the lock."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class ScratchStore:
    """A store of solved runs in a folder; safe to use from several threads.

    `identity` says what the runs depend on. A column is compressed in parts of `plane` cells, so cells are best asked
    for by planes. BlockingIOError if another process has the folder open.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], plane: int = 1 << 24) -> None:
        self.path, self._plane = path, plane
        self._identity = json.loads(json.dumps(identity))
        self._lock, self._stored = threading.Lock(), list[_Stored]()
        if path.is_symlink() or path.is_file():
            path.unlink()
        path.mkdir(exist_ok=True)
        self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not try_lock(self._folder):
                raise BlockingIOError(errno.EAGAIN, "another builder is at it", str(path))
            for file in sorted(path.iterdir()):
                self._take_up(file)
        except BaseException:
            self.close()
            raise

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Keep a run; OSError if the disk is full, and then nothing of it is left."""
        arrays: dict[str, Array] = {**cells._asdict(), **dictionary._asdict(), "found": run.found.ravel()}
        arrays["ep_entry"], arrays["ep_dtg"] = run.en_passant
        packed, columns = list[bytes](), {}
        for name, array in arrays.items():
            parts = [array[start : start + self._plane] for start in range(0, len(array), self._plane)]
            frames = [pack(part, shuffled=False, level=SCRATCH_LEVEL) for part in parts]
            columns[name] = array.dtype.str, [*zip(map(len, parts), map(len, frames), strict=True)]
            packed += frames
        facts = {"identity": self._identity, "first": run.first, "end": run.end, "rows": run.rows}
        head = json.dumps({**facts, "shape": run.found.shape, "columns": columns}).encode() + b"\n"
        path = self.path / f"{run.first:016}{RUN_SUFFIX}"
        write_whole(path, [_digest_of([head, *packed]), head, *packed])
        self._enter(_Stored(run, path, _columns_of(columns, _DIGEST_BYTES + len(head))))

    def runs(self) -> Sequence[Run]:
        with self._lock:
            return [stored.run for stored in self._stored]

    def dictionary(self, run: Run) -> Dictionary:
        stored = self._at(run.first)
        return Dictionary(*[_items(stored, name) for name in ("start", "rows", "often")])

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        entry, dtg = self._part(("entry", "dtg"), first, end, (None, None))
        return entry, dtg

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        return Cells(*self._part(("entry", "dtg", "pattern"), first, end, room or (None, None, None)))

    def close(self) -> None:
        """Leave the files for another time."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1

    def remove(self) -> None:
        """Remove the files, when the table is written."""
        remove_scratch(self.path)
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_up(self, path: Path) -> None:
        """Enter the run of a file, or remove the file."""
        content = path.read_bytes()
        head = content[_DIGEST_BYTES : content.find(b"\n", _DIGEST_BYTES) + 1]
        is_whole = bool(head) and content[:_DIGEST_BYTES] == _digest_of([memoryview(content)[_DIGEST_BYTES:]])
        facts = json.loads(head) if is_whole else {}
        if facts.get("identity") != self._identity:
            path.unlink()
            return
        columns = _columns_of(facts["columns"], _DIGEST_BYTES + len(head))
        nothing = np.zeros(0, np.int64), (np.zeros(0, np.int8), np.zeros(0, np.uint16))
        empty = _Stored(Run(facts["first"], facts["end"], facts["rows"], *nothing), path, columns)
        found, entry, dtg = (_items(empty, name) for name in ("found", "ep_entry", "ep_dtg"))
        run = Run(facts["first"], facts["end"], facts["rows"], found.reshape(facts["shape"]), (entry, dtg))
        self._enter(_Stored(run, path, columns))

    def _enter(self, stored: _Stored) -> None:
        with self._lock:
            insort(self._stored, stored, key=_first_of)

    def _at(self, cell: int) -> _Stored:
        with self._lock:
            return self._stored[bisect_right(self._stored, cell, key=_first_of) - 1]

    def _part(self, names: Sequence[str], first: int, end: int, rooms: Sequence[Array | None]) -> list[Array]:
        """Some columns of cells first to end of one run, each in the room that it is given, if any."""
        stored = self._at(first)
        start, stop = first - stored.first, end - stored.first
        return [_items(stored, name, start, stop, room) for name, room in zip(names, rooms, strict=True)]


def _first_of(stored: _Stored) -> int:
    return stored.first


def _digest_of(parts: Iterable[bytes | memoryview]) -> bytes:
    digest = sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def _columns_of(columns: Mapping[str, Any], offset: int) -> dict[str, _Column]:
    """The columns of a run, whose frames follow each other from an offset on."""
    found = {}
    for name, (kind, parts) in columns.items():
        frames = []
        for items, size in parts:
            frames.append(_Frame(items, offset, size))
            offset += size
        found[name] = _Column(kind, frames)
    return found


def _items(stored: _Stored, name: str, first: int = 0, end: int | None = None, room: Array | None = None) -> Array:
    """Items first to end of a column, at the beginning of an array that is given or in one of their own."""
    column, before = stored.columns[name], 0
    end = column.items if end is None else end
    found = np.empty(end - first, column.kind) if room is None else room[: end - first]
    with stored.path.open("rb", buffering=0) as file:
        for frame in column.frames:
            start, stop = max(first - before, 0), min(end - before, frame.items)
            if start < stop:
                here = found[before + start - first : before + stop - first]
                whole = here if len(here) == frame.items else np.empty(frame.items, column.kind)
                try:
                    unpack_into(os.pread(file.fileno(), frame.size, frame.offset), whole)
                except ValueError as error:
                    raise DamagedTableError(str(stored.path), str(error)) from None
                if whole is not here:
                    here[:] = whole[start:stop]
            before += frame.items
    return found
