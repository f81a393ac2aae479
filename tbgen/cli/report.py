"""`tbgen report`: records as pages to look at."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.ahead.known import Purpose
from tbgen.cli.first_use import compile_for
from tbgen.cli.records import asked_records, records_options
from tbgen.cli.refusals import refuse_together
from tbgen.cli.terminal import progress


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
@click.option("--pictures", is_flag=True, help="Write only the pictures of the documentation, as SVG.")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
@records_options
def command(
    *,
    output: Path,
    event: Path | None,
    explorer: bool,
    pictures: bool,
    quiet: bool,
    records: Path | None,
    folders: tuple[Path, ...],
) -> None:
    """Make a web site of records: endings, longest lines to step through, drawn endings, mating potential.

    The pages open from the disk; no server is needed. `tbgen record` makes records.

    \b
    Examples:
      tbgen report --records records -o site
      tbgen report --event games.json
      tbgen report --explorer -o site
      tbgen report --records records --pictures -o pictures
    """
    from tbgen.report.event import read_event
    from tbgen.report.extra import need_extra
    from tbgen.report.pictures import draw_pictures
    from tbgen.report.site import write_site

    refuse_together({"--pictures": pictures, "--event": event})
    refuse_together({"--pictures": pictures, "--explorer": explorer})
    found = asked_records(records, folders)
    if pictures:
        drawn = [str(path) for path in draw_pictures(found, output)]
        if not quiet:
            click.echo("\n".join(drawn))
        return
    need_extra()
    games = None if event is None else read_event(event)
    compile_for(Purpose.GAMES, quiet=quiet)
    with progress("writing pages", quiet=quiet) as shown:
        number = write_site(found, output, games, explorer=explorer, watch=shown.advance)
    if not quiet:
        click.echo(f"{number} files, begin with {output / 'index.html'}")
