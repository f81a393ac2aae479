"""Scratch: the solved blocks of a table on its way, on disk, so that they can leave memory and outlive their builder.

A file beside the tables begins with a line that says what it belongs to; runs of blocks are appended one
after another, each with its length and checksums. Whatever does not match is thrown away: the whole file if
it belongs to other sources or children, the rest of it from the first damaged run on.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import struct
import threading
from bisect import bisect_right, insort
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError
from tbgen.handover import Cells, Dictionary, Distances, Entries, Run
from tbgen.material import Material
from tbgen.storage.codec import crc32, pack, unpack_into
from tbgen.system.disk import try_lock

SUFFIX: Final = ".blocks"
FORMAT: Final = 1

_HEAD: Final = struct.Struct("<8sII")
"""Mark, size and CRC of the facts that follow; the frames they tell of come after them."""
_MARK: Final = b"tbgenrun"
_FRAME_ITEMS: Final = 1 << 24
"""A whole plane of a table with five men and one pawn."""
_LEVEL: Final = 1
_CACHE_BYTES: Final = 64 << 20
_COLUMNS: Final = ("entry", "dtg", "pattern")

_KINDS: Final = {
    "entry": "|i1",
    "dtg": "<u2",
    "pattern": "<u4",
    "start": "<i8",
    "rows": "<i8",
    "often": "<i8",
    "found": "<i8",
    "ep_entry": "|i1",
    "ep_dtg": "<u2",
}
"""The columns of a run, and their types."""

Frame = tuple[int, int, int, int]
"""Items, where its bytes begin in the file, how many they are, and their CRC."""


@dataclass(frozen=True, eq=False)
class _Column:
    """An array in frames of _FRAME_ITEMS items."""

    kind: str
    frames: Sequence[Frame]

    @property
    def items(self) -> int:
        return sum(frame[0] for frame in self.frames)


@dataclass(frozen=True, eq=False)
class _Stored:
    """A run, and where its arrays lie."""

    run: Run
    columns: Mapping[str, _Column]


@dataclass(frozen=True, slots=True)
class Form:
    """What every run of a table is like."""

    block_cells: int
    cells: int
    """Of a block, and of the whole table."""
    found: tuple[int, ...]
    """The shape of what a tally counts."""


class _Told(NamedTuple):
    """What a file says of a run."""

    first: int
    end: int
    shape: Sequence[int]
    frames: Mapping[str, Sequence[Sequence[int]]]
    """[column][frame] items, bytes and their CRC."""

    def items(self, name: str) -> int:
        return sum(frame[0] for frame in self.frames[name])

    def is_sound(self, form: Form | None) -> bool:
        """Whether its figures go together, and with the form of the table; what does not would crash a kernel later."""
        figures = (
            self.first,
            self.end,
            *self.shape,
            *(n for each in self.frames.values() for frame in each for n in frame),
        )
        if not all(type(n) is int and 0 <= n < 1 << 63 for n in figures):
            return False
        cells = self.end - self.first
        fits = form is None or (
            self.first % form.block_cells == self.end % form.block_cells == 0
            and self.end <= form.cells
            and tuple(self.shape) == form.found
        )
        return (
            fits
            and all(len(frame) == 3 and frame[0] <= _FRAME_ITEMS for each in self.frames.values() for frame in each)
            and cells > 0
            and {self.items(name) for name in _COLUMNS} == {cells}
            and self.items("start") == self.items("often") + 1
            and self.items("ep_entry") == self.items("ep_dtg")
            and math.prod(self.shape) == self.items("found")
        )


def scratch_path(folder: Path, material: Material) -> Path:
    """Where the solved blocks of a canonical material's table are kept until it is written."""
    return folder / f"{material}{SUFFIX}"


