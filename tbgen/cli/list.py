"""`tbgen list`: which tables there are."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tbgen.cli.data import folders_option, game_option, in_units, no_tables
from tbgen.cli.options import quiet_option
from tbgen.cli.terminal import complain_of, progress, show_rows
from tbgen.errors import TableError
from tbgen.library.summary import Summary, summaries
from tbgen.score import Mobility
from tbgen.text import counted


@click.command("list")
@game_option
@folders_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: material, men, positions, bytes and folder of each table."
)
@quiet_option
def command(*, game: Mobility, folders: tuple[Path, ...], as_json: bool, quiet: bool) -> int:
    """List the tables of one or several folders. Tables that cannot be used are named with the reason.

    Positions are all placements on 64 squares: no symmetry is left out. `tbgen info` shows more of a table.

    \b
    Examples:
      tbgen list
      tbgen list --data tables --json
    """
    found, faults = _looked_at(folders, quiet=quiet)
    if as_json:
        click.echo(json.dumps([_row(each) for each in found], indent=2))
    elif found:
        rows = [
            (str(each.material), str(each.men), f"{each.positions:,}", in_units(each.bytes), str(each.folder))
            for each in found
        ]
        show_rows(("table", "men", "positions", "size", "from"), rows, right=".rrr.")
        size = in_units(sum(each.bytes for each in found))
        click.echo(f"{counted(len(found), 'table', 'tables')}, {size}; no symmetry is left out of the positions")
    elif not faults:
        click.echo(no_tables(folders))
    return complain_of(faults)


def _looked_at(folders: tuple[Path, ...], *, quiet: bool) -> tuple[list[Summary], list[TableError]]:
    """What the tables hold that a probe would use, those with the fewest men first, and what is wrong with others."""
    found: list[Summary] = []
    faults: list[TableError] = []
    with progress("reading", quiet=quiet) as shown:
        for each in summaries(folders):
            shown.advance()
            if isinstance(each, Summary):
                found.append(each)
            else:
                faults.append(each)
    return found, faults


def _row(summary: Summary) -> dict[str, str | int]:
    return {
        "material": str(summary.material),
        "men": summary.men,
        "positions": summary.positions,
        "bytes": summary.bytes,
        "folder": str(summary.folder),
    }
