"""Input files: several names and patterns, compressed or not, and the standard input."""

from __future__ import annotations

import bz2
import codecs
import contextlib
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

from tbgen.errors import PgnError, UnreadableFileError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = "-"

_PIECE_BYTES = 1 << 16
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
"""How a file begins -> what reads it; a file's name says nothing."""

_LONGEST_BEGINNING = max(map(len, _UNPACKERS))


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("tbgen-latin-1", _as_latin_1)


def matching_files(names: Iterable[str]) -> list[str]:
    """The named files; a pattern such as `*.pgn` that the shell has not expanded stands for all files that match."""
    import glob

    found: list[str] = []
    for name in names:
        if name == STANDARD_INPUT or not glob.has_magic(name) or os.path.lexists(name):
            found.append(name)
            continue
        matches = sorted(glob.glob(name, recursive=True))
        if not matches:
            raise UsageError(f"no file matches {name!r}")
        found += matches
    return found


@contextlib.contextmanager
def open_text(name: str) -> Iterator[IO[str]]:
    """The lines of a file, or of the standard input if its name is `-`; compressed ones are unpacked.

    UTF-8, and what is not, byte by byte Latin-1. Lines come as soon as they are there.
    """
    with open_bytes(name) as pieces:
        yield io.TextIOWrapper(pieces, encoding="utf-8-sig", errors="tbgen-latin-1")


@contextlib.contextmanager
def open_bytes(name: str) -> Iterator[io.BufferedReader]:
    """The bytes of a file, or of the standard input if its name is `-`; compressed ones are unpacked."""
    is_input = name == STANDARD_INPUT
    with contextlib.ExitStack() as stack:
        try:
            packed = stack.enter_context(open(0 if is_input else name, "rb", closefd=not is_input))
        except OSError as error:
            raise UnreadableFileError(name, error.strerror or str(error)) from None
        yield buffered(_unpacked(packed, name))


def buffered(pieces: Iterator[bytes]) -> io.BufferedReader:
    """Pieces of bytes as a file, which never waits for more than there is."""
    return io.BufferedReader(_Pieces(pieces))


def is_packed(name: str) -> bool:
    """Whether a file is compressed."""
    with open(name, "rb") as file:
        begin = file.read(_LONGEST_BEGINNING)
    return any(begin.startswith(known) for known in _UNPACKERS)


def plain_size(name: str) -> int | None:
    """How many bytes a regular file has that is not packed; None for all others, which are not touched.

    A look at the first bytes of a pipe would take them away from its reader.
    """
    is_plain = name != STANDARD_INPUT and os.path.isfile(name) and not is_packed(name)
    return os.path.getsize(name) if is_plain else None


def _unpacked(packed: io.BufferedReader, name: str) -> Iterator[bytes]:
    """The bytes of a file, unpacked if they are compressed."""
    begin = _beginning(packed)
    new_unpacker = next((new for known, new in _UNPACKERS.items() if begin.startswith(known)), None)
    if new_unpacker is None:
        yield from _read_on(begin, packed)
        return
    unpacker: Any = None
    for data in _read_on(begin, packed):
        left = data
        while left.strip(b"\0") or (left and unpacker):  # one stream may follow another, and zeros the last
            unpacker = unpacker or new_unpacker()
            try:
                piece = unpacker.decompress(left)
            except Exception as error:  # each library has its own
                raise _damaged(name) from error
            yield piece
            left = b""
            if unpacker.eof:
                left, unpacker = unpacker.unused_data, None
    if unpacker:
        raise _damaged(name)


def _beginning(file: io.BufferedReader) -> bytes:
    """The first bytes: as few as are needed to recognise a compressed file."""
    begin = b""
    while any(known.startswith(begin) and known != begin for known in _UNPACKERS):
        more = file.read1(_LONGEST_BEGINNING - len(begin))
        if not more:
            break
        begin += more
    return begin


def _read_on(begin: bytes, file: io.BufferedReader) -> Iterator[bytes]:
    yield begin
    while data := file.read1(_PIECE_BYTES):
        yield data


def _damaged(name: str) -> PgnError:
    return PgnError(name, "its compressed data is damaged or cut short")


class _Pieces(io.RawIOBase):
    """Pieces of bytes, read as a file that never waits for more than there is."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        while not self._ready:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._ready = memoryview(piece)
        size = min(len(room), len(self._ready))
        room[:size], self._ready = self._ready[:size], self._ready[size:]
        return size
