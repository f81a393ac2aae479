from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tbgen.apps.records.record import Record
from tbgen.apps.records.two_games import FILE, read_comparison
from tbgen.apps.site.guard import config_for
from tbgen.apps.site.pages import Site, write_site
from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings
from tests.apps.conftest import PUBLISHED

NAME = "testserver"


@pytest.fixture(scope="session")
def site(some: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a few records and of two games."""
    folder = tmp_path_factory.mktemp("site")
    write_site(Site(some, read_comparison(PUBLISHED / FILE)), folder)
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
