"""`tbgen site`: records and the explorer as pages for any web server."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.apps.records.record import FOLDER as RECORDS
from tbgen.apps.records.record import Record, records_in
from tbgen.cli import complain_of, options, say
from tbgen.cli.command import Command
from tbgen.cli.reporter import progress
from tbgen.errors import UsageError
from tbgen.text import counted, in_units


@click.command("site", cls=Command)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=options.FOLDER,
    default="site",
    help="Write the files into DIR (default site).",
)
@click.option(
    "--records",
    metavar="DIR",
    type=options.OLD_FOLDER,
    help="Show the records in DIR (default: those within the folders of tables).",
)
@click.option(
    "--explorer", is_flag=True, help="Write the explorer and the tables of --data as well."
)
@options.folders_option
def command(
    *,
    output: Path,
    records: Path | None,
    explorer: bool,
    folders: tuple[Path, ...],
) -> int:
    """Make a web site of records: endings, longest lines to step through, drawn endings.

    The pages open from the disk, without a server. `tbgen study record` makes records. tbgen writes
    only new and changed files.

    With --explorer the site has the explorer too, and every board leads to it; records may be
    missing. The page reads tables in the browser, a few kilobytes of them at a time; the web server
    must support Range requests. tbgen links the tables if it can, else copies them. Without tables
    in --data, the page solves endings of up to four men itself, and any web server will do.

    \b
    Examples:
      tbgen site --records records
      tbgen site --explorer --records records
      tbgen site --explorer --data tables
    """
    where = [folder / RECORDS for folder in folders] if records is None else [records]
    endings = records_in(*where)
    if not endings and (records is not None or not explorer):
        raise UsageError(
            f"there are no records in {', '.join(map(str, where))}; "
            "make them with: tbgen study record"
        )
    if endings:
        _write_pages(output, endings, folders, explorer=explorer)
    if not explorer:
        return 0
    return _write_explorer(output, folders)


def _write_pages(
    output: Path, endings: list[Record], folders: tuple[Path, ...], *, explorer: bool
) -> None:
    """Write the pages of endings, and print their number."""
    from tbgen.apps.pages import need_extra
    from tbgen.apps.pages.export import PAGE_FOLDER
    from tbgen.apps.pages.records import Site, write_site
    from tbgen.probe import Tablebase

    need_extra("report")
    with (
        Tablebase(folders, missing_ok=True, compiled=True) as tables,
        progress("writing pages", as_share=True) as work,
    ):
        site = Site(
            endings,
            explorer=explorer or (output / PAGE_FOLDER).is_dir(),
            tables=tables,
        )
        files, written = write_site(site, output, work.reach)
    changed = "" if written == files else f", {written} of them new or changed"
    say(f"{files} files{changed}; begin with {output / 'index.html'}", err=False)


def _write_explorer(output: Path, folders: tuple[Path, ...]) -> int:
    from tbgen.apps.pages.export import PAGE_FOLDER, write_explorer
    from tbgen.library.catalog import Catalog
    from tbgen.storage.files import BUNDLED

    catalog = Catalog(folders)
    folders_of_tables = {entry.files[0].path.parent for entry in catalog.entries.values()}
    if folders_of_tables <= {BUNDLED}:
        catalog.entries.clear()  # the page solves them sooner than it reads them
    with progress("writing") as work:

        def tell(_: object) -> None:
            work.advance()

        number = write_explorer(output, catalog, tell)
    size = 0
    for entry in catalog.entries.values():
        size += sum(file.bytes for file in entry.files)
    held = f"{counted(len(catalog), 'table', 'tables')}, {in_units(size)}"
    tables = f"with {held}" if catalog.entries else "without tables, which the page solves itself"
    begin = output / PAGE_FOLDER / "index.html"
    say(
        f"{number} files {tables}; begin with {begin} on a web server",
        err=False,
    )
    return complain_of(catalog.faults)
