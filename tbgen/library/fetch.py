"""Fetch tables from an untrusted server into a folder, and check each before it gets its name there.

Names, sizes and digests that a server gives are checked. Redirections, compressed answers and those that do not say
their length are refused. An answer that comes too slowly is cut off. A download resumes from `.fetch` within
the folder, under its digest, so the same command goes on after an interruption. A table takes its name when all of its
files are sound.
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
from urllib.parse import urlsplit

from tbgen.errors import BrokenOffError, FetchError, InputError, TableError
from tbgen.index.layout import layout_of
from tbgen.library.catalog import CATALOG, TABLES, Entry, StoredFile
from tbgen.material import Material, all_materials
from tbgen.reading import parse_json, read_as
from tbgen.storage.files import Layer, build_lock, path_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.system import __version__
from tbgen.system.process import free_disk, sync_folder
from tbgen.text import in_units

STAGE: Final = ".fetch"
SECONDS: Final = 30.0
SLOWEST: Final = 1 << 10
"""A file must come with so many bytes a second, on average over so many seconds."""

_TRIES: Final = 3
"""The attempts at a file, each of which begins where the last one broke off."""
_MOST_CATALOG: Final = 1 << 23
_MOST_CELL_BYTES: Final = 16
_MOST_SAID: Final = 200
"""The most characters of a server's text in an error."""
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a fetch."""

    fetched: Sequence[Material]
    there: Sequence[Material]
    """Tables that the folder already had."""
    bytes: int
    seconds: float


def fetch(
    folder: Path,
    url: str,
    choose: Callable[[Iterable[Material]], Iterable[Material]],
    *,
    outcomes_alone: bool = False,
    jobs: int = 4,
    tell: Callable[[int, int, int, int], None] = lambda *_: None,
    on_wait: Callable[[], None] = lambda: None,
) -> Fetched:
    """Fetch the tables that `choose` picks of those that a server has.

    FetchError if one cannot be had; OSError if the disk fails.
    What is sound in the folder stays. Tables that are complete by then stay as well if something goes wrong.

    `tell` hears how many tables are fetched, how many bytes they have, how many of these an earlier fetch left, and how
    many have come; often, from any thread. `on_wait` is called if a build or another fetch is at work in the folder.
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
        raise FetchError(
            url, f"it has no table {', '.join(missing[:5])}{' ...' if len(missing) > 5 else ''}"
        )
    with build_lock(folder, on_wait):
        tables = {
            each: _downloads(folder, server, offers[each], count, alone=outcomes_alone)
            for each in wanted
        }
        fetched = [each for each in wanted if tables[each]]
        files = list(itertools.chain(*tables.values()))
        whole, left = sum(file.bytes for file in files), sum(file.got for file in files)
        free = free_disk(folder)
        if free is not None and whole - left > free:
            raise FetchError(
                url, f"the tables need {in_units(whole - left)} of disk, {in_units(free)} are free"
            )
        count(0)
        with ThreadPoolExecutor(jobs) as pool, contextlib.closing(server):  # an error ends all
            largest_first = sorted(
                fetched, key=lambda each: -sum(file.bytes for file in tables[each])
            )
            list(pool.map(_fetch_table, map(tables.__getitem__, largest_first)))
        with contextlib.suppress(OSError):
            (folder / STAGE).rmdir()
    return Fetched(
        fetched,
        [each for each in wanted if not tables[each]],
        whole - left,
        time.monotonic() - begun,
    )


