from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.types import ASGIApp

from tbgen.apps.site.server.app import application
from tbgen.apps.site.server.service import Settings


@contextlib.contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """The address of an application while it is served."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=10))
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
