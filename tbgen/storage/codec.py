"""Codec: a chunk of an array as the bytes that a file has for it."""

from __future__ import annotations

import threading
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
import zstandard

HARD_LEVEL: Final = 15
SCRATCH_LEVEL: Final = 1
EASY_LEVEL: Final = 6
"""More than a tenth larger in less than a sixth of the time: see docs/adr/0020 and 0101."""

_HARD_WINDOW, _HARD_SEARCHES = 1 << 15, 4
"""Level 15 for chunks of this many bytes, but with 2**4 candidates for a match instead of 2**6: an eighth of the time
for a quarter of a per cent of the bytes, see docs/adr/0186."""

__all__ = ["EASY_LEVEL", "HARD_LEVEL", "SCRATCH_LEVEL", "crc32", "pack", "unpack", "unpack_into"]

_local = threading.local()


def pack(chunk: npt.NDArray[Any], *, shuffled: bool, level: int = EASY_LEVEL) -> bytes:
    """Compress a chunk; if `shuffled`, with the first bytes of all items first, then all second bytes ..."""
    compressors = _local.__dict__.setdefault("compressors", {})
    if level not in compressors:
        compressors[level] = _compressor(level)
    size = chunk.dtype.itemsize
    raw = _transposed(chunk.view(np.uint8).reshape(-1, size)) if shuffled else chunk
    packed: bytes = compressors[level].compress(raw)
    return packed


def _compressor(level: int) -> zstandard.ZstdCompressor:
    if level != HARD_LEVEL:
        return zstandard.ZstdCompressor(level=level, write_checksum=level == SCRATCH_LEVEL)
    hard = zstandard.ZstdCompressionParameters.from_level(level, source_size=_HARD_WINDOW, search_log=_HARD_SEARCHES)
    return zstandard.ZstdCompressor(compression_params=hard)


def unpack(packed: bytes, items: int, kind: npt.DTypeLike, *, shuffled: bool) -> npt.NDArray[Any]:
    """The items that were packed; ValueError if they are not as many."""
    found = np.empty(items, kind)
    unpack_into(packed, found)
    if not shuffled:
        return found
    planes = found.view(np.uint8).reshape(found.itemsize, items)
    return _transposed(planes).view(kind).ravel()


def unpack_into(packed: bytes | bytearray, found: npt.NDArray[Any]) -> None:
    """Fill an array with as many items that were packed unshuffled; ValueError if they are not as many."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    try:
        with _local.decompressor.stream_reader(packed) as reader:
            size = reader.readinto(found.view(np.uint8).data) if len(found) else 0
            more = reader.read(1)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
    if size != found.nbytes or more:
        raise ValueError(f"{size}{' bytes and more' if more else ' bytes'} instead of {found.nbytes}")


def _transposed(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The columns as rows, copied along the few long ones of both: numpy would go along the many short ones."""
    columns = np.empty((rows.shape[1], rows.shape[0]), np.uint8)
    if len(rows) < len(columns):
        for number, row in enumerate(rows):
            columns[:, number] = row
    else:
        for number, column in enumerate(columns):
            column[:] = rows[:, number]
    return columns