class ScratchStore:
    """A store of solved runs in a file; safe to use from several threads.

    `identity` says what the runs depend on; those that were kept under another one, or that do not have the table's
    form, are thrown away.
    BlockingIOError if another process has the file open.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], form: Form | None = None) -> None:
        self.path = path
        self._form = form
        self._lock = threading.RLock()
        self._stored: list[_Stored] = []
        self._cache: OrderedDict[int, npt.NDArray[Any]] = OrderedDict()
        if path.is_symlink():  # planted, or a mistake: what it points to is not ours to write
            path.unlink()
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666))
        self._file = path.open("r+b", buffering=0)
        try:
            if not try_lock(self._file.fileno()):
                raise BlockingIOError(errno.EAGAIN, "another builder is at it", str(path))
            self._end = self._take_up(json.dumps({"format": FORMAT, **identity}, sort_keys=True).encode() + b"\n")
        except BaseException:
            self._file.close()
            raise

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Append a run; OSError if the disk is full, and then nothing of it is left."""
        facts, packed = _packed(run, dictionary, cells)
        head = _HEAD.pack(_MARK, len(facts), crc32(facts))
        with self._lock:
            start = self._end
            try:
                self._append(start, head, facts, *packed)
            except OSError:
                with contextlib.suppress(OSError):
                    self._file.truncate(start)
                raise
            self._end = self._enter(start + len(head), facts)

    def runs(self) -> Sequence[Run]:
        with self._lock:
            return [stored.run for stored in self._stored]

    def dictionary(self, run: Run) -> Dictionary:
        columns = [self._at(run.first).columns[name] for name in ("start", "rows", "often")]
        return Dictionary(*[self._items(column, 0, column.items) for column in columns])

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        entry, dtg = self._part(("entry", "dtg"), first, end, (None, None))
        return entry, dtg

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        return Cells(*self._part(_COLUMNS, first, end, room or (None, None, None)))

    def close(self) -> None:
        """Leave the file for another time."""
        self._file.close()

    def remove(self) -> None:
        """The table is written, so nobody needs this any more."""
        self.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, start: int, *parts: bytes) -> None:
        self._file.seek(start)
        for part in parts:
            left = memoryview(part)
            while left:
                left = left[self._file.write(left) :]

    def _take_up(self, line: bytes) -> int:
        """Find the runs that can be used, and throw away the rest; where the next one goes."""
        if self._read(0, len(line)) != line:
            self._file.truncate(0)
            self._append(0, line)
            return len(line)
        end = len(line)
        with contextlib.suppress(ValueError):
            while True:
                end = self._enter(*self._facts_at(end), checked=True)
        self._file.truncate(end)
        return end

    def _facts_at(self, start: int) -> tuple[int, bytearray]:
        """The facts of a run and where they begin; ValueError if there are none."""
        head = self._read(start, _HEAD.size)
        if len(head) != _HEAD.size:
            raise ValueError("no more runs")
        mark, size, crc = _HEAD.unpack(head)
        facts = self._read(start + _HEAD.size, size) if mark == _MARK else bytearray()
        if mark != _MARK or crc32(facts) != crc:
            raise ValueError("not a run")
        return start + _HEAD.size, facts

    def _enter(self, start: int, facts: bytes | bytearray, *, checked: bool = False) -> int:
        """Enter a run whose facts begin at `start`; where it ends. ValueError if its bytes are not what was written."""
        end, columns, told = start + len(facts), {}, _told(facts)
        if not told.is_sound(self._form) or self._overlaps(told):
            raise ValueError("a run of another table")
        for name, frames in told.frames.items():
            found: list[Frame] = []
            for items, size, crc in frames:
                found.append((items, end, size, crc))
                end += size
            columns[name] = _Column(_KINDS[name], found)
        if checked:
            for frame in (frame for column in columns.values() for frame in column.frames):
                self._bytes_of(frame)
        whole = {name: self._items(columns[name], 0, columns[name].items) for name in ("found", "ep_entry", "ep_dtg")}
        en_passant = whole["ep_entry"], whole["ep_dtg"]
        run = Run(told.first, told.end, told.items("rows"), whole["found"].reshape(told.shape), en_passant)
        insort(self._stored, _Stored(run, columns), key=_first_cell)
        return end

    def _overlaps(self, told: _Told) -> bool:
        return any(stored.run.first < told.end and told.first < stored.run.end for stored in self._stored)

    def _at(self, cell: int) -> _Stored:
        with self._lock:
            return self._stored[bisect_right(self._stored, cell, key=_first_cell) - 1]

    def _part(
        self, names: Sequence[str], first: int, end: int, rooms: Sequence[npt.NDArray[Any] | None]
    ) -> list[npt.NDArray[Any]]:
        """Some columns of cells first to end of one run, each in the room that it is given, if any."""
        stored, found = self._at(first), []
        for name, room in zip(names, rooms, strict=True):
            start, stop = first - stored.run.first, end - stored.run.first
            found.append(self._items(stored.columns[name], start, stop, room))
        return found

    def _items(self, column: _Column, first: int, end: int, room: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Items first to end of a column, at the beginning of an array that is given or in one of their own."""
        found = np.empty(end - first, column.kind) if room is None else room[: end - first]
        before = 0
        for frame in column.frames:
            start, stop = max(first - before, 0), min(end - before, frame[0])
            if start < stop:
                here = found[before + start - first : before + stop - first]
                if len(here) == frame[0]:
                    self._unpack(frame, here)
                else:
                    here[:] = self._at_hand(column.kind, frame)[start:stop]
            before += frame[0]
        return found

    def _at_hand(self, kind: str, frame: Frame) -> npt.NDArray[Any]:
        """The items of a frame; the last few frames stay at hand, for planes are read one by one."""
        start = frame[1]
        with self._lock:
            if start in self._cache:
                self._cache.move_to_end(start)
                return self._cache[start]
        items = np.empty(frame[0], kind)
        self._unpack(frame, items)
        with self._lock:
            self._cache[start] = items
            while sum(each.nbytes for each in self._cache.values()) > _CACHE_BYTES:
                self._cache.popitem(last=False)
        return items

    def _unpack(self, frame: Frame, items: npt.NDArray[Any]) -> None:
        """Fill an array with the items of a frame."""
        try:
            unpack_into(self._bytes_of(frame), items)
        except ValueError as error:
            raise DamagedTableError(str(self.path), str(error)) from None

    def _bytes_of(self, frame: Frame) -> bytearray:
        """The bytes of a frame; ValueError if they are not those that were written."""
        _, start, size, crc = frame
        packed = self._read(start, size)
        if len(packed) != size or crc32(packed) != crc:
            raise ValueError(f"the blocks at {start} are not what was written")
        return packed

    def _read(self, start: int, size: int) -> bytearray:
        """So many bytes, or fewer where the file ends."""
        with self._lock:
            there = max(self._file.seek(0, os.SEEK_END) - start, 0)  # a damaged head may ask for gigabytes
            found, count = bytearray(min(size, there)), 0
            self._file.seek(start)
            while more := self._file.readinto(memoryview(found)[count:]):
                count += more
        del found[count:]
        return found


def _first_cell(stored: _Stored) -> int:
    return stored.run.first


def _told(facts: bytes | bytearray) -> _Told:
    """What is said of a run; ValueError if it is not said as `_packed` does."""
    try:
        told: dict[str, Any] = json.loads(facts)
        frames = {name: frames for name, (_, frames) in told["columns"].items()}
        kinds = {name: kind for name, (kind, _) in told["columns"].items()}
        found = _Told(
            told["first"], told["end"], [*told["shape"]], {name: [[*each] for each in frames[name]] for name in frames}
        )
    except (KeyError, TypeError, AttributeError, RecursionError):
        kinds = None
    if kinds != _KINDS:
        raise ValueError("not what is said of a run")
    return found


def _packed(run: Run, dictionary: Dictionary, cells: Cells) -> tuple[bytes, list[bytes]]:
    """A run's facts, and the frames of its arrays one after another."""
    arrays: dict[str, npt.NDArray[Any]] = {**cells._asdict(), **dictionary._asdict(), "found": run.found.ravel()}
    arrays["ep_entry"], arrays["ep_dtg"] = run.en_passant
    columns, packed = {}, []
    for name, array in arrays.items():
        frames = []
        for items in _frames_of(array):
            packed.append(pack(items, shuffled=False, level=_LEVEL))
            frames.append((len(items), len(packed[-1]), crc32(packed[-1])))
        columns[name] = array.dtype.str, frames
    facts = {"first": run.first, "end": run.end, "shape": run.found.shape, "columns": columns}
    return json.dumps(facts).encode(), packed


def _frames_of(array: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    return (array[start : start + _FRAME_ITEMS] for start in range(0, len(array), _FRAME_ITEMS))
