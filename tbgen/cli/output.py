"""Files that the program writes: whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO

from tbgen.errors import UnreadableFileError
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
        if _version(os.stat(name)) != _version(before):
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
                os.fchmod(partial, 0o666 & ~_umask())

        with _replaced(path, settle) as file:
            yield file


@contextlib.contextmanager
def _replaced(path: Path, settle: Callable[[int], None]) -> Iterator[IO[bytes]]:
    """A file beside a path, which takes its place at the end, when `settle` has seen its descriptor."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")  # known before it is there, to be removed
    _remove_stale(path)
    try:
        with _begun(partial, path) as file:
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


def _begun(partial: Path, path: Path) -> BinaryIO:
    """A new file; an error names the one that it is to become."""
    try:
        return open(partial, "xb", opener=_for_us_alone)
    except OSError as error:
        raise UnreadableFileError(str(path), error.strerror or str(error)) from None


def _remove_stale(path: Path) -> None:
    """Remove what runs that were killed have left beside a path: their locks are gone, those of others are not."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.{8 * '[0-9a-f]'}.partial"):
        with contextlib.suppress(OSError):
            descriptor = os.open(partial, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if time.time() - os.fstat(descriptor).st_mtime > _STALE_SECONDS and try_lock(descriptor):
                    os.unlink(partial)
            finally:
                os.close(descriptor)


def _version(facts: os.stat_result) -> tuple[int, ...]:
    """Facts of a file that differ once somebody has written to it or put another in its place."""
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _keep_owner(partial: int, facts: os.stat_result) -> None:
    """Give a file the owner, group and mode of another; PermissionError if the system does not let us."""
    ours = os.fstat(partial)
    if (ours.st_uid, ours.st_gid) != (facts.st_uid, facts.st_gid):
        os.fchown(partial, facts.st_uid, facts.st_gid)
    os.fchmod(partial, stat.S_IMODE(facts.st_mode))  # after it, for a new owner takes some bits away


def _for_us_alone(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
