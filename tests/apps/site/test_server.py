"""What is refused, with which status, and the headers of every answer."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from unittest import mock

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from tbgen.apps.server.answers import verdicts_in
from tbgen.apps.server.application import application
from tbgen.apps.server.deadline import Deadline, in_time
from tbgen.apps.server.limits import Limits
from tbgen.apps.server.metrics import forget_the_dead
from tbgen.apps.server.queue import BusyError, Queue
from tbgen.apps.server.service import ServerSettings, Service
from tbgen.probe import Tablebase
from tests.apps.site.conftest import client_of
from tests.apps.site.faults import parsed
from tests.positions import AFTER_KE5

TEXT = {"Content-Type": "text/plain"}
FULL = Limits(at_once=1, waiting=-1)
"""No request may wait, nor be worked on."""


ASKED = f"/r-mobility?fen={AFTER_KE5}"
REFUSED = [
    ("GET", "/r-mobility", 400, "UsageError"),
    ("GET", "/r-mobility?fen=", 400, "UsageError"),
    ("GET", "/r-mobility?fen=8/8", 400, "FenError"),
    ("GET", "/r-mobility?fen=8/8/8/8/8/8/8/8_w", 400, "IllegalPositionError"),
    ("GET", f"{ASKED}&accrued=3,5", 400, "ScoreFormatError"),
    ("GET", f"{ASKED}&accrued=G0.0", 400, "AccruedError"),
    ("GET", f"{ASKED}&moves=Kh9", 400, "MoveError"),
    ("GET", f"{ASKED}&fen=8/8", 400, "UsageError"),
    ("GET", f"{ASKED}&depth=3", 400, "UsageError"),
    ("GET", f"{ASKED}&brief=yes", 400, "UsageError"),
    ("GET", f"{ASKED}&scoring=best", 400, "UsageError"),
    ("GET", f"{ASKED}&komi=G2.5", 400, "UsageError"),
    ("GET", f"{ASKED}&fifty=often", 400, "UsageError"),
    ("GET", f"{ASKED}&fifty=fide&cutoff=G4.0", 400, "UsageError"),
    ("GET", f"{ASKED}&scoring=komi&komi=2", 400, "ScoreFormatError"),
    ("GET", "/r-mobility?fen=4k2r/8/8/8/8/8/8/4K3_b_k_-_0_1", 400, "CastlingError"),
    ("GET", "/r-mobility/line?fen=4k2r/pppppppp/8/8/8/8/8/4K3_b", 400, "TooManyMenError"),
    ("GET", "/r-mobility/line?fen=4k2r/8/8/8/8/8/8/R3K3_b", 404, "MissingTableError"),
    ("GET", "/nothing", 404, "NotFound"),
    ("GET", "/explorer/nothing.js", 404, "NotFound"),
    ("GET", "/explorer/%2e%2e/files.py", 404, "NotFound"),
    ("GET", "/tables/a/b.h5", 404, "NotFound"),
    ("GET", "/tables/manifest.json", 404, "NotFound"),
    ("GET", "/tables/.build.lock", 404, "NotFound"),
    ("GET", "/tables/..%2Fsecret.h5", 404, "NotFound"),
    ("GET", "/tables/KBvK.h5.partial", 404, "NotFound"),
    ("GET", "/tables/KRvKR.json", 404, "MissingTableError"),
    ("GET", "/tables/KXvK.json", 404, "NotFound"),
    ("GET", "/tables/KvKB.h5", 404, "NotFound"),
    ("GET", "/tables/kbvk.json", 404, "NotFound"),
    ("GET", "/tables/KBvK.x.h5", 404, "NotFound"),
    ("PUT", "/r-mobility", 405, "MethodNotAllowed"),
    ("DELETE", "/tables/KBvK.h5", 405, "MethodNotAllowed"),
    ("TRACE", "/health", 405, "MethodNotAllowed"),
    ("POST", "/tables", 405, "MethodNotAllowed"),
    ("GET", "/adjudicate", 405, "MethodNotAllowed"),
    ("POST", "/r-mobility", 415, "UnknownMediaType"),
    ("POST", "/adjudicate", 415, "UnknownMediaType"),
]


@pytest.mark.parametrize(("method", "path", "status", "error"), REFUSED)
def test_what_makes_no_sense_is_refused_and_told_why(
    client: TestClient, method: str, path: str, status: int, error: str
) -> None:
    answer = client.request(method, path, headers={"Content-Type": "image/png"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["error"] == error
    assert answer.json()["message"]
    assert ("allow" in answer.headers) is (status == 405)


@pytest.mark.parametrize("path", ["/nosuch", "/explorer/nosuch", "/tables/nosuch.json"])
def test_a_broken_link_is_a_page_for_people_and_an_error_for_programs(
    client: TestClient, path: str
) -> None:
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    page = client.get(path, headers={"Accept": browser})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "Accept" in page.headers["vary"].split(", ")
    parsed(page.text)
    assert '<a href="/explorer/">' in page.text
    for accept in ("*/*", "application/json"):
        error = client.get(path, headers={"Accept": accept})
        assert error.status_code == 404
        assert error.json()["error"] == "NotFound"


def test_pages_elsewhere_may_ask_a_server_with_a_name_and_no_other(
    client: TestClient, table_folder: Path
) -> None:
    asking = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    found = client.options(
        "/r-mobility", headers={**asking, "Access-Control-Request-Headers": "content-type"}
    )
    assert found.status_code == 200
    assert found.headers["access-control-allow-origin"] == "*"
    assert "POST" in found.headers["access-control-allow-methods"]
    assert found.headers["access-control-allow-headers"] == "content-type"
    with TestClient(
        application(ServerSettings([table_folder])), base_url="http://localhost"
    ) as local:
        for found in (
            local.options("/r-mobility", headers=asking),
            local.get("/health", headers=asking),
        ):
            assert "access-control-allow-origin" not in found.headers


def test_what_is_too_large_is_refused(table_folder: Path) -> None:
    limits = Limits(body_bytes=1000, positions=3, query_bytes=200, games=2)
    with client_of(table_folder, limits=limits) as client:
        assert client.get("/health").json()["limits"] == asdict(limits)
        for path, content, status in (
            ("/r-mobility", "x" * 1000, 200),
            ("/r-mobility", "x" * 1001, 413),
            ("/r-mobility", f"{AFTER_KE5}\n" * 3, 200),
            ("/r-mobility", f"{AFTER_KE5}\n" * 4, 413),
            ("/adjudicate", "1. e4 *\n\n" * 2, 200),
            ("/adjudicate", "1. e4 *\n\n" * 3, 413),
            ("/adjudicate", "x" * 1001, 413),
        ):
            found = client.post(path, content=content, headers=TEXT)
            assert found.status_code == status, (path, len(content))
        found = client.get("/r-mobility", params={"fen": "8" * 200})
        assert found.status_code == 414
        assert found.json()["error"] == "QueryTooLong"


def test_work_has_its_time_and_no_more(table_folder: Path) -> None:
    with client_of(table_folder, limits=Limits(seconds=0)) as client:
        found = client.post("/adjudicate", content="1. e4 *", headers=TEXT)
        assert found.status_code == 413
        assert found.json()["error"] == "TooManyGames"
        found = client.get("/r-mobility/line", params={"fen": AFTER_KE5})
        assert found.status_code == 503
        assert found.json()["error"] == "Late"
        assert found.headers["retry-after"] == "1"
        rows = client.post("/r-mobility", json=[AFTER_KE5, AFTER_KE5]).json()
        assert [row.get("error") for row in rows] == [None, "UsageError"]
        assert "send fewer at once" in rows[1]["message"]


def test_names_in_latin_1_arrive_as_the_command_line_reads_them(client: TestClient) -> None:
    game = '[White "Müller"]\n[Black "Łęcki"]\n\n1. e4 *\n'
    for content in (game.encode(), game.replace("Łęcki", "Gómez").encode("latin-1")):
        (found,) = client.post("/adjudicate", content=content, headers=TEXT).json()["games"]
        assert found["white"] == "Müller"
        assert found["black"] == ("Gómez" if b"\xf3" in content else "Łęcki")


def test_a_line_may_have_so_many_moves(client: TestClient) -> None:
    (row,) = client.post("/r-mobility", json=[AFTER_KE5 + " Kg4 Ke4 Kg5 Ke5" * 13_000]).json()
    assert row["error"] == "UsageError"
    assert row["message"] == "a position and its moves may have 4096 characters"
    assert len(json.dumps(row)) < 1000


def test_the_page_of_a_position_has_its_verdict_unless_it_has_too_many_moves(
    client: TestClient,
) -> None:
    fen = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
    moves = "Bh3 Kg6 Bf5 Kg5 " * 20
    plain = 'property="og:title" content="r-mobility explorer"'
    assert plain not in client.get("/explorer/", params={"fen": fen, "moves": moves}).text
    assert plain in client.get("/explorer/", params={"fen": fen, "moves": 20 * moves}).text


def test_a_queue_takes_so_many_and_works_for_nobody_who_has_left() -> None:
    async def crowd() -> list[int]:
        queue = Queue(at_once=1, waiting=2, seconds=3600)
        gate = threading.Event()
        begun = list[int]()

        def work(number: int) -> bool:
            begun.append(number)
            return gate.wait()

        asked = [asyncio.create_task(queue.run(partial(work, number))) for number in range(4)]
        await asyncio.sleep(0)
        asked[1].cancel()
        with pytest.raises(BusyError):
            await asked[3]
        with pytest.raises(asyncio.CancelledError):
            await asked[1]
        gate.set()
        assert await asked[0]
        assert await asked[2]
        items = list[str]()
        async for piece in queue.pieces(iter("ab")):
            items += piece
        assert items == ["a", "b"]
        return begun

    assert asyncio.run(crowd()) == [0, 2]


def test_a_thread_that_cannot_start_takes_no_place_for_ever() -> None:
    async def ask_thrice() -> str:
        queue = Queue(at_once=1, waiting=64, seconds=3600)
        refused = RuntimeError("can't start new thread")
        with mock.patch.object(threading.Thread, "start", side_effect=refused):
            for _ in range(2):
                with pytest.raises(BusyError):
                    await asyncio.wait_for(queue.run(lambda: "none"), 20)
        return await asyncio.wait_for(queue.run(lambda: "answered"), 20)

    assert asyncio.run(ask_thrice()) == "answered"


def test_time_that_is_over_is_an_error() -> None:
    Deadline(3600).check()
    with pytest.raises(TimeoutError):
        Deadline(-1).check()


def test_a_client_that_sends_or_reads_nothing_is_waited_for_no_longer() -> None:
    async def forever(*_: object) -> dict[str, object]:
        await asyncio.sleep(3600)
        return {}

    async def ignored(message: Message) -> None:
        await forever()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def give() -> dict[str, object]:
        return {"type": "http.request"}

    sent = list[str]()

    async def keep(message: Message) -> None:
        sent.append(f"{message['type']} {message.get('status', '')}")

    impatient = in_time(answer, 0.001)
    anyio.run(impatient, {"type": "http"}, forever, keep)
    assert sent == ["http.response.start 503", "http.response.body "]
    sent.clear()
    anyio.run(impatient, {"type": "http"}, give, ignored)
    assert sent == []


def test_an_answer_may_take_long_if_its_parts_come_in_time() -> None:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        for _ in range(20):
            await asyncio.sleep(0.05)
            await send({"type": "http.response.body"})

    sent = list[Message]()

    async def keep(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {}

    anyio.run(in_time(answer, 0.5), {"type": "http"}, receive, keep)
    assert len(sent) == 20


def test_a_game_of_a_variant_can_be_stopped_at_each_move(tables: Tablebase) -> None:
    plies = 0

    def count() -> None:
        nonlocal plies
        plies += 1
        if plies == 50:
            raise TimeoutError

    game = b'[Variant "crazyhouse"]\n\n' + b"Nf3 Nf6 Ng1 Ng8 " * 100 + b"*\n"
    with pytest.raises(TimeoutError):
        list(verdicts_in(tables, game, count))
    assert plies == 50


def test_a_full_queue_says_when_to_ask_again(table_folder: Path) -> None:
    """What takes milliseconds never runs in the event loop, where all others would wait for it."""
    with client_of(table_folder, limits=FULL) as client:
        answer = client.get("/r-mobility/line", params={"fen": AFTER_KE5})
    assert answer.status_code == 503
    assert answer.json()["error"] == "Busy"
    assert answer.headers["retry-after"] == "1"


def test_solved_positions_hold_up_no_other_questions(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solver answers one request at a time, which two others wait for outside the threads."""
    gate = threading.Event()
    begun = threading.Event()

    class Solver:
        def solved(self, *asked: object, **how: object) -> None:
            begun.set()
            gate.wait(20)

    monkeypatch.setattr(Service, "has_solved_blocks", True)
    monkeypatch.setattr(Service, "solver", lambda service: Solver())
    with client_of(table_folder) as client, ThreadPoolExecutor(3) as clients:
        asked = {"fen": AFTER_KE5}
        solved = [clients.submit(client.get, "/r-mobility/solved", params=asked) for _ in range(3)]
        assert begun.wait(20)
        try:
            line = client.get("/r-mobility/line", params=asked)
        finally:
            gate.set()
        assert line.status_code == 200
        assert [each.result().status_code for each in solved] == [204] * 3


