"""Fetch: tables from a server that is not trusted into a folder, each checked before it has its name there.

Names, sizes and digests that a server gives are checked; redirections and compressed answers are refused; an answer
that comes too slowly or does not end is cut off. What has come of a file lies in `.fetch` within the folder, under its
digest, so the same command goes on after an interruption. A table takes its name when all of its files are sound.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tbgen import __version__
from tbgen.errors import BrokenOffError, DamagedTableError, FetchError, InputError, TableError
from tbgen.index.layout import layout_of
from tbgen.library.catalog import CATALOG, TABLES, Entry, StoredFile
from tbgen.library.limits import free_disk
from tbgen.material import Material, all_materials
from tbgen.storage.files import build_lock, path_of
from tbgen.storage.layers import Layer
from tbgen.storage.reader import TableFile
from tbgen.system.disk import sync_folder

STAGE: Final = ".fetch"
JOBS: Final = 4
SECONDS: Final = 30.0
SLOWEST: Final = 1 << 10
"""Bytes of a file a second that must come, on average over so many seconds, on however many connections."""

_TRIES: Final = 3
"""How often in a row an answer may break off before a whole piece has come; and how often a file may come in bytes."""
_MOST_CATALOG: Final = 1 << 23
_MOST_CELL_BYTES: Final = 16
_PIECE = 1 << 16
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_RANGE: Final = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch has done."""

    fetched: Sequence[Entry]
    there: Sequence[Material]
    """Tables that were in the folder before."""
    bytes: int
    seconds: float


class Watcher:
    """Hears how a fetch goes on, from any thread; this one keeps it to itself."""

    def begins(self, tables: int, size: int, there: int) -> None:
        """So many tables are fetched, of so many bytes, some of which are there from an earlier fetch."""

    def waiting(self) -> None:
        """A build or another fetch is at work in the folder."""

    def got(self, size: int) -> None:
        """So many bytes have come; fewer than none where some are asked for once more."""


def fetch(
    folder: Path,
    url: str,
    choose: Callable[[Iterable[Material]], Iterable[Material]],
    *,
    outcomes_alone: bool = False,
    jobs: int = JOBS,
    watcher: Watcher | None = None,
) -> Fetched:
    """Fetch the tables that `choose` picks of those that a server has; FetchError if one cannot be had.

    What is sound in the folder stays. Tables that are complete by then stay as well if something goes wrong.
    """
    watcher, begun, server = watcher or Watcher(), time.monotonic(), Server(url)
    offers = server.offers()
    wanted = list(dict.fromkeys(choose(offers)))
    missing = [str(material) for material in wanted if material not in offers]
    if missing:
        raise FetchError(url, f"it has no table {', '.join(missing[:5])}{' ...' if len(missing) > 5 else ''}")
    with build_lock(folder, watcher.waiting):
        there = [each for each in wanted if _is_there(folder, offers[each], outcomes_alone=outcomes_alone)]
        due = [offers[each] for each in wanted if each not in there]
        tables = [_Table(folder, server, each, watcher, outcomes_alone=outcomes_alone) for each in due]
        size, got = sum(each.bytes for each in tables), sum(each.got for each in tables)
        free = free_disk(folder)
        if free is not None and size - got > free:
            needed = f"the tables need {(size - got) / 1e9:.3g} GB of disk, {free / 1e9:.3g} GB are free"
            raise FetchError(url, needed)
        watcher.begins(len(tables), size, got)
        _fetch_all(server, tables, jobs)
        with contextlib.suppress(OSError):
            (folder / STAGE).rmdir()
    return Fetched(due, there, size - got, time.monotonic() - begun)


