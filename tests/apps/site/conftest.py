from __future__ import annotations

import contextlib
import re
import ssl
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tbgen.apps.pages.export import write_explorer
from tbgen.apps.pages.records import Site, write_site
from tbgen.apps.records.record import Record
from tbgen.apps.server.addresses import listen
from tbgen.apps.server.application import application
from tbgen.apps.server.run import config_for
from tbgen.apps.server.service import ServerSettings
from tbgen.library.catalog import Catalog
from tests.apps.site.chromium import Chromium
from tests.conftest import shared

NAME = "testserver"


@pytest.fixture(scope="session")
def site(some: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a few records."""

    def make(folder: Path) -> None:
        write_site(Site(some), folder)

    return shared(tmp_path_factory, "pages", make)


def client_of(folder: Path, **settings: object) -> TestClient:
    """A client of a server in this process, which does not follow redirects."""
    made = ServerSettings([folder], names=(NAME,), **settings)  # type: ignore[arg-type]
    return TestClient(application(made), raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture(scope="session")
def client(table_folder: Path) -> Iterator[TestClient]:
    """A client of a server of all tables of two and three men."""
    with client_of(table_folder) as made:
        yield made


@contextlib.contextmanager
def running(app: ASGIApp, host: str = "127.0.0.1") -> Iterator[str]:
    """The address of an application while it is served."""
    with listen(host, 0) as listening:
        server = uvicorn.Server(config_for(app))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def server(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of all tables of two and three men, and of no solved blocks."""
    folder = tmp_path_factory.mktemp("served")
    for path in table_folder.glob("*.*"):
        (folder / path.name).symlink_to(path)
    with running(application(ServerSettings([folder]))) as address:
        yield address


class WithoutRanges(SimpleHTTPRequestHandler):
    """Python's own web server, which gives files as a whole."""

    def log_message(self, *arguments: object) -> None:
        pass


class WithRanges(WithoutRanges):
    """The same with parts of files, each short of its last bytes if it is told to cut."""

    cut = 0

    def do_GET(self) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if wanted is None or not path.is_file():
            super().do_GET()
            return
        content = path.read_bytes()
        start, last = map(int, wanted.groups())
        part = content[start : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(part) - self.cut))
        self.end_headers()
        self.wfile.write(part[: len(part) - self.cut])


@contextlib.contextmanager
def giving(
    folder: Path,
    handler: type[SimpleHTTPRequestHandler] = WithRanges,
    certificate: Path | None = None,
) -> Iterator[str]:
    """The address of a folder of plain files; of https with a certificate."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        scheme = "http"
        if certificate is not None:
            scheme = "https"
            secret = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            secret.load_cert_chain(certificate)
            server.socket = secret.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"{scheme}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="session")
def table_files(table_folder: Path) -> Iterator[str]:
    """The address of the files of all tables of two and three men."""
    with giving(table_folder) as address:
        yield f"{address}/"


@pytest.fixture(scope="session")
def plain_files(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the explorer as plain files, with all tables of two and three men."""
    folder = tmp_path_factory.mktemp("plain")
    write_explorer(folder, Catalog([table_folder]))
    with giving(folder) as address:
        yield address


@pytest.fixture(scope="package")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """One browser for all tests of this folder."""
    with Chromium(tmp_path_factory.mktemp("browser")) as made:
        yield made


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Chromium]:
    """A page of a usual size.

    A test that makes the browser complain on purpose clears its complaints.
    """
    chromium.open("about:blank")  # so that the page of the test before asks for nothing more
    chromium.look(1280)
    chromium.complaints.clear()
    chromium.requests.clear()
    yield chromium
    assert chromium.complaints == []
