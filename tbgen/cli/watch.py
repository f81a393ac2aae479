"""How a build is shown: on a terminal, as plain lines, or not at all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

import click

from tbgen.library.build import Built
from tbgen.library.survey import Condition, Finding

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

_LINE_SECONDS = 5.0
_FRAME_SECONDS = 0.1


class QuietWatcher:
    """Shows nothing, but keeps what was built."""

    def __init__(self) -> None:
        self.made: list[Built] = []
        self.has_lock = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal as it was."""

    def say(self, text: str) -> None:
        """A line of its own."""

    def waiting(self) -> None:
        self.say("another build is at work in this folder; waiting for it to end ...")

    def compiling(self) -> None:
        self.say("first use: compiling the solver on the way, which takes about half a minute ...")

    def begins(self, finding: Finding, number: int, total: int) -> None:
        self.has_lock = True
        if finding.condition in (Condition.DAMAGED, Condition.OUTDATED):
            self.say(f"{finding.material} is {finding.condition.value} ({finding.reason}); building it again")

    def progress(self, phase: str, level: int | None, done: float, decided: int) -> None:
        """See tbgen.library.build.Watcher."""

    def built(self, built: Built) -> None:
        self.made.append(built)


class PlainWatcher(QuietWatcher):
    """Prints a line when a table begins, when it is done, and now and then in between."""

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        self._start = self._shown = time.monotonic()

    def say(self, text: str) -> None:
        click.echo(text, err=True)

    def begins(self, finding: Finding, number: int, total: int) -> None:
        super().begins(finding, number, total)
        self._title = f"{finding.material} ({number} of {total})"
        self._start = self._shown = time.monotonic()
        self.say(f"{self._title} ...")

    def progress(self, phase: str, level: int | None, done: float, decided: int) -> None:
        now = time.monotonic()
        if now - self._shown >= _LINE_SECONDS:
            self._shown = now
            facts = f"{describe(phase, level, decided)}, {100 * done:.0f} %, {timing(now - self._start, done)}"
            self.say(f"{self._title}: {facts}")

    def built(self, built: Built) -> None:
        super().built(built)
        self.say(f"{self._title}: {built.positions:,} positions in {built.seconds:.1f} s")


class TerminalWatcher(QuietWatcher):
    """Draws a bar for the table at work, below a bar for them all."""

    def __init__(self) -> None:
        super().__init__()
        self._rich: Progress | None = None
        self._all: TaskID | None = None
        self._one: TaskID | None = None
        self._start = self._shown = 0.0

    def close(self) -> None:
        if self._rich is not None:
            self._rich.stop()

    def say(self, text: str) -> None:
        self._open().console.print(text, markup=False, highlight=False)

    def begins(self, finding: Finding, number: int, total: int) -> None:
        super().begins(finding, number, total)
        rich = self._open()
        if self._all is None:
            self._all = rich.add_task("tables", total=total, facts="")
            self._one = rich.add_task("", total=1.0, facts="")
        assert self._one is not None
        self._start, self._shown = time.monotonic(), 0.0
        rich.reset(self._one, description=str(finding.material), facts="")
        rich.update(self._all, completed=number - 1, facts=f"{number - 1} of {total}")

    def progress(self, phase: str, level: int | None, done: float, decided: int) -> None:
        now = time.monotonic()
        if self._rich is None or self._one is None or now - self._shown < _FRAME_SECONDS:
            return
        self._shown = now
        facts = f"{describe(phase, level, decided)}, {timing(now - self._start, done)}"
        self._rich.update(self._one, completed=done, facts=facts)

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


def timing(elapsed: float, done: float) -> str:
    """Seconds so far, and an estimate of those to come.

    >>> timing(10.0, 0.25)
    '10 s, about 30 s to go'
    """
    if not 0.05 <= done < 1 or elapsed < 1:
        return f"{elapsed:.0f} s"
    return f"{elapsed:.0f} s, about {elapsed * (1 - done) / done:.0f} s to go"
