#!/usr/bin/env python3
"""Fetch for minutes from each kind of evil server, all side by side.

Each fetch must end in time, with what is right.

    evil_servers.py                          ten minutes
    evil_servers.py --minutes 1 --seed 7
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.cli.build import BuildWatcher  # noqa: E402
from tbgen.errors import FetchError  # noqa: E402
from tbgen.library import fetch as fetching  # noqa: E402
from tbgen.library.build import build  # noqa: E402
from tbgen.material import table_named  # noqa: E402
from tests.attacks.attack import assert_one_line, cut_up  # noqa: E402
from tests.library.mirrors import Handler, Mirror, mirror_of  # noqa: E402

TABLE = table_named("KNvK")
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


def fetches(kind: str, tables: Path, folder: Path, seconds: float, seed: int) -> int:
    """How many fetches there were."""
    draw = random.Random(f"{kind} {seed}")
    end = time.monotonic() + seconds
    count = 0
    with mirror_of(tables) as mirror:
        while time.monotonic() < end:
            one_fetch(mirror, folder / kind, kind, draw)
            count += 1
            time.sleep(0.1)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(KINDS)) as pool:
        tables = Path(name, "tables")
        build(tables, [TABLE], BuildWatcher())
        running = {
            kind: pool.submit(fetches, kind, tables, Path(name), 60 * wanted.minutes, wanted.seed)
            for kind in KINDS
        }
        for kind, future in running.items():
            print(f"{kind}: {future.result()} fetches, each ended in time", flush=True)


if __name__ == "__main__":
    main()
