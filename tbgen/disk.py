"""What files need of the system: names brought to the disk, and locks that end with their process."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

_RETRY_SECONDS = 0.2
"""How often a system that cannot wait for a lock is asked for it."""

_LOCKED_BYTE = 1 << 30
"""Beyond the content of a file, which Windows would keep from others."""


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder to the disk, where folders can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Lock an open file until it is closed, unless someone else has; whether it is ours now."""
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)
        return True

    def wait_for_lock(descriptor: int, pause: Callable[[float], None] = time.sleep) -> None:
        """Lock an open file as soon as nobody else has, asleep between two tries."""
        while not try_lock(descriptor):
            pause(_RETRY_SECONDS)

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file until it is closed, unless someone else has; whether it is ours now."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_for_lock(descriptor: int) -> None:
        """Lock an open file as soon as nobody else has."""
        fcntl.flock(descriptor, fcntl.LOCK_EX)
