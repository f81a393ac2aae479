"""Fetch: tables from a server into a folder, each checked before it has its name there.

What has come of a file lies in `.fetch` within the folder, under its digest, so that whatever ends a fetch, the same
command goes on from there. A table takes its name when all of its files are whole, sound and those of the catalog.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tbgen.errors import BrokenOffError, DamagedTableError, FetchError, TableError
from tbgen.library.limits import free_disk
from tbgen.library.remote import Offer, OfferedFile, Server
from tbgen.material import Material
from tbgen.storage.files import build_lock, path_of
from tbgen.storage.reader import TableFile
from tbgen.system.disk import sync_folder

STAGE: Final = ".fetch"
JOBS: Final = 4
_TRIES: Final = 3
"""How often in a row an answer may break off before anything has come."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch has done."""

    fetched: Sequence[Offer]
    there: Sequence[Material]
    """Tables that were in the folder before."""
    bytes: int
    seconds: float


class Watcher:
    """Who is told how a fetch goes on, from any thread; this one keeps it to itself."""

    def begins(self, tables: int, size: int, there: int) -> None:
        """So many tables are fetched, of so many bytes, some of which are there from an earlier run."""

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
        due = [offers[each] for each in wanted if not _is_there(folder, offers[each], outcomes_alone=outcomes_alone)]
        tables = [_Table(folder, server, each, each.files(outcomes_alone=outcomes_alone), watcher) for each in due]
        size, there = sum(each.bytes for each in tables), sum(each.got for each in tables)
        free = free_disk(folder)
        if free is not None and size - there > free:
            raise FetchError(
                url, f"the tables need {(size - there) / 1e9:.3g} GB of disk, {free / 1e9:.3g} GB are free"
            )
        watcher.begins(len(tables), size, there)
        _fetch_all(server, tables, jobs)
        with contextlib.suppress(OSError):
            (folder / STAGE).rmdir()
    kept = [material for material in wanted if material not in {each.material for each in due}]
    return Fetched(due, kept, size - there, time.monotonic() - begun)


def _fetch_all(server: Server, tables: Sequence[_Table], jobs: int) -> None:
    """Fetch tables side by side, the largest first; the first error ends them all."""
    tables = sorted(tables, key=lambda each: -each.bytes)
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(each.fetch) for each in tables]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            server.close()
            raise


def _is_there(folder: Path, offer: Offer, *, outcomes_alone: bool) -> bool:
    """Whether a folder has a table that can be read, with all that is wanted of it."""
    try:
        with TableFile(path_of(folder, offer.material)) as file:
            return outcomes_alone or offer.distances is None or file.has_distances
    except (TableError, OSError):
        return False


class _Table:
    """A table on its way."""

    def __init__(
        self, folder: Path, server: Server, offer: Offer, files: Sequence[OfferedFile], watcher: Watcher
    ) -> None:
        self._folder, self._server, self._offer, self._files, self._watcher = folder, server, offer, files, watcher
        self._stage = folder / STAGE / f"{offer.material}-{offer.outcomes.sha256[:16]}"
        self.bytes = sum(file.bytes for file in files)
        self.got = sum(min(_size_of(self._stage / file.name), file.bytes) for file in files)

    def fetch(self) -> None:
        """Fetch what is missing of the files, check them, and give them their names."""
        self._stage.mkdir(parents=True, exist_ok=True)
        self._take_outcomes()
        is_resumed = self.got > 0
        try:
            self._fetch_and_check()
        except TableError as error:
            self._forget()
            if not is_resumed:
                raise FetchError(self._server.url, f"what it gave as {self._offer.material} is none: {error}") from None
            self._watcher.got(-self.bytes)
            self._stage.mkdir(parents=True)
            try:
                self._fetch_and_check()
            except TableError as again:
                self._forget()
                raise FetchError(self._server.url, f"what it gave as {self._offer.material} is none: {again}") from None
        for file in reversed(self._files):  # a table is there when its outcomes are, so they come last
            (self._stage / file.name).replace(self._folder / file.name)
        sync_folder(self._folder)
        self._forget()

    def _fetch_and_check(self) -> None:
        for file in self._files:
            self._fetch_file(file)
        check_stage(self._stage, self._offer, self._files)

    def _take_outcomes(self) -> None:
        """Use outcomes that are in the folder already, if they are those of the catalog."""
        path = path_of(self._folder, self._offer.material)
        with contextlib.suppress(TableError, OSError):
            with TableFile(path) as file:
                is_same = file.digest == self._offer.outcomes.sha256
            if is_same:
                partial = self._stage / path.name
                partial.unlink(missing_ok=True)
                # Of another size more would be written to it: a link is the file in the folder, too.
                if path.stat().st_size == self._offer.outcomes.bytes:
                    os.link(path, partial)
                    self._watcher.got(self._offer.outcomes.bytes)

    def _fetch_file(self, file: OfferedFile) -> None:
        path, tries = self._stage / file.name, 0
        while (size := _size_of(path)) != file.bytes:
            if size > file.bytes:
                path.unlink()
                continue
            try:
                self._continue(path, file, size)
            except BrokenOffError:
                tries = tries + 1 if _size_of(path) <= size else 0
                if tries >= _TRIES:
                    raise
            else:
                if _size_of(path) < file.bytes:
                    tries += 1
                    if tries >= _TRIES:
                        raise FetchError(self._server.url, f"{file.name}: the answer ends too early")

    def _continue(self, path: Path, file: OfferedFile, size: int) -> None:
        with self._server.body(file, size) as (start, pieces), path.open("ab", buffering=0) as target:
            if start < size:
                target.truncate(start)
                self._watcher.got(start - size)
            for piece in pieces:
                target.write(piece)
                self._watcher.got(len(piece))
            os.fsync(target.fileno())

    def _forget(self) -> None:
        shutil.rmtree(self._stage, ignore_errors=True)


def check_stage(stage: Path, offer: Offer, files: Sequence[OfferedFile]) -> None:
    """Check the files of a table, byte by byte, against their seals and the catalog; TableError if they are others."""
    path = path_of(stage, offer.material)
    try:
        with TableFile(path) as file:
            file.check()
            stored = [file.outcomes, file.distances] if len(files) > 1 else [file.outcomes]
            found = [each.seal.body_digest for each in stored]
    except TableError:
        raise
    except Exception as error:  # a file that is made to break its reader
        raise DamagedTableError(path.name, f"it cannot be read: {type(error).__name__}") from None
    if found != [each.sha256 for each in files]:
        raise DamagedTableError(path.name, "it is another file than the catalog says")


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
