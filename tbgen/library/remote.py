"""Remote: a catalog and files of tables on a server that is not trusted, by HTTP.

Nothing is believed that a server says of itself: names, sizes and lengths are checked, redirections and packed answers
refused, and what comes too slowly or does not end is cut off. Whatever goes wrong is a FetchError of one line.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tbgen import __version__
from tbgen.errors import BrokenOffError, FetchError, InputError
from tbgen.index.layout import layout_of
from tbgen.library.catalog import CATALOG, TABLES
from tbgen.material import Material, all_materials
from tbgen.storage.files import path_of
from tbgen.storage.layers import Layer

SECONDS: Final = 30.0
"""So long a server may keep silent, and so long it may take until its answer begins."""
SLOWEST: Final = 1 << 10
"""Bytes a second, over that time."""

_MOST_CATALOG: Final = 1 << 23
_MOST_CELL_BYTES: Final = 16
_PIECE = 1 << 16
_now = time.monotonic
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_RANGE: Final = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})")
_OK, _PART, _NOT_THERE = 200, 206, 404


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """A file as a catalog has it."""

    name: str
    bytes: int
    sha256: str
    """Of all that follows its seal."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A table that can be fetched."""

    material: Material
    outcomes: OfferedFile
    distances: OfferedFile | None

    def files(self, *, outcomes_alone: bool) -> list[OfferedFile]:
        return [self.outcomes] if outcomes_alone or self.distances is None else [self.outcomes, self.distances]


