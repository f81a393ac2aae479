"""How a build is shown: on a terminal, as plain lines, or not at all."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import click

from tbgen.cli.first_use import COMPILING, Lines
from tbgen.cli.terminal import FRAMES_A_SECOND, LINE_SECONDS, duration, timing
from tbgen.errors import TbgenError
from tbgen.library.build import Built
from tbgen.library.costs import seconds_left
from tbgen.library.survey import Condition, Finding
from tbgen.material import Material

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_QUIET_SECONDS = 2.0
_FORECAST_SECONDS = 60.0


class QuietWatcher:
    """Shows nothing, but keeps what was built."""

    def __init__(self) -> None:
        self.made: list[Built] = []
        self._expected: dict[Material, float] = {}
        self.has_lock = False
        self._saying = threading.RLock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal as it was; nothing is said any more, whatever the threads of a build still find out."""
        with self._saying:
            self._closed = True

    def say(self, text: str) -> None:
        """Give a text a line of its own."""
        with self._saying:
            if not self._closed:
                self._show(text)

    def _show(self, text: str) -> None:
        """Put a line where it is seen."""

    def examines(self, material: Material, number: int, total: int) -> None:
        """See tbgen.library.build.Watcher."""

    def waiting(self) -> None:
        self.say("another build is at work in this folder; waiting for it to end ...")

    def compiles(self, done: int, total: int) -> None:
        """See tbgen.library.build.Watcher."""

    def begins(self, finding: Finding, number: int, total: int) -> None:
        self.has_lock = True
        if finding.condition in (Condition.DAMAGED, Condition.OUTDATED):
            self.say(f"{finding.material} is {finding.condition.value} ({finding.reason}); building it again")

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        """See tbgen.library.work.Report."""

    def expects(self, material: Material, seconds: float) -> None:
        self._expected[material] = seconds

    def outlook(self, material: Material, elapsed: float, phase: str, done: float) -> tuple[float, str]:
        """The part of a table's time that is over, and what is said of that time."""
        expected = self._expected.get(material)
        if expected is None:
            return done, timing(elapsed, done)
        left = seconds_left(expected, elapsed, phase, done)
        return elapsed / max(elapsed + left, 1e-9), f"{elapsed:.0f} s, {duration(left)} to go"

    def built(self, built: Built) -> None:
        self.made.append(built)

    def again(self, material: Material, reason: str) -> None:
        self.say(f"{material}: the process that made it was lost ({reason}); building it once more")

    def failed(self, error: TbgenError) -> None:
        self.say(f"{error}; going on with the tables that do not need it")

    def forecast(self, seconds: float) -> None:
        """See tbgen.library.build.Watcher."""


@dataclass
class _Line:
    """A table at work, as it is shown."""

    title: str
    start: float
    shown: float


