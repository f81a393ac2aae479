"""Fetch tables from an untrusted server, and check each before it gets its name.

Names, sizes and digests that a server gives are checked. Compressed answers and those that do not
say their length are refused. A server may send us on once: within itself, and for a file to another
server of https, because the catalog says what has to come. An answer that comes too slowly is cut
off. A download resumes from `.fetch` within the folder, under its digest, so the same command goes
on after an interruption. A table takes its name when all of its files are sound.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from tbgen.errors import FetchError, InputError, TableError
from tbgen.index.layout import layout_of
from tbgen.library.catalog import CATALOG, TABLES, Entry, StoredFile
from tbgen.material import TableMaterial
from tbgen.reading import parse_json, read_as
from tbgen.storage.files import Layer, build_lock, every_material, path_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.system import __version__
from tbgen.system.process import free_disk, sync_folder
from tbgen.system.watching import tell_nobody
from tbgen.text import in_units

STAGE: Final = ".fetch"
SECONDS: Final = 30.0
SLOWEST: Final = 1 << 10
"""A file must come with so many bytes a second, on average over so many seconds."""

_TRIES: Final = 3
"""The attempts at a file, each of which begins where the last one broke off."""
_MOST_CATALOG: Final = 1 << 23
_MOST_CELL_BYTES: Final = 16
"""The most bytes of a file for each cell: several times what any table has."""
_MOST_OTHER_BYTES: Final = 1 << 20
"""The most bytes of a file beside those: the smallest tables have a few thousand."""
_MOST_SAID: Final = 200
"""The most characters of a server's text in an error."""
_MOST_NAMES: Final = 5
"""The most tables that an error names."""
_MOST_LOCATION: Final = 1 << 13
"""The most characters of an address that a server sends us to: some are signed."""
_NO_ADDRESS: Final = (
    "an address is a server and a path, without names of users, questions or spaces"
)
_PIECE = 1 << 16
_KINDS: Final = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
"""[scheme of an address] -> the kind of its connections."""
_REDIRECTIONS: Final = (301, 302, 303, 307, 308)


class _BrokenOffError(FetchError):
    """A download that ended before its last byte; another try may succeed."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a fetch."""

    fetched: Sequence[TableMaterial]
    there: Sequence[TableMaterial]
    """Tables that the folder already had."""
    bytes: int
    seconds: float


def fetch(
    folder: Path,
    url: str,
    choose: Callable[[Iterable[TableMaterial]], Iterable[TableMaterial]],
    *,
    outcomes_alone: bool = False,
    jobs: int = 4,
    tell: Callable[[int, int, int, int], None] = tell_nobody,
    on_wait: Callable[[], None] = tell_nobody,
) -> Fetched:
    """Fetch the tables that `choose` picks of those that a server has.

    FetchError if one cannot be had; OSError if the disk fails. What is sound in the folder stays.
    Tables that are complete by then stay as well if something goes wrong.

    `tell` hears how many tables are fetched, how many bytes they have, how many of these an earlier
    fetch left, and how many have come; often, from any thread. `on_wait` is called if a build or
    another fetch is at work in the folder.
    """
    begun = time.monotonic()
    server = Server(url)
    come = 0
    counting = threading.Lock()

    def count(size: int) -> None:
        """Count new bytes; a negative number if some have to be fetched again."""
        nonlocal come
        with counting:  # several downloads count, and the last number told must be the whole
            come += size
            tell(len(fetched), whole, left, come)

    offers = server.offers()
    wanted = list(dict.fromkeys(choose(offers)))
    missing = [str(material) for material in wanted if material not in offers]
    if missing:
        names = ", ".join(missing[:_MOST_NAMES])
        if len(missing) > _MOST_NAMES:
            names += " ..."
        raise FetchError(url, f"it has no table {names}")
    with build_lock(folder, on_wait):
        downloads = {
            material: _downloads(folder, server, offers[material], count, alone=outcomes_alone)
            for material in wanted
        }
        fetched = [material for material in wanted if downloads[material]]
        there = [material for material in wanted if not downloads[material]]
        files = list(itertools.chain(*downloads.values()))
        whole = sum(file.bytes for file in files)
        left = sum(file.got for file in files)
        needed = whole - left
        free = free_disk(folder)
        if free is not None and needed > free:
            reason = f"the tables need {in_units(needed)} of disk, {in_units(free)} are free"
            raise FetchError(url, reason)
        count(0)
        with ThreadPoolExecutor(jobs) as pool, contextlib.closing(server):  # an error ends all
            tables = [downloads[material] for material in fetched]
            largest_first = sorted(tables, key=_bytes_of, reverse=True)
            list(pool.map(_fetch_table, largest_first))
        with contextlib.suppress(OSError):
            (folder / STAGE).rmdir()
    return Fetched(fetched, there, needed, time.monotonic() - begun)


