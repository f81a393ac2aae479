"""What all subcommands share: exit codes, rows of a table, and progress.

Errors become one line on the standard error. Rich is imported only where a terminal shows its work.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from tbgen.errors import NotEnoughMemoryError, TbgenError
from tbgen.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

LINE_SECONDS = 5.0
"""How often work says in a pipe how it goes on."""

FRAMES_A_SECOND = 2
"""How often bars are drawn: each time costs a millisecond."""

_QUIET_SECONDS = 2.0
_INTERRUPTED = 130
_TERMINATED = 143
_NO_MEMORY = NotEnoughMemoryError.exit_code


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does."""


def run(command: click.Command, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit with its code; no failure that a user can cause shows a traceback."""
    sys.stdout = sys.stdout or _nowhere()  # a shell can close them: `>&-`
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _sigterm_interrupts():
            code = command.main(arguments, prog_name="tbgen", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        complain(error.format_message())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        is_terminated = isinstance(error, Terminated) or isinstance(error.__cause__, Terminated)
        complain("terminated" if is_terminated else "interrupted")
        sys.exit(_TERMINATED if is_terminated else _INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except TbgenError as error:
        complain(str(error))
        sys.exit(error.exit_code)
    except MemoryError:
        complain("there is not enough memory for this")
        sys.exit(_NO_MEMORY)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename is not None else str(error))
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


@contextlib.contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does: what is half written is removed, processes are ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def complain(text: str) -> None:
    """One line on the standard error."""
    click.echo(f"tbgen: {printable(' '.join(text.splitlines()))}", err=True)


def say(text: str) -> None:
    """One line on the standard error about what has been done."""
    click.echo(printable(text), err=True)


def complain_of(faults: Sequence[TbgenError]) -> int:
    """One line for each fault; the exit code is that of the first."""
    for fault in faults:
        complain(str(fault))
    return faults[0].exit_code if faults else 0


def show_rows(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: str = "",
    whole: bool = False,
    titles: Mapping[int, str] | None = None,
) -> None:
    """A table; `right` has the letter `r` where a column is set flush right, such as `"r..r"`.

    `titles` are lines above some of the rows, by their numbers from 0.

    Where a terminal is too narrow for them, columns move closer. If that is not enough, or if `whole` says that the
    last one is a text such as a FEN, the last one gets lines of its own: nothing is ever broken or cut.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    sides = right.ljust(len(heads), ".")
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    room = _terminal_width()
    gap, below = "  ", False
    if room is not None and sum(widths) + 2 * (len(widths) - 1) > room:
        below = whole or sum(widths) + len(widths) - 1 > room
        gap = "  " if whole else " "
    for number, row in enumerate((heads, *rows)):
        cells = [
            text.rjust(width) if side == "r" else text.ljust(width)
            for text, width, side in zip(row, widths, sides, strict=True)
        ]
        if titles and number - 1 in titles:
            click.echo(titles[number - 1])
        if below:
            cells, last = cells[:-1], cells[-1].rstrip()
        line = gap.join(cells).rstrip()
        click.echo(_bold(line) if number == 0 else line)
        if below and last:
            click.echo(f"    {last}")


def _terminal_width() -> int | None:
    """The columns of the terminal that is printed to, if it is one."""
    if not sys.stdout.isatty():
        return None
    import shutil  # which costs more than a look at the tables

    return shutil.get_terminal_size().columns


def _bold(text: str) -> str:
    """The text as a heading, where a terminal shows colours and nobody has asked for none (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else click.style(text, bold=True)


class Progress:
    """A line on the terminal that appears once the work has taken two seconds, whether or not it has told anything.

    Where there is no terminal, work that goes on for longer prints a line on the standard error now and then, if it has
    something to tell.
    """

    def __init__(
        self,
        title: str,
        total: int | None = None,
        *,
        quiet: bool = False,
        as_share: bool = False,
        at_once: bool = False,
    ) -> None:
        self._title = printable(title)
        self._total = total
        self._as_share = as_share
        self._done = 0
        self._shown: tuple[RichProgress, TaskID] | None = None
        self._closed = quiet
        self._prints = not sys.stderr.isatty()
        self._begun = time.monotonic()
        self._printed: float | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(0 if at_once else _QUIET_SECONDS, self._show)
        self._timer.daemon = True
        if not self._closed and not self._prints:
            self._timer.start()

    def advance(self, steps: int = 1, *, title: str | None = None) -> None:
        """Note that `steps` more are done."""
        with self._lock:
            self._title = self._title if title is None else printable(title)
            self._note(self._done + steps)

    def reach(self, done: int, total: int) -> None:
        """Note that so many steps are done, of so many."""
        with self._lock:
            self._total = total
            self._note(done)

    def _note(self, done: int) -> None:
        self._done = done
        if self._shown is not None:
            rich, task = self._shown
            rich.update(task, completed=done, total=self._total, description=self._title)
        elif self._prints and not self._closed:
            self._print_line(time.monotonic())

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._shown is not None:
                self._shown[0].stop()

    def _print_line(self, now: float) -> None:
        """Say how far the work is, unless it has just begun or that was said a moment ago."""
        if self._printed is None:
            self._printed = now
        if now - self._printed < LINE_SECONDS:
            return
        self._printed, share = now, 0.0
        facts = [self._title]
        if self._as_share and self._total:
            share = self._done / self._total
            facts.append(f"{100 * share:.0f} %")
        elif not self._as_share:
            facts.append(f"{self._done:,}" if self._total is None else f"{self._done:,} of {self._total:,}")
        with contextlib.suppress(OSError):  # work goes on where nobody reads of it
            click.echo(", ".join([*facts, timing(now - self._begun, share)]), err=True)

    def _show(self) -> None:
        with self._lock:
            if not self._closed:
                self._shown = self._open()

    def _open(self) -> tuple[RichProgress, TaskID]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        done = TaskProgressColumn() if self._as_share else MofNCompleteColumn()
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), done, TimeElapsedColumn())
        rich = Progress(
            *columns,
            *((TimeRemainingColumn(),) if self._as_share else ()),
            console=Console(stderr=True),
            transient=True,
            refresh_per_second=FRAMES_A_SECOND,
            redirect_stdout=False,  # rich would print on the standard error what is meant for a file
            redirect_stderr=False,
        )
        task = rich.add_task(self._title, total=self._total, completed=self._done)
        rich.start()
        return rich, task


def seconds_left(elapsed: float, done: float) -> float | None:
    """An estimate of the seconds to come, when a share is done; None while that is too little to tell, or all."""
    return elapsed * (1 - done) / done if elapsed >= 1 and 0.05 <= done < 1 else None


def timing(elapsed: float, done: float) -> str:
    """Seconds so far, and an estimate of those to come.

    >>> timing(10.0, 0.25)
    '10 s, about 30 s to go'
    """
    left = seconds_left(elapsed, done)
    return f"{elapsed:.0f} s" if left is None else f"{elapsed:.0f} s, about {left:.0f} s to go"


def duration(seconds: float) -> str:
    """About how long.

    >>> duration(42.0), duration(2000.0), duration(12345.0)
    ('about 42 s', 'about 33 min', 'about 3 h 26 min')
    """
    if seconds < 100:
        return f"about {seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"about {hours} h {minutes} min" if hours else f"about {minutes} min"


@contextlib.contextmanager
def progress(
    title: str,
    total: int | None = None,
    *,
    quiet: bool = False,
    as_share: bool = False,
    at_once: bool = False,
) -> Iterator[Progress]:
    """Progress that is cleared away whatever happens; `as_share` shows a percentage and the time that is left.

    Work that is known to take seconds is shown at once.
    Work that prints on a terminal as it goes on should be quiet.
    """
    shown = Progress(title, total, quiet=quiet, as_share=as_share, at_once=at_once)
    try:
        yield shown
    finally:
        shown.close()
