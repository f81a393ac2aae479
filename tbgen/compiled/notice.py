"""A notice that kernels are being compiled, for a user who waits.

It imports no numba, so that a program may listen before it knows whether it needs a kernel.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

NOTICE_SECONDS: Final = 2.0
"""Nobody hears of a shorter time."""


@dataclass(frozen=True)
class Notice:
    """The kernels of a package are being compiled.

    >>> str(PACKAGES["retro"])
    'compiling the solver (once, about 20 s)'
    """

    name: str
    seconds: int
    """What compiling all of them takes, in CPU seconds on the machine of docs/measurements.md."""

    def __str__(self) -> str:
        return f"compiling {self.name} (once, about {self.seconds} s)"


PACKAGES: Final = {
    "apps/hold": Notice("the search for holds", 5),
    "apps/play": Notice("the player", 5),
    "apps/records": Notice("the statistics", 2),
    "board": Notice("the board", 3),
    "closures": Notice("the bounds of promotions", 3),
    "index": Notice("the index", 2),
    "probe": Notice("the probe", 3),
    "retro": Notice("the solver", 20),
    "storage": Notice("the writer of tables", 2),
    "verify": Notice("the verifier", 10),
}
"""The notice of each package with kernels."""

Hear = Callable[[Notice], object]
"""Receives a notice, from any thread."""


def _log(notice: Notice) -> None:
    import logging  # commands that compile nothing do without

    logging.getLogger("tbgen").info("%s", notice)


_listeners: list[Hear] = [_log]
"""The last of them hears."""

_given: set[Notice] = set()


@contextlib.contextmanager
def heard_by(listener: Hear) -> Iterator[None]:
    """Let a listener hear, instead of the one before, of what is compiled in a block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def give(notice: Notice) -> None:
    """Let the listener hear of a notice, once in the life of a process."""
    if notice not in _given:
        _given.add(notice)
        _listeners[-1](notice)


class Stopwatch:
    """Adds up how long the kernels of each package are compiled.

    It gives the notice of a package as soon as this has taken `notice_seconds`.
    """

    def __init__(
        self,
        notice_seconds: float = NOTICE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        give: Callable[[Notice], object] = give,
    ) -> None:
        self.notice_seconds = notice_seconds
        self._clock = clock
        self._give = give
        self._seconds = defaultdict[str, float](float)
        """[package] -> how long its kernels have been compiled."""
        self._depth = 0
        self._begun = 0.0
        self._timer: threading.Timer | None = None

    @property
    def total(self) -> float:
        """The seconds for all packages so far."""
        running = 0.0
        if self.is_running:
            running = self._clock() - self._begun
        return sum(self._seconds.values()) + running

    @property
    def is_running(self) -> bool:
        """Whether this process compiles a kernel now."""
        return self._depth > 0

    def begin(self, package: str) -> None:
        """A function of a package is compiled now.

        Those that it calls may begin before it ends. The compiler's lock lets no other thread in.
        """
        self._depth += 1
        if self._depth > 1:
            return
        self._begun = self._clock()
        left = self.notice_seconds - self._seconds[package]
        if left <= 0:
            self._give(PACKAGES[package])
            return
        self._timer = threading.Timer(left, self._give, [PACKAGES[package]])
        self._timer.daemon = True
        self._timer.start()

    def end(self, package: str) -> None:
        """A function of a package has been compiled."""
        self._depth -= 1
        if self._depth > 0:
            return
        self._seconds[package] += self._clock() - self._begun
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


stopwatch: Final = Stopwatch()
"""That of this process."""
