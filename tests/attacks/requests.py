"""Requests to a server: queries and bodies that make no sense."""

from __future__ import annotations

import json
import random
import string
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.apps.site.conftest import client_of
from tests.attacks.attack import Attempt

FEN = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
NAMES = (
    "fen",
    "accrued",
    "moves",
    "scoring",
    "cutoff",
    "komi",
    "fifty",
    "man",
    "brief",
    "strip",
    "x",
    "",
)
VALUES = (
    FEN,
    "startpos",
    "G2.5",
    "-G0.0",
    "Kh4",
    "komi",
    "reset",
    "f5",
    "1",
    "",
    "8/8/8/8/8/8/8/8",
    "é\0\ud7ff",
    "9" * 50,
)
PATHS = (
    "/r-mobility",
    "/r-mobility/line",
    "/tables",
    "/adjudicate",
    "/tables/KvK.h5",
    "/health",
    "/explorer/",
)
ITEMS: tuple[Any, ...] = (
    FEN,
    {"fen": FEN},
    [],
    None,
    {},
    {"fen": {}},
    '[Event "x"]',
    "1. e4 e5 *",
    "\xff",
    "[" * 3000,
    10**400,
    True,
)
KINDS = ("text/plain", "application/json", "application/x-ndjson", "application/x-chess-pgn")
ANSWERED = {200, 204, 304, 307, 400, 404, 405, 413, 414, 415, 416}


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Whatever is asked, there is an answer or a refusal in the form of one, and none names a path
    of this machine.
    """
    client = closing.enter_context(client_of(tables))

    def attempt(draw: random.Random) -> None:
        query = {
            draw.choice(NAMES): _spoilt(draw, draw.choice(VALUES)) for _ in range(draw.randrange(4))
        }
        items = [draw.choice(ITEMS) for _ in range(draw.randrange(4))]
        body = _spoilt(draw, draw.choice((json.dumps(items), "\n".join(map(str, items)))))
        found = client.request(
            draw.choice(("GET", "POST", "HEAD", "OPTIONS")),
            draw.choice(PATHS),
            params=query,
            content=body.encode("utf-8", "replace"),
            headers={"Content-Type": draw.choice(KINDS)},
        )
        assert found.status_code in ANSWERED, (query, body, found.text)
        assert str(tables) not in found.text
        if (
            found.status_code >= 400
            and found.content
            and found.headers["content-type"] == "application/json"
        ):
            assert {"error", "message"} <= found.json().keys()
        assert len(found.content) < 100_000 or found.status_code == 200

    return attempt


def _spoilt(draw: random.Random, text: str) -> str:
    """A text with a character changed, now and then."""
    if not text or draw.random() < 0.5:
        return text
    place = draw.randrange(len(text))
    return text[:place] + draw.choice(string.printable) + text[place + 1 :]