def _downloads(
    folder: Path, server: Server, offer: Entry, tell: Callable[[int], None], *, alone: bool
) -> list[_Download]:
    """The wanted files of a table that the folder lacks.

    Outcomes come last, because a table exists once its outcomes do.
    """
    outcomes, *distances = offer.files
    if alone:
        distances = []
    missing = [*distances, outcomes]
    path = path_of(folder, offer.material)
    with contextlib.suppress(TableError, OSError), TableFile(path) as table:
        if not distances or table.has_distances:
            return []
        if table.digest == outcomes.digest:
            missing = distances
    return [_Download(folder, server, offer, file, tell) for file in missing]


def _bytes_of(files: Sequence[_Download]) -> int:
    return sum(file.bytes for file in files)


def _fetch_table(files: Sequence[_Download]) -> None:
    """Fetch the files of a table, and give them their names when all of them are sound."""
    try:
        for file in files:
            file.fetch()
        for file in files:
            file.take_name()
    except OSError as error:
        error.filename = error.filename or str(files[0].path)
        raise


class _Download:
    """A file of a table during its download."""

    def __init__(
        self,
        folder: Path,
        server: Server,
        offer: Entry,
        file: StoredFile,
        tell: Callable[[int], None],
    ) -> None:
        """`tell` receives the number of new bytes."""
        self._server = server
        self._tell = tell
        self._file = file
        self._outcomes = offer.files[0]
        self.path = folder / file.path
        self._staged = folder / STAGE / file.digest[:16] / file.path.name
        self.bytes = file.bytes
        self.got = min(self._size(), file.bytes)
        """The bytes that an earlier fetch has left."""

    def fetch(self) -> None:
        """Fetch the missing part of the file, and check it.

        If a damaged file began with bytes of an earlier fetch, fetch it again.
        """
        is_resumed = self._size() > 0
        self._staged.parent.mkdir(parents=True, exist_ok=True)
        self._complete()
        fault = self._fault()
        if not fault:
            return
        self._staged.unlink()
        if not is_resumed:
            reason = f"what it gave as {self._file.path} is none: {fault}"
            raise FetchError(self._server.url, reason)
        self._tell(-self.bytes)
        self.fetch()

    def take_name(self) -> None:
        """Flush the file to the disk, and give it its name in the folder."""
        with self._staged.open("rb") as file:
            os.fsync(file.fileno())
        self.path.parent.mkdir(exist_ok=True)
        self._staged.replace(self.path)
        sync_folder(self.path.parent)
        self._staged.parent.rmdir()

    def _size(self) -> int:
        return self._staged.stat().st_size if self._staged.exists() else 0

    def _complete(self) -> None:
        """Ask for the rest of the file until it has its size, a few times."""
        broken = _BrokenOffError(self._server.url, f"{self._file.path}: the answer ends too early")
        for _ in range(_TRIES):
            # An earlier fetch may have left too much: `fetch` finds that fault like any other.
            if self._size() >= self.bytes:
                return
            try:
                self._fetch_rest()
            except _BrokenOffError as error:
                broken = error
        if self._size() < self.bytes:
            raise broken

    def _fetch_rest(self) -> None:
        """Ask once for the rest of the file."""
        size = self._size()
        with self._server.get(self._file.path.name, size, self.bytes) as (start, pieces):
            mode = "ab" if start == size else "wb"
            with self._staged.open(mode, buffering=0) as file:
                self._tell(start - size)
                for piece in pieces:
                    file.write(piece)
                    self._tell(len(piece))

    def _fault(self) -> str:
        """The first fault of the file, by its seal and the catalog; checks every byte."""
        is_outcomes = self._file is self._outcomes
        layer = Layer.OUTCOMES if is_outcomes else Layer.DISTANCES
        try:
            with contextlib.closing(LayerFile(self._staged, layer)) as file:
                file.check()
                digest = file.seal.sha256
                digest_of_outcomes = file.index.attributes.get("outcomes", self._outcomes.digest)
            if is_outcomes:
                TableFile(self._staged).close()  # reads all that other readers ask for
        except TableError as error:
            return str(error)
        except Exception as error:  # a file may be made to crash its reader
            return f"it cannot be read: {type(error).__name__}"
        if digest != self._file.digest or digest_of_outcomes != self._outcomes.digest:
            return "it is another file than the catalog says"
        return ""


