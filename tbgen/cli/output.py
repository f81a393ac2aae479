"""Files that the program writes: whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from tbgen.errors import UnreadableFileError

STANDARD_OUTPUT = "-"


@contextlib.contextmanager
def rewritten(name: str) -> Iterator[IO[bytes]]:
    """A file to write to in the place of one that is read meanwhile; refused if that one changes before the end."""
    before = _version(name)

    def refuse_if_changed() -> None:
        if _version(name) != before:
            raise UnreadableFileError(name, "it has changed since it was read, and stays as it is")

    with written_whole(name, check=refuse_if_changed) as file:
        yield file


def _version(name: str) -> tuple[int, ...]:
    """Facts of a file that differ once somebody has written to it or put another in its place."""
    facts = os.stat(name)
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


@contextlib.contextmanager
def written_whole(name: str, *, check: Callable[[], None] | None = None) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name only when all is written; `-` is the standard output.

    A run that is cut short leaves the file as it was before, and so does `check` when it raises an error.
    """
    if name == STANDARD_OUTPUT:
        sys.stdout.flush()
        if isinstance(sys.stdout, io.TextIOWrapper):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:  # somebody collects what is printed
            collected = io.BytesIO()
            yield collected
            sys.stdout.write(collected.getvalue().decode("utf-8", "backslashreplace"))
        return
    path = Path(os.path.realpath(name))
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")  # known before it is there, to be removed
    try:
        with open(partial, "xb", opener=_for_us_alone) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, partial)
        else:
            os.chmod(partial, 0o666 & ~_umask())
        if check is not None:
            check()
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _for_us_alone(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
