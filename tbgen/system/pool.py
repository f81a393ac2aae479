"""Processes that share pieces of work, whose results come in the order of the pieces."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.synchronize import Event
from typing import Any, Generic, TypeVar

from tbgen.errors import TbgenError
from tbgen.system.process import follow_parent, signals_held

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_AHEAD = 3
"""The pieces that are read ahead for each process."""


class WorkerKilledError(Exception):
    """A process was killed, or could not start."""


class WorkerPool(Generic[Argument, Result]):
    """Some processes that work until it is closed.

    Arguments:
        jobs: The number of processes; they start with the first pieces.
        start: Makes the function that works on a piece, once in each process.
    """

    def __init__(self, jobs: int, start: Callable[[], Callable[[Argument], Result]]) -> None:
        # Forked workers would inherit the handlers of signals, and a signal that arrives during a
        # fork can get lost.
        context = multiprocessing.get_context("spawn")
        self.jobs = jobs
        self._others = multiprocessing.active_children()
        self._stopped = context.Event()
        self._pool = ProcessPoolExecutor(
            jobs, context, initializer=_start_worker, initargs=(start, self._stopped)
        )

    def close(self) -> None:
        """End the processes; pieces that wait are left out."""
        self._stopped.set()  # or workers would do all of their queue before they end
        self._pool.shutdown(cancel_futures=True)

    def results(self, pieces: Iterable[Argument]) -> Iterator[Result]:
        """The results for pieces, in their order.

        An error in place of a piece comes after the results for those before it.

        Raises:
            WorkerKilledError: A process was killed.
        """
        try:
            yield from self._in_order(pieces)
        except (BrokenProcessPool, OSError) as error:
            # The pool broke while it was handed a piece if the error has no number: "handle is
            # closed".
            if isinstance(error, OSError) and error.errno is not None:
                raise
            # The pool waits for ever for a worker that was being started when it broke.
            for worker in multiprocessing.active_children():
                if worker not in self._others:
                    worker.kill()
            raise WorkerKilledError from error

    def _in_order(self, pieces: Iterable[Argument]) -> Iterator[Result]:
        waiting: deque[Future[Result]] = deque()
        try:
            for piece in pieces:
                waiting.append(self._submitted(piece))
                if len(waiting) > self.jobs * _AHEAD:
                    yield waiting.popleft().result()
        except TbgenError:
            for future in waiting:
                yield future.result()
            raise
        for future in waiting:
            yield future.result()

    def _submitted(self, piece: Argument) -> Future[Result]:
        """A piece that a worker will do; the first ones start the workers."""
        with signals_held():
            try:
                return self._pool.submit(partial(_work_on, piece))
            except ValueError as error:
                # A broken pool has closed the pipe for a worker that starts.
                raise BrokenProcessPool from error


_worker: tuple[Callable[[Any], Any], Event] | None = None
"""The function of this process, which its start sets once, and the signal to stop."""


def _start_worker(start: Callable[[], Callable[[Any], Any]], stopped: Event) -> None:
    global _worker
    follow_parent()
    _worker = start(), stopped


def _work_on(piece: Any) -> Any:
    assert _worker is not None
    work, stopped = _worker
    return None if stopped.is_set() else work(piece)
