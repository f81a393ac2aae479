"""`tbgen explorer`: the explorer's page and tables as files for any web server."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.cli.data import check_folders, folders_option, in_units, no_tables
from tbgen.cli.records import records_at
from tbgen.cli.refusals import refuse_without
from tbgen.cli.report import write_pages
from tbgen.cli.terminal import complain_of, progress
from tbgen.errors import UsageError
from tbgen.material import FEWEST_TABLE_MEN, MOST_TABLE_MEN
from tbgen.text import counted


@click.command("explorer")
@click.option(
    "-o",
    "--output",
    default="site",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the files go (default ./site).",
)
@folders_option
@click.option(
    "--men",
    default=MOST_TABLE_MEN,
    type=click.IntRange(FEWEST_TABLE_MEN, MOST_TABLE_MEN),
    metavar="N",
    help="Only tables of at most N men.",
)
@click.option("--report", is_flag=True, help="Write the pages of `tbgen report` too, each linked with the other.")
@click.option(
    "--records",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="With --report: the records to show (default: those within the folders of tables).",
)
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
def command(
    *, output: Path, folders: tuple[Path, ...], men: int, report: bool, records: Path | None, quiet: bool
) -> int:
    """Write the explorer and tables as files, for a web server that runs no program of ours.

    The page reads tables in the browser, a few kilobytes of them at a time; the server has to know Range requests.
    Tables are linked where they can be, else copied. With --report the site has the pages of all records as well.

    \b
    Examples:
      tbgen explorer -o site
      tbgen explorer --report --records records --men 4 -o site
    """
    from tbgen.apps.site.export import PAGE_FOLDER, write_explorer
    from tbgen.library.catalog import Catalog

    check_folders(folders)
    refuse_without("--report", {"--records": None if report else records})
    catalog = Catalog(folders, men)
    if not catalog.entries:
        raise UsageError(no_tables(folders))
    if report:
        write_pages(records_at(records, folders), output, folders, explorer=True, quiet=quiet)
    with progress("writing", quiet=quiet) as shown:
        number = write_explorer(output, catalog, lambda _: shown.advance())
    size = sum(entry.bytes for entry in catalog.entries.values())
    told = f"{counted(len(catalog), 'table', 'tables')}, {in_units(size)}"
    if not quiet:
        click.echo(f"{number} files with {told}; begin with {output / PAGE_FOLDER / 'index.html'} on a web server")
    return complain_of(catalog.faults)
