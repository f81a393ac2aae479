"""Workers that go wrong; in a module of its own, so that other processes can import it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from tbgen import table
from tbgen.library.lending import Lending
from tbgen.library.work import UNHEARD, Made, Report, make_table
from tbgen.retro import Shared
from tbgen.retro.drive.hand_out import Needed
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.run_solver import Blocks, SolvedRun

VICTIM = "KNvK"

SECONDS_TO_LIVE = 20.0
"""CPU seconds: a table of five men takes longer."""


def dies_once(folder: Path, name: str, threads: int, report: Report = UNHEARD, memory: int | None = None) -> Made:
    """As make_table, but the first process that is to make the victim is killed."""
    mark = folder / "killed"
    if name == VICTIM and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return make_table(folder, name, threads, report, memory)


def dies_in_the_middle(
    folder: Path, name: str, threads: int, report: Report = UNHEARD, memory: int | None = None
) -> Made:
    """As make_table, but the first process that is at a table is killed when it has worked on it for a while."""
    mark = folder / f"{name}.killed"
    if not mark.exists():
        mark.touch()
        threading.Thread(target=_die_after, args=(SECONDS_TO_LIVE,), daemon=True).start()
    return make_table(folder, name, threads, report, memory)


def _die_after(cpu_seconds: float) -> None:
    end = time.process_time() + cpu_seconds
    while time.process_time() < end:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


def always_dies(folder: Path, name: str, threads: int, report: Report = UNHEARD, memory: int | None = None) -> Made:
    """As make_table, but whoever is to make the victim is killed."""
    if name == VICTIM:
        os.kill(os.getpid(), signal.SIGKILL)
    return make_table(folder, name, threads, report, memory)


def fails_strangely(folder: Path, name: str, threads: int, report: Report = UNHEARD, memory: int | None = None) -> Made:
    """As make_table, but the victim meets an error that cannot be sent to another process."""

    class StrangeError(Exception):
        pass

    if name == VICTIM:
        raise StrangeError("something odd")
    return make_table(folder, name, threads, report, memory)


def sleeps(folder: Path, name: str, threads: int, report: Report = UNHEARD, memory: int | None = None) -> Made:
    """Tells who it is, then is busy for a long time."""
    (folder / f"{os.getpid()}.pid").touch()
    time.sleep(60)
    return make_table(folder, name, threads, report, memory)


def writes_elsewhere(
    folder: Path, name: str, threads: int, report: Report = UNHEARD, memory: int | None = None
) -> Made:
    """As make_table, in a folder of the same name on another machine."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return make_table(elsewhere, name, threads, report, memory)


LONGEST_WAIT = 60.0
"""Seconds that a helper has to come: it starts a program."""

HELPED, HELPER_LOST, MAKER_LOST = "helped", "helper lost", "maker lost"
"""Files beside the tables that say what happened."""


def is_helped(
    folder: Path,
    name: str,
    threads: int,
    report: Report = UNHEARD,
    memory: int | None = None,
    lending: Lending | None = None,
) -> Made:
    """As make_table, but who makes a table begins only when somebody has solved a run of it."""
    return _made(folder, name, threads, memory, None if lending is None else Watched(lending, folder))


def loses_workers(
    folder: Path,
    name: str,
    threads: int,
    report: Report = UNHEARD,
    memory: int | None = None,
    lending: Lending | None = None,
) -> Made:
    """The same, but one that helps is killed when some runs are solved, and later on who makes the table.

    Blocks are kept on disk.
    """
    table.MOST_KEPT_CELLS = 0
    return _made(folder, name, threads, memory, None if lending is None else Losing(lending, folder))


def _made(folder: Path, name: str, threads: int, memory: int | None, lending: Watched | None) -> Made:
    if lending is None:
        return make_table(folder, name, threads, UNHEARD, memory)
    solve_runs, keep = ManyBlocks._solve_runs, ManyBlocks._keep

    def wait_and_solve(many: ManyBlocks) -> None:
        lending.is_helped.wait(LONGEST_WAIT)
        solve_runs(many)

    def keep_and_tell(many: ManyBlocks, blocks: Blocks, solved: SolvedRun) -> None:
        keep(many, blocks, solved)
        lending.is_kept()

    with mock.patch.multiple(ManyBlocks, _solve_runs=wait_and_solve, _keep=keep_and_tell):
        return make_table(folder, name, threads, UNHEARD, memory, lending)


class Watched(Lending):
    """Lending that says what happens."""

    def __init__(self, lending: Lending, folder: Path) -> None:
        self.__dict__.update(lending.__dict__)
        self.folder = folder
        self.is_helped = threading.Event()
        self.kept = 0

    @contextmanager
    def at_work(self, shared: Shared) -> Iterator[None]:
        with super().at_work(_Counted(shared, self)):
            yield

    def is_kept(self) -> None:
        """A run has been kept, whoever has solved it."""
        self.kept += 1


class Losing(Watched):
    """Kills processes, each once."""

    def __init__(self, lending: Lending, folder: Path) -> None:
        from distributed import get_client

        super().__init__(lending, folder)
        client: Any = get_client()
        self.others = sorted(set(client.run(os.getpid).values()) - {os.getpid()})

    def is_kept(self) -> None:
        super().is_kept()
        if self.kept == 3:
            self._kill(self.others[0], HELPER_LOST)
        if self.kept == 20:
            self._kill(os.getpid(), MAKER_LOST)

    def _kill(self, process: int, mark: str) -> None:
        if not (self.folder / mark).exists():
            (self.folder / mark).touch()
            os.kill(process, signal.SIGKILL)


class _Counted:
    """A table's blocks; whoever lends is told of those that helpers have solved."""

    def __init__(self, shared: Shared, watched: Watched) -> None:
        self.shared, self.watched = shared, watched

    def take(self) -> Needed | None:
        return self.shared.take()

    def give_back(self, blocks: Blocks) -> None:
        self.shared.give_back(blocks)

    def keep(self, solved: SolvedRun, cpu_seconds: float) -> None:
        self.shared.keep(solved, cpu_seconds)
        (self.watched.folder / HELPED).touch()
        self.watched.is_helped.set()
