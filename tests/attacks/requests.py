"""Requests to a server: queries and bodies that make no sense, and bytes that are hardly HTTP."""

from __future__ import annotations

import json
import random
import socket
import string
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings
from tests.apps.site.conftest import client_of, running
from tests.attacks.attack import Attempt, cut_up

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


def begin_questions(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
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


def begin_bytes(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Whatever comes, the server answers it in HTTP or closes the connection, and answers the next
    one.
    """
    port = int(
        closing.enter_context(running(application(ServerSettings([tables])))).rpartition(":")[2]
    )
    body = f"{FEN}\n{FEN}"
    head = f"Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}"
    whole = f"POST /r-mobility HTTP/1.1\r\n{head}\r\n\r\n{body}"
    query = urlencode({"fen": FEN})
    closing_head = "Host: localhost\r\nConnection: close\r\n\r\n"
    asking = f"GET /r-mobility?{query} HTTP/1.1\r\n{closing_head}"

    def attempt(draw: random.Random) -> None:
        sent = draw.choice(
            (
                whole,
                asking,
                asking + whole,
                "GET /tables/KvK.h5 HTTP/1.1\r\nRange: bytes=9-\r\n\r\n",
            )
        )
        first = _told(port, cut_up(sent.encode(), draw), 0.2)
        assert not first or first.startswith(b"HTTP/1.1 "), first
        assert b" 500 " not in first.split(b"\r\n")[0]
        assert b'"outcome": "G1.5"' in _told(port, asking.encode(), 60)

    return attempt


def _told(port: int, sent: bytes, seconds: float) -> bytes:
    """The answer until the server closes the connection, or is silent for so many seconds."""
    parts = list[bytes]()
    with (
        suppress(ConnectionError, TimeoutError),
        socket.create_connection(("127.0.0.1", port), timeout=30) as client,
    ):
        client.sendall(sent)
        client.settimeout(seconds)
        while part := client.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def _spoilt(draw: random.Random, text: str) -> str:
    """A text with a character changed, now and then."""
    if not text or draw.random() < 0.5:
        return text
    place = draw.randrange(len(text))
    return text[:place] + draw.choice(string.printable) + text[place + 1 :]
