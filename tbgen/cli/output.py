"""Files that the program writes: whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from tbgen.errors import UnreadableFileError
from tbgen.rules.facts import to_json
from tbgen.system.disk import try_lock

STANDARD_OUTPUT = "-"

_STALE_SECONDS = 60.0
"""A file that another run has just begun may not be locked yet."""


def is_same_file(one: str, other: str) -> bool:
    """Whether two names are those of one file, which need not be there yet."""
    if STANDARD_OUTPUT in (one, other):
        return one == other
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


@contextlib.contextmanager
def rewritten(name: str) -> Iterator[IO[bytes]]:
    """A file to write to in the place of one that is read meanwhile, with its owner and mode.

    Refused if that file changes before the end, or if its owner cannot be kept.
    """
    before = os.stat(name)

    def settle(partial: int) -> None:
        try:
            _keep_owner(partial, before)
        except PermissionError:
            reason = "it belongs to another user or group, who would lose it; write a copy with -o"
            raise UnreadableFileError(name, reason) from None
        now = os.stat(name)
        if any(
            getattr(now, field) != getattr(before, field) for field in ("st_dev", "st_ino", "st_size", "st_mtime_ns")
        ):
            raise UnreadableFileError(name, "it has changed since it was read, and stays as it is")

    with _replaced(Path(os.path.realpath(name)), settle) as file:
        yield file


@contextlib.contextmanager
def written_whole(name: str) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name only when all is written; `-` is the standard output.

    A run that is cut short leaves the file as it was before. What exists and is no regular file, such as a device or
    a named pipe, is written to.
    """
    path = Path(os.path.realpath(name))
    if name == STANDARD_OUTPUT:
        sys.stdout.flush()
        if isinstance(sys.stdout, io.TextIOWrapper):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:  # somebody collects what is printed
            collected = io.BytesIO()
            yield collected
            sys.stdout.write(collected.getvalue().decode("utf-8", "backslashreplace"))
    elif path.exists() and not path.is_file():
        with open(path, "wb") as device:
            yield device
    else:

        def settle(partial: int) -> None:
            if path.exists():
                with contextlib.suppress(PermissionError):
                    _keep_owner(partial, path.stat())
            else:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(partial, 0o666 & ~mask)

        with _replaced(path, settle) as file:
            yield file


@contextlib.contextmanager
def _replaced(path: Path, settle: Callable[[int], None]) -> Iterator[IO[bytes]]:
    """A file beside a path, which takes its place at the end, when `settle` has seen its descriptor."""
    _remove_stale(path)
    try:
        descriptor, partial = tempfile.mkstemp(".partial", f".{path.name}.", path.parent)
    except OSError as error:
        raise UnreadableFileError(str(path), error.strerror or str(error)) from None
    try:
        with open(descriptor, "wb") as file:
            with contextlib.suppress(OSError):  # a network file system may have no locks; stale files stay there
                try_lock(file.fileno())
            yield file
            file.flush()
            settle(file.fileno())
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _remove_stale(path: Path) -> None:
    """Remove what runs that were killed have left beside a path: their locks are gone, those of others are not."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.{8 * '[0-9a-z_]'}.partial"):
        with contextlib.suppress(OSError), open(os.open(partial, os.O_RDWR | os.O_NOFOLLOW), "rb+") as file:
            if time.time() - os.fstat(file.fileno()).st_mtime > _STALE_SECONDS and try_lock(file.fileno()):
                os.unlink(partial)


def _keep_owner(partial: int, facts: os.stat_result) -> None:
    """Give a file the owner, group and mode of another; PermissionError if the system does not let us."""
    ours = os.fstat(partial)
    if (ours.st_uid, ours.st_gid) != (facts.st_uid, facts.st_gid):
        os.fchown(partial, facts.st_uid, facts.st_gid)
    os.fchmod(partial, stat.S_IMODE(facts.st_mode))  # after it, for a new owner takes some bits away


class GamesWriter:
    """Facts of games as JSON, written as the games come."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._before = '{"games": ['

    def add(self, *games: str) -> None:
        for game in games:
            self._file.write(f"{self._before}\n  {game}".encode())
            self._before = ","

    def finish(self, **rest: object) -> None:
        """Close the list, and write what is to be said beside it."""
        end = "\n]" if self._before == "," else self._before + "]"
        fields = (f",\n{to_json(name)}: {to_json(value)}" for name, value in rest.items())
        self._file.write(f"{end}{''.join(fields)}}}\n".encode())
