"""Workers: who makes the tables. All offer `submit` as concurrent.futures has it.

Processes are started afresh (`spawn`), so that a solver with threads is safe in them, and are used again. A pipe
leads to each: down go the tables to be made, up come progress and results, and its end says that the process is gone.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

from tbgen.library.work import Made, Report, Work, make_table
from tbgen.material import Material
from tbgen.system.parent import follow_parent

_SPAWN = multiprocessing.get_context("spawn")
_TELL_SECONDS = 0.2
"""A process does not speak of its progress more often."""
_LEAVE_SECONDS = 2.0
_starting = threading.Lock()
"""Held while a process starts: one that loses its parent before it has read what it is for would complain."""


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

    def _make(self, folder: Path, name: str, threads: int, memory: int | None) -> Made:
        try:
            process = self._idle.pop()
        except IndexError:
            process = _Process(self._work)
        made = process.make(folder, name, threads, memory, self._report)
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

    def make(self, folder: Path, name: str, threads: int, memory: int | None, report: Report) -> Made:
        """The table, once it is made; what goes wrong there is raised here."""
        try:
            self._pipe.send((folder, name, threads, memory))
            while True:
                kind, facts = self._pipe.recv()
                if kind == "made":
                    made: Made = facts
                    return made
                if kind == "failed":
                    raise facts
                getattr(report, kind)(*facts)
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


def _end_of(code: int | None) -> str:
    """How a process ended.

    >>> _end_of(-9)
    'killed by SIGKILL'
    """
    if code is None or code >= 0:
        return f"ended with code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


class _Upwards:
    """Tells the process above, now and then."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe = pipe
        self._last = 0.0
        self._lock = threading.Lock()

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        if time.monotonic() - self._last >= _TELL_SECONDS:
            self._last = time.monotonic()
            self.send("progress", (material, phase, level, done, decided))

    def send(self, kind: str, facts: Any) -> None:
        with self._lock:
            self._pipe.send((kind, facts))


def _serve(pipe: Connection[Any, Any], work: Callable[..., Made]) -> None:
    """What a process does: make what it is told to, until nobody is there any more."""
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
