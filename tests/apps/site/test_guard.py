"""Clients that want too much, or leave, and the addresses under which a server answers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

import pytest

from tbgen.apps.server.addresses import listen
from tbgen.apps.server.application import application
from tbgen.apps.server.limits import connections_for
from tbgen.apps.server.service import ServerSettings
from tbgen.errors import UsageError
from tests.apps.site.conftest import running

HEAD = (
    b"POST /r-mobility HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
    b"Content-Length: %d\r\n\r\n"
)


@pytest.fixture
def port(table_folder: Path) -> Iterator[int]:
    """The port of a server."""
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
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()
    gate = threading.Event()
    answered = list[object]()

    def answer(*arguments: object, **settings: object) -> dict[str, object]:
        answered.append(arguments)
        if len(answered) == 2:
            begun.set()
            gate.wait(20)
        return {}

    monkeypatch.setattr("tbgen.apps.server.answers.answer_of", answer)
    monkeypatch.setattr("tbgen.apps.server.queue.PIECE_SECONDS", 0)
    lines = b"8/8/8/4KBk1/8/8/8/8_b\n" * 500
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(HEAD % len(lines) + lines)
        assert begun.wait(20)
    assert is_healthy(port)
    gate.set()
    assert is_healthy(port)
    assert len(answered) < 10


def test_a_client_of_http_1_0_gets_no_chunks(port: int) -> None:
    lines = b"8/8/8/4K1k1/8/4P3/8/8_w\n" * 3
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall((HEAD % len(lines)).replace(b"1.1", b"1.0") + lines)
        head, _, body = told(client).partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in head.lower()
    assert len(body.splitlines()) == 3
    assert body.startswith(b'{"number": 1')


def test_a_client_that_leaves_before_its_answers_costs_no_error(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    slow = b"GET /r-mobility/line?fen=8/8/8/4K1k1/8/4P3/8/8_w HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(slow * 20)
    assert is_healthy(port)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_connections_leave_descriptors_for_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (450, 450))
    beside_tables = connections_for(25)
    alone = connections_for(0)
    assert 8 <= beside_tables < alone < 200
    message = r"450 open files are too few for these tables; allow more: ulimit -n \d+"
    with pytest.raises(UsageError, match=message):
        connections_for(95)
