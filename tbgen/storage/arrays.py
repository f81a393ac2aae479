"""Named arrays in one file, in compressed frames, for files that only this machine reads.

The file appears whole or not at all. It begins with the digest of the rest; a line of facts
describes the arrays.
"""

import hashlib
import itertools
import json
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError
from tbgen.storage.files import write_whole
from tbgen.storage.schema import SCRATCH_LEVEL, pack, unpack_into
from tbgen.system.process import reserve_disk

Array = npt.NDArray[Any]
_DIGEST_BYTES: Final = 64

_MOST_PACKED_BYTES: Final = 1 << 26
"""Packed frames wait in memory until their sizes are known, and in a file if they are more."""

_COPIED_AT_ONCE: Final = 1 << 20


class StoredArrays:
    """The arrays of a file, read when they are asked for.

    `head` is the line of facts at its beginning.
    """

    def __init__(self, path: Path, head: bytes) -> None:
        self.path = path
        self.facts: dict[str, Any] = json.loads(head)
        self._frame = self.facts["frame"]
        self._offsets = dict[str, list[int]]()
        """[array] -> where each of its frames begins in the file, and where the last one ends."""
        offset = _DIGEST_BYTES + len(head)
        for name, (_, _, sizes) in self.facts["columns"].items():
            self._offsets[name] = list(itertools.accumulate(sizes, initial=offset))
            offset = self._offsets[name][-1]

    def items(
        self, name: str, first: int = 0, end: int | None = None, room: Array | None = None
    ) -> Array:
        """The items of an array from `first` up to `end`, at the start of `room` or a new array."""
        kind, length, _ = self.facts["columns"][name]
        if end is None:
            end = length
        items = np.empty(end - first, kind) if room is None else room[: end - first]
        size = self._frame
        for frame in range(first // size, -(-end // size)):
            frame_start = frame * size
            frame_end = min(frame_start + size, length)
            start = max(first, frame_start)
            stop = min(end, frame_end)
            wanted = items[start - first : stop - first]
            if len(wanted) == frame_end - frame_start:
                self._unpack_frame(name, frame, wanted)
            else:
                whole = np.empty(frame_end - frame_start, kind)
                self._unpack_frame(name, frame, whole)
                wanted[:] = whole[start - frame_start : stop - frame_start]
        return items

    def _unpack_frame(self, name: str, frame: int, items: Array) -> None:
        offsets = self._offsets[name]
        with self.path.open("rb", buffering=0) as file:
            packed = os.pread(file.fileno(), offsets[frame + 1] - offsets[frame], offsets[frame])
        try:
            unpack_into(packed, items)
        except ValueError as error:
            raise DamagedTableError(str(self.path), str(error)) from None


def open_arrays(path: Path) -> StoredArrays:
    """The arrays in a file that is read whole first.

    OSError if the file is missing, DamagedTableError if its digest is wrong.
    """
    with path.open("rb") as file:
        digest = file.read(_DIGEST_BYTES)
        head = file.readline()
        content = hashlib.file_digest(file, lambda: hashlib.sha256(head))
    if not head or content.hexdigest().encode() != digest:
        raise DamagedTableError(str(path), "its digest is not that of its content")
    return StoredArrays(path, head)


def write_arrays(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, Array], frame: int
) -> StoredArrays:
    """Write a file of arrays, in frames of so many items; OSError if the disk is full."""
    columns = dict[str, tuple[str, int, list[int]]]()
    with tempfile.SpooledTemporaryFile(_MOST_PACKED_BYTES, dir=str(path.parent)) as packed:
        try:
            for name, array in arrays.items():
                columns[name] = _pack_frames(array, frame, packed)
        except OSError as error:
            error.filename = str(path)  # errors of a full disk name no file
            raise
        head = json.dumps({**facts, "frame": frame, "columns": columns}).encode() + b"\n"
        digest = hashlib.sha256(head)
        for part in _parts_of(packed):
            digest.update(part)
        beginning = [digest.hexdigest().encode(), head]
        write_whole(path, itertools.chain(beginning, _parts_of(packed)))
    return StoredArrays(path, head)


def _pack_frames(array: Array, frame: int, file: IO[bytes]) -> tuple[str, int, list[int]]:
    """Append the packed frames of an array to a file; the facts about the array."""
    sizes = list[int]()
    for first in range(0, len(array), frame):
        part = pack(array[first : first + frame], shuffled=False, level=SCRATCH_LEVEL)
        sizes.append(file.write(part))
    return array.dtype.str, len(array), sizes


def _parts_of(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    while part := file.read(_COPIED_AT_ONCE):
        yield part


def zeros_in_file(folder: Path, size: int, kind: npt.DTypeLike) -> Array:
    """A flat array of zeros in a file without a name; OSError if the disk is too small.

    The system keeps as much of it as memory allows, and reads the rest on access.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        reserve_disk(file, max(size * np.dtype(kind).itemsize, 1))
        return np.frombuffer(mmap.mmap(file.fileno(), 0), kind, size)
