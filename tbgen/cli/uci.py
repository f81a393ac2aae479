"""`tbgen uci`: a player for any chess program."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tbgen.cli import options
from tbgen.cli.command import Command


@click.command("uci", cls=Command)
@options.folders_option
@click.option(
    "--with",
    "inner",
    metavar="COMMAND",
    help="Another UCI engine, which searches positions without a table.",
)
def command(*, folders: tuple[Path, ...], inner: str | None) -> None:
    """Play best moves for any chess program or referee that speaks UCI, with the accrued score in
    mind.

    The accrued score comes as the seventh field of the FEN, with the option Accrued, or from the
    moves. The player searches positions without a table, and uses the tables that they lead to.
    With another engine, it asks that engine which moves are about equal, and plays the one that
    is best for the accrued score.

    \b
    Examples:
      tbgen uci
      tbgen uci --data tables
      tbgen uci --data tables --with stockfish
    """
    from tbgen.apps.play.inner import InnerEngine
    from tbgen.apps.play.protocol import Protocol

    engine = None if inner is None else InnerEngine(inner)
    Protocol(list(folders), click.echo, engine).run(sys.stdin)
