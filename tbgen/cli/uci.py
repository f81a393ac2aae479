"""`tbgen uci`: a player for any chess program."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tbgen.cli import options
from tbgen.cli.command import Command


@click.command("uci", cls=Command)
@options.folders_option
def command(*, folders: tuple[Path, ...]) -> None:
    """Play best moves for any chess program or referee that speaks UCI, with the accrued score in
    mind.

    The accrued score comes as the seventh field of the FEN, with the option Accrued, or from the
    moves. The player searches positions without a table, and uses the tables that they lead to.

    \b
    Examples:
      tbgen uci
      tbgen uci --data tables
    """
    from tbgen.apps.play.protocol import Protocol

    Protocol(list(folders), click.echo).run(sys.stdin)
