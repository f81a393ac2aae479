"""The limits that keep a server in the open alive.

They are those of each phase of a connection, of the number of connections, and of the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import resource
import socket
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

import pytest

from tbgen.apps.site.addresses import listen
from tbgen.apps.site.connection import DEADLINES, Connection
from tbgen.apps.site.limits import connections_for
from tbgen.apps.site.log import Calm
from tbgen.apps.site.server import application
from tbgen.apps.site.service import ServerSettings
from tbgen.errors import UsageError
from tests.apps.site.conftest import running

BODY = (
    b"POST /r-mobility HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 99\r\n\r\n8/8/"
)
"""A request whose body is not complete."""
FILE = b"GET /tables/KPvK.h5 HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def port(table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server that takes three connections at once."""
    monkeypatch.setattr("tbgen.apps.site.service.connections_for", lambda tables: 3)
    with running(application(ServerSettings([table_folder]))) as address:
        yield int(address.rpartition(":")[2])


def told(client: socket.socket) -> bytes:
    """All that a server sends until it closes the connection; TimeoutError if it does not."""
    client.settimeout(20)
    parts = list[bytes]()
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(1 << 20):
            parts.append(part)
    return b"".join(parts)


def is_healthy(port: int) -> bool:
    with urlopen(f"http://127.0.0.1:{port}/health", timeout=20) as answer:
        return bool(answer.status == 200)


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a connection is lost."""
    is_lost = threading.Event()
    lose = Connection.connection_lost

    def lose_and_tell(self: Connection, error: Exception | None) -> None:
        lose(self, error)
        is_lost.set()

    monkeypatch.setattr(Connection, "connection_lost", lose_and_tell)
    return is_lost


def test_an_answer_does_not_wait_until_the_client_has_confirmed_its_head() -> None:
    """TCP_NODELAY; without it, each answer on a kept connection takes 40 ms more."""

    async def options_of_an_accepted_socket() -> tuple[int, int]:
        options = asyncio.get_running_loop().create_future()

        async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            no_delay = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            options.set_result((accepted.proto, no_delay))
            writer.close()

        with listen("127.0.0.1", 0) as listening:
            async with await asyncio.start_server(meet, sock=listening):
                with socket.create_connection(listening.getsockname()):
                    return await asyncio.wait_for(options, 20)

    protocol, no_delay = asyncio.run(options_of_an_accepted_socket())
    assert protocol == socket.IPPROTO_TCP
    assert no_delay


@pytest.mark.parametrize(
    ("phase", "sent"),
    [("head", b"GET /he"), ("head", b""), ("body", BODY), ("sending", FILE * 200)],
)
def test_a_client_that_keeps_a_connection_waiting_loses_it(
    port: int, phase: str, sent: bytes, lost: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in DEADLINES:
        monkeypatch.setitem(DEADLINES, each, 0.2 if each == phase else 60.0)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        client.connect(("127.0.0.1", port))
        client.sendall(sent)
        assert lost.wait(20)
        assert told(client).startswith(b"HTTP/1.1 200 " if phase == "sending" else b"")
    assert is_healthy(port)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a second address of this machine")
def test_a_server_answers_under_the_address_at_which_a_client_reaches_it(
    table_folder: Path,
) -> None:
    """Not under another one: a foreign page must not point its own name here."""
    with running(application(ServerSettings([table_folder])), "0.0.0.0") as address:
        port = int(address.rpartition(":")[2])
        statuses = dict[str, int]()
        for host in ("127.0.0.2", "localhost", "127.0.0.3", "evil.example"):
            connection = HTTPConnection("127.0.0.2", port, timeout=20)
            connection.request("GET", "/health", headers={"Host": f"{host}:{port}"})
            statuses[host] = connection.getresponse().status
            connection.close()
    assert statuses == {"127.0.0.2": 200, "localhost": 200, "127.0.0.3": 400, "evil.example": 400}


def test_a_head_has_64_kilobytes_at_most(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (1 << 17))
        assert told(client)[:13] in (b"", b"HTTP/1.1 400 ")
    assert is_healthy(port)


def test_work_for_a_client_that_has_left_is_dropped(
    port: int, lost: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()
    gate = threading.Event()
    answered = list[object]()

    def answer(*arguments: object, **settings: object) -> dict[str, object]:
        answered.append(arguments)
        begun.set()
        gate.wait(20)
        return {}

    monkeypatch.setattr("tbgen.apps.site.answers.answer_of", answer)
    monkeypatch.setattr("tbgen.apps.site.queue.PIECE_SECONDS", 0)
    lines = b"8/8/8/4KBk1/8/8/8/8_b\n" * 500
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(BODY.replace(b"99", b"%d" % len(lines)).removesuffix(b"8/8/") + lines)
        assert begun.wait(20)
    assert lost.wait(20)
    gate.set()
    assert is_healthy(port)
    assert len(answered) == 1


def test_a_new_client_has_the_place_of_the_one_that_waits_longest(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    waiting = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    for client in waiting:
        client.sendall(b"GET /hea")
    assert is_healthy(port)
    assert told(waiting[0]) == b""
    for client in waiting[1:]:
        client.sendall(b"lth HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b'"status": "ok"' in told(client)
        client.close()
    waiting[0].close()
    assert "3 connections are open, and no more may be" in caplog.text


def test_places_leave_descriptors_for_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (450, 450))
    # Other tests may have more open.
    monkeypatch.setattr(os, "listdir", lambda folder: ["0", "1", "2", "3"])
    beside_tables = connections_for(25)
    alone = connections_for(0)
    assert 8 <= beside_tables < alone < 200
    message = r"450 open files are too few for these tables; allow more: ulimit -n \d+"
    with pytest.raises(UsageError, match=message):
        connections_for(95)


def test_a_cause_says_one_line_in_ten_seconds_and_how_often_it_came_meanwhile() -> None:
    now = 100.0
    calm = Calm(lambda: now)
    said = list[str]()

    def log(text: str, error: Exception | None) -> None:
        trouble = error and (type(error), error, None)
        record = logging.LogRecord("uvicorn.error", logging.ERROR, "here.py", 7, text, (), trouble)
        if calm.filter(record):
            said.append(logging.Formatter("%(message)s").format(record))

    for number in range(1000):
        now += 0.02
        log(f"bad request {number} {'x' * 5000}\n\x1b[2J", None)
        log("failed", ValueError("why"))
    assert len(said) == 2 * 2
    assert max(map(len, said)) < 400
    assert said[2].startswith("bad request 501 xxx")
    assert said[2].endswith("(500 times more since the last line)")
    assert said[3].startswith("failed: ValueError('why')")
    without_traceback = [said[0], said[2], said[3]]
    assert not any("\n" in line or "\x1b" in line for line in without_traceback)
