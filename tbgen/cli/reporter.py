"""Progress: a reporter prints lines now and then, draws bars on a terminal, or is quiet.

It imports Rich only to draw, and shows nothing about work of less than two seconds.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TextIO, TypeVar

import click

from tbgen.cli import is_quiet
from tbgen.compiled.notice import Notice, heard_by
from tbgen.text import printable

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

T = TypeVar("T")

LINE_SECONDS = 5.0
"""The seconds between two lines about a piece of work."""
QUIET_SECONDS = 2.0
"""The seconds before bars appear."""
_BAR_COLUMNS = 20
_MOST_SECONDS = 100
"""A longer time is told in minutes."""
_LEAST_ELAPSED = 1
"""After fewer seconds, and with a smaller share done, nobody can say how long the rest takes."""
_LEAST_SHARE = 0.01


class Work:
    """A piece of work, and the part of it that is done."""

    def __init__(
        self, reporter: Reporter, title: str, total: float | None, *, as_share: bool, every: float
    ) -> None:
        self.title = title
        self.detail = ""
        self.done = 0.0
        self.total = total
        self.as_share = as_share
        self.left: float | None = None
        """An estimate of the seconds for the rest, if there is one."""
        self.every = every
        """The seconds between lines."""
        self.begun = time.monotonic()
        self.compiling = 0.0
        """The seconds for compiling since then, as notices say."""
        self.told = self.begun
        """The time of the last line about it."""
        self._reporter = reporter

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.begun

    @property
    def working(self) -> float:
        """The seconds without those for compiling, which tell nothing of the rest."""
        return max(0.0, self.elapsed - self.compiling)

    def advance(self, steps: float = 1, *, detail: str | None = None) -> None:
        """Count `steps` more as done."""
        self.reach(self.done + steps, detail=detail)

    def reach(
        self,
        done: float,
        total: float | None = None,
        *,
        title: str | None = None,
        detail: str | None = None,
        left: float | None = None,
    ) -> None:
        """Set how much is done, of how much.

        Another title restarts the clock. `left` estimates the seconds left.
        """
        if title is not None and title != self.title:
            self.title = title
            self.begun = time.monotonic()
            self.compiling = 0.0
        self.done = done
        if total is not None:
            self.total = total
        if detail is not None:
            self.detail = detail
        if left is not None:
            self.left = left
        elif self.total and self.as_share:
            self.left = seconds_left(self.working, done / self.total)
        else:
            self.left = None
        self._reporter.update(self)

    def facts(self) -> str:
        """The detail, the part that is done, and an estimate of the seconds left."""
        parts = []
        if self.detail:
            parts.append(self.detail)
        if not self.as_share and self.total is None:
            parts.append(f"{self.done:,.0f}")
        elif not self.as_share:
            parts.append(f"{self.done:,.0f} of {self.total:,.0f}")
        elif self.total:
            parts.append(f"{100 * self.done / self.total:.0f} %")
        if self.left is not None:
            parts.append(f"{duration(self.left)} to go")
        return ", ".join(parts)


class Reporter:
    """Draws a bar for each piece of work on a terminal, prints lines elsewhere, or is quiet.

    Threads may share a reporter.
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._lock = threading.RLock()
        self._closed = quiet
        self._bars_from = time.monotonic() + QUIET_SECONDS
        self.works: dict[str, Work] = {}
        """The running pieces of work, by their first titles."""
        self._live: Live | None = None
        if self._stream.isatty() and not quiet:
            self._live = _bars(self._stream, self._frame)

    def close(self) -> None:
        """Leave the terminal as it was. Threads that still run show nothing more."""
        with self._lock:
            self._closed = True
        if self._live is not None:
            self._live.stop()

    def work(
        self,
        title: str,
        total: float | None = None,
        *,
        as_share: bool = False,
        every: float | None = None,
    ) -> Work:
        """The work with a title; begins it if it is new."""
        if title not in self.works:
            self.works[title] = Work(
                self, title, total, as_share=as_share, every=every or LINE_SECONDS
            )
            if self._live is not None:
                self._live.refresh()  # the work may be over before the next frame
        return self.works[title]

    def end(self, *titles: str) -> None:
        """Remove pieces of work, if they have begun."""
        for title in titles:
            self.works.pop(title, None)

    def update(self, work: Work) -> None:
        """Print a line about a piece of work, if it is time; bars read its state at each frame."""
        if time.monotonic() - work.told < work.every:
            return
        work.told = time.monotonic()
        line = f"{work.title}, {work.elapsed:.0f} s"
        facts = work.facts()
        if facts:
            line += f": {facts}"
        self.log(line)

    def log(self, text: str) -> None:
        """Print a text as a line of its own, unless bars show the same."""
        if self._live is None:
            self.say(text)

    def say(self, text: str) -> None:
        """Print a text as a line of its own; bars appear with the first."""
        self._bars_from = 0.0
        with self._lock, contextlib.suppress(OSError):  # work goes on if nobody reads the output
            if self._live is not None and not self._closed:
                self._live.console.print(printable(text), markup=False, highlight=False)
            elif not self._closed:
                click.echo(printable(text), self._stream)

    def tell_of_compiling(self, notice: Notice) -> None:
        """Print a notice, since compiling may take longer than all the rest."""
        self.say(str(notice))
        for work in list(self.works.values()):
            work.compiling += notice.seconds

    def _frame(self) -> Table:
        from rich.progress_bar import ProgressBar
        from rich.table import Column, Table
        from rich.text import Text

        frame = Table.grid(
            Column(no_wrap=True),
            Column(min_width=_BAR_COLUMNS),
            Column(min_width=len("0:00:00")),
            Column(no_wrap=True, overflow="ellipsis", ratio=1),  # shrinks on a narrow terminal
            padding=(0, 1),
            expand=True,
        )
        if time.monotonic() < self._bars_from:
            return frame
        for work in list(self.works.values()):
            frame.add_row(
                Text(printable(work.title)),
                ProgressBar(work.total, work.done, width=_BAR_COLUMNS),
                Text(clock(work.elapsed), "progress.elapsed"),
                Text(printable(work.facts())),
            )
        return frame


