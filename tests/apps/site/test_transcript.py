"""Requests and what the server answers to them, word for word, in answers.txt.

`pytest --rewrite` writes the file anew; then read the difference. Tags and lengths are left out:
they depend on the bytes of tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tbgen.system import __version__
from tests.apps.site.conftest import client_of
from tests.files import assert_as_kept
from tests.positions import AFTER_KE5

ANSWERS = Path(__file__).parent / "answers.txt"
LEFT_OUT = ("etag", "content-length", "last-modified")
MOST_LINES = 60
"""Of an answer."""

FEN = "8/8/4K3/5Bk1/8/8/8/8_w_-_-_33_30_G4.0"
LINES = {"Content-Type": "text/plain"}
ARRAY = {"Content-Type": "application/json"}
BROWSER = {"Accept": "text/html,*/*;q=0.8"}
GAMES = (
    '[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n[SetUp "1"]\n'
    '[FEN "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]\n\nKh4 1/2-1/2\n\n1. e9 *\n'
)
FOREIGN = {"Origin": "https://a.example"}
PREFLIGHT = {**FOREIGN, "Access-Control-Request-Method": "POST"}
ASKED: list[tuple[str, str, dict[str, str], str]] = [
    ("GET", f"/r-mobility?fen={FEN}", {}, ""),
    (
        "GET",
        f"/r-mobility?fen={FEN}&brief=1&strip=1&fifty=fide&scoring=komi&komi=G3.5",
        FOREIGN,
        "",
    ),
    ("GET", "/r-mobility?fen=8/8", {}, ""),
    ("GET", "/r-mobility?fen=4k2r/8/8/8/8/8/8/R3K3_b", {}, ""),
    ("GET", f"/r-mobility?fen={FEN}&depth=3", {}, ""),
    ("POST", "/r-mobility?brief=1", LINES, f"{AFTER_KE5}\n\n8/8 w\n"),
    ("POST", "/r-mobility?brief=1", ARRAY, f'["{AFTER_KE5}", {{"fen": "{FEN}", "moves": "Ke5"}}]'),
    ("POST", "/r-mobility", ARRAY, "{}"),
    ("POST", "/r-mobility", {"Content-Type": "image/png"}, "x"),
    ("GET", f"/r-mobility/line?fen={FEN}", {}, ""),
    ("GET", f"/r-mobility/line?fen={FEN}", {"Accept": "application/x-chess-pgn"}, ""),
    ("GET", "/r-mobility/solved?fen=8/1K6/6p1/6P1/2k5/7p/7P/8_w", {}, ""),
    ("POST", "/adjudicate", LINES, GAMES),
    ("PUT", "/adjudicate", {}, ""),
    ("OPTIONS", "/r-mobility", PREFLIGHT, ""),
    ("OPTIONS", "/r-mobility", {}, ""),
    ("GET", "/tables/KBvK.x.h5", {}, ""),
    ("GET", "/tables/KRvKR.json", {}, ""),
    ("GET", "/tables/KXvK.json", {}, ""),
    ("GET", "/tables/KvKB.h5", {}, ""),
    ("GET", "/tables/kbvk.json", {}, ""),
    ("GET", "/tables/KvK.h5", {"Range": "bytes=0-30"}, ""),
    ("GET", "/tables/KvK.h5", {"Range": "bytes=99999999-"}, ""),
    ("GET", "/health", {}, ""),
    ("HEAD", "/health", {}, ""),
    ("GET", "/health", {"Host": "evil.example"}, ""),
    ("GET", "/health", {"Host": "evil.example", **BROWSER}, ""),
    ("GET", "/", {}, ""),
    ("GET", "/explorer", {}, ""),
    ("GET", "/explorer/icon.svg", {}, ""),
    ("GET", "/nothing", {}, ""),
    ("GET", "/nothing", BROWSER, ""),
]
"""Method, address, headers, and body of each request."""


@pytest.fixture(scope="module")
def client(table_folder: Path) -> Iterator[TestClient]:
    with client_of(table_folder) as made:
        yield made


def told(client: TestClient, method: str, path: str, headers: dict[str, str], body: str) -> str:
    """A request and its answer, as the file has them."""
    answer = client.request(method, path, headers=headers, content=body)
    lines = [f"> {method} {path}"]
    lines += [f"> {name}: {value}" for name, value in headers.items()]
    lines += [f"> {line}" for line in body.splitlines()]
    lines.append(f"< {answer.status_code}")
    for name, value in sorted(answer.headers.items()):
        if name not in LEFT_OUT:
            lines.append(f"< {name}: {value}")
    said = answer.text.replace(__version__, "VERSION").splitlines()
    lines += [f"  {line}".rstrip() for line in said[:MOST_LINES]]
    if len(said) > MOST_LINES:
        lines.append("  …")
    return "\n".join(lines) + "\n\n"


def test_the_server_answers_as_before(client: TestClient, request: pytest.FixtureRequest) -> None:
    assert_as_kept(ANSWERS, "".join(told(client, *asked) for asked in ASKED), request)
