"""What is said before the kernels that read games are compiled, once after an installation."""

from __future__ import annotations

import sys

import click


def say_if_compiling(*, quiet: bool = False, always: bool = False) -> None:
    """One line on the standard error; unless `always`, only where a person watches."""
    from tbgen.pgn.replayed import is_ready

    if not quiet and (always or sys.stderr.isatty()) and not is_ready():
        click.echo("first use: compiling what reads games, which takes about ten seconds ...", err=True)
