"""Limits: what one request may take, and how many are worked on at once. They are published with `/health`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """Figures that somebody who runs a server may want to change."""

    at_once: int = 4
    """Requests that are worked on at the same time, in threads of one process."""
    waiting: int = 64
    """Requests that may wait for a thread; one more is refused."""
    query_bytes: int = 4096
    body_bytes: int = 1 << 20
    positions: int = 1000
    """Lines of one body."""
    line_plies: int = 2000
    games_bytes: int = 1 << 18
    games_seconds: int = 10

    def facts(self) -> dict[str, int]:
        return asdict(self)


class BusyError(Exception):
    """The queue is full."""


class Queue:
    """Work that would hold up the event loop, some of it at once and some waiting."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.at_once + limits.waiting
        self._inside = 0
        self._threads = anyio.CapacityLimiter(limits.at_once)

    async def run(self, work: Callable[[], T], *, light: bool = False) -> T:
        """What `work` gives; BusyError if too many wait already.

        It is called in a thread, unless it is light: then handing it to a thread would take longer than itself.
        """
        if self._inside >= self._most:
            raise BusyError
        if light:
            return work()
        self._inside += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._inside -= 1
