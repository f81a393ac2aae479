"""`tbgen uci`: a player for chess programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tbgen.cli.data import optional_folders_option
from tbgen.cli.options import idle_quiet_option


@click.command("uci")
@optional_folders_option
@idle_quiet_option
def command(*, folders: tuple[Path, ...]) -> None:
    """Play best moves for any chess program or referee that speaks UCI, with the accrued score in mind.

    What has accrued comes with the position's FEN as its seventh field, with the option Accrued, or from the moves.
    Positions without a table are searched, with tables where they lead to one. docs/uci.md has the options.

    \b
    Examples:
      tbgen uci
      tbgen uci --data tables
    """
    from tbgen.apps.play.protocol import Protocol

    def tell(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    Protocol(list(folders), tell).run(sys.stdin)
