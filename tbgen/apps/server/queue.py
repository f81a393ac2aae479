"""The queue of long work: it limits the requests that threads work on, and those that wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

T = TypeVar("T")

PIECE_SECONDS: Final = 0.1
"""Work between two looks at whether the client is still there."""


class BusyError(Exception):
    """Too many requests wait, or the system allows no more threads."""


class Queue:
    """Work that would block the event loop, in threads of one process.

    A cancelled request waits no longer. Work that has begun keeps its thread until it ends.

    Arguments:
        at_once: The number of threads.
        waiting: The requests that may wait for a thread; one more is refused.
        seconds: The time for a request.
    """

    def __init__(self, at_once: int, waiting: int, seconds: float) -> None:
        self._threads = ThreadPoolExecutor(at_once)
        self._most = at_once + waiting
        self._seconds = seconds
        self._unfinished = 0
        """Requests that wait or are worked on."""

    async def run(self, work: Callable[[], T], *, in_time: bool = True) -> T:
        """The result of `work`, called in a thread.

        BusyError if too many requests wait, TimeoutError if it is to end `in_time` and does not.
        """
        if self._unfinished >= self._most:
            raise BusyError
        async with asyncio.timeout(self._seconds if in_time else None):
            return await self._wait_and_run(work)

    async def pieces(self, items: Iterator[T]) -> AsyncIterator[list[T]]:
        """The items of an iterator, in pieces of a tenth of a second of work.

        None are made for a cancelled request. Only the first piece is refused because others wait.
        The items bound the time of all pieces.
        """
        work = partial(_next_piece, items)
        piece = await self.run(work, in_time=False)
        while piece:
            yield piece
            piece = await self._wait_and_run(work)

    async def _wait_and_run(self, work: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()

        def has_ended(_: Future[T]) -> None:
            if not loop.is_closed():  # it is if the process is ending
                loop.call_soon_threadsafe(self._forget_one)

        try:
            result = self._threads.submit(work)
        except RuntimeError as error:  # the system allows no more threads
            raise BusyError from error
        self._unfinished += 1
        result.add_done_callback(has_ended)
        return await asyncio.wrap_future(result)

    def _forget_one(self) -> None:
        self._unfinished -= 1

    def close(self) -> None:
        """Begin no more work."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _next_piece(items: Iterator[T]) -> list[T]:
    piece = list[T]()
    end = time.monotonic() + PIECE_SECONDS
    for item in items:
        piece.append(item)
        if time.monotonic() > end:
            break
    return piece
