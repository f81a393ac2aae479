"""`tbgen serve`: what the options come to; the server itself is tested in tests/serve."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tbgen.apps.site.server import from_environment
from tbgen.compiled.folders import cache_home
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError
from tests.cli.calls import complaint, tbgen
from tests.copies import copy_tables


@pytest.fixture
def run() -> Iterator[mock.Mock]:
    """In place of the server that would go on for ever."""
    with (
        mock.patch("uvicorn.run") as run,
        mock.patch("tbgen.cli.serve.compile_for") as compile_for,
        mock.patch.dict(os.environ),
    ):
        run.compile_for = compile_for
        yield run


def served(*arguments: str, folder: Path) -> tuple[str, str]:
    done = tbgen("serve", *arguments, folder=folder)
    assert done.returncode == 0
    return done.stdout, done.stderr


def given(run: mock.Mock) -> dict[str, Any]:
    assert run.call_count == 1
    return dict(run.call_args.kwargs)


def test_a_server_is_for_this_machine_alone_unless_told_otherwise(run: mock.Mock, table_folder: Path) -> None:
    assert served(folder=table_folder) == ("6 tables; http://127.0.0.1:8000/explorer/\n", "")
    assert run.call_args.args == ("tbgen.apps.site.server:from_environment",)
    assert (given(run)["host"], given(run)["port"], given(run)["workers"]) == ("127.0.0.1", 8000, 1)


def test_kernels_are_compiled_before_there_are_workers(run: mock.Mock, table_folder: Path) -> None:
    run.side_effect = lambda *_, **__: run.compile_for.assert_called_once_with(Purpose.ANSWERS, quiet=True)
    served("-q", "--workers", "2", folder=table_folder)
    assert run.call_count == 1


@pytest.mark.parametrize(
    ("option", "kept"), [((), 256_000_000), (("--cache", "64"), 64_000_000), (("--cache", "0"), 0)]
)
def test_every_worker_keeps_as_much_of_tables_as_it_was_told(
    run: mock.Mock, table_folder: Path, option: tuple[str, ...], kept: int
) -> None:
    with mock.patch("tbgen.apps.site.server.application") as application:
        run.side_effect = lambda *_, **__: from_environment()
        served(*option, folder=table_folder)
    assert application.call_args.args[0].cache_bytes == kept


def test_workers_find_compiled_kernels_where_they_were(
    run: mock.Mock, table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    run.side_effect = lambda *_, **__: homes.append(cache_home())
    homes = list[Path]()
    served("--cache", "64", folder=table_folder)
    assert homes == [tmp_path]


def test_many_workers_are_given_time_to_load_where_uvicorn_can_be_told(run: mock.Mock, table_folder: Path) -> None:
    def old(app: str) -> None: ...

    def new(app: str, timeout_worker_healthcheck: int = 5) -> None: ...

    for config, seconds in ((old, None), (new, 120)):
        with mock.patch("uvicorn.Config", config):
            served("--workers", "64", folder=table_folder)
        assert given(run).get("timeout_worker_healthcheck") == seconds
        run.reset_mock()


def test_a_cache_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_CACHE_MB", "1 GB")
    with pytest.raises(UsageError, match="TBGEN_CACHE_MB must be a whole number of megabytes, not '1 GB'"):
        from_environment()


def test_workers_make_the_application_from_what_was_asked(run: mock.Mock, table_folder: Path) -> None:
    def start(*_: object, **__: object) -> None:
        made.append(from_environment())
        names.append(os.environ["TBGEN_NAMES"])

    made, names, run.side_effect = list[Any](), list[str](), start
    out, _ = served("--host", "::", "--port", "81", "--name", "a.example", "--name", "b", folder=table_folder)
    assert out == "6 tables; http://127.0.0.1:81/explorer/\n"
    assert names == ["a.example b"]
    (guard,) = made[0].user_middleware
    assert set(guard.kwargs["names"]) == {"127.0.0.1", "localhost", "[::1]", "a.example", "b"}


def test_a_browser_is_shown_the_explorer(run: mock.Mock, table_folder: Path) -> None:
    with mock.patch("click.launch") as launch:
        served("--open", "--host", "::1", folder=table_folder)
    launch.assert_called_once_with("http://[::1]:8000/explorer/")


def test_tables_that_cannot_be_served_are_named(run: mock.Mock, table_folder: Path, tmp_path: Path) -> None:
    copy_tables(table_folder, tmp_path, "KvK")
    (tmp_path / "KNvK.h5").write_bytes(b"nonsense")
    out, err = served(folder=tmp_path)
    assert out.startswith("1 table;")
    assert "damaged table" in err


def test_what_is_not_installed_is_said_in_a_line(table_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, line = complaint("serve", folder=table_folder)
    assert (code, line) == (
        2,
        "tbgen: servers need jinja2, starlette, uvicorn; install with: pip install 'tbgen[serve]'",
    )


ENDING_AT_ONCE = "from tbgen.cli import serve; serve.END_SECONDS = 0; serve.command()"
HALF_A_BODY = (
    b"POST /r-mobility HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n"
    b"Expect: 100-continue\r\n\r\n8/8/"
)


def connected(port: int, server: subprocess.Popen[bytes]) -> socket.socket:
    """A connection to a server as soon as it takes one."""
    while server.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.01)
    raise AssertionError("the server has ended")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_client_that_sends_no_more_does_not_keep_a_server_from_ending(table_folder: Path, workers: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ("-q", "--data", str(table_folder), "--port", str(port), "--workers", str(workers))
    command = [sys.executable, "-c", ENDING_AT_ONCE, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server, connected(port, server) as client:
        client.sendall(HALF_A_BODY)
        assert client.recv(100).startswith(b"HTTP/1.1 100 ")  # the application waits for the rest
        server.send_signal(signal.SIGTERM)
        with client.makefile("rb") as answer:
            told = answer.read()
        assert server.stderr is not None
        said = server.stderr.read().decode()
    assert told.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in told
    assert "Traceback" not in said
