"""`tbgen info`: what a table holds."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tbgen.cli.data import data_option, in_units
from tbgen.cli.terminal import show_rows
from tbgen.library.summary import Summary, summary_of
from tbgen.material import table_material
from tbgen.score import Color


@click.command("info")
@click.argument("name", metavar="MATERIAL")
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, *, data: Path, as_json: bool) -> None:
    """Show how often each outcome is the entry value in a table, and its longest distance.

    Counts are over all placements on 64 squares, equal men told apart, no symmetry left out.

    \b
    Examples:
      tbgen info KBvK
      tbgen info KRvKN --data tables --json
    """
    summary = summary_of(data, table_material(name))
    if as_json:
        click.echo(json.dumps(summary.facts(), indent=2))
    else:
        _show(summary)


def _show(summary: Summary) -> None:
    per_position = summary.bytes / max(summary.positions, 1)
    click.echo(f"{summary.material}: {summary.men} men, {summary.positions:,} positions")
    click.echo(f"{in_units(summary.bytes)}, {per_position:.3f} bytes a position, made by tbgen {summary.version}")
    if summary.build.wall_seconds is not None and summary.build.cpu_seconds is not None:
        click.echo(f"built in {summary.build.wall_seconds:.1f} s, {summary.build.cpu_seconds:.1f} CPU s")
    for side in Color:
        click.echo(f"\n{side} to move: {summary.side_positions(side):,} positions")
        rows = [
            (str(outcome), f"{tally.count:,}", str(tally.max_dtg), summary.examples[side, outcome])
            for outcome, tally in summary.tallies[side].items()
        ]
        show_rows(("outcome", "positions", "longest DTG", "for example"), rows, right="rrr.", whole=True)
