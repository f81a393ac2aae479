"""How commands end, and what they say on the standard error. An error is one line."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import NoReturn, TextIO

import click

from tbgen.errors import NotEnoughMemoryError, TbgenError
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
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        complain("the system starts no more threads; allow more of them, or more memory")
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
