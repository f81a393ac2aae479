"""The queue of long work: it limits the requests that threads work on, and those that wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Final, TypeVar

T = TypeVar("T")

Jobs = SimpleQueue[Callable[[], object] | None]
"""What threads are to do; None ends one."""

PIECE_SECONDS: Final = 0.1
"""Work between two looks at whether the client is still there."""


class BusyError(Exception):
    """Too many requests wait, or the system allows no more threads."""


class Queue:
    """Work that would block the event loop, in threads of one process.

    Threads stay for later work: one that dies as it starts, because memory is short, would hang the
    event loop. They do not keep the process alive. A cancelled request stops waiting.

    Arguments:
        at_once: The number of threads.
        waiting: The requests that may wait for a thread; one more is refused.
    """

    def __init__(self, at_once: int, waiting: int) -> None:
        self._requests = asyncio.Semaphore(at_once + waiting)
        self._permits = asyncio.Semaphore(at_once)
        self._jobs = Jobs()
        self._threads = 0
        """Threads that have been started."""
        self.working = 0
        """Threads that work now."""
        self.waiting = 0
        """Requests that wait now."""

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, called in a thread. BusyError if too many requests wait."""
        if self._requests.locked():
            raise BusyError
        return await self._wait_and_run(work)

    async def pieces(self, items: Iterator[T]) -> AsyncIterator[list[T]]:
        """The items of an iterator, in pieces of a tenth of a second of work.

        None are made for a cancelled request. BusyError only before the first piece.
        """
        work = partial(_next_piece, items)
        piece = await self.run(work)
        while piece:
            yield piece
            piece = await self._wait_and_run(work)

    async def _wait_and_run(self, work: Callable[[], T]) -> T:
        async with self._requests:
            await self._wait_for_a_thread()
            return await asyncio.wrap_future(self._start(work))

    async def _wait_for_a_thread(self) -> None:
        self.waiting += 1
        try:
            await self._permits.acquire()
        finally:
            self.waiting -= 1

    def _start(self, work: Callable[[], T]) -> Future[T]:
        """Let a thread that has its permit do the work; the permit returns when the work ends."""
        loop = asyncio.get_running_loop()
        result = Future[T]()

        def has_ended(_: Future[T]) -> None:
            if not loop.is_closed():  # it is if the process is ending
                loop.call_soon_threadsafe(self._release)

        self.working += 1
        result.add_done_callback(has_ended)
        if self.working > self._threads:
            self._start_thread()
        self._jobs.put(partial(_carry_out, work, result))
        return result

    def _start_thread(self) -> None:
        try:
            Thread(target=_work_on, args=(self._jobs,), daemon=True).start()
        except RuntimeError as error:  # the system allows no more threads
            self._release()
            raise BusyError from error
        self._threads += 1

    def _release(self) -> None:
        self.working -= 1
        self._permits.release()

    def close(self) -> None:
        """End the threads once their work is done."""
        for _ in range(self._threads):
            self._jobs.put(None)
        self._threads = 0


def _work_on(jobs: Jobs) -> None:
    while job := jobs.get():
        job()


def _carry_out(work: Callable[[], T], result: Future[T]) -> None:
    if not result.set_running_or_notify_cancel():
        return
    try:
        result.set_result(work())
    except BaseException as error:
        result.set_exception(error)


def _next_piece(items: Iterator[T]) -> list[T]:
    piece = list[T]()
    end = time.monotonic() + PIECE_SECONDS
    for item in items:
        piece.append(item)
        if time.monotonic() > end:
            break
    return piece
