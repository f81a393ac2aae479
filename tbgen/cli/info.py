"""`tbgen info`: what a table holds."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tbgen.cli.completion import a_table
from tbgen.cli.data import folders_option, game_option, in_units, named_material, tables_there
from tbgen.cli.first_use import by_pawns, compile_for
from tbgen.cli.options import quiet_option
from tbgen.cli.refusals import refuse_together
from tbgen.cli.terminal import complain_of, show_rows
from tbgen.compiled.known import Purpose
from tbgen.errors import TableError, UsageError
from tbgen.library.summary import Summary, summary_of
from tbgen.score import Color, Mobility
from tbgen.storage.files import folder_with


@click.command("info")
@click.argument("names", metavar="[MATERIAL]...", nargs=-1, shell_complete=a_table)
@game_option
@folders_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: an object, or a list if several tables are asked for."
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw one table into an .svg or .png file.",
)
@quiet_option
def command(
    names: tuple[str, ...],
    *,
    game: Mobility,
    folders: tuple[Path, ...],
    as_json: bool,
    plot: Path | None,
    quiet: bool,
) -> int:
    """Show how often each outcome is the entry value in a table, and its longest distance.

    Without a name, of all tables of the folders.

    Counts are of all placements on 64 squares: equal men are told apart, and no symmetry is left out.

    \b
    Examples:
      tbgen info KBvK
      tbgen info KBvK KNvK KvK
      tbgen info KRvKN --data tables --json
      tbgen info KBvKN --plot KBvKN.svg
    """
    refuse_together({"--json": as_json, "--plot": plot})
    if plot is not None:
        return _draw(names, folders, plot, quiet=quiet)
    summaries: list[Summary] = []
    faults: list[TableError] = []
    for material in map(named_material, names) if names else tables_there(folders):
        try:
            summaries.append(summary_of(folder_with(folders, material), material))
        except TableError as error:
            faults.append(error)
    if as_json:
        facts = [summary.facts() for summary in summaries]
        if len(names) != 1 or facts:
            click.echo(json.dumps(facts[0] if len(names) == 1 else facts, indent=2))
    else:
        for number, summary in enumerate(summaries):
            click.echo("\n" if number else "", nl=False)
            _show(summary)
    return complain_of(faults)


def _draw(names: tuple[str, ...], folders: tuple[Path, ...], plot: Path, *, quiet: bool) -> int:
    """Count the table and draw what it holds."""
    if len(names) != 1:
        raise UsageError("--plot draws one table; name one material")
    material = named_material(names[0])
    compile_for(by_pawns([material], Purpose.RECORDS, Purpose.PAWN_RECORDS), quiet=quiet)
    from tbgen.apps.records.making import record_of
    from tbgen.apps.site.plots import draw_table

    draw_table(record_of(folders, material, lines=False), plot)
    if not quiet:
        click.echo(str(plot))
    return 0


def _show(summary: Summary) -> None:
    per_position = summary.bytes / max(summary.positions, 1)
    click.echo(f"{summary.material}: {summary.men} men, {summary.positions:,} positions, no symmetry left out")
    click.echo(f"{in_units(summary.bytes)}, {per_position:.3f} bytes a position, made by tbgen {summary.version}")
    if summary.build.wall_seconds is not None and summary.build.cpu_seconds is not None:
        click.echo(f"built in {summary.build.wall_seconds:.1f} s, {summary.build.cpu_seconds:.1f} CPU s")
    for side in Color:
        click.echo(f"\n{side} to move: {summary.side_positions(side):,} positions")
        rows = [
            (str(outcome), f"{count:,}", *map(str, summary.longest.get((side, outcome), ("?", ""))))
            for outcome, count in summary.counts[side].items()
        ]
        show_rows(("outcome", "positions", "longest DTG", "for example"), rows, right="rrr.", whole=True)