def _split(url: str) -> SplitResult:
    """The parts of an address by HTTP; ValueError says why it is none."""
    parts = urlsplit(url)
    if parts.scheme not in _KINDS or not parts.hostname:
        raise ValueError("an address begins with https:// or http:// and the name of a server")
    if parts.username is not None or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError(_NO_ADDRESS)
    _ = parts.port  # ValueError if it is none
    return parts


class Server:
    """An address that several threads fetch tables from."""

    def __init__(self, url: str) -> None:
        try:
            parts = _split(url)
        except ValueError as error:
            raise FetchError(url, str(error)) from None
        if parts.query or parts.fragment:
            raise FetchError(url, _NO_ADDRESS)
        self.url = url
        address = url.rstrip("/")
        if not address.endswith(".json"):
            address = f"{address}/{TABLES}/{CATALOG}"
        self._folder, _, self._catalog = address.rpartition("/")
        self._open = set[http.client.HTTPConnection]()
        self._closed = False

    def close(self) -> None:
        """Abort all requests; later ones raise a FetchError."""
        self._closed = True
        for connection in [*self._open]:
            _cut(connection)

    def offers(self) -> Mapping[TableMaterial, Entry]:
        with self.get(self._catalog) as (_, pieces):
            text = b"".join(pieces)
        try:
            return _tables_in(read_as(_Offers, parse_json(text)))
        except (ValueError, InputError, TableError) as error:
            reason = f"its catalog {self._catalog} is wrong: {str(error)[:_MOST_SAID]}"
            raise FetchError(self.url, reason) from None

    @contextlib.contextmanager
    def get(
        self, name: str, start: int = 0, size: int | None = None
    ) -> Iterator[tuple[int, Iterator[bytes]]]:
        """A file of so many bytes from `start` on; the catalog if nobody knows its size.

        If the server knows no ranges, it begins at 0.
        """
        headers = {"Accept-Encoding": "identity", "User-Agent": f"tbgen/{__version__}"}
        if start:
            headers["Range"] = f"bytes={start}-"
        url = f"{self._folder}/{name}"
        with contextlib.ExitStack() as requests:
            answer = requests.enter_context(self._answer(url, name, headers))
            sent_to = _sent_to(answer, url, is_file=size is not None)
            if sent_to:
                answer = requests.enter_context(self._answer(sent_to, name, headers))
            fault = "stopped" if self._closed else _fault_of(answer, start, size)
            if fault:
                raise FetchError(self.url, f"{name}: {fault}")
            is_part = answer.status == http.HTTPStatus.PARTIAL_CONTENT
            yield start if is_part else 0, self._pieces(answer, name)

    @contextlib.contextmanager
    def _answer(
        self, url: str, name: str, headers: Mapping[str, str]
    ) -> Iterator[http.client.HTTPResponse]:
        """What an address answers, while the connection to it is open."""
        parts = _split(url)
        connection = _KINDS[parts.scheme](parts.netloc, timeout=SECONDS)
        path = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
        self._open.add(connection)
        try:
            with self._breaking_off(name):
                answer = _answer_in_time(connection, path, headers)
            with answer:
                yield answer
        finally:
            self._open.discard(connection)
            connection.close()

    @contextlib.contextmanager
    def _breaking_off(self, name: str) -> Iterator[None]:
        """Turn errors of the connection into _BrokenOffError, since another try may succeed."""
        try:
            yield
        except (OSError, UnicodeError, http.client.HTTPException) as error:  # of a name, too
            reason = " ".join((str(error) or type(error).__name__).split())[:_MOST_SAID]
            raise _BrokenOffError(self.url, f"{name}: {reason}") from None

    def _pieces(self, answer: http.client.HTTPResponse, name: str) -> Iterator[bytes]:
        """The body, unless it comes too slowly."""
        begun = time.monotonic()
        size = 0
        with self._breaking_off(name):
            while piece := answer.read1(_PIECE):
                if self._closed:
                    return
                size += len(piece)
                elapsed = time.monotonic() - begun
                if elapsed >= SECONDS:
                    if size < SLOWEST * elapsed:
                        reason = f"{name}: it sends less than {SLOWEST} bytes a second"
                        raise FetchError(self.url, reason)
                    begun = time.monotonic()
                    size = 0
                yield piece


