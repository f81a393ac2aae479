"""Servers of tables that send wrong, slow or endless answers: `fetch` gets what is right, or leaves
them in time.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from tbgen.errors import FetchError
from tbgen.library import fetch as fetching
from tbgen.material import table_named
from tests.attacks.attack import Attempt, assert_one_line, cut_up
from tests.library.mirrors import Handler, Mirror, mirror_of

TABLE = table_named("KNvK")
SECONDS = 0.3
"""What stands for the 30 seconds that a server may keep `fetch` waiting."""
_TRIES = 3


def _drip(handler: Handler, data: bytes, pause: float) -> None:
    """A byte after the other, the last ones again and again."""
    for place in range(1 << 30):
        handler.wfile.write(data[place : place + 1] or data[-1:])
        time.sleep(pause)


def _drips_head(
    handler: Handler, _content: bytes, _start: int, _draw: random.Random, pause: float
) -> None:
    _drip(handler, b"HTTP/1.1 200 OK\r\nX: ", pause)


def _goes_on(
    handler: Handler, _content: bytes, _start: int, _draw: random.Random, pause: float
) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(pause)


def _drips_body(
    handler: Handler, content: bytes, start: int, _draw: random.Random, pause: float
) -> None:
    handler.give(content, start, upto=(start + len(content)) // 2)
    _drip(handler, b"x", pause)


def _drips_in_chunks(
    handler: Handler, _content: bytes, _start: int, draw: random.Random, pause: float
) -> None:
    """Extensions of chunks and trailers have no bounds of their own."""
    handler.give(b"", 0, Content_Length="", Transfer_Encoding="chunked")
    _drip(handler, draw.choice((b"5;x=y", b"0\r\nX: y\r\n")), pause)


def _breaks_off(
    handler: Handler, content: bytes, start: int, draw: random.Random, _pause: float
) -> None:
    handler.give(content, start, upto=start + draw.choice((1, 100, 3000)))


def _begins_anew(
    handler: Handler, content: bytes, _start: int, draw: random.Random, _pause: float
) -> None:
    handler.give(content, 0, upto=len(handler.server.mirror.asked) * draw.choice((1, 100, 3000)))


def _is_silent(handler: Handler, *_: object) -> None:
    handler.rfile.read(1)


def _never_ends(
    handler: Handler, _content: bytes, _start: int, draw: random.Random, _pause: float
) -> None:
    handler.give(b"", 0, Content_Length=draw.choice(("", "9" * 30, "-1")))
    while True:
        handler.wfile.write(bytes(1 << 16))


def _lies(handler: Handler, content: bytes, start: int, draw: random.Random, _pause: float) -> None:
    handler.give(cut_up(content, draw), start)


def _knows_no_http(
    handler: Handler, content: bytes, _start: int, draw: random.Random, _pause: float
) -> None:
    handler.wfile.write(
        cut_up(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content, draw, 9)
    )


def _has_another_status(
    handler: Handler, _content: bytes, _start: int, draw: random.Random, _pause: float
) -> None:
    there: dict[str, Any] = {"Location": "http://127.0.0.1:1/", "Content_Range": "bytes */x"}
    handler.give(b"x" * 100, 0, status=draw.randrange(100, 600), **there)


KINDS: Mapping[str, Callable[[Handler, bytes, int, random.Random, float], object]] = {
    each.__name__.strip("_").replace("_", " "): each
    for each in (
        _drips_head,
        _goes_on,
        _drips_body,
        _drips_in_chunks,
        _breaks_off,
        _begins_anew,
        _is_silent,
        _never_ends,
        _lies,
        _knows_no_http,
        _has_another_status,
    )
}


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    mirror = closing.enter_context(mirror_of(tables))
    closing.enter_context(mock.patch.object(fetching, "SECONDS", SECONDS))

    def attempt(draw: random.Random) -> None:
        one_fetch(mirror, folder / "fetched", draw.choice(list(KINDS)), draw)

    return attempt


def one_fetch(mirror: Mirror, folder: Path, kind: str, draw: random.Random) -> None:
    """Fetch a table from a server of a kind, whose catalog may be of it as well, and look at what
    comes.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pause = draw.choice((0.001, 0.02, 0.1)) * fetching.SECONDS
    mirror.wrong = lambda handler, content, start: KINDS[kind](handler, content, start, draw, pause)
    mirror.has_wrong_catalog = draw.random() < 0.3
    begun = time.monotonic()
    mirror.asked.clear()
    try:
        fetching.fetch(folder, mirror.url, lambda _: [TABLE], outcomes_alone=True)
    except FetchError as error:
        assert_one_line(error)
        assert not (folder / f"{TABLE}.h5").exists()
    else:
        assert (folder / f"{TABLE}.h5").read_bytes() == mirror.files[f"{TABLE}.h5"], kind
    assert len(mirror.asked) <= 1 + 2 * _TRIES, kind
    assert time.monotonic() - begun < 2 * _TRIES * 3 * fetching.SECONDS + 20, kind
