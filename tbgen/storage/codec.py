"""Codec: a chunk of an array as the bytes that a file has for it."""

from __future__ import annotations

import threading
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
import zstandard

HARD_LEVEL: Final = 15
EASY_LEVEL: Final = 9
"""A tenth larger in a sixth of the time."""

__all__ = ["EASY_LEVEL", "HARD_LEVEL", "crc32", "pack", "unpack"]

_local = threading.local()


def pack(chunk: npt.NDArray[Any], *, shuffled: bool, level: int = EASY_LEVEL) -> bytes:
    """Compress a chunk; if `shuffled`, with the first bytes of all items first, then all second bytes ..."""
    compressors = _local.__dict__.setdefault("compressors", {})
    if level not in compressors:
        compressors[level] = zstandard.ZstdCompressor(level=level)
    size = chunk.dtype.itemsize
    raw = _transposed(chunk.view(np.uint8).reshape(-1, size)) if shuffled else chunk
    packed: bytes = compressors[level].compress(raw)
    return packed


def unpack(packed: bytes, items: int, kind: npt.DTypeLike, *, shuffled: bool) -> npt.NDArray[Any]:
    """The items that were packed; ValueError if they are not as many."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    dtype = np.dtype(kind)
    try:
        raw = _local.decompressor.decompress(packed, max_output_size=items * dtype.itemsize)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
    if len(raw) != items * dtype.itemsize:
        raise ValueError(f"{len(raw)} bytes instead of {items * dtype.itemsize}")
    if not shuffled:
        return np.frombuffer(raw, dtype)
    planes = np.frombuffer(raw, np.uint8).reshape(dtype.itemsize, items)
    return _transposed(planes).view(dtype).ravel()


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
