"""`tbgen list`: which tables there are."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tbgen.cli.data import data_option, in_units
from tbgen.cli.terminal import complain, show_rows
from tbgen.errors import TableError
from tbgen.library.summary import Summary, summaries


@click.command("list")
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, data: Path, as_json: bool) -> int:
    """List the tables of a folder, and those that cannot be used with the reason why.

    \b
    Examples:
      tbgen list
      tbgen list --data tables --json
    """
    found = summaries(data)
    sound = [each for each in found if isinstance(each, Summary)]
    faults = [each for each in found if isinstance(each, TableError)]
    if as_json:
        click.echo(json.dumps([each.facts() for each in sound], indent=2))
    elif sound:
        rows = [(str(each.material), str(each.men), f"{each.positions:,}", in_units(each.bytes)) for each in sound]
        show_rows(("table", "men", "positions", "size"), rows, right=".rrr")
        click.echo(f"{len(sound)} tables, {in_units(sum(each.bytes for each in sound))}")
    else:
        click.echo(f"no tables in {data}; build some with: tbgen build --men 3")
    for fault in faults:
        complain(str(fault))
    return faults[0].exit_code if faults else 0
