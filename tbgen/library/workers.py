"""The workers that make tables: this process, others beside it, or those of dask; `plan` says how
many.

Processes are started afresh (`spawn`), so that a solver with threads is safe in them, and are used
again. A pipe leads to each: tables to be made go down, progress and results come up, and its end
says that the process is gone.

The solved blocks of a table with pawns lie in files beside it until it is written. A build that
ends on the way leaves them, and the next one goes on from them.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import logging
import multiprocessing
import multiprocessing.connection
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
from tbgen.compiled.notice import Notice, give, heard_by
from tbgen.errors import TbgenError, UsageError
from tbgen.index.layout import layout_of
from tbgen.library.costs import fits_memory
from tbgen.library.plan import Settings
from tbgen.material import Material, TableMaterial, table_named
from tbgen.score import Color
from tbgen.storage.arrays import zeros_in_file
from tbgen.storage.files import FileRecord, men_of_folder, mobility_of, partial_of, path_of, remove
from tbgen.storage.reader import TableFile
from tbgen.storage.scratch import ScratchStore, scratch_path
from tbgen.system import __version__
from tbgen.system.extras import how_to_install
from tbgen.system.process import follow_parent, forget_peak, how_it_ended, peak_bytes
from tbgen.system.watching import WatchTable, tell_nobody

if TYPE_CHECKING:
    from tbgen.compiled.arrays import NewArray
    from tbgen.retro import TableStore


@dataclass(frozen=True)
class BuiltTable:
    """A finished table on the disk."""

    material: TableMaterial
    positions: int
    file: FileRecord


Maker = Callable[..., BuiltTable]
"""Makes a table like `make_table`, with the same parameters.

A WorkerLostError means that another try may succeed.
"""


def make_table(
    folder: Path,
    name: str,
    threads: int,
    memory: int | None = None,
    outcomes_only: bool = False,
    tell: WatchTable = tell_nobody,
) -> BuiltTable:
    """Solve a canonical material whose children are in the folder, and put its files there.

    OSError if it cannot. With `memory`, because the table needs more, large arrays lie in scratch
    files of the folder. Outcomes alone need no distances of the children.
    """
    from tbgen.retro import DISTANCES, OUTCOMES, solve_into
    from tbgen.storage.writer import check_library, write_table

    check_library()
    forget_peak()
    wall_begun = time.perf_counter()
    cpu_begun = time.process_time()
    material = table_named(name, men_of_folder(folder))
    source = source_digest()
    mobility = mobility_of(folder)
    new: NewArray = np.zeros if memory is None else partial(zeros_in_file, folder)
    with contextlib.ExitStack() as opened:
        children = dict[Material, TableFile]()
        for child in material.children():
            file = TableFile(path_of(folder, child), outcomes_only=outcomes_only)
            children[child] = opened.enter_context(file)
        identity = {
            "material": name,
            "game": str(mobility),
            "source": source,
            "outcomes_only": outcomes_only,
            "children": {str(child): file.digest for child, file in children.items()},
        }
        store = opened.enter_context(_block_store(folder, material, identity))
        method = OUTCOMES if outcomes_only else DISTANCES
        solved = solve_into(store, material, children, threads, tell, mobility, new, method)
        tell("writing", None, 1.0, 0)
        writing_begun = time.perf_counter()
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
        phases = dict(solved.phase_seconds)
        phases["writing"] = time.perf_counter() - writing_begun
    record = replace(
        written,
        phase_seconds={phase: round(seconds, 3) for phase, seconds in phases.items()},
        wall_seconds=round(time.perf_counter() - wall_begun, 3),
        cpu_seconds=round(time.process_time() - cpu_begun, 3),
        peak_bytes=peak_bytes(),
        threads=threads,
    )
    return BuiltTable(material, sum(map(solved.positions, Color)), record)


@contextlib.contextmanager
def _block_store(
    folder: Path, material: TableMaterial, identity: Mapping[str, Any]
) -> Iterator[TableStore]:
    """A store for a table's blocks, with those of an earlier build.

    It is on disk if they are many and large. When all went well its files are removed; otherwise
    they stay for the next attempt.
    """
    from tbgen.retro import MemoryStore

    layout = layout_of(material)
    if fits_memory(layout):
        yield MemoryStore()
        return
    path = scratch_path(folder, material)
    plane = layout.block_words * 64
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
"""Held while a process starts.

