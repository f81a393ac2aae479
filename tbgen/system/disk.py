"""Files and the system: names brought to the disk, locks that end with their process, and room."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder to the disk, where folders can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, unless another process has; return whether it is ours now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_lock(descriptor: int) -> None:
    """Lock an open file as soon as no other process has it."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def free_disk(folder: Path) -> int | None:
    """Bytes that files in a folder, which need not be there yet, can take; None where the system does not say."""
    for place in (folder, *folder.absolute().parents):
        try:
            return shutil.disk_usage(place).free
        except FileNotFoundError:
            continue
        except OSError:
            break
    return None
