"""The program, called as a shell calls it, but within this process.

A start of Python costs more than most commands.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

import pytest

from tbgen import cli
from tbgen.cli import run
from tbgen.compiled import notice

GAME = "1. e4 e5 *\n"
"""A short game."""


@contextlib.contextmanager
def piped(given: bytes) -> Iterator[None]:
    """A pipe with a few bytes as the standard input."""
    before = os.dup(0)
    read, write = os.pipe()
    os.write(write, given)
    os.close(write)
    os.dup2(read, 0)
    os.close(read)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


def tbgen(
    *arguments: str,
    folder: Path | str | None = None,
    given: bytes | None = None,
    progress: bool = False,
    together: bool = False,
) -> CompletedProcess[str]:
    """Call the program.

    `folder` is where $TBGEN_DATA says that the tables are, `given` what it can read. It tells of
    its progress only if that is asked for: how long it takes is the machine's affair. Both streams
    may be one, as on a terminal.
    """
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n")
    err = io.StringIO()
    err_or_out = out if together else err
    environment = {} if folder is None else {"TBGEN_DATA": str(folder)}
    with (
        mock.patch.dict(os.environ, environment),
        contextlib.nullcontext() if given is None else piped(given),
        contextlib.nullcontext() if progress else mock.patch("tbgen.cli.reporter.Reporter.update"),
        mock.patch.object(notice, "_given", set(notice.PACKAGES.values())),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err_or_out),
        pytest.raises(SystemExit) as ended,
    ):
        run(cli.tbgen, arguments)
    code = ended.value.code
    assert isinstance(code, int)
    out.seek(0)
    return CompletedProcess(arguments, code, out.read(), err.getvalue())


def printed(*arguments: str, folder: Path | str | None = None) -> str:
    """What a call prints that has nothing to complain about."""
    done = tbgen(*arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def complaint(*arguments: str, folder: Path | str | None = None) -> tuple[int, str]:
    """The exit code and the one line of a call that fails."""
    done = tbgen(*arguments, folder=folder)
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.returncode, done.stderr.strip()
