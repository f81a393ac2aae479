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
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
"""How the names of packed files end. Files are unpacked by their first bytes, not by names."""

_PIECE_BYTES = 1 << 18
_LOOKED_AT = 1024
"""A file with a zero among so many first bytes is binary."""
_GZIP_WINDOW = 31
"""The window of zlib that means a header of gzip and the largest window."""


def _gzip() -> Any:
    return zlib.decompressobj(wbits=_GZIP_WINDOW)


def _zstandard() -> Any:
    from zstandard import ZstdDecompressor

    return ZstdDecompressor().decompressobj()


_UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": _gzip,
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
    """The named files.

    A pattern such as `*.pgn` that the shell has not expanded stands for all files that match.
    """
    import glob

    files: list[str] = []
    for name in names:
        is_pattern = glob.has_magic(name) and not os.path.lexists(name)
        if not is_pattern:
            files.append(name)
            continue
        matches = sorted(glob.glob(name, recursive=True))
        if not matches:
            raise UsageError(f"no file matches {name!r}")
        files += matches
    return files


def read_lines(name: str) -> Iterator[str]:
    """The lines of a file, or of the standard input if its name is `-`.

    Compressed files are unpacked. The text is UTF-8; other bytes are read as Latin-1. Lines come
    as soon as they are there.
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
    """The bytes of a file, or of the standard input if its name is `-`, piece by piece.

    Compressed files are unpacked. A piece comes as soon as it is there.
    """
    try:
        with io.BufferedReader(_opened(name), _PIECE_BYTES) as file:
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


def _opened(name: str) -> io.FileIO:
    if name == STANDARD_INPUT:
        return io.FileIO(0, closefd=False)
    return io.FileIO(name)


def is_packed(name: str) -> bool:
    """Whether a file is compressed."""
    with open(name, "rb") as file:
        return _unpacker_of(file) is not None


def plain_size(name: str) -> int | None:
    """The size of a regular file that is not compressed; None for any other file.

    Other files stay unread: the first bytes of a pipe would be lost for its reader.
    """
    if name == STANDARD_INPUT or not os.path.isfile(name) or not os.access(name, os.R_OK):
        return None
    if is_packed(name):
        return None
    return os.path.getsize(name)


def _unpacker_of(file: io.BufferedReader[Any]) -> Callable[[], Any] | None:
    """The decompressor of a file, if it is compressed. Its bytes stay in place."""
    begin = file.peek()
    for signature, new_unpacker in _UNPACKERS.items():
        if begin.startswith(signature):
            return new_unpacker
    return None


def _unpacked(
    pieces: Iterator[bytes], new_unpacker: Callable[[], Any], name: str
) -> Iterator[bytes]:
    """The decompressed bytes; several streams may follow each other, and zeros the last one."""
    damaged = InputFileError(name, "its compressed data is damaged or cut short")
    unpacker: Any = None
    for packed in pieces:
        left = packed
        while left.strip(b"\0") or (left and unpacker is not None):
            if unpacker is None:
                unpacker = new_unpacker()
            try:
                piece = unpacker.decompress(left)
            except MemoryError:
                raise
            except Exception as error:  # each library has its own error
                raise damaged from error
            yield piece
            left = b""
            if unpacker.eof:
                left = unpacker.unused_data
                unpacker = None
    if unpacker is not None:
        raise damaged
