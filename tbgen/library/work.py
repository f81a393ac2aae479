"""Work: one table, from its children's files to its own, wherever it is called: here, in a process, on a cluster."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from tbgen.library.making import Tell, make_file
from tbgen.library.manifest import FileRecord
from tbgen.material import Material
from tbgen.score import Color
from tbgen.system.process import forget_peak, give_back, peak_bytes

_REPEAT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Made:
    """A table that is on the disk."""

    material: Material
    positions: int
    file: FileRecord


class Report(Protocol):
    """Who is told how the work goes on; from any thread, and often."""

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        """The part of the table's work that is done (0 to 1), and how many positions are decided."""


class Unheard:
    """A report that nobody reads."""

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        pass


UNHEARD = Unheard()
Work = Callable[[Path, str, int, Report, int | None], Made]


def make_table(
    folder: Path,
    name: str,
    threads: int,
    report: Report = UNHEARD,
    memory: int | None = None,
) -> Made:
    """Solve a canonical material whose children are in the folder, and put its file there.

    It keeps within so many bytes of memory, if it is told to and a table of its kind can.
    """
    material = Material.parse(name)

    tell = partial(report.progress, material)
    give_back()
    forget_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    with _repeating(tell) as tell_now:
        written, solved = make_file(folder, material, threads, tell_now, memory)
    figures = dataclasses.replace(
        solved.figures,
        wall_seconds=time.perf_counter() - wall,
        cpu_seconds=time.process_time() - cpu,
        peak_bytes=peak_bytes(),
    )
    made = FileRecord.of_build(written, figures, str(solved.game))
    return Made(material, sum(solved.positions(side) for side in Color), made)


@contextlib.contextmanager
def _repeating(tell: Tell) -> Iterator[Tell]:
    """Tell what was told last once more every second, for some phases tell nothing until they are over."""
    last: list[tuple[str, int | None, float, int]] = []
    is_over = threading.Event()

    def tell_now(phase: str, level: int | None, done: float, decided: int) -> None:
        last[:] = [(phase, level, done, decided)]
        tell(phase, level, done, decided)

    def repeat() -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            while not is_over.wait(_REPEAT_SECONDS):
                for facts in last:
                    tell(*facts)

    repeating = threading.Thread(target=repeat, daemon=True)
    repeating.start()
    try:
        yield tell_now
    finally:
        is_over.set()
        repeating.join()