def _bars(stream: TextIO, frame: Callable[[], Table]) -> Live:
    """Draw frames on a terminal from now on."""
    from rich.console import Console
    from rich.live import Live

    live = Live(
        get_renderable=frame,
        console=Console(file=stream),
        transient=True,
        refresh_per_second=2,  # each time costs a millisecond
        redirect_stdout=False,  # rich would print text for a file on the standard error
        redirect_stderr=False,
    )
    live.start()
    return live


@contextlib.contextmanager
def reporter(stream: TextIO | None = None, *, prints: bool = False) -> Iterator[Reporter]:
    """The reporter for the standard error or another stream.

    It is quiet if the command is, or if the work `prints` its results to a terminal.
    """
    if is_quiet() or (prints and sys.stdout.isatty()):
        with contextlib.closing(Reporter(stream, quiet=True)) as quiet:
            yield quiet
        return
    with contextlib.closing(Reporter(stream)) as shown, heard_by(shown.tell_of_compiling):
        yield shown


@contextlib.contextmanager
def progress(
    title: str, total: float | None = None, *, as_share: bool = False, prints: bool = False
) -> Iterator[Work]:
    """One piece of work; `prints` as in `reporter`."""
    with reporter(prints=prints) as shown:
        yield shown.work(title, total, as_share=as_share)


def reading(
    name: str, parts: Iterable[T], sizes: Callable[[T], tuple[int, int]], *, prints: bool = False
) -> Iterator[T]:
    """The parts of a file, with the progress of reading it.

    `sizes` gives the bytes and the games of a part.
    """
    from tbgen.system.inputs import plain_size

    games = 0
    with progress(os.path.basename(name), plain_size(name), as_share=True, prints=prints) as shown:
        for part in parts:
            yield part
            size, more = sizes(part)
            games += more
            shown.advance(size, detail=f"{games:,} games")


def seconds_left(elapsed: float, done: float) -> float | None:
    """An estimate of the seconds left, when a share is done.

    It is None while the share is too small, or when all is done.
    """
    if elapsed < _LEAST_ELAPSED or not _LEAST_SHARE <= done < 1:
        return None
    return elapsed * (1 - done) / done


def duration(seconds: float) -> str:
    """An approximate duration in words.

    >>> duration(42.0), duration(2000.0), duration(12345.0)
    ('about 42 s', 'about 33 min', 'about 3 h 26 min')
    """
    if seconds < _MOST_SECONDS:
        return f"about {seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return f"about {hours} h {minutes} min"
    return f"about {minutes} min"


def clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> clock(29_592.3)
    '8:13:12'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
