"""PGN files that nobody should write."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.attacks.attack import Attempt, assert_civil, cut_up
from tests.cli.calls import tbgen
from tests.project import S18

GAMES = S18.read_bytes()
SOUND = b"""[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]
[FEN "8/8/8/8/8/8/1K3k2/3B4 w - - 0 60"]

60. Bh5 Kg3 1/2-1/2

"""
"""A game whose verdict is known; it comes first, before what might swallow it."""

Spoiler = Callable[[bytes, random.Random], bytes]


def _tag(name: str, value: bytes) -> bytes:
    return b'[%s "%s"]\n' % (name.encode(), value)


def _signs(data: bytes, draw: random.Random) -> bytes:
    return data.replace(
        draw.choice([b" ", b"\n", b"1", b"N", b'"', b"]"]),
        draw.choice([b"\x00", b"\x1b[2J", b"\xe2\x80\xae", b"\xff", b"{", b"(", b'"', b"\r", b"%"]),
        draw.randint(1, 9),
    )


def _nested(data: bytes, draw: random.Random) -> bytes:
    return (
        b"1. e4 "
        + draw.choice([b"(", b"{", b"[", b"((e5 ", b"$", b"1."]) * draw.choice([9, 10_000, 200_000])
        + b"\n\n"
        + data
    )


def _long(data: bytes, draw: random.Random) -> bytes:
    return (
        draw.choice([b"x", b"1", b"e4 ", b'[A "', b";", b"{}", b"\xc3"])
        * draw.choice([1000, 300_000])
        + b"\n"
        + data
    )


def _tags(data: bytes, draw: random.Random) -> bytes:
    names = [
        "FEN",
        "Result",
        "RMobilityResult",
        "RMobilityAccrued",
        "RMobilityCutoff",
        "Points",
        "Komi",
        "SetUp",
        "Variant",
        "Legacy",
        "RMobilityFifty",
        "White",
    ]
    junk = [
        b"",
        b"G9e9",
        b"-G0.0",
        b"x" * 5000,
        b"8/8/8/8/8/8/8/8 w - - 0 1",
        b"8/8/8/4K2k/8/8/8/8 w - - 0 1 G0.0",
        b"1-0",
        b"\x1b[31m",
        b'\\"',
        b"=1+1",
        b"G5.75",
        b"1/3-2/3",
        b"\xe2\x80\xae",
    ]
    return (
        b"".join(_tag(draw.choice(names), draw.choice(junk)) for _ in range(draw.randint(1, 6)))
        + b"\n1. e4 e5 *\n\n"
        + data
    )


def _packed(data: bytes, draw: random.Random) -> bytes:
    packed = gzip.compress(SOUND + data, mtime=0)
    return cut_up(packed, draw) if draw.random() < 0.7 else packed[: draw.randrange(len(packed))]


def _encoded(data: bytes, draw: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return draw.choice(
        [
            text.encode("utf-16"),
            b"\xef\xbb\xbf" + data,
            text.replace("\n", "\r").encode(),
            text.replace("\n", "\r\n").encode(),
        ]
    )


SPOILERS: tuple[Spoiler, ...] = (cut_up, cut_up, _signs, _nested, _long, _tags, _encoded, _packed)


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Every command that reads games names those that are wrong, and decides the others."""
    path = folder / "hostile.pgn"
    copy = folder / "copy.pgn"
    facts = folder / "facts.json"

    def first_game() -> dict[str, Any]:
        return json.loads(facts.read_bytes())["games"][0]

    path.write_bytes(SOUND)
    tbgen("adjudicate", str(path), "--verdicts", str(facts), folder=tables)
    sound = first_game()

    def attempt(draw: random.Random) -> None:
        start = draw.randrange(len(GAMES))
        spoil = draw.choice(SPOILERS)
        spoilt = spoil(GAMES[start : start + draw.choice([300, 5000, 60_000])], draw)
        path.write_bytes(spoilt if spoil is _packed else SOUND + spoilt)
        for words in (
            ("score", "--pgn", str(path), "--summary"),
            ("adjudicate", str(path), "-o", str(copy), "--verdicts", str(facts)),
            ("standings", str(path), "--json"),
            ("standings", str(path), "--pages", str(path.with_name("pages"))),
        ):
            assert_civil(tbgen(*words, folder=tables))
        if facts.exists() and spoil is not _packed:
            assert first_game() == sound
        for written in (copy, facts):
            written.unlink(missing_ok=True)

    return attempt
