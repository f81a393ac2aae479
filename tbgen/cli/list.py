"""`tbgen list`: the tables that are there, and what they hold."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tbgen.cli import complain_of, options
from tbgen.cli.command import Command
from tbgen.cli.materials import built_names_argument, named_or_there, no_tables
from tbgen.cli.reporter import Work
from tbgen.cli.showing import Facts, Form, ShownRow, print_facts, show_table
from tbgen.cli.tables import check_each
from tbgen.library.catalog import figures_of
from tbgen.material import TableMaterial
from tbgen.storage.files import BUNDLED, folder_with, tables_of
from tbgen.text import counted, in_units


@click.command("list", cls=Command)
@built_names_argument
@options.any_folders_option
@options.json_option
def command(
    *,
    names: tuple[str, ...],
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """List the tables of the folders, or show the figures of those that are named.

    The figures say how often each outcome is the entry value in a table, and its longest distance.
    Positions count every placement on 64 squares, with equal men distinguished. Tables that cannot
    be used are named with the reason. JSON is an object where one table is named, else a list.

    \b
    Examples:
      tbgen list
      tbgen list --data tables --json
      tbgen list --data data/whole-game
      tbgen list KBvK KNvK KvK
      tbgen list KBvKN --json
    """

    def read(material: TableMaterial, work: Work) -> tuple[Facts, None]:
        return figures_of(folder_with(folders, material), material), None

    folder_of_material = dict(tables_of(folders))
    in_full = bool(names)
    wanted = named_or_there(names, folders) if in_full else list(folder_of_material)
    tables, faults = check_each(wanted, read)
    if not in_full:
        _list(tables, folder_of_material, folders, form)
    elif form is Form.TABLE:
        _show_figures(tables)
    else:
        is_one = len(names) == 1 and len(tables) > 0
        print_facts(form, tables[0] if is_one else tables)
    return complain_of(faults)


def _list(
    tables: Sequence[Facts],
    folder_of_material: Mapping[TableMaterial, Path],
    folders: Sequence[Path],
    form: Form,
) -> None:
    """A row for each table that a probe would use."""
    folder_of_name = {str(material): folder for material, folder in folder_of_material.items()}
    rows = []
    for table in tables:
        row = {name: table[name] for name in ("material", "men", "positions", "bytes", "distances")}
        row["folder"] = str(folder_of_name[table["material"]])
        rows.append(row)
    if form is not Form.TABLE:
        print_facts(form, rows)
        return
    size = in_units(sum(row["bytes"] for row in rows))
    show_table(
        map(_row_of_table, rows),
        note=f"{counted(len(rows), 'table', 'tables')}, {size}; "
        "positions count every placement on 64 squares",
        none="" if folder_of_material else no_tables(folders),
    )


def _row_of_table(table: Facts) -> ShownRow:
    return {
        "table": table["material"],
        "men": table["men"],
        "positions": table["positions"],
        "size": in_units(table["bytes"]),
        "distances": "yes" if table["distances"] else "no",
        "from": _where(table["folder"]),
    }


def _where(folder: str) -> str:
    if folder == str(BUNDLED):
        return "tbgen itself"
    return folder


def _show_figures(tables: Sequence[Facts]) -> None:
    """The figures of tables, one table after another."""
    for number, table in enumerate(tables):
        if number > 0:
            click.echo()
        size = table["bytes"]
        positions = table["positions"]
        click.echo(
            f"{table['material']}: {table['men']} men, "
            f"{positions:,} positions (every placement on 64 squares)"
        )
        click.echo(
            f"{in_units(size)}, {size / max(positions, 1):.3f} bytes a position, "
            f"made by tbgen {table['version']}"
        )
        if table["seconds"] is not None and table["cpu_seconds"] is not None:
            click.echo(f"built in {table['seconds']:.1f} s, {table['cpu_seconds']:.1f} CPU s")
        for side, facts in table["sides"].items():
            click.echo(f"\n{side.capitalize()} to move: {facts['positions']:,} positions")
            show_table(itertools.starmap(_row_of_outcome, facts["outcomes"].items()))


def _row_of_outcome(outcome: str, facts: Facts) -> ShownRow:
    return {
        "outcome": outcome,
        "positions": facts["count"],
        "longest DTG": facts["max_dtg"],
        "for example": facts["fen"],
    }
