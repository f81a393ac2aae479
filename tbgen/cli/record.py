"""`tbgen record`: the figures of tables, counted cell by cell, as files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tbgen.cli.data import data_option, wanted_materials
from tbgen.cli.terminal import progress
from tbgen.records.folder import FOLDER, merge, write_index, write_record
from tbgen.records.record import Record
from tbgen.words import in_plies


@click.command("record")
@click.argument("names", metavar="[MATERIAL]...", nargs=-1)
@click.option("--men", type=int, metavar="N", help="Every table with so many men, kings included.")
@click.option("--all", "every", is_flag=True, help="Every table in the folder.")
@click.option(
    "--merge",
    "other",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Take over the records of another folder.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where the records go (default: records within the folder of tables).",
)
@data_option
def command(
    names: tuple[str, ...], *, men: int | None, every: bool, other: Path | None, output: Path | None, data: Path
) -> None:
    """Count tables whole and write down what they hold: outcomes, distances, longest lines, zugzwangs.

    One JSON file a material and an index; docs/records.md says what each figure means. The bytes depend on the
    table alone, and lines are played to prove them before they are written.

    \b
    Examples:
      tbgen record KBvK
      tbgen record --all --data tables -o records
      tbgen record --merge elsewhere/records
    """
    folder = data / FOLDER if output is None else output
    if other is not None:
        taken = merge(folder, other)
        click.echo(f"{len(taken)} taken over" + (": " if taken else "") + ", ".join(map(str, taken)))
        if not (names or every or men is not None):
            return
    from tbgen.probe import open_tablebase
    from tbgen.records.making import record_of

    with open_tablebase(data) as tables:
        there = tables.available()
    wanted = there if every else wanted_materials(names, men, every=False)
    with progress("records", len(wanted), quiet=sys.stdout.isatty()) as shown:
        try:
            for material in wanted:
                shown.advance(0, title=str(material))
                record = record_of(data, material)
                write_record(folder, record)
                click.echo(f"{material}: {record.positions.classes:,} positions up to symmetry{_longest(record)}")
                shown.advance()
        finally:
            write_index(folder)


def _longest(record: Record) -> str:
    found = record.longest()
    return "" if found is None else f", longest {found[1]} in {in_plies(found[2].dtg)}"
