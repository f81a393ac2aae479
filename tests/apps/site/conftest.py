from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tbgen.apps.records.record import Record
from tbgen.apps.site.events import read_event
from tbgen.apps.site.guard import config_for
from tbgen.apps.site.pages import Site, write_site
from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings

NAME = "testserver"
GAME = {
    "event": "A <cup> & more",
    "round": "1.1",
    "white": "Alpha",
    "black": "Beta",
    "result": "1/2-1/2",
    "plies": 120,
    "accrued": "G9.5",
    "reached_at_ply": 100,
    "end": "draw",
    "final": "G1.5",
    "source": "tablebase",
    "material": "KBvK",
    "dtg": 13,
    "fen": "8/8/8/4n3/8/4k3/1K1B4/8 b - - 3 61",
    "points": {"white": 0.5625, "black": 0.4375},
}
GAMES = [
    GAME,
    {
        **GAME,
        "round": "1.2",
        "white": "Beta",
        "black": "Alpha",
        "result": "0-1",
        "final": "-G0.0",
        "source": "result",
        "material": None,
        "dtg": None,
        "fen": None,
        "points": {"white": 0.0, "black": 1.0},
    },
]
EVENT = {
    "games": GAMES,
    "missing": {"KRPvKR": 12},
    "skipped": [{"message": "a.pgn, game 3, ply 7: illegal move 'Ke9'"}],
}


@pytest.fixture(scope="session")
def event_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two decided games as `tbgen adjudicate --verdicts` writes them."""
    path = tmp_path_factory.mktemp("event") / "games.json"
    path.write_text(json.dumps(EVENT))
    return path


@pytest.fixture(scope="session")
def site(some: list[Record], event_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a few records and of an event."""
    folder = tmp_path_factory.mktemp("site")
    write_site(Site(some, read_event(event_file)), folder)
    return folder


def client_of(folder: Path, **settings: object) -> TestClient:
    """A client of a server in this process, which does not follow redirects."""
    made = Settings([folder], names=(NAME,), **settings)  # type: ignore[arg-type]
    return TestClient(application(made), raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture(scope="session")
def client(table_folder: Path) -> Iterator[TestClient]:
    """A client of a server of all tables of two and three men."""
    with client_of(table_folder) as made:
        yield made


@contextlib.contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """The address of an application while it is served."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(config_for(app))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def server(table_folder: Path) -> Iterator[str]:
    """The address of a server of all tables of two and three men."""
    with running(application(Settings([table_folder]))) as address:
        yield address
