"""Output files: whole or not at all, and with the owner of the file that was there."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from tbgen.errors import UnreadableFileError
from tbgen.system.process import try_lock

STANDARD_OUTPUT = "-"

_STALE_SECONDS = 60.0
"""A file that another run has just begun may not be locked yet."""


def is_same_file(one: str, other: str) -> bool:
    """Whether two names mean one file, which may not exist yet."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def folder_to_write(folders: Iterable[Path], name: str) -> contextlib.AbstractContextManager[str]:
    """The first folder that can be written to, with its folder of this name if it has one.

    Without such a folder it is one that goes away again.
    """
    for folder in folders:
        inner = folder / name
        if _is_writable(folder) and (not inner.exists() or _is_writable(inner)):
            return contextlib.nullcontext(str(folder))
    return tempfile.TemporaryDirectory(prefix="tbgen-")


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


class _NamedFile(io.FileIO):
    """A file whose errors name the file that it will replace."""

    def __init__(self, file: int | str, goal: str) -> None:
        super().__init__(file, "wb")
        self._goal = goal

    def write(self, data: Any) -> int:
        with _naming(self._goal):
            return super().write(data)


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Let errors of the system name a file."""
    try:
        yield
    except OSError as error:
        raise UnreadableFileError(name, error.strerror or str(error)) from None


@contextlib.contextmanager
def rewritten(name: str) -> Iterator[IO[bytes]]:
    """A file to write that replaces an input file at the end.

    UnreadableFileError if that has changed in the meantime.
    """
    before = _state_of(name)
    with _replaced(name) as file:
        yield file
        if _state_of(name) != before:
            raise UnreadableFileError(name, "it has changed since it was read, and stays as it is")


def _state_of(name: str) -> tuple[int, int, int, int]:
    """What changes when a file changes."""
    status = os.stat(name)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextlib.contextmanager
def written_whole(name: str) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name only when all is written.

    `-` is the standard output. A run that is cut short leaves the file as it was before. A device
    or a named pipe is written to.
    """
    if name == STANDARD_OUTPUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif os.path.exists(name) and not os.path.isfile(name):
        with io.BufferedWriter(_NamedFile(name, name)) as file:
            yield file
    else:
        with _replaced(name) as file:
            yield file


@contextlib.contextmanager
def _replaced(name: str) -> Iterator[IO[bytes]]:
    """A file that takes a name at the end of the block, with the owner and mode of one there."""
    path = Path(os.path.realpath(name))
    _remove_stale(path)
    partial = path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")
    # The mode for the group comes with the group itself.
    mode = path.stat().st_mode & 0o707 if path.exists() else 0o666
    with _naming(str(path)):
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with io.BufferedWriter(_NamedFile(descriptor, name)) as file:
            # A network file system may not support locks; stale files stay there.
            with contextlib.suppress(OSError):
                try_lock(file.fileno())
            yield file
            file.flush()
            if path.exists():
                _keep_owner(file.fileno(), path)
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _remove_stale(path: Path) -> None:
    """Remove what killed runs have left beside a path: their locks are gone."""
    random_part = 8 * "[0-9a-z_]"
    for partial in path.parent.glob(f".{glob.escape(path.name)}.{random_part}.partial"):
        with contextlib.suppress(OSError):
            descriptor = os.open(partial, os.O_RDWR | os.O_NOFOLLOW)
            with open(descriptor, "rb+") as file:
                written = os.fstat(descriptor).st_mtime
                age = time.time() - written  # noqa: TID251 - that of a file
                if age > _STALE_SECONDS and try_lock(file.fileno()):
                    os.unlink(partial)


def _keep_owner(partial: int, path: Path) -> None:
    """Give a file the owner, group and mode of the one that it replaces."""
    ours = os.fstat(partial)
    theirs = path.stat()
    if (ours.st_uid, ours.st_gid) != (theirs.st_uid, theirs.st_gid):
        try:
            os.fchown(partial, theirs.st_uid, theirs.st_gid)
        except PermissionError:
            reason = "it belongs to another user or group, who would lose it; write to another file"
            raise UnreadableFileError(str(path), reason) from None
    # After the owner, because changing the owner clears some bits.
    os.fchmod(partial, stat.S_IMODE(theirs.st_mode))
