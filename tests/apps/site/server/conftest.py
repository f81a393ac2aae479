from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.server.app import application
from tbgen.apps.site.server.service import Settings

NAME = "testserver"


def client_of(folder: Path, **settings: object) -> TestClient:
    """A client of a server in this process, which does not follow redirects."""
    made = Settings([folder], names=(NAME,), **settings)  # type: ignore[arg-type]
    return TestClient(application(made), raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture(scope="session")
def client(table_folder: Path) -> Iterator[TestClient]:
    """A client of a server of all tables of two and three men."""
    with client_of(table_folder) as made:
        yield made
