"""Cluster: tables made by the workers of a dask.distributed scheduler, in a folder that all machines share.

It only hands over tables: what is started when is the plan's business, as on a single machine. A worker that is lost is
the cluster's business first: its table is done again by another one.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

from tbgen.errors import UsageError
from tbgen.library.steps import Machine
from tbgen.library.work import UNHEARD, Made, make_table
from tbgen.library.workers import WorkerLostError
from tbgen.system.process import keep_freed

_CONNECT_SECONDS = 10

_LOOK_SECONDS, _LOOKS = 1.0, 3
"""A table that no worker has had so often, when it was looked for, is given out again."""

_USABLE = 0.9
"""Of a worker's memory limit: dask kills a worker that takes 0.95 of it, and takes some itself."""


class Cluster:
    """Makes a table on each worker."""

    def __init__(self, address: str, work: Callable[..., Made] = make_table) -> None:
        self._client = _connected(address)
        self._work = work
        self._busy: set[str] = set()
        self._choosing = threading.Lock()

    def machine(self, memory: int | None = None) -> Machine:
        """What the workers have: each makes a table at a time, with the least memory and threads that any has."""
        workers = self._workers()
        if not workers:
            raise UsageError("the cluster has no workers; start some with: dask worker ADDRESS --nthreads N")
        threads = min(int(worker["nthreads"]) for worker in workers.values())
        limits = [int(_USABLE * worker["memory_limit"]) for worker in workers.values() if worker["memory_limit"]]
        limits += [] if memory is None else [memory]
        return Machine(threads * len(workers), len(workers), job_memory=min(limits, default=1 << 62))

    def submit_table(self, folder: Path, name: str, threads: int, memory: int | None = None) -> Future[Made]:
        ours: Future[Made] = Future()
        what = folder.resolve(), name, threads, memory
        threading.Thread(target=self._follow, args=(what, ours), daemon=True).start()
        return ours

    def _follow(self, what: tuple[Any, ...], ours: Future[Made]) -> None:
        """Have a table made, and pass on what comes of it.

        Dask makes a lost worker's table on another one, but forgets it if no worker was there at that moment.
        """
        try:
            while True:
                given = self._free()
                where = {"workers": given, "allow_other_workers": True} if given else {}
                theirs = self._client.submit(_make_table, self._work, *what, pure=False, **where)
                is_over = self._is_over(theirs)
                with self._choosing:
                    self._busy.difference_update(given)
                if is_over:
                    break
                theirs.cancel()
            _copy(theirs, ours)
        except BaseException as error:
            ours.set_exception(error)

    def _free(self) -> list[str]:
        """A worker that has nothing to do, if there is one; it is busy from now on."""
        with self._choosing:
            free = [address for address in self._workers() if address not in self._busy][:1]
            self._busy.update(free)
            return free

    def _is_over(self, theirs: Any) -> bool:
        """Wait until a table is made, or cannot be; False when no worker is to make it although some are there."""
        done, nowhere = threading.Event(), 0
        theirs.add_done_callback(lambda _: done.set())
        while not done.wait(_LOOK_SECONDS):
            at_work: dict[str, Any] = {}
            with contextlib.suppress(OSError):  # a scheduler that is gone shows otherwise
                at_work = self._client.processing()
            nowhere = nowhere + 1 if at_work and not any(theirs.key in keys for keys in at_work.values()) else 0
            if nowhere == _LOOKS:
                return bool(theirs.done())
        return True

    def _workers(self) -> dict[str, dict[str, Any]]:
        return dict(self._client.scheduler_info(n_workers=-1)["workers"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()


def _connected(address: str) -> Any:
    """A client of the scheduler there."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise UsageError("--cluster needs dask.distributed; install it with: pip install 'tbgen[cluster]'") from None
    try:
        return distributed.Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise UsageError(f"no dask scheduler answers at {address}: {error or 'no answer in time'}") from None


def _make_table(work: Callable[..., Made], folder: Path, name: str, threads: int, memory: int | None) -> Made:
    """Make a table on the worker where this is called."""
    keep_freed()
    return work(folder, name, threads, UNHEARD, memory)


def _copy(theirs: Any, ours: Future[Made]) -> None:
    """Give our future what theirs has come to."""
    distributed: Any = importlib.import_module("distributed")
    if theirs.cancelled():
        ours.set_exception(WorkerLostError("given up by the cluster"))
        return
    error = theirs.exception()
    if isinstance(error, (distributed.KilledWorker, distributed.CancelledError)):
        ours.set_exception(WorkerLostError("lost with its workers, again and again"))
    elif error is not None:
        ours.set_exception(error)
    else:
        ours.set_result(theirs.result())
