"""`tbgen study`: whole tables counted, two games compared, a rule of thumb for mating potential. `tbgen site`: pages.

`tbgen study record` makes records, and `tbgen site` shows them, with the explorer and its tables if that is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.apps.records.record import FOLDER as RECORDS
from tbgen.apps.records.record import Record, records_in, write_record
from tbgen.cli import complain_of, is_quiet, say
from tbgen.cli.folders import Wanted, named_or_there, no_tables, wanted_options
from tbgen.cli.options import (
    FOLDER,
    NAME,
    OLD_FOLDER,
    Command,
    check_folders,
    flag,
    not_empty,
    option,
    optional_folders,
    refuse_together,
    typed_folders,
)
from tbgen.cli.output import Form, present, show_facts, show_rows, written_whole
from tbgen.cli.reporter import by_pawns, compile_for, progress
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_TABLE_MEN, Material, all_materials
from tbgen.rules.facts import to_json
from tbgen.score import Mobility
from tbgen.storage.files import folder_of_game, tables_of
from tbgen.text import counted, in_plies, in_units, plain

records_option = option("Show the records in DIR (default: those within the folders of tables).", type=OLD_FOLDER)


def asked_records(where: Sequence[Path]) -> list[Record]:
    """The records of some folders."""
    folders = ", ".join(map(str, where))
    return not_empty(records_in(*where), f"there are no records in {folders}; make them with: tbgen study record --all")


@click.group("study")
def command() -> None:
    """Count whole tables, compare the two games, and test a rule of thumb.

    \b
    Examples:
      tbgen study record --all
      tbgen study compare KBvK KPvKP
      tbgen study potential --records records
    """


@command.command("record", cls=Command)
def record(
    *,
    wanted: Wanted = wanted_options("every table in the folders", built=True),
    output: Path | None = option(
        "Write the records into DIR (default: records in the folder of tables, if there is only one).",
        "-o",
        type=FOLDER,
    ),
    game: Mobility,
    folders: tuple[Path, ...],
) -> None:
    """Count whole tables and write records: outcomes, distances, longest lines, zugzwangs.

    A record is one JSON file for each material. Its bytes depend on the table alone. Lines are played to prove them
    before they are written.

    \b
    Examples:
      tbgen study record KBvK
      tbgen study record --all --data tables -o records
    """
    check_folders(folders)
    materials = wanted.materials(every=lambda: named_or_there((), folders))
    if output is None and len(folders) > 1:
        raise UsageError("the tables lie in several folders; say with -o where the records go")
    target = folders[0] / RECORDS if output is None else output
    compile_for(by_pawns(materials, Purpose.RECORDS, Purpose.PAWN_RECORDS))
    from tbgen.apps.records.making import record_of

    with progress("records", len(materials), prints=True) as shown:
        for material in materials:
            shown.advance(0, detail=str(material))
            made = record_of(folders, material)
            write_record(target, made)
            found = made.longest()
            longest = "" if found is None else f", longest {found[1]} in {in_plies(found[2].dtg)}"
            say(f"{material}: {made.positions.classes:,} positions up to symmetry{longest}", err=False)
            shown.advance()


@command.command("compare", cls=Command)
def compare(
    *,
    wanted: Wanted = wanted_options("every material that has tables of both games", built=True),
    output: str | None = option("Write all figures, lines and positions to FILE, as JSON.", "-o", type=NAME),
    folders: tuple[Path, ...],
) -> None:
    """Compare the tables of r-mobility with those of whole-game mobility, position by position.

    Build both first. Shares are of all placements on 64 squares. Points are those of the exponential
    formula that r-mobility gives White more than whole-game mobility does, on average over all positions.
    Among records, the file two-games.json gives a site of `tbgen site` its page of both games.

    \b
    Examples:
      tbgen study compare KBvK KPvKP
      tbgen study compare --all -o records/two-games.json
    """
    materials = wanted.materials(every=lambda: _of_both_games(folders))
    compile_for(by_pawns(materials, Purpose.RECORDS, Purpose.PAWN_RECORDS))
    from tbgen.apps.records import two_games

    with progress("comparing", len(materials)) as shown:
        found = two_games.compare(folders, materials, tell=lambda material: shown.advance(detail=str(material)))
    if output is not None:
        with written_whole(output) as file:
            file.write(f"{to_json(plain(found), indent=1)}\n".encode())
    if output != "-" and not is_quiet():
        show_rows(
            ("table", "differ", "for White", "for Black", "other holder", "points"),
            [
                (
                    str(each.material),
                    *(f"{share:.2%}" for share in vars(each.shares).values()),
                    f"{each.points_to_white:+.4f}",
                )
                for each in found.tables
            ],
        )
        sys.stdout.flush()


def _of_both_games(folders: Sequence[Path]) -> list[Material]:
    """The materials that have tables of both games."""
    there = [{each for each, _ in tables_of([folder_of_game(path, game) for path in folders])} for game in Mobility]
    return not_empty(
        [material for material in all_materials() if all(material in each for each in there)],
        "no material has tables of both games; build some with --game whole-game and without",
    )


@command.command("potential", cls=Command, alone=[("--records", "--data")])
def potential(
    *,
    records: Path | None = records_option,
    folders: tuple[Path, ...] = optional_folders,
    form: Form,
) -> None:
    """Compare a rule of thumb for mating potential with exact shares, the worst errors first.

    The factor of an ending is the share of positions that the side ahead wins by mate, less the share that it
    loses. The r-mobility factor is twice what that side gets above half a point.

    \b
    Examples:
      tbgen study potential --records records
      tbgen study potential --json
    """

    from tbgen.apps.records.published import facts_of, fits_of, potentials_of

    found = potentials_of(asked_records([records] if records else [folder / RECORDS for folder in folders]))
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
            "verdict": lambda each: each.verdict,
        },
    )


@click.command("site", cls=Command, alone=[("--no-pages", "--records")])
def site(
    *,
    output: Path = option("Write the files into DIR.", "-o", default="site", type=FOLDER),
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
    folders: tuple[Path, ...] = optional_folders,
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
        check_folders(folders)
    elif records is not None and typed_folders():
        refuse_together(["--records", "--data"])
    if not only_explorer:
        _write_pages(output, records, address, folders, explorer=explorer)
    return _write_explorer(output, address, folders, most_men or MOST_TABLE_MEN) if explorer else 0


def _address(text: str | None) -> str | None:
    """An address that file names can be put after."""
    if text is None:
        return None
    if not text.startswith(("https://", "http://")):
        raise UsageError(f"an address begins with https:// or http://, not {text!r}")
    return text.rstrip("/") + "/"


def _write_pages(
    output: Path, records: Path | None, address: str | None, folders: tuple[Path, ...], *, explorer: bool
) -> None:
    """Write the pages, and say how many."""
    from tbgen.apps.records.two_games import FILE, read_comparison
    from tbgen.apps.site import need_extra
    from tbgen.apps.site.pages import Site, write_site
    from tbgen.apps.site.templates import PAGE_FOLDER
    from tbgen.probe import Tablebase

    where = [records] if records else [folder / RECORDS for folder in folders]
    found = asked_records(where)
    need_extra("report")
    compared = next(filter(Path.is_file, (folder / FILE for folder in where)), None)
    compile_for(Purpose.ANSWERS)
    with (
        Tablebase(folders, missing_ok=True, compiled=True) as tables,
        progress("writing pages", as_share=True) as shown,
    ):
        site = Site(
            found,
            games=None if compared is None else read_comparison(compared),
            explorer=explorer or (output / PAGE_FOLDER).is_dir(),
            address=address,
            tables=tables,
        )
        files, written = write_site(site, output, shown.reach)
    changed = "" if written == files else f", {written} of them new or changed"
    say(f"{files} files{changed}; begin with {output / 'index.html'}", err=False)


def _write_explorer(output: Path, address: str | None, folders: tuple[Path, ...], most_men: int) -> int:
    from tbgen.apps.site.templates import PAGE_FOLDER, write_explorer
    from tbgen.library.catalog import Catalog

    catalog = Catalog(folders, most_men)
    if not catalog.entries:
        raise UsageError(no_tables(folders))
    with progress("writing") as shown:
        number = write_explorer(output, catalog, lambda _: shown.advance(), address)
    size = in_units(sum(file.bytes for entry in catalog.entries.values() for file in entry.files))
    tables, begin = counted(len(catalog), "table", "tables"), output / PAGE_FOLDER / "index.html"
    say(f"{number} files with {tables}, {size}; begin with {begin} on a web server", err=False)
    return complain_of(catalog.faults)
