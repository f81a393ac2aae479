"""`tbgen report`: records as pages to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tbgen.apps.records.folder import paths_of_records, records_in
from tbgen.apps.records.record import Record
from tbgen.cli.first_use import compile_for
from tbgen.cli.records import asked_records, records_options
from tbgen.cli.refusals import refuse_together, typed_folders
from tbgen.cli.terminal import progress
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError


@click.command("report")
@click.option(
    "-o",
    "--output",
    default="report",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for the pages (default ./report).",
)
@click.option(
    "--event",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Add a page for games that `tbgen adjudicate --json` has decided.",
)
@click.option("--explorer", is_flag=True, help="Lead from every board to the explorer in DIR/explorer.")
@click.option(
    "--address", metavar="URL", help="Where DIR will be on the web: links to it are then shown with a picture."
)
@click.option("--pictures", is_flag=True, help="Write only the pictures of the documentation, as SVG.")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
@records_options
def command(
    *,
    output: Path,
    event: Path | None,
    explorer: bool,
    address: str | None,
    pictures: bool,
    quiet: bool,
    records: Path | None,
    folders: tuple[Path, ...],
) -> None:
    """Make a web site of records: endings, longest lines to step through, drawn endings, mating potential.

    The pages open from the disk; no server is needed. `tbgen record` makes records. Only what is new or has changed
    is written. With --event alone, a site that is in DIR gets the event's page; a later run keeps it.

    \b
    Examples:
      tbgen report --records records -o site
      tbgen report --event games.json -o site
      tbgen report --explorer -o site
      tbgen report --records records --pictures -o pictures
    """
    from tbgen.apps.site.pages import DATA
    from tbgen.apps.site.plots import draw_pictures

    refuse_together({"--pictures": pictures, "--event": event})
    refuse_together({"--pictures": pictures, "--explorer": explorer})
    refuse_together({"--pictures": pictures, "--address": address})
    site = output / DATA
    is_added = event is not None and records is None and not typed_folders() and any(paths_of_records(site))
    found = records_in(site) if is_added else asked_records(records, folders)
    if not pictures:
        write_pages(found, output, folders, event, explorer=explorer, address=_address(address), quiet=quiet)
        return
    drawn = [str(path) for path in draw_pictures(found, output)]
    if not quiet:
        click.echo("\n".join(drawn))


def _address(text: str | None) -> str | None:
    """An address that file names can be put after."""
    if text is None:
        return None
    if not text.startswith(("https://", "http://")):
        raise UsageError(f"an address begins with https:// or http://, not {text!r}")
    return text.rstrip("/") + "/"


def write_pages(
    records: Sequence[Record],
    output: Path,
    folders: Sequence[Path],
    event: Path | None = None,
    *,
    explorer: bool,
    address: str | None = None,
    quiet: bool = False,
) -> None:
    """Write the pages, and say how many; a site keeps the event that it has. `folders` may have tables."""
    from tbgen.apps.site.events import read_event
    from tbgen.apps.site.pages import DATA, EVENT, write_site
    from tbgen.apps.site.templates import need_extra
    from tbgen.probe import Tablebase

    need_extra()
    kept = output / DATA / EVENT
    event = kept if event is None and kept.is_file() else event
    games = None if event is None else read_event(event)
    compile_for(Purpose.GAMES, Purpose.ANSWERS, quiet=quiet)
    with Tablebase(folders, compiled=True) as tables, progress("writing pages", quiet=quiet, as_share=True) as shown:
        files, written = write_site(
            records, output, games, explorer=explorer, address=address, tables=tables, tell=shown.reach
        )
    if not quiet:
        changed = "" if written == files else f", {written} of them new or changed"
        click.echo(f"{files} files{changed}; begin with {output / 'index.html'}")