class Server:
    """An address that tables are fetched from; from several threads."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise FetchError(url, str(error)) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FetchError(url, "an address begins with https:// or http:// and the name of a server")
        if parts.username is not None or parts.query or parts.fragment or not url.isascii() or not url.isprintable():
            raise FetchError(url, "an address is a server and a path, without names of users, questions or spaces")
        path = parts.path.rstrip("/")
        self.url, self._host, self._port, self._secure = url, parts.hostname, port, parts.scheme == "https"
        self._catalog = path if path.endswith(".json") else f"{path}/{TABLES}/{CATALOG}"
        self._open: set[socket.socket] = set()
        self._lock, self._closed = threading.Lock(), False

    def close(self) -> None:
        """End all that is under way; what is asked from now on is a FetchError."""
        with self._lock:
            self._closed = True
            for each in self._open:
                _cut(each)

    def offers(self) -> dict[Material, Offer]:
        """What the catalog offers."""
        with self._answer(self._catalog, 0) as answer:
            text = b"".join(self._pieces(answer, _MOST_CATALOG, "the catalog"))
        try:
            facts = json.loads(text)
            rows = facts["tables"]
            offers = [_offer(row) for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = str(error) if isinstance(error, _WrongCatalogError) else "it is not a list of tables"
            raise FetchError(self.url, f"its catalog {self._catalog} is wrong: {reason}") from None
        found = {offer.material: offer for offer in offers}
        if len(found) < len(offers):
            raise FetchError(self.url, f"its catalog {self._catalog} is wrong: it has a table twice")
        return found

    @contextlib.contextmanager
    def body(self, file: OfferedFile, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """The bytes of a file from `start` on, or from where the server begins: 0 if it knows no ranges."""
        path = f"{self._catalog.rpartition('/')[0]}/{file.name}"
        with self._answer(path, start) as answer:
            if answer.status == _PART:
                given = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
                if given is None or [int(each) for each in given.groups()] != [start, file.bytes - 1, file.bytes]:
                    raise FetchError(self.url, f"{file.name}: it sends another part than was asked for")
            else:
                start = 0
            length = answer.headers.get("Content-Length")
            if length is not None and length != str(file.bytes - start):
                reason = f"it sends {length[:20]} bytes where the catalog says {file.bytes - start}"
                raise FetchError(self.url, f"{file.name}: {reason}")
            yield start, self._pieces(answer, file.bytes - start, file.name)

    @contextlib.contextmanager
    def _answer(self, path: str, start: int) -> Iterator[http.client.HTTPResponse]:
        """An answer whose head is as it should be."""
        connection = self._connection()
        headers = {"Accept-Encoding": "identity", "User-Agent": f"tbgen/{__version__}"}
        if start:
            headers["Range"] = f"bytes={start}-"
        try:
            with self._connected(connection) as connected:
                with _within(connected, SECONDS):
                    connection.request("GET", path, headers=headers)
                    answer = connection.getresponse()
                with answer:
                    self._check_head(path, answer, start)
                    yield answer
        except (OSError, http.client.HTTPException) as error:
            raise BrokenOffError(self.url, f"{path}: {_in_words(error)}") from None
        finally:
            connection.close()

    @contextlib.contextmanager
    def _connected(self, connection: http.client.HTTPConnection) -> Iterator[socket.socket]:
        """The socket of a connection, which `close` may cut; an answer takes it from the connection."""
        connection.connect()
        connected: socket.socket = connection.sock
        with self._lock:
            if self._closed:
                raise FetchError(self.url, "stopped")
            self._open.add(connected)
        try:
            yield connected
        finally:
            with self._lock:
                self._open.discard(connected)

    def _connection(self) -> http.client.HTTPConnection:
        if self._secure:
            secure = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=SECONDS, context=secure)
        return http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)

    def _check_head(self, path: str, answer: http.client.HTTPResponse, start: int) -> None:
        if 300 <= answer.status < 400:
            where = answer.headers.get("Location", "nowhere")[:200]
            raise FetchError(self.url, f"{path}: it sends us to {where}; name that address if you trust it")
        if answer.status == _NOT_THERE:
            raise FetchError(self.url, f"{path} is not there; is it the address of a server of tables?")
        if answer.status != _OK and not (start and answer.status == _PART):
            raise FetchError(self.url, f"{path}: it answers {answer.status} {answer.reason[:80]}")
        if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise FetchError(self.url, f"{path}: it packs its answer, which nobody asked for")

    def _pieces(self, answer: http.client.HTTPResponse, most: int, name: str) -> Iterator[bytes]:
        """The body, no more of it than there may be."""
        begun, got = _now(), 0
        while piece := answer.read1(min(_PIECE, most + 1)):
            most -= len(piece)
            got += len(piece)
            if most < 0:
                raise FetchError(self.url, f"{name}: it sends more than there is")
            yield piece
            now = _now()
            if now - begun >= SECONDS:
                if got < SLOWEST * (now - begun):
                    raise FetchError(self.url, f"{name}: it sends less than {SLOWEST} bytes a second")
                begun, got = now, 0


class _WrongCatalogError(ValueError):
    """What is wrong with a catalog, in words."""


def _offer(row: dict[str, Any]) -> Offer:
    name = row["material"]
    try:
        material = Material.parse(name)
    except InputError:
        raise _WrongCatalogError(f"{str(name)[:40]!r} is no material") from None
    if material not in all_materials():
        raise _WrongCatalogError(f"{str(name)[:40]!r} is no table")
    distances = row.get("distances")
    outcomes = _file(material, row, Layer.OUTCOMES)
    return Offer(material, outcomes, None if distances is None else _file(material, distances, Layer.DISTANCES))


def _file(material: Material, row: dict[str, Any], layer: Layer) -> OfferedFile:
    """A file of a table; its name is known, whatever the catalog says."""
    name = path_of(Path(), material, layer).name
    if row["file"] != name:
        raise _WrongCatalogError(f"the file of {material} is {str(row['file'])[:40]!r} and not {name}")
    size, digest = row["bytes"], row["sha256"]
    if type(size) is not int or not 0 < size <= _MOST_CELL_BYTES * layout_of(material).cells + (1 << 20):
        raise _WrongCatalogError(f"{name} has {str(size)[:20]} bytes")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _WrongCatalogError(f"the digest of {name} is none")
    return OfferedFile(name, size, digest)


@contextlib.contextmanager
def _within(connected: socket.socket, seconds: float) -> Iterator[None]:
    """Cut a connection off that takes longer."""
    timer = threading.Timer(seconds, _cut, [connected])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer for {SECONDS:.0f} s"
    if isinstance(error, http.client.IncompleteRead):
        return "the answer was cut off"
    return " ".join((str(error) or type(error).__name__).split())[:200]