@pytest.mark.parametrize("path", ["/health", "/tables", f"/r-mobility?fen={AFTER_KE5}"])
def test_short_questions_do_not_wait_in_the_queue(table_folder: Path, path: str) -> None:
    with client_of(table_folder, limits=FULL) as client:
        assert client.get(path).status_code == 200


def test_an_unforeseen_failure_tells_nothing(table_folder: Path) -> None:
    with (
        mock.patch.object(Tablebase, "probe", side_effect=RuntimeError("a secret")),
        client_of(table_folder) as client,
    ):
        found = client.get("/r-mobility", params={"fen": AFTER_KE5})
    assert found.status_code == 500
    assert found.json()["error"] == "InternalError"
    assert "secret" not in found.text
    assert found.headers["X-Content-Type-Options"] == "nosniff"


def test_what_a_server_does_can_be_watched(table_folder: Path) -> None:
    with client_of(table_folder) as client:
        client.get("/r-mobility", params={"fen": AFTER_KE5})
        client.get("/r-mobility", params={"fen": AFTER_KE5})
        client.get("/r-mobility", params={"fen": "x"})
        client.get("/nosuch")
        client.get("/health", headers={"Host": "evil.example"})
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    figures = dict[tuple[str, ...], float]()
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            figures[sample.name, *sample.labels.values()] = sample.value
    assert figures["tbgen_requests_total", "position", "200"] == 2
    assert figures["tbgen_requests_total", "position", "400"] == 1
    assert figures["tbgen_requests_total", "other", "404"] == 1
    assert figures["tbgen_requests_total", "other", "400"] == 1
    assert figures["tbgen_request_seconds_count", "position"] == 3
    assert figures["tbgen_requests_in_progress",] == 1, "the one that asks"
    assert figures["tbgen_tables",] == 6


