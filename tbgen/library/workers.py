"""Workers: who makes the tables: this process, processes beside it, or the workers of a dask scheduler.

Processes are started afresh (`spawn`), so that a solver with threads is safe in them, and are used again. A pipe leads
to each: tables to be made go down, progress and results come up, and its end says that the process is gone.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import multiprocessing.connection
import pickle
import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, Self

from tbgen.errors import UsageError
from tbgen.library.plan import Machine
from tbgen.library.work import UNHEARD, Made, Report, Work, make_table
from tbgen.material import Material
from tbgen.system.process import follow_parent, keep_freed

_SPAWN = multiprocessing.get_context("spawn")
_TELL_SECONDS = 0.2
"""A process does not speak of its progress more often."""
_LEAVE_SECONDS = 2.0
_starting = threading.Lock()
"""Held while a process starts: one that loses its parent before it has read what it is for would complain."""

_CONNECT_SECONDS = 10
_LOOK_SECONDS, _LOOKS = 1.0, 3
"""A table that no worker of a cluster has so often in a row, when tbgen looks for it, is given out again."""
_USABLE = 0.9
"""Of a dask worker's memory limit: dask kills a worker that takes 0.95 of it, and takes some itself."""


class WorkerLostError(Exception):
    """The process that made a table is gone."""


class Workers(Protocol):
    """Where tables are made; a future fails with WorkerLostError if it may be worth trying again."""

    def submit_table(self, folder: Path, name: str, threads: int, memory: int | None = None) -> Future[Made]:
        """Make a table on one of the workers."""


class Here(ThreadPoolExecutor):
    """Makes tables in this process, one at a time."""

    def __init__(self, report: Report, work: Work = make_table) -> None:
        super().__init__(1)
        self._report, self._work = report, work

    def submit_table(self, folder: Path, name: str, threads: int, memory: int | None = None) -> Future[Made]:
        return self.submit(self._work, folder, name, threads, self._report, memory)


class Processes(ThreadPoolExecutor):
    """Makes tables in processes, as many as there are jobs; a process that dies takes only its own table with it."""

    def __init__(self, jobs: int, report: Report, work: Work = make_table) -> None:
        super().__init__(jobs)
        self._report, self._work = report, work
        self._idle: list[_Process] = []

    def submit_table(self, folder: Path, name: str, threads: int, memory: int | None = None) -> Future[Made]:
        return self.submit(self._make, folder, name, threads, memory)

    def _make(self, *table: Any) -> Made:
        try:
            process = self._idle.pop()
        except IndexError:
            process = _Process(self._work)
        made = process.make(table, self._report)
        self._idle.append(process)
        return made

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        for process in self._idle:
            process.leave()


class _Process:
    """A process that makes one table after another."""

    def __init__(self, work: Work) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(theirs, work), daemon=True)
        with _starting:
            self._process.start()
        theirs.close()

    def make(self, table: tuple[Any, ...], report: Report) -> Made:
        """The table, once it is made; what goes wrong there is raised here."""
        try:
            self._pipe.send(table)
            while True:
                kind, facts = self._pipe.recv()
                if kind == "made":
                    made: Made = facts
                    return made
                if kind == "failed":
                    raise facts
                report.progress(*facts)
        except (EOFError, ConnectionError):
            self._process.join(_LEAVE_SECONDS)
            raise WorkerLostError(_end_of(self._process.exitcode)) from None
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join(_LEAVE_SECONDS)
        self._process.kill()


class _Upwards:
    """Tells the process above, now and then."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe, self._last, self._lock = pipe, 0.0, threading.Lock()

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        if time.monotonic() - self._last >= _TELL_SECONDS:
            self._last = time.monotonic()
            self.send("progress", (material, phase, level, done, decided))

    def send(self, kind: str, facts: Any) -> None:
        with self._lock:
            self._pipe.send((kind, facts))


def _serve(pipe: Connection[Any, Any], work: Work) -> None:
    """What a process does: make tables until nobody asks for them any more."""
    follow_parent()
    upwards = _Upwards(pipe)
    while True:
        try:
            folder, name, threads, memory = pipe.recv()
        except EOFError:
            return
        try:
            upwards.send("made", work(folder, name, threads, upwards, memory))
        except Exception as error:
            upwards.send("failed", _as_can_travel(error))


def _as_can_travel(error: Exception) -> Exception:
    """The error itself, or one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_of(code: int | None) -> str:
    """How a process ended.

    >>> _end_of(-9)
    'killed by SIGKILL'
    """
    if code is None or code >= 0:
        return f"ended with code {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"


def kill_all(*, for_good: bool = False) -> None:
    """End all processes that make tables, at once; `for_good` if none may be started any more."""
    _starting.acquire()
    processes = multiprocessing.active_children()
    for process in processes:
        process.kill()
    if not for_good:
        _starting.release()
    for process in processes:
        multiprocessing.connection.wait([process.sentinel], _LEAVE_SECONDS)


class Cluster:
    """Makes a table on each worker of a dask scheduler, in a folder that all machines share.

    When a worker is lost, dask makes its table on another one.
    """

    def __init__(self, address: str, work: Work = make_table) -> None:
        self._client, self._work = _connected(address), work
        self._busy: set[str] = set()
        self._choosing = threading.Lock()

    def machine(self, memory: int | None = None) -> Machine:
        """A job for each worker, all with the least memory and threads that any worker has."""
        workers = self._workers()
        if not workers:
            raise UsageError("the cluster has no workers; start some with: dask worker ADDRESS --nthreads N")
        threads = min(int(worker["nthreads"]) for worker in workers.values())
        limits = [int(_USABLE * worker["memory_limit"]) for worker in workers.values() if worker["memory_limit"]]
        limits += [] if memory is None else [memory]
        return Machine(threads * len(workers), len(workers), min(limits, default=None), is_cluster=True)

    def submit_table(self, folder: Path, name: str, threads: int, memory: int | None = None) -> Future[Made]:
        ours: Future[Made] = Future()
        table = folder.resolve(), name, threads, memory
        threading.Thread(target=self._follow, args=(table, ours), daemon=True).start()
        return ours

    def _follow(self, table: tuple[Any, ...], ours: Future[Made]) -> None:
        """Have a table made, and pass on what comes of it.

        Dask forgets the table of a lost worker if no other was there at that moment: then it is given out again.
        """
        try:
            while True:
                chosen = self._free_worker()
                where = {"workers": chosen, "allow_other_workers": True} if chosen else {}
                theirs = self._client.submit(_make_there, self._work, table, pure=False, **where)
                is_over = self._is_over(theirs)
                with self._choosing:
                    self._busy.difference_update(chosen)
                if is_over:
                    break
                theirs.cancel()
            _copy(theirs, ours)
        except BaseException as error:
            ours.set_exception(error)

    def _free_worker(self) -> list[str]:
        """A worker that has nothing to do, if there is one; it is busy from now on."""
        with self._choosing:
            free = [address for address in self._workers() if address not in self._busy][:1]
            self._busy.update(free)
            return free

    def _is_over(self, theirs: Any) -> bool:
        """Wait until a table is made, or cannot be; False when no worker makes it although some are there."""
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


def _make_there(work: Work, table: tuple[Path, str, int, int | None]) -> Made:
    """Make a table on the worker where this is called."""
    keep_freed()
    folder, name, threads, memory = table
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