def _fetch_all(server: Server, tables: Sequence[_Table], jobs: int) -> None:
    """Fetch tables side by side, the largest first; the first error ends them all."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(each.fetch) for each in sorted(tables, key=lambda each: -each.bytes)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            server.close()
            raise


def _is_there(folder: Path, offer: Entry, *, outcomes_alone: bool) -> bool:
    """Whether a folder has a table that can be read, with all that is wanted of it."""
    try:
        with TableFile(path_of(folder, offer.material)) as file:
            return outcomes_alone or offer.distances is None or file.has_distances
    except (TableError, OSError):
        return False


class _Table:
    """A table on its way."""

    def __init__(self, folder: Path, server: Server, offer: Entry, watcher: Watcher, *, outcomes_alone: bool) -> None:
        self._folder, self._server, self._offer, self._watcher = folder, server, offer, watcher
        self._files = offer.files[:1] if outcomes_alone else offer.files
        self._stage = folder / STAGE / f"{offer.material}-{offer.outcomes.digest[:16]}"
        self.bytes = sum(file.bytes for file in self._files)
        self.got = sum(min(_size_of(self._stage / file.path), file.bytes) for file in self._files)

    def fetch(self) -> None:
        """Fetch what is missing of the files, check them, and give them their names.

        What an earlier fetch left may be wrong: then all is fetched once more.
        """
        self._stage.mkdir(parents=True, exist_ok=True)
        self._take_outcomes()
        is_resumed = self.got > 0
        while True:
            try:
                for file in self._files:
                    self._fetch_file(file)
                check_stage(self._stage, self._offer.material, self._files)
                break
            except TableError as error:
                shutil.rmtree(self._stage, ignore_errors=True)
                if not is_resumed:
                    reason = f"what it gave as {self._offer.material} is none: {error}"
                    raise FetchError(self._server.url, reason) from None
                is_resumed = False
                self._watcher.got(-self.bytes)
                self._stage.mkdir(parents=True)
        for file in reversed(self._files):  # a table is there when its outcomes are, so they come last
            (self._stage / file.path).replace(self._folder / file.path)
        sync_folder(self._folder)
        shutil.rmtree(self._stage, ignore_errors=True)

    def _take_outcomes(self) -> None:
        """Use outcomes that are in the folder already, if they are those of the catalog."""
        path, offered = path_of(self._folder, self._offer.material), self._offer.outcomes
        with contextlib.suppress(TableError, OSError):
            with TableFile(path) as file:
                is_same = file.digest == offered.digest
            if is_same:
                partial = self._stage / path.name
                partial.unlink(missing_ok=True)
                # Of another size more would be written to it: a link is the file in the folder, too.
                if path.stat().st_size == offered.bytes:
                    os.link(path, partial)
                    self._watcher.got(offered.bytes)

    def _fetch_file(self, file: StoredFile) -> None:
        """Ask for the rest of a file until it has its size, or answers keep breaking off."""
        path, tries = self._stage / file.path, 0
        if _size_of(path) > file.bytes:
            path.unlink()
        with _watched(_TRIES * file.bytes) as watch:
            while (size := _size_of(path)) < file.bytes:
                broken = FetchError(self._server.url, f"{file.path}: the answer ends too early")
                try:
                    self._continue(path, file, size, watch)
                except BrokenOffError as error:
                    broken = error
                tries = 0 if _size_of(path) >= size + _PIECE else tries + 1
                if tries >= _TRIES and _size_of(path) < file.bytes:
                    raise broken

    def _continue(self, path: Path, file: StoredFile, size: int, watch: _Watch) -> None:
        with self._server.body(file, size, watch) as (start, pieces), path.open("ab", buffering=0) as target:
            if start < size:
                target.truncate(start)
                self._watcher.got(start - size)
            for piece in pieces:
                target.write(piece)
                self._watcher.got(len(piece))
            os.fsync(target.fileno())


def check_stage(stage: Path, material: Material, files: Sequence[StoredFile]) -> None:
    """Check the files of a table, byte by byte, against their seals and the catalog; TableError if they are others."""
    path = path_of(stage, material)
    try:
        with TableFile(path) as file:
            file.check()
            stored = [file.outcomes, file.distances] if len(files) > 1 else [file.outcomes]
            found = [each.seal.body_digest for each in stored]
    except TableError:
        raise
    except Exception as error:  # a file that is made to break its reader
        raise DamagedTableError(path.name, f"it cannot be read: {type(error).__name__}") from None
    if found != [each.digest for each in files]:
        raise DamagedTableError(path.name, "it is another file than the catalog says")


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


class Server:
    """An address that tables are fetched from, by several threads."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            self._port = parts.port
        except ValueError as error:
            raise FetchError(url, str(error)) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FetchError(url, "an address begins with https:// or http:// and the name of a server")
        if parts.username is not None or parts.query or parts.fragment or not url.isascii() or not url.isprintable():
            raise FetchError(url, "an address is a server and a path, without names of users, questions or spaces")
        path = parts.path.rstrip("/")
        self.url, self._host = url, parts.hostname
        self._secure = ssl.create_default_context() if parts.scheme == "https" else None
        self._catalog = path if path.endswith(".json") else f"{path}/{TABLES}/{CATALOG}"
        self._open: set[socket.socket] = set()
        self._lock, self._closed = threading.Lock(), False

    def close(self) -> None:
        """End all that is under way; what is asked from now on is a FetchError."""
        with self._lock:
            self._closed = True
            for each in self._open:
                _cut(each)

    def offers(self) -> dict[Material, Entry]:
        """The tables of the catalog."""
        with _watched(2 * _MOST_CATALOG) as watch, self._answer(self._catalog, 0, watch) as answer:
            text = b"".join(self._pieces(answer, _MOST_CATALOG, "the catalog", watch))
        try:
            rows, known = json.loads(text)["tables"], all_materials()
            if len(rows) > len(known):
                raise _WrongCatalogError(f"it has {len(rows)} tables, and there are {len(known)}")
            offers = [_offer(row, known) for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = str(error) if isinstance(error, _WrongCatalogError) else "it is not a list of tables"
            raise FetchError(self.url, f"its catalog {self._catalog} is wrong: {reason}") from None
        found = {offer.material: offer for offer in offers}
        if len(found) < len(offers):
            raise FetchError(self.url, f"its catalog {self._catalog} is wrong: it has a table twice")
        return found

    @contextlib.contextmanager
    def body(self, file: StoredFile, start: int, watch: _Watch) -> Iterator[tuple[int, Iterator[bytes]]]:
        """The bytes of a file from `start` on, or from where the server begins: 0 if it knows no ranges."""
        with self._answer(f"{self._catalog.rpartition('/')[0]}/{file.path}", start, watch) as answer:
            if answer.status == http.HTTPStatus.PARTIAL_CONTENT:
                given = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
                if given is None or [int(each) for each in given.groups()] != [start, file.bytes - 1, file.bytes]:
                    raise FetchError(self.url, f"{file.path}: it sends another part than was asked for")
            else:
                start = 0
            length = answer.headers.get("Content-Length")
            if length is not None and length != str(file.bytes - start):
                reason = f"it sends {length[:20]} bytes where the catalog says {file.bytes - start}"
                raise FetchError(self.url, f"{file.path}: {reason}")
            yield start, self._pieces(answer, file.bytes - start, str(file.path), watch)

    @contextlib.contextmanager
    def _answer(self, path: str, start: int, watch: _Watch) -> Iterator[http.client.HTTPResponse]:
        """An answer whose head is as it should be."""
        headers = {"Accept-Encoding": "identity", "User-Agent": f"tbgen/{__version__}"}
        if start:
            headers["Range"] = f"bytes={start}-"
        try:
            with self._connected(watch) as connection:
                connection.request("GET", path, headers=headers)
                with connection.getresponse() as answer:
                    self._check_head(path, answer, start)
                    yield answer
        except (OSError, http.client.HTTPException) as error:
            if watch.fault:
                raise FetchError(self.url, f"{path}: {watch.fault}") from None
            raise BrokenOffError(self.url, f"{path}: {_in_words(error)}") from None

    @contextlib.contextmanager
    def _connected(self, watch: _Watch) -> Iterator[http.client.HTTPConnection]:
        """A connection, which `close` and the watch may cut from the moment when its socket is there."""
        kind = http.client.HTTPConnection if self._secure is None else http.client.HTTPSConnection
        connection = kind(self._host, self._port, timeout=SECONDS)
        connected = socket.create_connection((self._host, connection.port), SECONDS)
        if self._secure is not None:
            connected = self._secure.wrap_socket(connected, server_hostname=self._host, do_handshake_on_connect=False)
        with self._lock:
            if self._closed:
                connected.close()
                raise FetchError(self.url, "stopped")
            self._open.add(connected)
        try:
            watch.connected(connected)
            if isinstance(connected, ssl.SSLSocket):
                connected.do_handshake()
            connection.sock = connected
            yield connection
        finally:
            with self._lock:
                self._open.discard(connected)
            connected.close()

    def _check_head(self, path: str, answer: http.client.HTTPResponse, start: int) -> None:
        fault, status = "", answer.status
        if 300 <= status < 400:
            where = answer.headers.get("Location", "nowhere")[:200]
            fault = f"it sends us to {where}; name that address if you trust it"
        elif status == http.HTTPStatus.NOT_FOUND:
            raise FetchError(self.url, f"{path} is not there; is it the address of a server of tables?")
        elif status != http.HTTPStatus.OK and not (start and status == http.HTTPStatus.PARTIAL_CONTENT):
            fault = f"it answers {status} {answer.reason[:80]}"
        elif answer.headers.get("Content-Encoding", "identity").lower() != "identity":
            fault = "it packs its answer, which nobody asked for"
        if fault:
            raise FetchError(self.url, f"{path}: {fault}")

    def _pieces(self, answer: http.client.HTTPResponse, most: int, name: str, watch: _Watch) -> Iterator[bytes]:
        """The body, no more of it than there may be."""
        while piece := answer.read1(min(_PIECE, most + 1)):
            most -= len(piece)
            if most < 0:
                raise FetchError(self.url, f"{name}: it sends more than there is")
            watch.got(len(piece))
            yield piece
        if watch.fault:
            raise TimeoutError


class _Watch:
    """Cuts off what sends a file, on whichever connection, once it is too slow or has sent it too often."""

    def __init__(self, most: int) -> None:
        self.is_over = threading.Event()
        self.fault = ""
        self._left, self._recent = most, 0
        self._connected: socket.socket | None = None

    def connected(self, connected: socket.socket) -> None:
        """From now on this is what is to be cut."""
        self._connected = connected
        if self.fault:
            raise TimeoutError

    def got(self, size: int) -> None:
        """So many bytes have come."""
        self._recent += size
        self._left -= size
        if self._left < 0:
            self.fault = "it has broken off too often"
            raise TimeoutError

    def run(self) -> None:
        """Look every SECONDS until it is over."""
        while not self.is_over.wait(SECONDS):
            if self._recent < SLOWEST * SECONDS:
                slow = f"it sends less than {SLOWEST} bytes a second"
                self.fault = slow if self._recent else f"no answer for {SECONDS:.0f} s"
                if self._connected is not None:
                    _cut(self._connected)
                return
            self._recent = 0


@contextlib.contextmanager
def _watched(most: int) -> Iterator[_Watch]:
    """A watch over one file, of which so many bytes may come on all connections together."""
    watch = _Watch(most)
    threading.Thread(target=watch.run, daemon=True).start()
    try:
        yield watch
    finally:
        watch.is_over.set()


class _WrongCatalogError(ValueError):
    """What is wrong with a catalog, in words."""


def _offer(row: dict[str, Any], known: Collection[Material]) -> Entry:
    """A table of a catalog."""
    name = row["material"]
    try:
        material = Material.parse(name)
    except InputError:
        raise _WrongCatalogError(f"{str(name)[:40]!r} is no material") from None
    if material not in known:
        raise _WrongCatalogError(f"{str(name)[:40]!r} is no table")
    outcomes, distances = _offered(material, row, Layer.OUTCOMES), row.get("distances")
    return Entry(material, outcomes, None if distances is None else _offered(material, distances, Layer.DISTANCES))


def _offered(material: Material, row: dict[str, Any], layer: Layer) -> StoredFile:
    """A file of a table; its name is known, whatever the catalog says."""
    name = path_of(Path(), material, layer).name
    if row["file"] != name:
        raise _WrongCatalogError(f"the file of {material} is {str(row['file'])[:40]!r} and not {name}")
    size, digest = row["bytes"], row["sha256"]
    if type(size) is not int or not 0 < size <= _MOST_CELL_BYTES * layout_of(material).cells + (1 << 20):
        raise _WrongCatalogError(f"{name} has {str(size)[:20]} bytes")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _WrongCatalogError(f"the digest of {name} is none")
    return StoredFile(Path(name), size, digest)


def _cut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer for {SECONDS:.0f} s"
    if isinstance(error, http.client.IncompleteRead):
        return "the answer was cut off"
    return " ".join((str(error) or type(error).__name__).split())[:200]
