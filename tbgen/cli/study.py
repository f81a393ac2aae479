"""`tbgen study`: whole tables counted, and a rule of thumb for mating potential. `tbgen site`: pages.

`tbgen study record` makes records, and `tbgen site` shows them, on request with the explorer and its tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.apps.records.record import FOLDER as RECORDS
from tbgen.apps.records.record import Record, differs, path_of_record, records_in, write_record
from tbgen.cli import complain_of, options, say
from tbgen.cli.options import Command, Wanted, flag, not_empty, option
from tbgen.cli.output import refuse_fewer
from tbgen.cli.reporter import progress
from tbgen.cli.showing import Form, present, show_facts
from tbgen.errors import UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_TABLE_MEN
from tbgen.men import Man
from tbgen.score import Mobility
from tbgen.storage.files import tables_in
from tbgen.text import counted, in_plies, in_units

records_option = option(
    "Show the records in DIR (default: those within the folders of tables).",
    type=options.OLD_FOLDER,
)


def asked_records(where: Sequence[Path]) -> list[Record]:
    """The records of some folders."""
    missing = f"there are no records in {', '.join(map(str, where))}; make them with: tbgen study record --all"
    return not_empty(records_in(*where), missing)


@click.group("study")
def command() -> None:
    """Count whole tables, and test a rule of thumb for mating potential.

    \b
    Examples:
      tbgen study record --all
      tbgen study potential --records records
    """


@command.command("record", cls=Command)
def record(
    *,
    wanted: Wanted = options.wanted_options("every table in the folders", built=True),
    output: Path | None = option(
        "Write the records into DIR (default: records in the folder of tables, if there is only one).",
        "-o",
        type=options.FOLDER,
    ),
    force: bool = flag("Replace records that say something else, too."),
    mobility: Mobility = options.MOBILITY,
    folders: tuple[Path, ...] = options.FOLDERS,
) -> None:
    """Count whole tables and write records: outcomes, distances, longest lines, zugzwangs.

    A record is one JSON file for each material. Its bytes depend on the table alone. Lines are played to prove them
    before they are written.

    \b
    Examples:
      tbgen study record KBvK
      tbgen study record --all --data tables -o records
    """
    materials = wanted.materials(every=lambda: options.named_or_there((), folders))
    if output is None and len(folders) > 1:
        raise UsageError("the tables lie in several folders; say with -o where the records go")
    target = folders[0] / RECORDS if output is None else output
    from tbgen.apps.records.census import record_of

    with progress("records", len(materials), prints=True) as shown:
        for material in materials:
            shown.advance(0, detail=str(material))
            made = record_of(folders, material)
            if not force and differs(target, made):
                raise UsageError(
                    f"{path_of_record(target, material)} says something else of {material}, perhaps of the other game; "
                    "write elsewhere with -o, or give --force"
                )
            write_record(target, made)
            found = made.longest()
            longest = "" if found is None else f", longest {found[1]} in {in_plies(found[2].dtg)}"
            say(
                f"{material}: {made.positions.classes:,} positions up to symmetry{longest}",
                err=False,
            )
            shown.advance()


@command.command("potential", cls=Command, alone=[("--records", "--data"), ("--records", "--man")])
def potential(
    *,
    records: Path | None = records_option,
    own: tuple[Man, ...] = options.OWN,
    worth: tuple[str, ...] = option(
        "Give what a man of your own is worth in centipawns, and his mark if he has one; repeat it for more.",
        multiple=True,
        metavar="M=325,mates",
        needs="--man",
    ),
    folders: tuple[Path, ...] = options.OPTIONAL_FOLDERS,
    form: Form = options.FORM,
) -> None:
    """Compare a rule of thumb for mating potential with exact shares, the worst errors first.

    The factor of an ending is the share of positions that the side ahead wins by mate, less the share that it
    loses. The r-mobility factor is twice what that side gets above half a point.

    With --man, tbgen counts the tables that have men of your own. Marks are "mates" for a minor that mates alone,
    "no-pair" for one of which two do not mate, and "tough" for one that holds out against any man.

    \b
    Examples:
      tbgen study potential --records records
      tbgen study potential --json
      tbgen study potential --man M=WF --worth M=325,mates
    """

    from tbgen.apps.records.potential import (
        facts_of,
        fits_of,
        own_records,
        potentials_of,
        worths_of,
    )

    if own:
        options.check_folders(folders)
        counted_tables = not_empty(own_records(folders[0]), options.no_tables(folders))
        found = potentials_of(counted_tables, worths_of(worth, own))
    else:
        found = potentials_of(
            asked_records([records] if records else [folder / RECORDS for folder in folders])
        )
    facts = facts_of(found)
    present(form, facts, lambda: _show_potentials(fits_of(found), found), facts["endings"].values())


def _show_potentials(fits: Iterable[Any], found: Iterable[Any]) -> None:
    """A table of the rules, and another of the endings."""
    show_facts(
        fits,
        {
            "rule": lambda fit: fit.rule.words,
            "says": lambda fit: fit.rule.factor,
            "fitted": lambda fit: f"{float(fit.mates):.3f}",
            "r-mobility": lambda fit: f"{float(fit.points):.3f}",
            "confirmed": lambda fit: f"{fit.confirmed} of {fit.endings}",
        },
    )
    click.echo()
    show_facts(
        found,
        {
            "ending": lambda each: each.name,
            "rule": lambda each: each.rule.title,
            "says": lambda each: each.rule.factor,
            "factor": lambda each: f"{float(each.mates):.3f}",
            "r-mobility": lambda each: f"{float(each.points):.3f}",
            "longest mate": lambda each: "none" if each.longest is None else in_plies(each.longest),
            "verdict": lambda each: each.verdict,
        },
    )


@click.command("site", cls=Command, alone=[("--no-pages", "--records")])
def site(
    *,
    output: Path = option("Write the files into DIR.", "-o", default="site", type=options.FOLDER),
    force: bool = flag("Replace a site of more endings or tables, too."),
    records: Path | None = records_option,
    address: str | None = option(
        "Show links to the site with a picture: DIR will be at URL on the web.",
        metavar="URL",
        callback=lambda ctx, option, value: _address(value),
    ),
    explorer: bool = flag("Write the explorer and the tables of --data as well."),
    only_explorer: bool = flag("Write no pages of records.", "--no-pages", needs="--explorer"),
    most_men: int | None = option(
        "Leave out tables of more than N men.",
        type=click.IntRange(FEWEST_TABLE_MEN, MOST_TABLE_MEN),
        needs="--explorer",
    ),
    folders: tuple[Path, ...] = options.OPTIONAL_FOLDERS,
) -> int:
    """Make a web site of records: endings, longest lines to step through, drawn endings, mating potential.

    The pages open from the disk, without a server. `tbgen study record` makes records. tbgen writes
    only new and changed files.

    With --explorer the site has the explorer too, and every board leads to it. The page reads tables in the browser, a
    few kilobytes of them at a time; the web server must support Range requests. tbgen links the tables if it can,
    else copies them.

    \b
    Examples:
      tbgen site --records records
      tbgen site --explorer --records records --most-men 4
      tbgen site --explorer --no-pages --data tables
    """
    if explorer:
        options.check_folders(folders)
    if not only_explorer:
        _write_pages(output, records, address, folders, explorer=explorer, force=force)
    return (
        _write_explorer(output, address, folders, most_men or MOST_TABLE_MEN, force=force)
        if explorer
        else 0
    )


def _address(text: str | None) -> str | None:
    """The address of a folder, with a final slash."""
    if text is None:
        return None
    if not text.startswith(("https://", "http://")):
        raise UsageError(f"an address begins with https:// or http://, not {text!r}")
    return text.rstrip("/") + "/"


def _write_pages(
    output: Path,
    records: Path | None,
    address: str | None,
    folders: tuple[Path, ...],
    *,
    explorer: bool,
    force: bool,
) -> None:
    """Write the pages, and print their number."""
    from tbgen.apps.site import need_extra
    from tbgen.apps.site.export import PAGE_FOLDER
    from tbgen.apps.site.pages import Site, write_site
    from tbgen.probe import Tablebase

    where = [records] if records else [folder / RECORDS for folder in folders]
    found = asked_records(where)
    need_extra("report")
    if not force:
        refuse_fewer(
            output, len(list(output.glob("material/*.html"))), len(found), "ending", "endings"
        )
    with (
        Tablebase(folders, missing_ok=True, compiled=True) as tables,
        progress("writing pages", as_share=True) as shown,
    ):
        site = Site(
            found,
            explorer=explorer or (output / PAGE_FOLDER).is_dir(),
            address=address,
            tables=tables,
        )
        files, written = write_site(site, output, shown.reach)
    changed = "" if written == files else f", {written} of them new or changed"
    say(f"{files} files{changed}; begin with {output / 'index.html'}", err=False)


def _write_explorer(
    output: Path, address: str | None, folders: tuple[Path, ...], most_men: int, *, force: bool
) -> int:
    from tbgen.apps.site.export import PAGE_FOLDER, write_explorer
    from tbgen.library.catalog import TABLES, Catalog

    catalog = Catalog(folders, most_men)
    if not catalog.entries:
        raise UsageError(options.no_tables(folders))
    if not force:
        refuse_fewer(output, len(tables_in(output / TABLES)), len(catalog), "table", "tables")
    with progress("writing") as shown:
        number = write_explorer(output, catalog, lambda _: shown.advance(), address)
    size = in_units(sum(file.bytes for entry in catalog.entries.values() for file in entry.files))
    tables, begin = counted(len(catalog), "table", "tables"), output / PAGE_FOLDER / "index.html"
    say(f"{number} files with {tables}, {size}; begin with {begin} on a web server", err=False)
    return complain_of(catalog.faults)
