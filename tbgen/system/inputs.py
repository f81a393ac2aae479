"""Input files: several names and patterns, compressed or not, and the standard input."""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from tbgen.errors import InputFileError, UnreadableFileError, UsageError

STANDARD_INPUT = "-"

_PIECE_BYTES = 1 << 18
_LOOKED_AT = 1024
"""A file with a zero among so many first bytes is binary."""
_GZIP_WINDOW = 31


def _zstandard() -> Any:
    from zstandard import ZstdDecompressor

    return ZstdDecompressor().decompressobj()


_UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=_GZIP_WINDOW),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lzma.LZMADecompressor,
    b"\x28\xb5\x2f\xfd": _zstandard,
    b"\x50\x2a\x4d\x18": _zstandard,
}
"""The first bytes of a file -> its decompressor; the name of a file does not matter."""


def _as_latin_1(error: Any) -> tuple[str, int]:
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("tbgen-latin-1", _as_latin_1)


def matching_files(names: Iterable[str]) -> list[str]:
    """The named files; a pattern such as `*.pgn` that the shell has not expanded stands for all files that match."""
    import glob

    found: list[str] = []
    for name in names:
        is_pattern = glob.has_magic(name) and not os.path.lexists(name)
        matches = sorted(glob.glob(name, recursive=True)) if is_pattern else [name]
        if not matches:
            raise UsageError(f"no file matches {name!r}")
        found += matches
    return found


def read_lines(name: str) -> Iterator[str]:
    """The lines of a file, or of the standard input if its name is `-`; compressed ones are unpacked.

    UTF-8; other bytes are read as Latin-1. Lines come as soon as they are there.
    """
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder("utf-8-sig")("tbgen-latin-1"), translate=True
    )
    unfinished: list[str] = []  # the parts of a line, joined once: a line may be as long as a file
    for piece in read_pieces(name):
        continued, *begun = decoder.decode(piece).split("\n")
        unfinished.append(continued)
        for line in begun:
            yield "".join(unfinished) + "\n"
            unfinished = [line]
    unfinished.append(decoder.decode(b"", final=True))
    last = "".join(unfinished)
    if last:
        yield last


def read_pieces(name: str) -> Iterator[bytes]:
    """The bytes of a file, or of the standard input if its name is `-`, piece by piece; compressed ones are unpacked.

    A piece comes as soon as it is there.
    """
    is_input = name == STANDARD_INPUT
    try:
        with io.BufferedReader(
            io.FileIO(0 if is_input else name, closefd=not is_input), _PIECE_BYTES
        ) as file:
            new_unpacker = _unpacker_of(file)
            pieces: Iterator[bytes] = iter(partial(file.read1, _PIECE_BYTES), b"")
            if new_unpacker is not None:
                pieces = _unpacked(pieces, new_unpacker, name)
            first = next(pieces, b"")
            if b"\0" in first[:_LOOKED_AT]:
                raise InputFileError(name, "it is a binary file, not text")
            yield first
            yield from pieces
    except OSError as error:
        raise UnreadableFileError(name, error.strerror or str(error)) from None


def is_packed(name: str) -> bool:
    """Whether a file is compressed."""
    with open(name, "rb") as file:
        return _unpacker_of(file) is not None


def plain_size(name: str) -> int | None:
    """The size of a regular file that is not compressed; None for any other file, which stays unread.

    Reading the first bytes of a pipe would take them away from its reader.
    """
    is_plain = (
        name != STANDARD_INPUT
        and os.path.isfile(name)
        and os.access(name, os.R_OK)
        and not is_packed(name)
    )
    return os.path.getsize(name) if is_plain else None


def _unpacker_of(file: io.BufferedReader[Any]) -> Callable[[], Any] | None:
    """The decompressor of a file, if it is compressed. Its bytes stay in place."""
    begin = file.peek()
    return next((new for known, new in _UNPACKERS.items() if begin.startswith(known)), None)


def _unpacked(
    pieces: Iterator[bytes], new_unpacker: Callable[[], Any], name: str
) -> Iterator[bytes]:
    """The decompressed bytes; several streams may follow each other, and zeros the last one."""
    damaged = InputFileError(name, "its compressed data is damaged or cut short")
    unpacker: Any = None
    for left in pieces:
        while left.strip(b"\0") or (left and unpacker):
            unpacker = unpacker or new_unpacker()
            try:
                piece = unpacker.decompress(left)
            except MemoryError:
                raise
            except Exception as error:  # each library has its own error
                raise damaged from error
            yield piece
            left = b""
            if unpacker.eof:
                left, unpacker = unpacker.unused_data, None
    if unpacker:
        raise damaged
