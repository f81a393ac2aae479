"""Files that the program writes: whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

STANDARD_OUTPUT = "-"


@contextlib.contextmanager
def written_whole(name: str) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name only when all is written; `-` is the standard output.

    What a run leaves behind that is cut short is the file as it was before.
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
    handle, partial = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, partial)
        else:
            os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