class PlainWatcher(QuietWatcher):
    """Prints a line when a table begins, when it is done, and now and then in between."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[Material, _Line] = {}
        self._counts = 0, 0
        self._compiles = Lines()
        self._told_what_is_there = time.monotonic()
        self._told_the_end = -math.inf

    def _show(self, text: str) -> None:
        click.echo(text, err=True)

    def examines(self, material: Material, number: int, total: int) -> None:
        now = time.monotonic()
        if now - self._told_what_is_there >= LINE_SECONDS:
            self._told_what_is_there = now
            self.say(f"looking at what is there: {material} ({number} of {total})")

    def compiles(self, done: int, total: int) -> None:
        self._compiles(done, total)

    def begins(self, finding: Finding, number: int, total: int) -> None:
        super().begins(finding, number, total)
        self._counts = number, total
        now, title = time.monotonic(), f"{finding.material} ({number} of {total})"
        self._lines[finding.material] = _Line(title, now, now)
        self.say(f"{title} ...")

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        now, line = time.monotonic(), self._lines[material]
        if now - line.shown >= LINE_SECONDS:
            line.shown = now
            share, told = self.outlook(material, now - line.start, phase, done)
            facts = f"{describe(phase, level, decided)}, {100 * share:.0f} %, {told}"
            self.say(f"{line.title}: {facts}")

    def built(self, built: Built) -> None:
        super().built(built)
        title = self._lines[built.finding.material].title
        self.say(f"{title}: {built.positions:,} positions in {built.seconds:.1f} s")

    def forecast(self, seconds: float) -> None:
        now = time.monotonic()
        if now - self._told_the_end >= _FORECAST_SECONDS and seconds >= _FORECAST_SECONDS:
            self._told_the_end = now
            self.say(f"{len(self.made)} of {self._counts[1]} tables are built, {duration(seconds)} to go")


class TerminalWatcher(QuietWatcher):
    """Draws a bar for each table at work, below a bar for them all."""

    def __init__(self) -> None:
        super().__init__()
        self._rich: Progress | None = None
        self._all: TaskID | None = None
        self._looking: TaskID | None = None
        self._compiling: TaskID | None = None
        self._begun = time.monotonic()
        self._total = 0
        self._bars: dict[Material, TaskID] = {}
        self._lines: dict[Material, _Line] = {}

    def close(self) -> None:
        super().close()
        if self._rich is not None:
            self._rich.stop()

    def _show(self, text: str) -> None:
        self._open().console.print(text, markup=False, highlight=False)

    def examines(self, material: Material, number: int, total: int) -> None:
        if time.monotonic() - self._begun >= _QUIET_SECONDS:
            if self._looking is None:
                self._looking = self._open().add_task("looking at what is there", total=total, facts="")
            self._open().update(self._looking, completed=number - 1, facts=str(material))

    def compiles(self, done: int, total: int) -> None:
        if self._compiling is None:
            self._compiling = self._open().add_task(COMPILING, total=total, facts="")
        self._open().update(self._compiling, completed=done, visible=done < total, facts=f"{done} of {total}")

    def begins(self, finding: Finding, number: int, total: int) -> None:
        super().begins(finding, number, total)
        rich, self._total = self._open(), total
        if self._looking is not None:
            rich.update(self._looking, visible=False)
        if self._all is None:
            self._all = rich.add_task("tables", total=total, facts="")
        self._lines[finding.material] = _Line(str(finding.material), time.monotonic(), 0.0)
        self._bars[finding.material] = rich.add_task(str(finding.material), total=1.0, facts="")

    def progress(self, material: Material, phase: str, level: int | None, done: float, decided: int) -> None:
        now, line = time.monotonic(), self._lines.get(material)
        if self._rich is None or line is None or now - line.shown < 1 / FRAMES_A_SECOND:
            return
        line.shown = now
        share, told = self.outlook(material, now - line.start, phase, done)
        self._rich.update(self._bars[material], completed=share, facts=f"{describe(phase, level, decided)}, {told}")

    def built(self, built: Built) -> None:
        super().built(built)
        if self._rich is not None:
            self._rich.remove_task(self._bars[built.finding.material])

    def forecast(self, seconds: float) -> None:
        if self._rich is not None and self._all is not None:
            facts = f"{len(self.made)} of {self._total}, {duration(seconds)} to go"
            self._rich.update(self._all, completed=len(self.made), facts=facts, refresh=True)

    def _open(self) -> Progress:
        if self._rich is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

            self._rich = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[facts]}", markup=False),
                console=Console(stderr=True),
                transient=True,
                refresh_per_second=FRAMES_A_SECOND,
            )
            self._rich.start()
        return self._rich


def describe(phase: str, level: int | None, decided: int) -> str:
    """What is being done.

    >>> describe("levels", 7, 1234567)
    'levels G3.5, 1,234,567 positions decided'
    """
    where = phase if level is None else f"{phase} G{level // 2}.{5 * (level % 2)}"
    return f"{where}, {decided:,} positions decided" if decided else where
