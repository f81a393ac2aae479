"""Processes that end with their parent: workers of our own, and engines."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl."""


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


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back until the end, when their handlers run; for starting processes.

    An exception raised by a handler halfway through would leave a pool of processes that cannot be shut down. Blocking
    the signals instead would be inherited by the processes that are started.
    """
    held: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        held.append(number)

    before = {}
    if threading.current_thread() is threading.main_thread():  # no other has handlers of signals
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, hold)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for missed in held:
            signal.raise_signal(missed)


def death_signal() -> Callable[[], None] | None:
    """What a process that is being started calls to be killed when its parent dies; None where the system has no way.

    The signal follows the thread that starts the process, which must live as long as the parent.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()  # looked up here: little is safe between fork and exec

    def follow() -> None:
        prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it died before that
            os._exit(1)

    return follow
