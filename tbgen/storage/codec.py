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
    raw = chunk.view(np.uint8).reshape(-1, size).T.tobytes() if shuffled else chunk.tobytes()
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
    return np.ascontiguousarray(planes.T).view(dtype).ravel()
