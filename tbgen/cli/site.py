"""`tbgen site`: records as pages to look at, and the explorer with tables, as files for any web server."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.apps.records.folder import FOLDER as RECORDS
from tbgen.cli.folders import check_folders, no_tables, optional_folders_option
from tbgen.cli.options import FOLDER, declared, flag, option, refuse_together, typed_folders
from tbgen.cli.reporter import compile_for, progress
from tbgen.cli.study import asked_records, records_option
from tbgen.cli.terminal import complain_of
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_TABLE_MEN
from tbgen.text import counted, in_units


@declared("site", ("--no-pages", "--records"))
@option("-o", "--output", default="site", type=FOLDER, help="Write the files into DIR.")
@records_option
@option("--address", metavar="URL", help="Show links to the site with a picture: DIR will be at URL on the web.")
@flag("--explorer", help="Write the explorer and the tables of --data as well.")
@flag("--no-pages", "only_explorer", needs="--explorer", help="Write no pages of records.")
@option(
    "--most-men",
    type=click.IntRange(FEWEST_TABLE_MEN, MOST_TABLE_MEN),
    needs="--explorer",
    help="Leave out tables of more than N men.",
)
@optional_folders_option
def command(
    *,
    output: Path,
    records: Path | None,
    address: str | None,
    explorer: bool,
    only_explorer: bool,
    most_men: int | None,
    folders: tuple[Path, ...],
    quiet: bool,
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
    there = _address(address)
    if not only_explorer:
        _write_pages(output, records, there, folders, explorer=explorer, quiet=quiet)
    return _write_explorer(output, there, folders, most_men or MOST_TABLE_MEN, quiet=quiet) if explorer else 0


def _address(text: str | None) -> str | None:
    """An address that file names can be put after."""
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
    quiet: bool,
) -> None:
    """Write the pages, and say how many."""
    from tbgen.apps.records.two_games import FILE, read_comparison
    from tbgen.apps.site.export import PAGE_FOLDER
    from tbgen.apps.site.pages import Site, write_site
    from tbgen.apps.site.templates import need_extra
    from tbgen.probe import Tablebase

    where = [records] if records else [folder / RECORDS for folder in folders]
    found = asked_records(where)
    need_extra()
    explorer = explorer or (output / PAGE_FOLDER).is_dir()
    compared = next(filter(Path.is_file, (folder / FILE for folder in where)), None)
    compile_for(Purpose.ANSWERS, quiet=quiet)
    with (
        Tablebase(folders, missing_ok=True, compiled=True) as tables,
        progress("writing pages", quiet=quiet, as_share=True) as shown,
    ):
        site = Site(
            found,
            games=None if compared is None else read_comparison(compared),
            explorer=explorer,
            address=address,
            tables=tables,
        )
        files, written = write_site(site, output, shown.reach)
    if not quiet:
        changed = "" if written == files else f", {written} of them new or changed"
        click.echo(f"{files} files{changed}; begin with {output / 'index.html'}")


def _write_explorer(output: Path, address: str | None, folders: tuple[Path, ...], most_men: int, *, quiet: bool) -> int:
    from tbgen.apps.site.export import PAGE_FOLDER, write_explorer
    from tbgen.library.catalog import Catalog

    catalog = Catalog(folders, most_men)
    if not catalog.entries:
        raise UsageError(no_tables(folders))
    with progress("writing", quiet=quiet) as shown:
        number = write_explorer(output, catalog, lambda _: shown.advance(), address)
    size = in_units(sum(entry.bytes for entry in catalog.entries.values()))
    if not quiet:
        tables, begin = counted(len(catalog), "table", "tables"), output / PAGE_FOLDER / "index.html"
        click.echo(f"{number} files with {tables}, {size}; begin with {begin} on a web server")
    return complain_of(catalog.faults)
