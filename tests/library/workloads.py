"""Workers that go wrong; in a module of its own, so that other processes can import it."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from tbgen.library.work import UNHEARD, Made, Report, make_table

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
