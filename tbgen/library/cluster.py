"""Cluster: tables made by the workers of a dask.distributed scheduler, in a folder that all machines share.

It only hands over tables: what is started when is the plan's business, as on a single machine. A worker that is lost is
the cluster's business first: its table is done again by another one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

from tbgen.errors import UsageError
from tbgen.library.plan import Machine
from tbgen.library.work import UNHEARD, Made, make_table
from tbgen.library.workers import WorkerLostError

_CONNECT_SECONDS = 10

_USABLE = 0.9
"""Of a worker's memory limit: dask kills a worker that takes 0.95 of it, and takes some itself."""


class Cluster:
    """Makes a table on each worker."""

    def __init__(self, address: str, work: Callable[..., Made] = make_table) -> None:
        self._client = _connected(address)
        self._work = work
        self._busy: set[str] = set()

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
        free = [address for address in self._workers() if address not in self._busy]
        where = {"workers": free[:1], "allow_other_workers": True} if free else {}
        self._busy.update(free[:1])
        theirs = self._client.submit(self._work, folder.resolve(), name, threads, UNHEARD, memory, pure=False, **where)
        ours: Future[Made] = Future()

        def hand_over(done: Any) -> None:
            self._busy.difference_update(free[:1])
            _copy(done, ours)

        theirs.add_done_callback(hand_over)
        return ours

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
