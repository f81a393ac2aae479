"""`tbgen serve`: what its options come to, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.request import urlopen

import psutil
import pytest

from tbgen.apps.server.application import from_environment
from tests.cli.calls import tbgen


@pytest.fixture
def serve() -> Iterator[mock.Mock]:
    """In place of the server that would go on for ever."""
    with (
        mock.patch("tbgen.apps.server.run.serve") as serve,
        mock.patch.dict(os.environ),
    ):
        yield serve


def served(*arguments: str, folder: Path) -> tuple[str, str]:
    done = tbgen("serve", "--port", "0", *arguments, folder=folder)
    assert done.returncode == 0
    return done.stdout, done.stderr


def test_a_server_is_for_this_machine_alone_unless_told_otherwise(
    serve: mock.Mock, table_folder: Path
) -> None:
    addresses = list[tuple[str, int]]()
    serve.side_effect = lambda factory, listening, *_: addresses.append(listening.getsockname())
    out, err = served(folder=table_folder)
    ((host, port),) = addresses
    assert (host, out, err) == ("127.0.0.1", f"6 tables; http://127.0.0.1:{port}/explorer/\n", "")
    assert (serve.call_args.args[0], serve.call_args.args[2]) == (
        "tbgen.apps.server.application:from_environment",
        1,
    )


@pytest.mark.usefixtures("serve")
def test_without_tables_of_its_user_a_server_says_how_to_get_more(tmp_path: Path) -> None:
    out, err = served(folder=tmp_path)
    assert out.startswith("6 tables; http://127.0.0.1:")
    assert err == ("these tables come with tbgen; for more, stop it and run: tbgen build --men 4\n")


def test_a_server_for_other_machines_says_where_they_find_it_and_what_a_proxy_needs(
    serve: mock.Mock, table_folder: Path
) -> None:
    entry = mock.Mock(family=socket.AF_INET, address="192.0.2.7")
    loopback = mock.Mock(family=socket.AF_INET, address="127.0.0.1")
    link = mock.Mock(family=17, address="00:00:5e:00:53:01")
    interfaces = {"lo": [loopback], "eth0": [link, entry]}
    with mock.patch("psutil.net_if_addrs", return_value=interfaces):
        out, _ = served("--host", "0.0.0.0", folder=table_folder)
        named, _ = served("--host", "0.0.0.0", "--name", "a.example", folder=table_folder)
    first, others, proxy = out.splitlines()
    assert first.startswith("6 tables; http://127.0.0.1:")
    assert others == first.replace(
        "6 tables; http://127.0.0.1", "for other machines: http://192.0.2.7"
    )
    assert proxy == "behind a proxy, add its public name: --name tables.example"
    assert len(named.splitlines()) == 2


def test_a_taken_port_is_said_and_no_address(table_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = tbgen("serve", "--port", str(port), folder=table_folder)
    said = (
        f"tbgen: cannot listen at 127.0.0.1, port {port}: Address already in use; "
        "name another with --host or --port"
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (10, "", said)


@pytest.mark.parametrize(
    ("option", "kept"), [((), 256_000_000), (("--cache", "64"), 64_000_000), (("--cache", "0"), 0)]
)
def test_every_worker_keeps_as_much_of_tables_as_it_was_told(
    serve: mock.Mock, table_folder: Path, option: tuple[str, ...], kept: int
) -> None:
    with mock.patch("tbgen.apps.server.application.application") as application:
        serve.side_effect = lambda *_: from_environment()
        served(*option, folder=table_folder)
    assert application.call_args.args[0].cache_bytes == kept


def test_workers_make_the_application_from_what_was_asked(
    serve: mock.Mock, table_folder: Path
) -> None:
    made = list[Any]()
    serve.side_effect = lambda *_: made.append(from_environment())
    served("--host", "::", "--name", "a.example", "--name", "b", folder=table_folder)
    _, _, guarding, _ = made[0].user_middleware
    assert set(guarding.kwargs["names"]) == {"127.0.0.1", "localhost", "[::1]", "a.example", "b"}


@contextlib.contextmanager
def started(*options: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server in processes of its own, and its port."""
    command = [sys.executable, "-m", "tbgen", "serve", "--port", "0", "--data", str(folder)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield server, int(server.stdout.readline().split(":")[-1].split("/")[0])
        finally:
            server.terminate()


def asked(port: int, path: str) -> str:
    """The answer to a request on a connection of its own."""
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        return str(answer.read().decode())


def workers_of(server: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes that answer, once all of them are there."""
    while True:
        children = psutil.Process(server.pid).children()
        workers = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        if len(workers) == 2:
            return workers


HEAD = (
    b"POST /adjudicate HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n"
)


WORK = b"1. " + b"Nf3 Nf6 Ng1 Ng8 " * 16_000 + b"*"
SENT = {
    "half a head": (b"GET /", b""),
    "half a body, for the rest of which the application waits": (
        HEAD % 99 + b"Expect: 100-continue\r\n\r\n1. e4",
        b"HTTP/1.1 100 ",
    ),
    "much work": (HEAD % len(WORK) + b"\r\n" + WORK, b""),
    "more questions than answers are read": (
        b"GET /tables/KPvK.h5 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100,
        b"HTTP/1.1 200 ",
    ),
}
"""What clients send that never end, and how the answer begins that each waits for."""


def test_any_of_several_workers_tells_what_all_have_counted(table_folder: Path) -> None:
    """A counter that falls from one look to the next is a restart to Prometheus."""
    with started("--workers", "2", folder=table_folder) as (server, port):
        asked(port, "/health")
        figures = list[str]()
        for other in workers_of(server):
            other.suspend()
            for _ in range(10):
                asked(port, "/health")
            figures.append(asked(port, "/metrics"))
            other.resume()
    counted = 'tbgen_requests_total{route="health",status="200"} '
    values = [text.partition(counted)[2].partition("\n")[0] for text in figures]
    assert values == ["11.0", "21.0"]
    assert all("\ntbgen_tables 6.0\n" in text for text in figures)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_ends_whatever_its_clients_do(table_folder: Path, workers: int) -> None:
    with (
        started("--workers", str(workers), folder=table_folder) as (server, port),
        contextlib.ExitStack() as clients,
    ):
        for sent, answer in SENT.values():
            client = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(sent)
            assert client.recv(len(answer)) == answer
        server.send_signal(signal.SIGTERM)
        server.wait(60)
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()
