"""What is refused, with which status, and the headers of every answer."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import MutableMapping
from functools import partial
from pathlib import Path

import anyio
import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.replies import BusyError, Limits, Queue
from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings
from tbgen.probe import Tablebase
from tests.apps.site.conftest import client_of

FEN = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
TEXT = {"Content-Type": "text/plain"}


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("", 400, "UsageError"),
        ("fen=", 400, "UsageError"),
        ("fen=8/8", 400, "FenError"),
        ("fen=8/8/8/8/8/8/8/8_w", 400, "IllegalPositionError"),
        (f"fen={FEN}&accrued=3,5", 400, "ScoreFormatError"),
        (f"fen={FEN}&accrued=G0.0", 400, "AccruedError"),
        (f"fen={FEN}&moves=Kh9", 400, "MoveError"),
        (f"fen={FEN}&fen={FEN}", 400, "UsageError"),
        (f"fen={FEN}&depth=3", 400, "UsageError"),
        (f"fen={FEN}&brief=yes", 400, "UsageError"),
        (f"fen={FEN}&scoring=best", 400, "UsageError"),
        (f"fen={FEN}&komi=G2.5", 400, "UsageError"),
        (f"fen={FEN}&fifty=often", 400, "UsageError"),
        (f"fen={FEN}&fifty=fide&cutoff=G4.0", 400, "UsageError"),
        (f"fen={FEN}&scoring=komi&komi=2", 400, "ScoreFormatError"),
        ("fen=4k2r/8/8/8/8/8/8/4K3_b_k_-_0_1", 400, "CastlingError"),
        ("fen=4k2r/pppppppp/8/8/8/8/8/4K3_b_-_-_0_1", 400, "TooManyMenError"),
        ("fen=4k2r/8/8/8/8/8/8/R3K3_b_-_-_0_1", 404, "MissingTableError"),
    ],
)
def test_a_question_that_makes_no_sense_is_told_why(client: TestClient, query: str, status: int, error: str) -> None:
    for path in ("/r-mobility", "/r-mobility/line"):
        found = client.get(f"{path}?{query}")
        assert (found.status_code, found.json()["error"]) == (status, error)
        assert found.json()["message"]
        assert found.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/nothing", "/explorer/nothing.js", "/explorer/%2e%2e/files.py", "/tables/a/b.h5"])
def test_what_is_not_there_is_not_found(client: TestClient, path: str) -> None:
    found = client.get(path)
    assert (found.status_code, found.json()["error"]) == (404, "NotFound")


def test_the_first_page_leads_to_the_explorer(client: TestClient) -> None:
    for path in ("/", "/explorer"):
        found = client.get(path)
        assert (found.status_code, found.headers["location"]) == (307, "/explorer/")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_are_refused(client: TestClient, method: str) -> None:
    for path in ("/r-mobility", "/tables/KBvK.h5", "/explorer/", "/nothing"):
        found = client.request(method, path)
        assert (found.status_code, found.headers["allow"]) == (405, "GET, HEAD, OPTIONS, POST")


def test_pages_elsewhere_may_ask_a_server_with_a_name_and_no_other(client: TestClient, table_folder: Path) -> None:
    asking = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    found = client.options("/r-mobility", headers={**asking, "Access-Control-Request-Headers": "content-type"})
    assert (found.status_code, found.content, found.headers["access-control-allow-origin"]) == (204, b"", "*")
    assert "POST" in found.headers["access-control-allow-methods"]
    assert found.headers["access-control-allow-headers"] == "*"
    with TestClient(application(Settings([table_folder])), base_url="http://localhost") as local:
        for found in (local.options("/r-mobility", headers=asking), local.get("/health", headers=asking)):
            assert "access-control-allow-origin" not in found.headers


def test_a_known_path_says_which_methods_it_has(client: TestClient) -> None:
    found = client.post("/tables", content="x")
    assert (found.status_code, found.json()["error"]) == (405, "MethodNotAllowed")
    assert set(found.headers["allow"].split(", ")) == {"GET", "HEAD"}
    assert client.get("/adjudicate").status_code == 405


@pytest.mark.parametrize("path", ["/r-mobility?fen=" + FEN, "/tables", "/health", "/explorer/", "/tables/KvK.json"])
def test_a_head_is_as_long_as_the_answer_and_empty(client: TestClient, path: str) -> None:
    head, whole = client.head(path), client.get(path)
    assert (head.status_code, head.headers["content-length"]) == (200, whole.headers["content-length"])


def test_bodies_of_other_types_are_refused(client: TestClient) -> None:
    for path in ("/r-mobility", "/adjudicate"):
        found = client.post(path, content="x", headers={"Content-Type": "image/png"})
        assert (found.status_code, found.json()["error"]) == (415, "UnknownMediaType")


def test_what_is_too_large_is_refused(table_folder: Path) -> None:
    limits = Limits(body_bytes=1000, positions=3, query_bytes=200, games=2)
    with client_of(table_folder, limits=limits) as client:
        assert client.get("/health").json()["limits"] == limits.facts()
        for path, content, status in (
            ("/r-mobility", "x" * 1000, 200),
            ("/r-mobility", "x" * 1001, 413),
            ("/r-mobility", f"{FEN}\n" * 3, 200),
            ("/r-mobility", f"{FEN}\n" * 4, 413),
            ("/adjudicate", "1. e4 *\n\n" * 2, 200),
            ("/adjudicate", "1. e4 *\n\n" * 3, 413),
            ("/adjudicate", "x" * 1001, 413),
        ):
            found = client.post(path, content=content, headers=TEXT)
            assert found.status_code == status, (path, len(content))
        found = client.get("/r-mobility", params={"fen": "8" * 200})
        assert (found.status_code, found.json()["error"]) == (414, "QueryTooLong")


def test_work_has_its_time_and_no_more(table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with client_of(table_folder, limits=Limits(seconds=0)) as client:
        found = client.post("/adjudicate", content="1. e4 *", headers=TEXT)
        assert (found.status_code, found.json()["error"]) == (413, "TooManyGames")
        found = client.get("/r-mobility/line", params={"fen": FEN})
        assert (found.status_code, found.json()["error"], found.headers["retry-after"]) == (503, "Late", "1")
        rows = client.post("/r-mobility", json=[FEN, FEN]).json()
        assert [row.get("error") for row in rows] == [None, "UsageError"]
        assert "send fewer at once" in rows[1]["message"]


def test_a_line_may_have_so_many_moves(client: TestClient) -> None:
    moves = " Kg4 Ke4 Kg5 Ke5" * 13_000
    (row,) = client.post("/r-mobility", json=[FEN + moves]).json()
    assert (row["error"], row["message"]) == ("UsageError", "a position and its moves may have 4096 characters")
    assert len(json.dumps(row)) < 1000


def test_a_queue_takes_so_many_and_no_more_and_works_for_nobody_who_has_left() -> None:
    async def crowd() -> tuple[list[int], int, list[int]]:
        queue, gate = Queue(Limits(at_once=1, waiting=2)), threading.Event()
        begun = list[int]()

        def work(number: int) -> int:
            begun.append(number)
            gate.wait()
            return number

        asked = [asyncio.create_task(queue.run(partial(work, number))) for number in range(4)]
        await asyncio.sleep(0)
        asked[1].cancel()
        with pytest.raises(BusyError):
            await asked[3]
        gate.set()
        done = [await asked[0], await asked[2]]
        pieces = queue.pieces(iter(range(3)))
        return done, len(asked), [each async for piece in pieces for each in piece] + begun

    done, _, made = asyncio.run(crowd())
    assert (done, made) == ([0, 2], [0, 1, 2, 0, 2])


def test_a_full_queue_says_when_to_ask_again_and_short_questions_pass(table_folder: Path) -> None:
    with client_of(table_folder, limits=Limits(at_once=0, waiting=0)) as client:
        found = client.get("/r-mobility/line", params={"fen": FEN})
        assert (found.status_code, found.json()["error"], found.headers["retry-after"]) == (503, "Busy", "1")
        for path in ("/health", f"/r-mobility?fen={FEN}", f"/standard?fen={FEN}"):
            assert client.get(path).status_code == 200


def test_an_unforeseen_failure_tells_nothing(table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(Tablebase, "probe", failing)
    with client_of(table_folder) as client:
        found = client.get("/r-mobility", params={"fen": FEN})
    assert (found.status_code, found.json()["error"]) == (500, "InternalError")
    assert "secret" not in found.text


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "", "a b", "[::2]", "testserver:x"])
def test_a_server_answers_under_its_own_names_only(client: TestClient, host: str) -> None:
    found = client.get("/health", headers={"Host": host})
    assert (found.status_code, found.json()["error"]) == (400, "UnknownHost")


def test_a_name_may_come_with_a_port_and_in_capitals(client: TestClient) -> None:
    assert client.get("/health", headers={"Host": "TestServer:8000"}).status_code == 200


@pytest.mark.parametrize("path", ["/health", "/nothing", "/r-mobility?fen=x", "/tables/KvK.h5", "/explorer/"])
def test_every_answer_may_be_read_by_any_page_and_is_what_it_says(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["access-control-allow-origin"] == "*"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/explorer/", "/explorer/explorer.js", "/explorer/plain", "/explorer/plain?fen=x"])
def test_every_page_says_what_it_may_do(client: TestClient, path: str) -> None:
    policy = client.get(path).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "path", [f"/r-mobility?fen={FEN}", f"/r-mobility/line?fen={FEN}", f"/standard?fen={FEN}", "/tables",
             "/tables/KvK.json", "/tables/KvK.h5", "/explorer/"],
)  # fmt: skip
def test_who_has_an_answer_already_gets_none(client: TestClient, path: str) -> None:
    etag = client.get(path).headers["etag"]
    for known in (etag, f'"x", {etag}', f"W/{etag}", "*"):
        again = client.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    assert client.get(path, headers={"If-None-Match": '"x"'}).status_code == 200


def test_pages_of_a_report_are_shown_beside_the_explorer(table_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "material").mkdir()
    (tmp_path / "index.html").write_text("<!DOCTYPE html><title>Endings</title>")
    with client_of(table_folder, site=tmp_path) as client:
        first = client.get("/")
        assert (first.status_code, "Endings" in first.text) == (200, True)
        assert "unsafe" not in first.headers["content-security-policy"]
        assert 'data-report="../"' in client.get("/explorer/").text
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/nothing").status_code == 404
        assert client.get("/%2e%2e/secret").status_code == 404


def test_no_file_that_begins_with_a_dot_is_given(table_folder: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("index.html", ".written.json", ".git/config"):
        (tmp_path / name).write_text("secret")
    with client_of(table_folder, site=tmp_path) as client:
        assert client.get("/index.html").status_code == 200
        for path in ("/.written.json", "/.git/config", "/%2ewritten.json"):
            assert client.get(path).status_code == 404


def test_an_error_quotes_the_ends_of_a_long_text_and_says_why(client: TestClient) -> None:
    for body in ("8" * 4000, "8/" * 2000, json.dumps({"x" * 4000: ""}), '{"fen": "\\u0001' + "9" * 4000 + '"}'):
        found = client.post("/r-mobility", content=body, headers=TEXT)
        row = json.loads(found.text)
        assert "error" in row
        assert len(found.text) < 2000
    row = json.loads(client.post("/r-mobility", content="8" * 4000, headers=TEXT).text)
    assert (row["error"], row["fen"][:3]) == ("FenError", "888")
    assert "expected 8 rows" in row["message"]


def test_a_client_that_leaves_before_its_body_has_come_is_no_failure(client: TestClient) -> None:
    async def leave() -> list[str]:
        messages = [{"type": "http.request", "body": b"8", "more_body": True}, {"type": "http.disconnect"}]
        headers = [(b"host", b"testserver"), (b"content-type", b"text/plain")]
        scope = {"type": "http", "method": "POST", "path": "/r-mobility", "query_string": b"", "headers": headers}
        sent = list[str]()

        async def receive() -> dict[str, object]:
            return messages.pop(0)

        async def send(message: MutableMapping[str, object]) -> None:
            sent.append(str(message["type"]))

        await client.app({**scope, "http_version": "1.1", "root_path": ""}, receive, send)
        return sent

    assert anyio.run(leave) == ["http.response.start", "http.response.body"]
