"""What commands say and how they end: exit codes, lines, and rows of a table. An error is one line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn, TextIO

import click

from tbgen.errors import NotEnoughMemoryError, TbgenError
from tbgen.score import with_scores
from tbgen.text import printable

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


def in_json(facts: object) -> bytes:
    """Facts as a file of JSON."""
    return f"{json.dumps(with_scores(facts), indent=2)}\n".encode()


def print_json(facts: object) -> None:
    """JSON on the standard output."""
    click.echo(json.dumps(with_scores(facts), indent=2))


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


def shows_colors() -> bool:
    """Whether a terminal shows colours and nobody has asked for none (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _bold(text: str) -> str:
    """The text as a heading, where a terminal shows it."""
    return click.style(text, bold=True) if shows_colors() else text
