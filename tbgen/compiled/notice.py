"""A notice that kernels are being compiled, for a user who waits.

It imports no numba, so that a program may listen before it knows whether it needs a kernel.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final


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
