"""Scratch files: the solved blocks of an unfinished table, so that they can leave memory and survive an interruption.

A folder beside the tables has a file for each run of blocks. The file appears whole or not at all. It begins with the
digest of the rest, and a line names what it depends on. tbgen removes a file that is damaged or depends on something
else.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError
from tbgen.index.handover import Cells, Dictionary, Distances, Entries, Run
from tbgen.material import Material
from tbgen.storage.files import write_whole
from tbgen.storage.schema import SCRATCH_LEVEL, digest_of, pack, unpack_into
from tbgen.system.process import try_lock

SUFFIX: Final = ".blocks"
RUN_SUFFIX: Final = ".run"
_DIGEST_BYTES: Final = 64

Array = npt.NDArray[Any]


class _Column(NamedTuple):
    """A column of a run, compressed in frames of one plane each; the last one may be shorter."""

    path: Path
    kind: str
    items: int
    offsets: Sequence[int]
    """The beginning of each frame in the file, and the end of the last one."""


def scratch_path(folder: Path, material: Material) -> Path:
    """The folder of the solved blocks of a canonical material's unfinished table."""
    return folder / f"{material}{SUFFIX}"


class ScratchStore(contextlib.AbstractContextManager["ScratchStore"]):
    """A store of solved runs in a folder; safe to use from several threads.

    `identity` says what the runs depend on. A column is compressed in parts of `plane` cells, so cells are best asked
    for by planes. BlockingIOError if the folder is open elsewhere.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], plane: int = 1 << 24) -> None:
        self.path, self._plane = path, plane
        self._identity = json.loads(json.dumps(identity))
        self._stored = dict[int, tuple[Run, Mapping[str, _Column]]]()
        """[first cell] -> run, and where its arrays lie.

        Threads add to it while others look, who take all keys at once and never iterate.
        """
        try:
            path.mkdir(exist_ok=True)
            self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except (FileExistsError, NotADirectoryError):  # a file or a link; a folder may be another process's by now
            path.unlink(missing_ok=True)
            path.mkdir(exist_ok=True)
            self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not try_lock(self._folder):
                raise BlockingIOError(errno.EAGAIN, "another builder is at it", str(path))
            for file in sorted(path.iterdir()):
                self._take_up(file)
        except BaseException:
            os.close(self._folder)
            raise

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Keep a run; OSError if the disk is full, and then nothing of it is left."""
        arrays: dict[str, Array] = {**cells._asdict(), **dictionary._asdict(), "found": run.found.ravel()}
        arrays["ep_entry"], arrays["ep_dtg"] = run.en_passant
        packed, columns = list[bytes](), {}
        for name, array in arrays.items():
            starts = range(0, len(array), self._plane)
            frames = [pack(array[n : n + self._plane], shuffled=False, level=SCRATCH_LEVEL) for n in starts]
            columns[name] = array.dtype.str, len(array), [*map(len, frames)]
            packed += frames
        facts = {"identity": self._identity, "first": run.first, "end": run.end, "rows": run.rows}
        head = json.dumps({**facts, "shape": run.found.shape, "columns": columns}).encode() + b"\n"
        path = self.path / f"{run.first:016}{RUN_SUFFIX}"
        write_whole(path, [digest_of(head, *packed).encode(), head, *packed])
        self._stored[run.first] = run, _columns_of(path, columns, _DIGEST_BYTES + len(head))

    def runs(self) -> Sequence[Run]:
        return [self._stored[first][0] for first in sorted(self._stored)]

    def dictionary(self, run: Run) -> Dictionary:
        _, columns = self._stored[run.first]
        return Dictionary(*[self._items(columns[name]) for name in Dictionary._fields])

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        entry, dtg = self._part(("entry", "dtg"), first, end, (None, None))
        return entry, dtg

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        return Cells(*self._part(Cells._fields, first, end, room or (None, None, None)))

    def __exit__(self, *_: object) -> None:
        """Leave the files for the next build."""
        os.close(self._folder)

    def _take_up(self, path: Path) -> None:
        """Enter the run of a file. Remove a file that is damaged, depends on something else, or has a partial name."""
        content = path.read_bytes() if path.suffix == RUN_SUFFIX and path.is_file() else b""
        head = content[_DIGEST_BYTES : content.find(b"\n", _DIGEST_BYTES) + 1]
        is_whole = bool(head) and content[:_DIGEST_BYTES] == digest_of(memoryview(content)[_DIGEST_BYTES:]).encode()
        facts = json.loads(head) if is_whole else {}
        if facts.get("identity") != self._identity:
            path.unlink()
            return
        columns = _columns_of(path, facts["columns"], _DIGEST_BYTES + len(head))
        found, entry, dtg = (self._items(columns[name]) for name in ("found", "ep_entry", "ep_dtg"))
        run = Run(facts["first"], facts["end"], facts["rows"], found.reshape(facts["shape"]), (entry, dtg))
        self._stored[run.first] = run, columns

    def _part(self, names: Sequence[str], first: int, end: int, rooms: Sequence[Array | None]) -> list[Array]:
        """Some columns of the cells of one run from `first` up to `end`, each in a given array, if there is one."""
        firsts = sorted(self._stored)
        run, columns = self._stored[firsts[bisect_right(firsts, first) - 1]]
        start, stop = first - run.first, end - run.first
        return [self._items(columns[name], start, stop, room) for name, room in zip(names, rooms, strict=True)]

    def _items(self, column: _Column, first: int = 0, end: int | None = None, room: Array | None = None) -> Array:
        """The items of a column from `first` up to `end`, at the beginning of a given array or in a new one."""
        (path, kind, items, offsets), size = column, self._plane
        end = items if end is None else end
        found = np.empty(end - first, kind) if room is None else room[: end - first]
        with path.open("rb", buffering=0) as file:
            for frame in range(first // size, -(-end // size)):
                start, stop = max(first, frame * size), min(end, frame * size + size)
                here, length = found[start - first : stop - first], min(size, items - frame * size)
                whole = here if len(here) == length else np.empty(length, kind)
                packed = os.pread(file.fileno(), offsets[frame + 1] - offsets[frame], offsets[frame])
                try:
                    unpack_into(packed, whole)
                except ValueError as error:
                    raise DamagedTableError(str(path), str(error)) from None
                if whole is not here:
                    here[:] = whole[start - frame * size : stop - frame * size]
        return found


def _columns_of(path: Path, columns: Mapping[str, tuple[str, int, Sequence[int]]], offset: int) -> dict[str, _Column]:
    """The columns of a run by kind, items and sizes of their frames, which are consecutive from an offset on."""
    found = {}
    for name, (kind, items, sizes) in columns.items():
        offsets = [*itertools.accumulate(sizes, initial=offset)]
        found[name], offset = _Column(path, kind, items, offsets), offsets[-1]
    return found