A process that loses its parent before it has read its task would print an error.
"""

_working = threading.Lock()
"""A dask worker holds this lock while it makes a table, since dask may send one a thread."""

_CONNECT_SECONDS = 10
_LOOK_SECONDS = 1.0
_USABLE = 0.9
"""The usable part of a dask worker's limit: dask kills it at 0.95, and takes some itself."""


_Pipe: TypeAlias = "Connection[tuple[Any, ...], tuple[Any, ...] | Notice | BuiltTable | Exception]"
"""Receives the first arguments of `make_table`.

Sends each progress report and notice, then the table or an error.
"""


class WorkerLostError(Exception):
    """The process that made a table is gone."""


@contextlib.contextmanager
def processes(work: Maker = make_table) -> Iterator[Maker]:
    """Yields a function that makes tables in processes, one for each thread that calls it.

    A process that dies takes only its own table with it.
    """
    idle = list[tuple[_Pipe, SpawnProcess]]()

    def make(*arguments: Any) -> BuiltTable:
        *table, tell = arguments
        try:
            pipe, process = idle.pop()
        except IndexError:
            pipe, process = _started(work)
        try:
            pipe.send(tuple(table))
            answer = pipe.recv()
            while isinstance(answer, (tuple, Notice)):
                if isinstance(answer, Notice):
                    give(answer)
                else:
                    tell(*answer)
                answer = pipe.recv()
        except (EOFError, ConnectionError):
            pipe.close()
            process.join(_LEAVE_SECONDS)
            process.kill()  # nobody works beside the next try
            process.join()
            assert process.exitcode is not None
            raise WorkerLostError(how_it_ended(process.exitcode)) from None
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
    pipe, pipe_of_process = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(pipe_of_process, work), daemon=True)
    with _starting:
        process.start()
    pipe_of_process.close()
    return pipe, process


def _serve(pipe: Connection[Any, Any], work: Maker) -> None:
    """The work of a process: make tables until the pipe closes."""
    follow_parent()
    lock = threading.Lock()

    def send(answer: Any) -> None:
        with lock:
            pipe.send(answer)

    def tell(*facts: Any) -> None:
        send(facts)

    with contextlib.suppress(EOFError), heard_by(send):
        while True:
            table = pipe.recv()
            try:
                send(work(*table, tell))
            except (TbgenError, OSError, MemoryError) as error:
                send(error)
            except Exception as error:  # it may fail to pickle
                send(RuntimeError(f"{type(error).__name__}: {error}"))


def kill_all() -> None:
    """End all processes that make tables, at once; none can start any more."""
    _starting.acquire()
    children = multiprocessing.active_children()
    for process in children:
        process.kill()
    for process in children:
        multiprocessing.connection.wait([process.sentinel], _LEAVE_SECONDS)


class Cluster(contextlib.AbstractContextManager["Cluster"]):
    """Makes tables on the workers of a dask scheduler, one a worker, in a shared folder."""

    def __init__(self, address: str, work: Maker = make_table) -> None:
        self._address = address
        self._work = work
        try:
            self._dask: Any = importlib.import_module("distributed")
        except ImportError:
            install = how_to_install("cluster")
            reason = f"--cluster needs dask.distributed; install it with: {install}"
            raise UsageError(reason) from None
        # The progress of the build needs the line.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
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
        limits = list[int]()
        if given.memory is not None:
            limits.append(given.memory)
        for worker in workers:
            if worker["memory_limit"]:
                limits.append(int(_USABLE * worker["memory_limit"]))
        memory = min(limits, default=None)
        return replace(given, threads=threads * len(workers), jobs=len(workers), memory=memory)

    def make(self, *arguments: Any) -> BuiltTable:
        """Make a table as `make_table` does, on a worker that dask chooses.

        If that is lost, others follow. Dask reports no progress: nothing calls the last argument.
        """
        *table, _ = arguments
        done = threading.Event()
        try:
            future = self._client.submit(_made_alone, self._work, tuple(table), pure=False)
            future.add_done_callback(lambda _: done.set())
            while not done.wait(_LOOK_SECONDS):
                self._workers()  # a lost scheduler is an error
            built: BuiltTable = future.result()
            return built
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


def _made_alone(work: Maker, table: tuple[Any, ...]) -> BuiltTable:
    """Make a table on a dask worker, once it makes no other."""
    with _working:
        return work(*table)