def test_what_a_killed_process_was_doing_is_forgotten(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    kept = {"counter_1.db", f"counter_{dead.pid}.db", f"gauge_livesum_{os.getpid()}.db"}
    for name in (*kept, f"gauge_livesum_{dead.pid}.db", f"gauge_livemax_{dead.pid}.db"):
        (tmp_path / name).touch()
    forget_the_dead(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_a_server_answers_under_its_own_names_only(client: TestClient) -> None:
    for host in ("evil.example", "testserver.evil.example", "", "a b", "[::2]", "testserver:x"):
        found = client.get("/health", headers={"Host": host})
        assert found.status_code == 400, host
        assert found.json()["error"] == "UnknownHost", host
    assert client.get("/health", headers={"Host": "TestServer:8000"}).status_code == 200


def test_a_browser_reads_under_which_name_the_server_would_answer(client: TestClient) -> None:
    for host, shown in (("mine.local:8000", "mine.local"), ("<b>", None), ("", None)):
        found = client.get("/", headers={"Host": host, "Accept": "text/html,*/*"})
        assert found.status_code == 400
        assert found.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in found.headers["content-security-policy"]
        assert "<b>" not in found.text
        assert (f"--name {shown}</code>" in found.text) == (shown is not None)


SENT_ONCE = (
    ASKED,
    f"/r-mobility/line?fen={AFTER_KE5}",
    "/tables",
    "/tables/KvK.json",
    "/tables/KvK.h5",
    "/explorer/",
    "/explorer/page.js",
)
"""Answers with a tag: a client that has one gets it no second time."""
SENT_AGAIN = ("/health", "/nothing", "/r-mobility?fen=x")


@pytest.mark.parametrize("path", [*SENT_ONCE, *SENT_AGAIN])
def test_every_answer_says_what_it_is(client: TestClient, path: str) -> None:
    found = client.get(path)
    head = client.head(path)
    assert head.status_code == found.status_code
    assert head.headers["content-length"] == found.headers["content-length"]
    assert head.content == b""
    names = ("x-content-type-options", "referrer-policy")
    assert [found.headers[name] for name in names] == ["nosniff", "no-referrer"]
    if path.startswith("/explorer"):
        policy = found.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
    assert ("etag" in found.headers) == (path in SENT_ONCE)


@pytest.mark.parametrize("path", SENT_ONCE)
def test_an_answer_is_not_sent_twice(client: TestClient, path: str) -> None:
    tag = client.get(path).headers["etag"]
    for known in (tag, f'"x", {tag}', f"W/{tag}"):
        again = client.get(path, headers={"If-None-Match": known})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["etag"] == tag
    for other in ('"x"', "*"):
        assert client.get(path, headers={"If-None-Match": other}).status_code == 200


def test_regular_files_of_a_report_are_given_beside_the_explorer(
    table_folder: Path, tmp_path: Path
) -> None:
    for name in (".git", "material"):
        (tmp_path / name).mkdir()
    for name in ("index.html", ".written.json", ".git/config", "material/KBvK.html"):
        (tmp_path / name).write_text("<!DOCTYPE html><title>Endings</title>")
    os.mkfifo(tmp_path / "pipe.html")
    with client_of(table_folder, site=tmp_path) as client:
        first = client.get("/")
        assert first.status_code == 200
        assert "Endings" in first.text
        assert 'data-report="../"' in client.get("/explorer/").text
        assert "unsafe" not in first.headers["content-security-policy"]
        assert client.get("/health").json()["status"] == "ok"
        for path in (
            "/nothing",
            "/.written.json",
            "/.git/config",
            "/%2ewritten.json",
            "/pipe.html",
            "/%2e%2e/secret",
        ):
            assert client.get(path).status_code == 404


def test_an_error_quotes_the_ends_of_a_long_text_and_says_why(client: TestClient) -> None:
    for body in (
        "8" * 4000,
        "8/" * 2000,
        json.dumps({"x" * 4000: ""}),
        '{"fen": "\\u0001' + "9" * 4000 + '"}',
    ):
        found = client.post("/r-mobility", content=body, headers=TEXT)
        assert "error" in json.loads(found.text)
        assert len(found.text) < 2000


def test_a_client_that_leaves_before_its_body_has_come_is_no_failure(client: TestClient) -> None:
    a_part: dict[str, object] = {"type": "http.request", "body": b"8", "more_body": True}
    messages = iter([a_part, dict[str, object](type="http.disconnect")])
    sent = list[str]()
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/r-mobility",
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"testserver"), (b"content-type", b"text/plain")],
    }

    async def receive() -> dict[str, object]:
        return next(messages)

    async def send(message: MutableMapping[str, object]) -> None:
        sent.append(str(message["type"]))

    anyio.run(client.app, scope, receive, send)
    assert sent == ["http.response.start", "http.response.body"]