def _answer_in_time(
    connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str]
) -> http.client.HTTPResponse:
    """An answer whose head has come in time.

    The timeout of the socket applies to each byte alone.
    """
    connection.connect()
    begun = time.monotonic()
    timer = threading.Timer(SECONDS, _cut, [connection])
    timer.start()
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse()
    except (OSError, http.client.HTTPException):
        if time.monotonic() - begun >= SECONDS:
            raise TimeoutError(f"no answer for {SECONDS:.0f} s") from None
        raise
    finally:
        timer.cancel()


def _cut(connection: http.client.HTTPConnection) -> None:
    with contextlib.suppress(OSError, AttributeError):  # the connection may not be open yet
        connection.sock.shutdown(socket.SHUT_RDWR)


def _sent_to(answer: http.client.HTTPResponse, url: str, *, is_file: bool) -> str:
    """The address to which an answer sends us, if we go there; else empty."""
    location = answer.headers.get("Location", "")
    if answer.status not in _REDIRECTIONS or len(location) > _MOST_LOCATION:
        return ""
    try:
        address = urljoin(url, location)
        parts = _split(address)
    except ValueError:
        return ""
    is_of_server = parts[:2] == _split(url)[:2]
    return address if is_of_server or (is_file and parts.scheme == "https") else ""


def _fault_of(answer: http.client.HTTPResponse, start: int, size: int | None) -> str:
    """The fault of the head of an answer; empty if it has none."""
    status = answer.status
    if 300 <= status < 400:
        location = answer.headers.get("Location", "nowhere")[:_MOST_SAID]
        return f"it sends us to {location}; name that address if you trust it"
    if status == http.HTTPStatus.NOT_FOUND:
        return "it is not there; is the address that of a server of tables?"
    is_part = start > 0 and status == http.HTTPStatus.PARTIAL_CONTENT
    if status != http.HTTPStatus.OK and not is_part:
        return f"it answers {status} {answer.reason[:80]}"
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        return "it packs its answer, which nobody asked for"
    if answer.length is None:
        return "it does not say how much it sends"
    if size is None:
        is_too_long = answer.length > _MOST_CATALOG
        return "it sends more than a catalog has" if is_too_long else ""
    expected = size
    if is_part:
        if answer.headers.get("Content-Range") != f"bytes {start}-{size - 1}/{size}":
            return "it sends another part than was asked for"
        expected = size - start
    if answer.length != expected:
        return f"it sends {answer.length} bytes where the catalog says {expected}"
    return ""


@dataclass(frozen=True)
class _OfferedFile:
    """A file in a catalog."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class _Offer(_OfferedFile):
    """A table in a catalog: its outcomes, and its distances if it has any."""

    material: TableMaterial
    distances: _OfferedFile | None


@dataclass(frozen=True)
class _Offers:
    """A catalog."""

    tables: tuple[_Offer, ...]


def _tables_in(catalog: _Offers) -> dict[TableMaterial, Entry]:
    """The tables of a catalog; ValueError names its fault."""
    possible = set(every_material())
    entries = dict[TableMaterial, Entry]()
    for offer in catalog.tables:
        material = offer.material
        if material in entries:
            raise ValueError(f"{material} is there twice")
        if material not in possible:
            raise ValueError(f"{material} is no table")
        files = [_file_of(offer, material, Layer.OUTCOMES)]
        if offer.distances is not None:
            files.append(_file_of(offer.distances, material, Layer.DISTANCES))
        entries[material] = Entry(material, files)
    return entries


def _file_of(offered: _OfferedFile, material: TableMaterial, layer: Layer) -> StoredFile:
    """A file in a catalog, of not too many bytes; its name follows from the material alone."""
    path = path_of(Path(), material, layer)
    most_bytes = _MOST_CELL_BYTES * layout_of(material).cells + _MOST_OTHER_BYTES
    if offered.file != path.name:
        raise ValueError(f"the file of {material} is {offered.file!r} and not {path.name}")
    if not 0 < offered.bytes <= most_bytes:
        raise ValueError(f"{path.name} has {offered.bytes} bytes")
    if not re.fullmatch("[0-9a-f]{64}", offered.sha256):
        raise ValueError(f"the digest of {path.name} is none")
    return StoredFile(path, offered.bytes, offered.sha256)