def _downloads(
    folder: Path, server: Server, offer: Entry, tell: Callable[[int], None], *, alone: bool
) -> list[_Download]:
    """The wanted files of a table that the folder lacks, outcomes last: a table exists once its outcomes do."""
    outcomes, *distances = offer.files[:1] if alone else offer.files
    due = [*distances, outcomes]
    with (
        contextlib.suppress(TableError, OSError),
        TableFile(path_of(folder, offer.material)) as file,
    ):
        if not distances or file.has_distances:
            return []
        due = distances if file.digest == outcomes.digest else due
    return [_Download(folder, server, offer, each, tell) for each in due]


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
        self._server, self._tell = server, tell
        self._file, self._outcomes = file, offer.files[0]
        self.path, self._staged = (
            folder / file.path,
            folder / STAGE / file.digest[:16] / file.path.name,
        )
        self.bytes, self.got = file.bytes, min(self._size(), file.bytes)

    def fetch(self) -> None:
        """Fetch the missing part of the file, and check it. If a damaged file began with bytes of an earlier fetch,
        fetch it again.
        """
        is_resumed = self._size() > 0
        self._staged.parent.mkdir(parents=True, exist_ok=True)
        self._complete()
        if fault := self._fault():
            self._staged.unlink()
            if not is_resumed:
                raise FetchError(
                    self._server.url, f"what it gave as {self._file.path} is none: {fault}"
                )
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
        broken = BrokenOffError(self._server.url, f"{self._file.path}: the answer ends too early")
        for _ in range(_TRIES):
            if (size := self._size()) >= self.bytes:
                return  # an earlier fetch may have left too much: `fetch` finds that fault like any other
            try:
                with (
                    self._server.get(self._file.path.name, size, self.bytes) as (start, pieces),
                    self._staged.open("ab" if start == size else "wb", buffering=0) as file,
                ):
                    self._tell(start - size)
                    for piece in pieces:
                        file.write(piece)
                        self._tell(len(piece))
            except BrokenOffError as error:
                broken = error
        if self._size() < self.bytes:
            raise broken

    def _fault(self) -> str:
        """The first fault of the file, by its seal and the catalog; checks every byte."""
        is_outcomes = self._file is self._outcomes
        layer = Layer.OUTCOMES if is_outcomes else Layer.DISTANCES
        try:
            with contextlib.closing(LayerFile(self._staged, layer)) as file:
                file.check()
                found = (
                    file.seal.sha256,
                    file.index.attributes.get("outcomes", self._outcomes.digest),
                )
            if is_outcomes:
                TableFile(self._staged).close()  # reads all that other readers ask for
        except Exception as error:  # a file may be made to crash its reader
            return (
                str(error)
                if isinstance(error, TableError)
                else f"it cannot be read: {type(error).__name__}"
            )
        return (
            ""
            if found == (self._file.digest, self._outcomes.digest)
            else "it is another file than the catalog says"
        )


