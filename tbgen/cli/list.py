"""`tbgen list`: the tables that are there, and what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from tbgen.cli.folders import folders_option, named_or_there, names_argument, no_tables
from tbgen.cli.options import declared, flag, form_option, game_option
from tbgen.cli.output import Column, Facts, Form, print_facts, show_facts
from tbgen.cli.reporter import progress
from tbgen.cli.terminal import complain_of
from tbgen.errors import TableError
from tbgen.library.catalog import Summary, summaries, summary_of
from tbgen.material import Material
from tbgen.score import Color, Mobility
from tbgen.storage.files import folder_with
from tbgen.text import counted, facts_of, in_units


@declared("list")
@names_argument
@flag("--figures", help="Show the figures of every table, as if all were named.")
@game_option
@folders_option
@form_option
def command(
    names: tuple[str, ...],
    *,
    figures: bool,
    game: Mobility,
    folders: tuple[Path, ...],
    form: Form,
    quiet: bool,
) -> int:
    """List the tables of the folders, or show the figures of those that are named.

    The figures say how often each outcome is the entry value in a table, and its longest distance.
    Positions count every placement on 64 squares, with equal men distinguished.
    Tables that cannot be used are named with the reason. JSON is an object where one table is named, else a list.

    \b
    Examples:
      tbgen list
      tbgen list --data tables --json
      tbgen list KBvK KNvK KvK
      tbgen list KBvKN --format csv
    """
    if not names and not figures:
        return _list(folders, form, quiet=quiet)
    found, faults = _sorted_out(_summaries_of(named_or_there(names, folders), folders), quiet=True)
    facts = [summary.facts() for summary in found]
    if form is Form.CSV:
        print_facts(form, facts, [row for each in facts for row in _rows(each)])
    elif form is Form.JSON:
        print_facts(form, facts[0] if facts and len(names) == 1 else facts)
    else:
        for number, summary in enumerate(found):
            click.echo("\n" if number else "", nl=False)
            _show(summary)
    return complain_of(faults)


def _list(folders: tuple[Path, ...], form: Form, *, quiet: bool) -> int:
    """A row for each table that a probe would use."""
    found, faults = _sorted_out(summaries(folders), quiet=quiet)
    facts = [facts_of(each, "material", "men", "positions", "bytes", "folder") for each in found]
    if not form.is_table:
        print_facts(form, facts)
    elif found:
        columns: dict[str, Column] = {"table": "material", "men": "men", "positions": "positions"}
        show_facts(facts, columns | {"size": lambda row: in_units(row["bytes"]), "from": "folder"})
        whole = in_units(sum(each.bytes for each in found))
        click.echo(f"{counted(len(found), 'table', 'tables')}, {whole}; positions count every placement on 64 squares")
    elif not faults:
        click.echo(no_tables(folders))
    return complain_of(faults)


def _summaries_of(materials: Iterable[Material], folders: tuple[Path, ...]) -> Iterator[Summary | TableError]:
    for material in materials:
        try:
            yield summary_of(folder_with(folders, material), material)
        except TableError as error:
            yield error


def _sorted_out(summaries: Iterable[Summary | TableError], *, quiet: bool) -> tuple[list[Summary], list[TableError]]:
    """The figures of tables, and the faults of the others."""
    found, faults = list[Summary](), list[TableError]()
    with progress("reading", quiet=quiet) as shown:
        for each in summaries:
            shown.advance()
            if isinstance(each, Summary):
                found.append(each)
            else:
                faults.append(each)
    return found, faults


def _rows(summary: Facts) -> Iterator[Facts]:
    """A row for each outcome of each side."""
    for side, each in summary["sides"].items():
        for outcome, facts in each["outcomes"].items():
            yield {"material": summary["material"], "side": side, "outcome": outcome, **facts}


def _show(summary: Summary) -> None:
    per_position = summary.bytes / max(summary.positions, 1)
    click.echo(
        f"{summary.material}: {summary.men} men, {summary.positions:,} positions (every placement on 64 squares)"
    )
    click.echo(f"{in_units(summary.bytes)}, {per_position:.3f} bytes a position, made by tbgen {summary.version}")
    if summary.build.wall_seconds is not None and summary.build.cpu_seconds is not None:
        click.echo(f"built in {summary.build.wall_seconds:.1f} s, {summary.build.cpu_seconds:.1f} CPU s")
    rows = list(_rows(summary.facts()))
    for side in Color:
        click.echo(f"\n{side} to move: {summary.side_positions(side):,} positions")
        columns = {"outcome": "outcome", "positions": "count", "longest DTG": "max_dtg", "for example": "fen"}
        show_facts([row for row in rows if row["side"] == str(side).lower()], columns, whole=True)
