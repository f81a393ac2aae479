"""`tbgen site`: records and the explorer as pages for any web server."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.cli import complain_of, options, say
from tbgen.cli.command import Command, refuse_together, refuse_without
from tbgen.cli.reporter import progress
from tbgen.cli.study import asked_records, records_option
from tbgen.errors import UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_BUILT_MEN
from tbgen.text import counted, in_units


def _address_of(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """The address of a folder, with a final slash."""
    if text is None:
        return None
    if not text.startswith(("https://", "http://")):
        raise UsageError(f"an address begins with https:// or http://, not {text!r}")
    return text.rstrip("/") + "/"


@click.command("site", cls=Command)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=options.FOLDER,
    default="site",
    help="Write the files into DIR (default site).",
)
@records_option
@click.option(
    "--address",
    metavar="URL",
    callback=_address_of,
    help="Show links to the site with a picture: DIR will be at URL on the web.",
)
@click.option(
    "--explorer", is_flag=True, help="Write the explorer and the tables of --data as well."
)
@click.option(
    "--no-pages",
    "only_explorer",
    is_flag=True,
    help="With --explorer: write no pages of records.",
)
@click.option(
    "--most-men",
    metavar="N",
    type=click.IntRange(FEWEST_TABLE_MEN, MOST_BUILT_MEN),
    help="With --explorer: leave out tables of more than N men.",
)
@options.folders_option
def command(
    *,
    output: Path,
    records: Path | None,
    address: str | None,
    explorer: bool,
    only_explorer: bool,
    most_men: int | None,
    folders: tuple[Path, ...],
) -> int:
    """Make a web site of records: endings, longest lines to step through, drawn endings.

    The pages open from the disk, without a server. `tbgen study record` makes records. tbgen writes
    only new and changed files.

    With --explorer the site has the explorer too, and every board leads to it. The page reads
    tables in the browser, a few kilobytes of them at a time; the web server must support Range
    requests. tbgen links the tables if it can, else copies them. Without tables in --data, the page
    solves endings of up to four men itself, and any web server will do.

    \b
    Examples:
      tbgen site --records records
      tbgen site --explorer --records records --most-men 4
      tbgen site --explorer --no-pages --data tables
    """
    refuse_together("--no-pages", "--records")
    refuse_without("--explorer", "--no-pages", "--most-men")
    if not only_explorer:
        _write_pages(output, records, address, folders, explorer=explorer)
    if not explorer:
        return 0
    return _write_explorer(output, address, folders, most_men or MOST_BUILT_MEN)


def _write_pages(
    output: Path,
    records: Path | None,
    address: str | None,
    folders: tuple[Path, ...],
    *,
    explorer: bool,
) -> None:
    """Write the pages, and print their number."""
    from tbgen.apps.pages import need_extra
    from tbgen.apps.pages.export import PAGE_FOLDER
    from tbgen.apps.pages.records import Site, write_site
    from tbgen.probe import Tablebase

    endings = asked_records(records, folders)
    need_extra("report")
    with (
        Tablebase(folders, missing_ok=True, compiled=True) as tables,
        progress("writing pages", as_share=True) as work,
    ):
        site = Site(
            endings,
            explorer=explorer or (output / PAGE_FOLDER).is_dir(),
            address=address,
            tables=tables,
        )
        files, written = write_site(site, output, work.reach)
    changed = "" if written == files else f", {written} of them new or changed"
    say(f"{files} files{changed}; begin with {output / 'index.html'}", err=False)


def _write_explorer(
    output: Path, address: str | None, folders: tuple[Path, ...], most_men: int
) -> int:
    from tbgen.apps.pages.export import PAGE_FOLDER, write_explorer
    from tbgen.library.catalog import Catalog
    from tbgen.storage.files import BUNDLED

    catalog = Catalog(folders, most_men)
    folders_of_tables = {entry.files[0].path.parent for entry in catalog.entries.values()}
    if folders_of_tables <= {BUNDLED}:
        catalog.entries.clear()  # the page solves them sooner than it reads them
    with progress("writing") as work:

        def tell(_: object) -> None:
            work.advance()

        number = write_explorer(output, catalog, tell, address)
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
