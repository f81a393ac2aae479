from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tbgen.errors import InputFileError, UsageError
from tbgen.system.inputs import matching_files, read_lines

TEXT = "".join(f"line {number} of Jörg\n" for number in range(5000))
SKIPPED = (0x184D2A50).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"any"


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zst,
}


def text_of(path: Path) -> str:
    return "".join(read_lines(str(path)))


READ = {
    **{name: (pack(TEXT.encode()), TEXT) for name, pack in PACKERS.items()},
    **{
        f"{name} strung together and filled with zeros": (
            pack(b"one\n") + pack(b"") + pack(b"two\n" * 30_000) + bytes(512),
            "one\n" + "two\n" * 30_000,
        )
        for name, pack in PACKERS.items()
    },
    "frames of zstd that are to be skipped": (
        SKIPPED + zst(b"one\n") + SKIPPED + zst(b"two\n"),
        "one\ntwo\n",
    ),
    **{
        f"begins with {begin!r}": (begin, begin.decode("latin-1"))
        for begin in (b"", b"\x1f", b"B", b"BZ", b"\xfd7z", b"(", b"P")
    },
}


@pytest.mark.parametrize(("data", "text"), READ.values(), ids=READ)
def test_a_packed_file_reads_as_if_it_were_not_whatever_its_name(
    tmp_path: Path, data: bytes, text: str
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(data)
    assert text_of(path) == text


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_packed_file_that_is_cut_short_or_damaged_is_called_so(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "games.pgn"
    data = pack(os.urandom(100_000).hex().encode())
    for broken in (
        data[: len(data) // 2],
        data[:-1],
        data + b"more",
        data[:100] + bytes(1000) + data[1100:],
    ):
        path.write_bytes(broken)
        with pytest.raises(InputFileError, match="damaged or cut short"):
            text_of(path)


def test_patterns_stand_for_the_files_that_match(tmp_path: Path) -> None:
    for name in ("b.pgn", "a.pgn", "c.txt", "[x].pgn"):
        (tmp_path / name).touch()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.pgn").touch()

    def found(*names: str) -> list[str]:
        return [
            os.path.relpath(name, tmp_path)
            for name in matching_files(str(tmp_path / name) for name in names)
        ]

    for patterns, names in {
        ("*.pgn",): ["[x].pgn", "a.pgn", "b.pgn"],
        ("c.txt", "a.*"): ["c.txt", "a.pgn"],
        ("[x].pgn",): ["[x].pgn"],
        ("**/d.pgn",): ["deep/d.pgn"],
        ("not there",): ["not there"],
    }.items():
        assert found(*patterns) == names
    assert matching_files(["-"]) == ["-"]
    with pytest.raises(UsageError, match="no file matches"):
        found("*.zip")


def test_too_little_memory_is_not_called_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Starved:
        def decompress(self, data: bytes) -> bytes:
            raise MemoryError

    path = tmp_path / "games.pgn.xz"
    path.write_bytes(lzma.compress(b"1. e4 *"))
    monkeypatch.setattr("tbgen.system.inputs._unpacker_of", lambda file: Starved)
    with pytest.raises(MemoryError):
        text_of(path)


def test_a_line_longer_than_many_pieces_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    long_line = "8/8/8/8 " * (1 << 18) + "Jörg\n"
    path.write_text(f"{long_line}\n{long_line}last", encoding="utf-8")
    assert list(read_lines(str(path))) == [long_line, "\n", long_line, "last"]
