"""`tbgen record`: the figures of tables, counted cell by cell, as files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from tbgen.apps.records.folder import FOLDER, is_index_behind, merge, write_index, write_record
from tbgen.apps.records.record import Record
from tbgen.cli.completion import a_table
from tbgen.cli.data import check_folders, game_option, optional_folders_option, tables_there, wanted_materials
from tbgen.cli.first_use import by_pawns, compile_for
from tbgen.cli.refusals import refuse_without, typed_folders
from tbgen.cli.terminal import progress
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError
from tbgen.material import Material
from tbgen.score import Mobility
from tbgen.text import in_plies


@click.command("record")
@click.argument("names", metavar="[MATERIAL]...", nargs=-1, shell_complete=a_table)
@click.option("--men", type=int, metavar="N", help="Every table with N men, kings included.")
@click.option("--all", "every", is_flag=True, help="Every table in the folders.")
@click.option(
    "--merge",
    "other",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Copy the records of another folder.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Folder for the records (default: records in the folder of tables, if there is only one).",
)
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
@game_option
@optional_folders_option
def command(
    names: tuple[str, ...],
    *,
    men: int | None,
    every: bool,
    other: Path | None,
    output: Path | None,
    quiet: bool,
    game: Mobility,
    folders: tuple[Path, ...],
) -> None:
    """Count whole tables and write records: outcomes, distances, longest lines, zugzwangs.

    A record is one JSON file for each material; an index lists them. docs/records.md says what each figure means.
    The bytes depend on the table alone. Lines are played to prove them before they are written.

    \b
    Examples:
      tbgen record KBvK
      tbgen record --all --data tables -o records
      tbgen record --merge elsewhere/records
    """
    is_counting = bool(names) or men is not None or every or other is None
    wanted = wanted_materials(names, men, every=every) if is_counting else []
    if output is not None and not is_counting:
        refuse_without("tables to count", {"--data": typed_folders()})
    else:
        check_folders(folders)
    target = _target(folders) if output is None else output
    if every:
        wanted = tables_there(folders)
    if other is not None:
        taken = merge(target, other)
        if not quiet:
            click.echo(f"{len(taken)} taken over" + (": " if taken else "") + ", ".join(map(str, taken)))
    if wanted:
        _count(wanted, folders, target, quiet=quiet)


def _target(folders: Sequence[Path]) -> Path:
    """Where records go if nobody says."""
    if len(folders) > 1:
        raise UsageError("the tables lie in several folders; say with -o where the records go")
    return folders[0] / FOLDER


def _count(wanted: Sequence[Material], folders: Sequence[Path], target: Path, *, quiet: bool) -> None:
    """Count tables and write what they hold."""
    compile_for(by_pawns(wanted, Purpose.RECORDS, Purpose.PAWN_RECORDS), quiet=quiet)
    from tbgen.apps.records.making import record_of

    with progress("records", len(wanted), quiet=quiet or sys.stdout.isatty()) as shown:
        try:
            for material in wanted:
                shown.advance(0, title=str(material))
                record = record_of(folders, material)
                write_record(target, record)
                if not quiet:
                    click.echo(f"{material}: {record.positions.classes:,} positions up to symmetry{_longest(record)}")
                shown.advance()
        finally:
            if is_index_behind(target):
                write_index(target)


def _longest(record: Record) -> str:
    found = record.longest()
    return "" if found is None else f", longest {found[1]} in {in_plies(found[2].dtg)}"
