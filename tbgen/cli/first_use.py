"""Kernels are compiled before the work that needs them, and that is said: once after an installation."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable

import click

from tbgen.cli.terminal import LINE_SECONDS, progress
from tbgen.compiled.known import Purpose, missing
from tbgen.material import Material

COMPILING = "compiling kernels, once"


def compile_for(*purposes: Purpose, quiet: bool = False) -> None:
    """Compile what is not compiled yet for some purposes, with a bar on a terminal, or a line now and then."""
    wanted = missing(purposes)
    if not wanted:
        return
    from tbgen.compiled.ahead import compile_all

    if quiet or not sys.stderr.isatty():
        compile_all(wanted, Lines(quiet=quiet))
        return
    with progress(COMPILING, len(wanted), at_once=True) as shown:
        compile_all(wanted, shown.reach)


class Lines:
    """Says at once that kernels are compiled, and how far that is every few seconds."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet, self._said = quiet, 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._quiet and (done == 0 or now - self._said >= LINE_SECONDS):
            self._said = now
            with contextlib.suppress(OSError):  # work goes on where nobody reads of it
                click.echo(f"{COMPILING}: {done} of {total}", err=True)


def by_pawns(materials: Iterable[Material], without: Purpose, with_pawns: Purpose) -> Purpose:
    """Which of two purposes some tables are for: those with pawns call what the others do, and more."""
    return with_pawns if any(material.pawns for material in materials) else without
