"""The workers that make tables: this process, processes beside it, or the workers of a dask scheduler.

Processes are started afresh (`spawn`), so that a solver with threads is safe in them, and are used again. A pipe leads
to each: tables to be made go down, progress and results come up, and its end says that the process is gone.

The solved blocks of a table with pawns lie in files beside it until it is written. A build that ends on the way leaves
them, and the next one goes on from them.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import logging
import multiprocessing
import multiprocessing.connection
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbgen.compiled.folders import source_digest
from tbgen.errors import TbgenError, UsageError
from tbgen.index.layout import layout_of
from tbgen.library.costs import fits_memory
from tbgen.library.plan import Settings
from tbgen.material import Material
from tbgen.score import Color
from tbgen.storage.arrays import zeros_in_file
from tbgen.storage.files import FileRecord, men_of_folder, mobility_of, partial_of, path_of, remove
from tbgen.storage.reader import TableFile
from tbgen.storage.scratch import ScratchStore, scratch_path
from tbgen.system import __version__
from tbgen.system.extras import how_to_install
from tbgen.system.process import follow_parent, forget_peak, peak_bytes

if TYPE_CHECKING:
    from tbgen.compiled.arrays import NewArray
    from tbgen.retro import BlockStore


Tell = Callable[[str, int | None, float, int], None]
"""Receives progress: the phase, an accrued code or None, the part done (0 to 1), the decided positions. Any thread may
call it.
"""


@dataclass(frozen=True)
class Made:
    """A finished table on the disk."""

    material: Material
    positions: int
    file: FileRecord


Maker = Callable[..., Made]
"""Makes a table like `make_table`, with the same parameters; a WorkerLostError means that another try may succeed."""


def make_table(
    folder: Path,
    name: str,
    threads: int,
    memory: int | None = None,
    outcomes_only: bool = False,
    tell: Tell = lambda *_: None,
) -> Made:
    """Solve a canonical material whose children are in the folder, and put its files there; OSError if it cannot.

    With `memory`, because the table needs more, large arrays lie in scratch files of the folder. Outcomes alone need no
    distances of the children.
    """
    from tbgen.retro import DISTANCES, OUTCOMES, solve_into
    from tbgen.storage.writer import check_library, write_table

    check_library()
    forget_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    material, source, mobility = (
        Material.parse(name, men_of_folder(folder)),
        source_digest(),
        mobility_of(folder),
    )
    new: NewArray = np.zeros if memory is None else partial(zeros_in_file, folder)
    with contextlib.ExitStack() as opened:
        children = {
            child: opened.enter_context(
                TableFile(path_of(folder, child), outcomes_only=outcomes_only)
            )
            for child in material.children()
        }
        digests = {str(child): file.digest for child, file in children.items()}
        facts = {
            "material": name,
            "game": str(mobility),
            "source": source,
            "outcomes_only": outcomes_only,
        }
        store = opened.enter_context(_block_store(folder, material, facts | {"children": digests}))
        method = OUTCOMES if outcomes_only else DISTANCES
        solved = solve_into(store, material, children, threads, tell, mobility, new, method)
        tell("writing", None, 1.0, 0)
        begun = time.perf_counter()
        written = write_table(
            folder,
            solved,
            generator=__version__,
            source=source,
            threads=threads,
            new=new,
            counters=threads if memory is None else 1,
            outcomes_only=outcomes_only,
        )
        phases = {**solved.phase_seconds, "writing": time.perf_counter() - begun}
    file = replace(
        written,
        phase_seconds={name: round(seconds, 3) for name, seconds in phases.items()},
        wall_seconds=round(time.perf_counter() - wall, 3),
        cpu_seconds=round(time.process_time() - cpu, 3),
        peak_bytes=peak_bytes(),
        threads=threads,
    )
    return Made(material, sum(map(solved.positions, Color)), file)


@contextlib.contextmanager
def _block_store(
    folder: Path, material: Material, identity: Mapping[str, Any]
) -> Iterator[BlockStore]:
    """A store for a table's blocks: on disk if they are many and large, with the blocks of an earlier build.

    When all went well its files are removed; otherwise they stay for the next attempt.
    """
    from tbgen.retro import MemoryStore

    layout = layout_of(material)
    if fits_memory(layout):
        yield MemoryStore()
        return
    path, plane = scratch_path(folder, material), layout.block_words * 64
    try:
        store = ScratchStore(path, identity, plane)
    except BlockingIOError:  # a worker that was given up may still be at the same table
        store = ScratchStore(partial_of(path), identity, plane)
    with store:
        yield store
        remove(store.path)


_SPAWN = multiprocessing.get_context("spawn")
_LEAVE_SECONDS = 2.0
_starting = threading.Lock()
"""Held while a process starts: a process that loses its parent before it has read its task would print an error."""

_working = threading.Lock()
"""A dask worker holds this lock while it makes a table, since dask may send one a thread."""

_CONNECT_SECONDS = 10
_LOOK_SECONDS = 1.0
_USABLE = 0.9
"""The usable part of a dask worker's memory limit: dask kills a worker at 0.95 of it, and takes some itself."""


_Pipe: TypeAlias = "Connection[tuple[Any, ...], tuple[Any, ...] | Made | Exception]"
"""Receives the first arguments of `make_table`; sends each progress report, then the table or an error."""


