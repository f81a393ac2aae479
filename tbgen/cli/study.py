"""`tbgen study`: whole tables counted, and a rule of thumb for mating potential."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tbgen.apps.records.record import FOLDER as RECORDS
from tbgen.apps.records.record import Record, records_in, write_record
from tbgen.cli import options, say
from tbgen.cli.command import Command, refuse_together, refuse_without
from tbgen.cli.find import find
from tbgen.cli.materials import Wanted, named_or_there, no_tables, wanted_options
from tbgen.cli.reporter import progress
from tbgen.cli.showing import Form, ShownRow, print_facts, show_table
from tbgen.errors import UsageError
from tbgen.material import TableMaterial
from tbgen.men import Man
from tbgen.score import Mobility
from tbgen.text import in_plies

if TYPE_CHECKING:
    from tbgen.apps.records.potential import Fit, Potential

records_option = click.option(
    "--records",
    metavar="DIR",
    type=options.OLD_FOLDER,
    help="Show the records in DIR (default: those within the folders of tables).",
)


def asked_records(records: Path | None, folders: Sequence[Path]) -> list[Record]:
    """The records in a folder, else those within the folders of tables; UsageError without any."""
    where = [folder / RECORDS for folder in folders]
    if records is not None:
        where = [records]
    found = records_in(*where)
    if not found:
        raise UsageError(
            f"there are no records in {', '.join(map(str, where))}; "
            "make them with: tbgen study record --all"
        )
    return found


@click.group("study")
def command() -> None:
    """Count whole tables, find positions in them, and test a rule of thumb.

    \b
    Examples:
      tbgen study record --all
      tbgen study find KPvKP --where "mate_zugzwang AND white"
      tbgen study potential --records records
    """


command.add_command(find)


@command.command("record", cls=Command, short_help="Count whole tables, and write their records.")
@wanted_options("every table in the folders", built=True)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=options.FOLDER,
    help="Write the records into DIR (default: records in the folder of tables, if there is only "
    "one).",
)
@options.mobility_option
@options.folders_option
def record(
    *,
    wanted: Wanted,
    output: Path | None,
    mobility: Mobility,
    folders: tuple[Path, ...],
) -> None:
    """Count whole tables and write records: outcomes, distances, longest lines, zugzwangs.

    A record is one JSON file for each material. Its bytes depend on the table alone. Lines are
    played to prove them before they are written.

    \b
    Examples:
      tbgen study record KBvK
      tbgen study record --all --data tables -o records
    """

    def all_built() -> list[TableMaterial]:
        return named_or_there((), folders)

    materials = wanted.materials(list_all=all_built)
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


@command.command("potential", cls=Command, short_help="Test a rule of thumb for mating potential.")
@records_option
@options.own_option
@click.option(
    "--worth",
    metavar="M=325,mates",
    multiple=True,
    help="With --man: give what a man of your own is worth in centipawns, and his mark if he has "
    "one; repeat it for more.",
)
@options.folders_option
@options.form_option
def potential(
    *,
    records: Path | None,
    own: tuple[Man, ...],
    worth: tuple[str, ...],
    folders: tuple[Path, ...],
    form: Form,
) -> None:
    """Compare a rule of thumb for mating potential with exact shares, the worst errors first.

    The factor of an ending is the share of positions that the side ahead wins by mate, less the
    share that it loses. The r-mobility factor is twice what that side gets above half a point.

    With --man, tbgen counts the tables that have men of your own. Marks are "mates" for a minor
    that mates alone, "no-pair" for one of which two do not mate, and "tough" for one that holds out
    against any man.

    \b
    Examples:
      tbgen study potential --records records
      tbgen study potential --json
      tbgen study potential --man M=WF --worth M=325,mates
    """
    refuse_together("--records", "--data")
    refuse_together("--records", "--man")
    refuse_without("--man", "--worth")
    from tbgen.apps.records.potential import (
        facts_of,
        fits_of,
        own_records,
        potentials_of,
        worths_of,
    )

    if own:
        counted_tables = own_records(folders[0])
        if not counted_tables:
            raise UsageError(no_tables(folders))
        potentials = potentials_of(counted_tables, worths_of(worth, own))
    else:
        potentials = potentials_of(asked_records(records, folders))
    if form is Form.TABLE:
        show_table(map(_row_of_rule, fits_of(potentials)))
        click.echo()
        show_table(map(_row_of_ending, potentials))
    else:
        facts = facts_of(potentials)
        print_facts(form, facts, facts["endings"].values())


def _row_of_rule(fit: Fit) -> ShownRow:
    return {
        "rule": fit.rule.words,
        "says": fit.rule.factor,
        "fitted": f"{float(fit.mates):.3f}",
        "r-mobility": f"{float(fit.points):.3f}",
        "confirmed": f"{fit.confirmed} of {fit.endings}",
    }


def _row_of_ending(ending: Potential) -> ShownRow:
    return {
        "ending": ending.name,
        "rule": ending.rule.title,
        "says": ending.rule.factor,
        "factor": f"{float(ending.mates):.3f}",
        "r-mobility": f"{float(ending.points):.3f}",
        "longest mate": "none" if ending.longest is None else in_plies(ending.longest),
        "verdict": ending.verdict,
    }
