"""`tbgen study`: whole tables counted, and positions found in them."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.apps.records.record import FOLDER as RECORDS
from tbgen.apps.records.record import Record, write_record
from tbgen.cli import options, say
from tbgen.cli.command import Command
from tbgen.cli.find import find
from tbgen.cli.materials import built_names_argument, named_or_there
from tbgen.cli.reporter import progress
from tbgen.errors import UsageError
from tbgen.text import in_plies


@click.group("study")
def command() -> None:
    """Count whole tables, and find positions in them.

    \b
    Examples:
      tbgen study record
      tbgen study find KPvKP --where "mate_zugzwang AND white"
    """


command.add_command(find)


@command.command("record", cls=Command, short_help="Count whole tables, and write their records.")
@built_names_argument
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=options.FOLDER,
    help="Write the records into DIR (default: records in the folder of tables, if there is only "
    "one).",
)
@options.any_folders_option
def record(
    *,
    names: tuple[str, ...],
    output: Path | None,
    folders: tuple[Path, ...],
) -> None:
    """Count tables such as KBvK, or all tables of the folders, and write their records.

    A record has outcomes, distances, longest lines and zugzwangs. It is one JSON file for each
    material. Its bytes depend on the table alone. Lines are played to prove them before they are
    written.

    \b
    Examples:
      tbgen study record KBvK
      tbgen study record --data tables -o records
    """
    materials = named_or_there(names, folders)
    if output is None and len(folders) > 1:
        raise UsageError("the tables lie in several folders; say with -o where the records go")
    target = folders[0] / RECORDS if output is None else output
    from tbgen.apps.records.census import record_of

    with progress("records", len(materials), prints=True) as work:
        for material in materials:
            work.advance(0, detail=str(material))
            made = record_of(folders, material)
            write_record(target, made)
            _say(made)
            work.advance()


def _say(record: Record) -> None:
    """Print a record in one line."""
    line = f"{record.material}: {record.positions.classes:,} positions up to symmetry"
    longest = record.longest()
    if longest is not None:
        _, outcome, longest_line = longest
        line += f", longest {outcome} in {in_plies(longest_line.dtg)}"
    say(line, err=False)