class WorkerLostError(Exception):
    """The process that made a table is gone."""


@contextlib.contextmanager
def processes(work: Maker = make_table) -> Iterator[Maker]:
    """Yields a function that makes tables in processes, one for each thread that calls it.

    A process that dies takes only its own table with it.
    """
    idle = list[tuple[_Pipe, SpawnProcess]]()

    def make(*table: Any) -> Made:
        *order, tell = table
        try:
            pipe, process = idle.pop()
        except IndexError:
            pipe, process = _started(work)
        try:
            pipe.send(tuple(order))
            while isinstance(answer := pipe.recv(), tuple):
                tell(*answer)
        except (EOFError, ConnectionError):
            process.join(_LEAVE_SECONDS)
            raise WorkerLostError(_end_of(process.exitcode)) from None
        idle.append((pipe, process))
        if isinstance(answer, Exception):
            raise answer
        return answer

    try:
        yield make
    finally:
        for pipe, process in idle:
            pipe.close()
            process.join(_LEAVE_SECONDS)
            process.kill()


def _started(work: Maker) -> tuple[_Pipe, SpawnProcess]:
    """A process that makes one table after another, and the pipe to it."""
    pipe, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs, work), daemon=True)
    with _starting:
        process.start()
    theirs.close()
    return pipe, process


def _serve(pipe: Connection[Any, Any], work: Maker) -> None:
    """The work of a process: make tables until the pipe closes."""
    follow_parent()
    lock = threading.Lock()

    def send(answer: Any) -> None:
        with lock:
            pipe.send(answer)

    with contextlib.suppress(EOFError):
        while True:
            table = pipe.recv()
            try:
                send(work(*table, lambda *facts: send(facts)))
            except Exception as error:
                can_travel = isinstance(
                    error, (TbgenError, OSError, MemoryError)
                )  # other errors may fail to pickle
                send(error if can_travel else RuntimeError(f"{type(error).__name__}: {error}"))


def _end_of(code: int | None) -> str:
    """How a process ended.

    >>> _end_of(-9)
    'killed by SIGKILL'
    """
    if code is None or code >= 0:
        return f"ended with code {code}"
    names = {each.value: each.name for each in signal.Signals}
    return f"killed by {names.get(-code, f'signal {-code}')}"


def kill_all() -> None:
    """End all processes that make tables, at once; none can start any more."""
    _starting.acquire()
    children = multiprocessing.active_children()
    for process in children:
        process.kill()
    for process in children:
        multiprocessing.connection.wait([process.sentinel], _LEAVE_SECONDS)


class Cluster(contextlib.AbstractContextManager["Cluster"]):
    """Makes one table at a time on each worker of a dask scheduler, in a folder that all machines share."""

    def __init__(self, address: str, work: Maker = make_table) -> None:
        self._address, self._work = address, work
        try:
            self._dask: Any = importlib.import_module("distributed")
        except ImportError:
            install = how_to_install("cluster")
            reason = f"--cluster needs dask.distributed; install it with: {install}"
            raise UsageError(reason) from None
        logging.getLogger("distributed.client").setLevel(
            logging.CRITICAL
        )  # the progress of the build needs the line
        try:
            self._client = self._dask.Client(address, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            reason = str(error) or "no answer in time"
            raise UsageError(f"no dask scheduler answers at {address}: {reason}") from None

    def settings(self, given: Settings) -> Settings:
        """One job for each worker, each with the memory and threads of the smallest worker."""
        workers = self._workers().values()
        if not workers:
            raise UsageError(
                "the cluster has no workers; start some with: dask worker ADDRESS --nthreads N"
            )
        threads = min(int(worker["nthreads"]) for worker in workers)
        limits = [
            int(_USABLE * worker["memory_limit"]) for worker in workers if worker["memory_limit"]
        ]
        memory = min(limits if given.memory is None else [*limits, given.memory], default=None)
        return replace(given, threads=threads * len(workers), jobs=len(workers), memory=memory)

    def make(self, *table: Any) -> Made:
        """Make a table as `make_table` does, on the worker that dask chooses, and on others if that is lost.

        Dask reports no progress: nothing calls the last argument.
        """
        done = threading.Event()
        try:
            theirs = self._client.submit(_made_alone, self._work, table[:-1], pure=False)
            theirs.add_done_callback(lambda _: done.set())
            while not done.wait(_LOOK_SECONDS):
                self._workers()  # a lost scheduler is an error
            made: Made = theirs.result()
            return made
        except (self._dask.KilledWorker, self._dask.CancelledError):
            self._workers()
            raise WorkerLostError("lost with its workers, again and again") from None

    def _workers(self) -> dict[str, dict[str, Any]]:
        """The facts of all workers by address; OSError if the scheduler does not answer."""
        try:
            return dict(self._client.scheduler_info(n_workers=-1)["workers"])
        except (KeyError, OSError):
            raise OSError(
                errno.EIO, "the dask scheduler no longer answers", self._address
            ) from None

    def __exit__(self, *error: object) -> None:
        self._client.close()


def _made_alone(work: Maker, table: tuple[Any, ...]) -> Made:
    """Make a table on a dask worker, once it makes no other."""
    with _working:
        return work(*table)
