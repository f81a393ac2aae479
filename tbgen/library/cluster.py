"""Cluster: tables made by the workers of a dask.distributed scheduler, in a folder that all machines share.

It only hands over tables: what is started when is the plan's business, as on a single machine. A worker that is lost is
the cluster's business first: its table is done again by another one. Where a table is given to several workers, one of
them makes it, and the others solve blocks of it (lending.py).
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tbgen.errors import UsageError
from tbgen.library.lending import Lending, help_with
from tbgen.library.steps import Machine
from tbgen.library.work import UNHEARD, Made, make_table
from tbgen.library.workers import WorkerLostError
from tbgen.system.process import keep_freed

_LOG = logging.getLogger("distributed.worker.tbgen")
"""What a worker writes among its other lines."""

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

    def submit_table(
        self, folder: Path, name: str, threads: int, memory: int | None = None, lent: int = 0
    ) -> Future[Made]:
        ours: Future[Made] = Future()
        what = folder.resolve(), name, threads, memory
        threading.Thread(target=self._follow, args=(what, 1 + lent, ours), daemon=True).start()
        return ours

    def _follow(self, what: tuple[Any, ...], workers: int, ours: Future[Made]) -> None:
        """Have a table made, and pass on what comes of it.

        Dask makes a lost worker's table on another one, but forgets it if no worker was there at that moment.
        """
        try:
            while True:
                given = self._free(workers)
                where = {"workers": given, "allow_other_workers": True} if given else {}
                theirs = self._client.submit(_make_table, self._work, given, *what, pure=False, **where)
                is_over = self._is_over(theirs)
                with self._choosing:
                    self._busy.difference_update(given)
                if is_over:
                    break
                theirs.cancel()
            _copy(theirs, ours)
        except BaseException as error:
            ours.set_exception(error)

    def _free(self, workers: int) -> list[str]:
        """Some of the workers that have nothing to do; they are busy from now on."""
        with self._choosing:
            free = [address for address in self._workers() if address not in self._busy][:workers]
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


def _make_table(
    work: Callable[..., Made], given: Sequence[str], folder: Path, name: str, threads: int, memory: int | None
) -> Made:
    """Make a table on one of the workers that it is given to; the others of them that are still there help."""
    keep_freed()
    distributed: Any = importlib.import_module("distributed")
    here, client = urlsplit(distributed.get_worker().address), distributed.get_client()
    there = client.scheduler_info(n_workers=-1)["workers"]
    others = [address for address in given if address in there and address != here.geturl()][: len(given) - 1]
    if not others or here.scheme != "tcp" or here.hostname is None:
        return work(folder, name, threads, UNHEARD, memory)
    try:
        lending = Lending(here.hostname, threads * len(others))
    except OSError as error:  # nobody can come here, but the table can be made
        _LOG.warning("%s is made without help: cannot listen on %s: %s", name, here.hostname, error)
        return work(folder, name, threads, UNHEARD, memory)
    what = help_with, folder, name, threads, lending.invitation
    helping = [client.submit(*what, pure=False, workers=[address]) for address in others]
    with lending:
        try:
            return work(folder, name, threads, UNHEARD, memory, lending)
        finally:
            client.cancel(helping)


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
