"""A server of tables on the loopback that can be told to do wrong."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tbgen.library.catalog import CATALOG, TABLES, Catalog

CERTIFICATE: Final = Path(__file__).with_name("loopback.pem")
"""A certificate for 127.0.0.1 with its key, of this test alone; it ends in a hundred years."""


class Mirror:
    """What a server has, and how it answers."""

    def __init__(self, folder: Path) -> None:
        self.catalog: Any = Catalog([folder]).facts()
        self.files = {path.name: path.read_bytes() for path in folder.glob("*.h5")}
        self.wrong: Callable[[Handler, bytes, int], object] | None = None
        """Answers for a file in another way: for its bytes, from a place on."""
        self.has_wrong_catalog = False
        """Whether it answers so for the catalog, too."""
        self.asked: list[tuple[str, str]] = []
        """Paths, and the ranges that were asked for."""
        self.sent: Callable[[int], None] = lambda size: None
        self.url = ""

    def times_asked(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(path for path, _ in self.asked)

    def content(self, path: str) -> bytes | None:
        path, _, _ = path.partition("?")
        if path == f"/{TABLES}/{CATALOG}":
            return (
                self.catalog
                if isinstance(self.catalog, bytes)
                else json.dumps(self.catalog).encode()
            )
        return self.files.get(path.removeprefix(f"/{TABLES}/"))


class Handler(BaseHTTPRequestHandler):
    """Answers GET with ranges."""

    server: _Server
    PIECE = 4096

    def do_GET(self) -> None:
        mirror = self.server.mirror
        wanted = self.headers.get("Range", "")
        mirror.asked.append((self.path, wanted))
        content = mirror.content(self.path)
        if content is None:
            self.send_error(404)
            return
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        with contextlib.suppress(OSError):
            if mirror.wrong is None or (CATALOG in self.path and not mirror.has_wrong_catalog):
                self.give(content, start)
            else:
                mirror.wrong(self, content, start)
                self.close_connection = True

    def give(
        self,
        content: bytes,
        start: int,
        *,
        upto: int | None = None,
        status: int | None = None,
        **headers: str,
    ) -> None:
        """Answer as it should be, or with another status, or with some headers changed, or not to
        the end.
        """
        given = {"Content-Length": str(len(content) - start)}
        if start:
            given["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.send_response(status or (206 if start else 200))
        for name, value in {
            **given,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.send_pieces(content[start:upto])

    def send_pieces(self, content: bytes) -> None:
        for first in range(0, len(content), self.PIECE):
            self.server.mirror.sent(first)
            self.wfile.write(content[first : first + self.PIECE])

    def log_message(self, *arguments: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    mirror: Mirror

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextlib.contextmanager
def mirror_of(folder: Path, *, scheme: str = "http") -> Iterator[Mirror]:
    """A server of the tables of a folder."""
    mirror = Mirror(folder)
    with _Server(("127.0.0.1", 0), Handler) as server:
        server.mirror = mirror
        mirror.url = f"{scheme}://127.0.0.1:{server.server_port}"
        if scheme == "https":
            secret = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            secret.load_cert_chain(CERTIFICATE)
            server.socket = secret.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield mirror
        finally:
            server.shutdown()
            thread.join()
