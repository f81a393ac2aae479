"""The program on the command line: its commands, each imported at its first use, and how they end.

An error is one line on the standard error.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn, TextIO

import click
from click.shell_completion import CompletionItem

from tbgen.cli.called import with_program
from tbgen.errors import NotEnoughMemoryError, TbgenError
from tbgen.system import __version__
from tbgen.text import printable

QUIET = "tbgen.quiet"
"""The key under which click keeps whether a command is quiet."""
_UNKNOWN = (click.NoSuchCommand, click.NoSuchOption)
_NO_MEMORY = NotEnoughMemoryError.exit_code


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command like Ctrl-C."""


def run(command: click.Command, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit with its code; no failure that a user can cause is a traceback."""
    # A shell can close both streams: `>&-`.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with signals_to(_terminate, signal.SIGTERM):
            code = command.main(arguments, prog_name="tbgen", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except (Exception, KeyboardInterrupt) as error:
        failure = _failure_of(error)
        if failure is None:
            raise
        complain(failure.text)
        sys.exit(failure.code)


class Failure(NamedTuple):
    """How an error ends the program: with one line and an exit code."""

    text: str
    code: int


def _failure_of(error: BaseException) -> Failure | None:
    """How an error ends the program; None for an error of the program itself."""
    if isinstance(error, click.ClickException):
        return Failure(_text_of(error), error.exit_code)
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        if isinstance(error, Terminated) or isinstance(error.__cause__, Terminated):
            return Failure("terminated", 128 + signal.SIGTERM)
        return Failure("interrupted", 128 + signal.SIGINT)
    if isinstance(error, TbgenError):
        return Failure(str(error), error.exit_code)
    if isinstance(error, MemoryError):
        return Failure("there is not enough memory for this", _NO_MEMORY)
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        text = "the system starts no more threads; allow more of them, or more memory"
        return Failure(text, _NO_MEMORY)
    if isinstance(error, OSError):
        text = error.strerror or str(error)
        return Failure(text if error.filename is None else f"{error.filename}: {text}", 1)
    return None


def _text_of(error: click.ClickException) -> str:
    """What click says of a command line; it names the help where click suggests nothing."""
    text = error.format_message()
    is_unknown = isinstance(error, _UNKNOWN) and not error.possibilities
    is_missing = isinstance(error, click.MissingParameter)
    is_extra = text.startswith("Got unexpected extra argument")
    needs_help = is_unknown or is_missing or is_extra
    if isinstance(error, click.UsageError) and error.ctx and needs_help:
        return f"{text.removesuffix('.')}; see: {error.ctx.command_path} --help"
    return text


def _terminate(number: int, frame: object) -> None:
    """Let a signal end a command like Ctrl-C: half-written files go, child processes end."""
    raise Terminated


@contextlib.contextmanager
def signals_to(handler: Callable[[int, object], None], *numbers: signal.Signals) -> Iterator[None]:
    """Handle some signals within a block."""
    with contextlib.ExitStack() as stack:
        for number in numbers:
            stack.callback(signal.signal, number, signal.signal(number, handler))
        yield


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def complain(*texts: str) -> None:
    """Print each text as one line on the standard error."""
    for text in texts:
        line = with_program(" ".join(text.splitlines()))
        click.echo(f"tbgen: {printable(line)}", err=True)


def say(text: str, *, err: bool = True) -> None:
    """Print one line about finished work on the standard error or output, unless `-q` hides it."""
    if not is_quiet():
        click.echo(printable(with_program(text)), err=err)


def is_quiet() -> bool:
    """Whether `-q` asks for results and errors only."""
    context = click.get_current_context(silent=True)
    if context is None:
        return False
    is_asked: bool = context.meta.get(QUIET, False)
    return is_asked


def complain_of(faults: Sequence[TbgenError]) -> int:
    """Print one line for each fault; return the exit code of the first."""
    complain(*map(str, faults))
    if not faults:
        return 0
    return faults[0].exit_code


GROUPS = {
    "Positions": {
        "probe": "Show the value of a position and of every move, or best play.",
        "score": "Score a position, a line of moves or the games of a PGN file.",
        "solve": "Solve a position with more men than tables have, or bound its value.",
        "hold": "Prove that a side keeps a score for ever, with any number of men.",
    },
    "Games": {
        "adjudicate": "Decide every game of a PGN file, and write the result into its tags.",
        "annotate": "Show the values of a game ply by ply, and its mistakes.",
        "standings": "Show the cross table and the standings of an event.",
        "pair": "Pair the next round of a Swiss tournament.",
        "match": "Play engines against each other under r-mobility.",
    },
    "Tables": {
        "build": "Build tables, and all tables that they need.",
        "fetch": "Fetch tables from a server.",
        "list": "List the tables of the folders, or show their figures.",
        "verify": "Prove tables, one ply at a time.",
    },
    "Serve": {
        "serve": "Answer over HTTP, and show the explorer in a browser.",
        "uci": "Play best moves for any chess program, by UCI.",
        "site": "Write records and the explorer as pages for any web server.",
    },
    "Research": {"study": "Count whole tables, find positions in them."},
    "Help": {
        "completion": "Print the script for completion in a shell.",
    },
}
"""Heading -> command -> its line in the help."""

COMMANDS = {
    "probe": "probe:command",
    "score": "score:command",
    "solve": "solve:command",
    "hold": "hold:command",
    "adjudicate": "adjudicate:command",
    "annotate": "annotate:command",
    "standings": "standings:command",
    "pair": "pair:command",
    "match": "match:command",
    "build": "build:command",
    "fetch": "fetch:command",
    "list": "list:command",
    "verify": "verify:command",
    "serve": "serve:command",
    "uci": "uci:command",
    "site": "site:command",
    "study": "study:command",
    "completion": "completion:command",
}
"""Command -> its module and name in `tbgen.cli`, where it is imported at its first use."""


class LazyGroup(click.Group):
    """A group that imports a command only to run it or to show its own help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            ctx.fail(
                f"tbgen itself has no option {error.option_name}; "
                "options follow the command: tbgen list --data DIR"
            )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = pkgutil.resolve_name(f"tbgen.cli.{COMMANDS[cmd_name]}")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Names of commands, without importing them, and options."""
        items = []
        for group in GROUPS.values():
            for name, line in group.items():
                if name.startswith(incomplete):
                    items.append(CompletionItem(name, help=line))
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, COMMANDS))
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(longest), line) for name, line in group.items()])


@click.group(
    cls=LazyGroup,
    commands=dict.fromkeys(COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", prog_name="tbgen")
def tbgen() -> None:
    """Build and probe endgame tablebases for r-mobility chess, and score any game by its rules.

    \b
    Examples:
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen score startpos e4 e5 Qh5 Nc6
      tbgen build --men 4
      tbgen probe --help
    """


def main() -> None:
    """Entry point of the program."""
    os.environ["PYTHONSAFEPATH"] = "1"  # else child processes import from the current directory
    gc.set_threshold(20_000)  # objects: modules create many, and collecting them finds no garbage
    code: object = 1
    """That of an error of the program itself."""

    def leave() -> None:
        _leave_threads_behind(code)

    atexit.register(leave)  # what is registered first is called last
    try:
        run(tbgen)
    except SystemExit as ending:
        code = ending.code
        raise
    finally:
        gc.freeze()  # or the interpreter looks through all modules when it ends


def _leave_threads_behind(code: object) -> None:
    """End the process at once if threads are left that nobody waits for.

    They may be compiling, and the interpreter would take the compiler apart under them. The cache
    of kernels stays sound: numba renames whole files into it.
    """
    if not any(thread.daemon for thread in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads it, or it is closed
            stream.flush()
    os._exit(code if isinstance(code, int) else 0)
