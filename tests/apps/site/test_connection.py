"""Requests as bytes: many at once, broken ones, and those of old clients and of newer protocols."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from uvicorn.server import ServerState

from tbgen.apps.site.connection import PART_BYTES, Connection
from tbgen.apps.site.limits import Limits
from tbgen.apps.site.run import config_for
from tbgen.apps.site.server import application
from tbgen.apps.site.service import ServerSettings
from tests.apps.site.conftest import running

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
FILE = b"GET /tables/KPvK.h5 HTTP/1.1\r\nHost: localhost\r\n\r\n"
GARBAGE = b"\x00\x01\r\n\r\n"
STANDARD = (
    b"GET /r-mobility?fen=8/8/8/4K1k1/8/4P3/8/8_w&strip=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
)
PAUSE = "tbgen.apps.site.connection.REFUSAL_SECONDS"
LINES = b"8/8/8/4K1k1/8/4P3/8/8_w\n" * 3
BATCH_HEAD = b"POST /r-mobility?brief=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
GAME = (
    b"POST /adjudicate HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n7\r\n1. e4 *\r\n0\r\n\r\n"
)
CHUNKED = BATCH_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails if the server logs an error, such as a traceback."""
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def client_of(server: str) -> socket.socket:
    host, port = server.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def busy_server(folder: Path) -> contextlib.AbstractContextManager[str]:
    """The address of a server that refuses all long questions."""
    return running(application(ServerSettings([folder], limits=Limits(at_once=0, waiting=0))))


def answer_to(server: str, *pieces: bytes) -> bytes:
    """All that a server sends to a client until it closes the connection."""
    answer = bytearray()
    with client_of(server) as client, contextlib.suppress(ConnectionError):
        for piece in pieces:
            client.sendall(piece)
        while part := client.recv(1 << 20):
            answer += part
    return bytes(answer)


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


@pytest.mark.usefixtures("errors")
def test_requests_that_come_at_once_are_answered_in_their_order(server: str) -> None:
    answer = answer_to(server, (HEALTH + FILE) * 200 + LAST)
    kinds = [b"application/json", b"application/x-hdf5"] * 200 + [b"application/json"]
    heads = [line for line in answer.split(b"\r\n") if line.startswith(b"content-type: ")]
    assert heads == [b"content-type: " + kind for kind in kinds]
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == len(kinds)


def test_requests_that_come_ahead_stay_bytes_until_others_are_answered() -> None:
    async def answer_nothing(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    async def requests_taken() -> int:
        config = config_for(answer_nothing)
        config.load()
        connection = Connection(config, ServerState(), {})
        transport = Mock(asyncio.Transport)
        transport.is_closing.return_value = False
        transport.get_extra_info.return_value = None
        connection.connection_made(transport)
        for _ in range(50):
            connection.data_received(HEALTH * 100)
        transport.pause_reading.assert_called()
        taken = len(connection.pipeline)
        connection.connection_lost(None)
        return taken

    assert asyncio.run(requests_taken()) <= PART_BYTES // len(HEALTH)


@pytest.mark.usefixtures("errors")
@pytest.mark.parametrize("first", [FILE, GAME])
def test_bytes_that_are_no_request_leave_the_answer_before_them_whole(
    server: str, first: bytes
) -> None:
    both = answer_to(server, first + LAST)
    whole = both[: both.rindex(b"HTTP/1.1 200 OK")]
    answer = answer_to(server, first + GARBAGE)
    assert body_of(answer).startswith(body_of(whole))
    rest = body_of(answer).removeprefix(body_of(whole))
    assert rest[:12] in (b"", b"HTTP/1.1 400")


@pytest.mark.usefixtures("errors")
@pytest.mark.parametrize(
    "request_", [GARBAGE, CHUNKED + b"no number\r\n", b"GET / HTTP/1.1\r\nA : b\r\n\r\n"]
)
def test_what_is_no_request_is_refused(server: str, request_: bytes) -> None:
    answer = answer_to(server, request_)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.usefixtures("errors")
def test_a_broken_body_behind_another_request_ends_the_connection_after_its_answer(
    server: str,
) -> None:
    answer = answer_to(server, FILE + CHUNKED + b"no number\r\n")
    size = int(answer.partition(b"content-length: ")[2].split()[0])
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert len(body_of(answer)) >= size


@pytest.mark.usefixtures("errors")
def test_a_head_in_small_pieces_is_bounded_too(server: str) -> None:
    pieces = [b"GET /health HTTP/1.1\r\nHost: localhost\r\n"]
    pieces += [b"X-%d: %s\r\n" % (number, b"x" * 1000) for number in range(100)]
    assert answer_to(server, *pieces, b"\r\n")[:12] in (b"", b"HTTP/1.1 400")


def test_a_client_of_http_1_0_gets_no_chunks(server: str) -> None:
    length = b"Content-Length: %d\r\n\r\n" % len(LINES)
    head, _, body = answer_to(
        server, BATCH_HEAD.replace(b"1.1", b"1.0") + length + LINES
    ).partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in head.lower()
    assert len(body.splitlines()) == 3
    assert body.startswith(b'{"number": 1')


@pytest.mark.usefixtures("errors")
def test_a_client_that_offers_another_protocol_is_answered_in_this_one(server: str) -> None:
    offer = (
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    )
    answer = answer_to(server, HEALTH.removesuffix(b"\r\n") + offer + LAST)
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 2


@pytest.mark.usefixtures("errors")
def test_a_client_that_leaves_before_its_answers_costs_no_error(server: str) -> None:
    slow = b"GET /r-mobility/line?fen=8/8/8/4K1k1/8/4P3/8/8_w HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in range(20):
        with client_of(server) as client:
            client.sendall(slow * 20)
    assert answer_to(server, LAST).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.usefixtures("errors")
def test_after_a_refusal_others_are_answered_first(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PAUSE, 3600.0)
    with busy_server(table_folder) as server, client_of(server) as client:
        client.sendall(STANDARD)
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 503 ")
        client.sendall(HEALTH)
        assert answer_to(server, LAST).startswith(b"HTTP/1.1 200 OK")
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)


@pytest.mark.usefixtures("errors")
def test_a_refusal_does_not_end_a_connection(
    table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PAUSE, 0.01)
    with busy_server(table_folder) as server:
        answers = answer_to(server, STANDARD * 3 + LAST)
    assert answers.count(b"HTTP/1.1 503 ") == 3
    assert answers.count(b"HTTP/1.1 200 OK") == 1


def test_answered_requests_leave_nothing_to_the_collector_of_cycles(server: str) -> None:
    gc.collect()
    gc.disable()
    try:
        answer_to(server, HEALTH * 50 + LAST)
        left = [each for each in gc.get_objects() if isinstance(each, RequestResponseCycle)]
    finally:
        gc.enable()
    assert len(left) <= 1, "the last request of a connection"