class Server:
    """An address that several threads fetch tables from."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            self._port = parts.port
        except ValueError as error:
            raise FetchError(url, str(error)) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FetchError(
                url, "an address begins with https:// or http:// and the name of a server"
            )
        if (
            parts.username is not None
            or parts.query
            or parts.fragment
            or not url.isascii()
            or not url.isprintable()
        ):
            raise FetchError(
                url,
                "an address is a server and a path, without names of users, questions or spaces",
            )
        path = parts.path.rstrip("/")
        self.url, self._host = url, parts.hostname
        self._kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._folder, _, self._catalog = (
            path if path.endswith(".json") else f"{path}/{TABLES}/{CATALOG}"
        ).rpartition("/")
        self._open, self._closed = set[http.client.HTTPConnection](), False

    def close(self) -> None:
        """Abort all requests; later ones raise a FetchError."""
        self._closed = True
        for connection in [*self._open]:
            _cut(connection)

    def offers(self) -> Mapping[Material, Entry]:
        """The tables of the catalog."""
        with self.get(self._catalog) as (_, pieces):
            text = b"".join(pieces)
        try:
            return _tables_in(read_as(_Offers, parse_json(text)))
        except (ValueError, InputError, TableError) as error:
            raise FetchError(
                self.url, f"its catalog {self._catalog} is wrong: {str(error)[:_MOST_SAID]}"
            ) from None

    @contextlib.contextmanager
    def get(
        self, name: str, start: int = 0, size: int | None = None
    ) -> Iterator[tuple[int, Iterator[bytes]]]:
        """A file of so many bytes from `start` on. If the server knows no ranges, it begins at 0."""
        connection = self._kind(self._host, self._port, timeout=SECONDS)
        part = {"Range": f"bytes={start}-"} if start else {}
        headers = {"Accept-Encoding": "identity", "User-Agent": f"tbgen/{__version__}", **part}
        self._open.add(connection)
        try:
            with self._breaking_off(name):
                answer = _answer_in_time(connection, f"{self._folder}/{name}", headers)
            with answer:
                if fault := "stopped" if self._closed else _fault_of(answer, start, size):
                    raise FetchError(self.url, f"{name}: {fault}")
                yield (
                    start if answer.status == http.HTTPStatus.PARTIAL_CONTENT else 0,
                    self._pieces(answer, name),
                )
        finally:
            self._open.discard(connection)
            connection.close()

    @contextlib.contextmanager
    def _breaking_off(self, name: str) -> Iterator[None]:
        """Turn errors of the connection into BrokenOffError, since another try may succeed."""
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            reason = " ".join((str(error) or type(error).__name__).split())[:_MOST_SAID]
            raise BrokenOffError(self.url, f"{name}: {reason}") from None

    def _pieces(self, answer: http.client.HTTPResponse, name: str) -> Iterator[bytes]:
        """The body, unless it comes too slowly."""
        begun, recent = time.monotonic(), 0
        with self._breaking_off(name):
            while (piece := answer.read1(_PIECE)) and not self._closed:
                recent += len(piece)
                if (elapsed := time.monotonic() - begun) >= SECONDS:
                    if recent < SLOWEST * elapsed:
                        raise FetchError(
                            self.url, f"{name}: it sends less than {SLOWEST} bytes a second"
                        )
                    begun, recent = time.monotonic(), 0
                yield piece


def _answer_in_time(
    connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str]
) -> http.client.HTTPResponse:
    """An answer whose head has come in time; the timeout of the socket applies to each byte alone."""
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


def _fault_of(answer: http.client.HTTPResponse, start: int, size: int | None) -> str:
    """The fault of the head of an answer, if any; it must give its length."""
    status, headers, length = answer.status, answer.headers, answer.length
    is_part = start > 0 and status == http.HTTPStatus.PARTIAL_CONTENT
    due = size if size is None or not is_part else size - start
    coding = headers.get("Content-Encoding", "identity")
    location, part = (
        headers.get("Location", "nowhere")[:_MOST_SAID],
        f"bytes {start}-{(size or 0) - 1}/{size}",
    )
    return _first(
        {
            f"it sends us to {location}; name that address if you trust it": 300 <= status < 400,
            "it is not there; is the address that of a server of tables?": status
            == http.HTTPStatus.NOT_FOUND,
            f"it answers {status} {answer.reason[:80]}": status != http.HTTPStatus.OK
            and not is_part,
            "it packs its answer, which nobody asked for": coding.lower() != "identity",
            "it does not say how much it sends": length is None,
            "it sends more than a catalog has": size is None and (length or 0) > _MOST_CATALOG,
            "it sends another part than was asked for": is_part
            and headers.get("Content-Range") != part,
            f"it sends {length} bytes where the catalog says {due}": due not in (None, length),
        }
    )


def _first(faults: Mapping[str, bool]) -> str:
    """The first fault whose condition holds; empty if none does."""
    return next((fault for fault, is_there in faults.items() if is_there), "")


@dataclass(frozen=True)
class _OfferedFile:
    """A file in a catalog."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class _Offer(_OfferedFile):
    """A table in a catalog: its outcomes, and its distances if it has any."""

    material: Material
    distances: _OfferedFile | None


@dataclass(frozen=True)
class _Offers:
    """A catalog."""

    tables: tuple[_Offer, ...]


def _tables_in(catalog: _Offers) -> dict[Material, Entry]:
    """The tables of a catalog; ValueError names its fault."""
    known, found = set(all_materials()), dict[Material, Entry]()
    for offer in catalog.tables:
        material = offer.material
        if material not in known or material in found:
            raise ValueError(f"{material} is {'there twice' if material in found else 'no table'}")
        files = [offer] if offer.distances is None else [offer, offer.distances]
        found[material] = Entry(
            material, [*map(_file_of, files, itertools.repeat(material), Layer)]
        )
    return found


def _file_of(offered: _OfferedFile, material: Material, layer: Layer) -> StoredFile:
    """A file in a catalog, of not too many bytes; its name follows from the material alone."""
    path, most = (
        path_of(Path(), material, layer),
        _MOST_CELL_BYTES * layout_of(material).cells + (1 << 20),
    )
    faults = {
        f"the file of {material} is {offered.file!r} and not {path.name}": offered.file
        != path.name,
        f"{path.name} has {offered.bytes} bytes": not 0 < offered.bytes <= most,
        f"the digest of {path.name} is none": not re.fullmatch("[0-9a-f]{64}", offered.sha256),
    }
    if fault := _first(faults):
        raise ValueError(fault)
    return StoredFile(path, offered.bytes, offered.sha256)
