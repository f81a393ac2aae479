"""Worker processes: they leave the terminal's signals to their parent, and end when it has ended."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading


def follow_parent() -> None:
    """Make this process end with its parent, whatever happens to that one; SIGINT is the parent's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all of its processes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)
