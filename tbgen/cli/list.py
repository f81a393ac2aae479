"""`tbgen list`: the tables that are there, and what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from tbgen.cli.folders import folders_option, in_units, named_or_there, names_argument, no_tables
from tbgen.cli.options import game_option, json_option, quiet_option
from tbgen.cli.reporter import progress
from tbgen.cli.terminal import complain_of, print_json, show_rows
from tbgen.errors import TableError
from tbgen.library.catalog import Summary, summaries, summary_of
from tbgen.material import Material
from tbgen.score import Color, Mobility
from tbgen.storage.files import folder_with
from tbgen.text import counted


@click.command("list")
@names_argument
@click.option("--figures", is_flag=True, help="Show the figures of every table, as if all were named.")
@game_option
@folders_option
@json_option
@quiet_option
def command(
    names: tuple[str, ...],
    *,
    figures: bool,
    game: Mobility,
    folders: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> int:
    """List the tables of the folders, or show the figures of those that are named.

    The figures say how often each outcome is the entry value in a table, and its longest distance.
    Positions are all placements on 64 squares: equal men are told apart, and no symmetry is left out.
    Tables that cannot be used are named with the reason. JSON is an object where one table is named, else a list.

    \b
    Examples:
      tbgen list
      tbgen list --data tables --json
      tbgen list KBvK KNvK KvK
    """
    if not names and not figures:
        return _list(folders, as_json=as_json, quiet=quiet)
    found, faults = _sorted_out(_summaries_of(named_or_there(names, folders), folders), quiet=True)
    facts = [summary.facts() for summary in found]
    if not as_json:
        for number, summary in enumerate(found):
            click.echo("\n" if number else "", nl=False)
            _show(summary)
    elif len(names) != 1:
        print_json(facts)
    elif facts:
        print_json(facts[0])
    return complain_of(faults)


def _list(folders: tuple[Path, ...], *, as_json: bool, quiet: bool) -> int:
    """A row for each table that a probe would use."""
    found, faults = _sorted_out(summaries(folders), quiet=quiet)
    if as_json:
        heads = ("material", "men", "positions", "bytes", "folder")
        print_json([{head: _plain(getattr(each, head)) for head in heads} for each in found])
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


def _plain(value: object) -> str | int:
    return value if isinstance(value, int) else str(value)


def _summaries_of(materials: Iterable[Material], folders: tuple[Path, ...]) -> Iterable[Summary | TableError]:
    for material in materials:
        try:
            yield summary_of(folder_with(folders, material), material)
        except TableError as error:
            yield error


def _sorted_out(summaries: Iterable[Summary | TableError], *, quiet: bool) -> tuple[list[Summary], list[TableError]]:
    """What tables hold, and what is wrong with others."""
    found: list[Summary] = []
    faults: list[TableError] = []
    with progress("reading", quiet=quiet) as shown:
        for each in summaries:
            shown.advance()
            if isinstance(each, Summary):
                found.append(each)
            else:
                faults.append(each)
    return found, faults


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
