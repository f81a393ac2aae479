"""`tbgen fetch`: tables that somebody else has built."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from tbgen.cli.folders import Wanted, new_folder_option, wanted_options
from tbgen.cli.options import declared, flag, form_option, option
from tbgen.cli.output import Form, print_facts
from tbgen.cli.reporter import Reporter, Work, reporter
from tbgen.library.fetch import JOBS, Fetched, Watcher, fetch
from tbgen.material import MOST_TABLE_MEN, Material, build_order
from tbgen.text import counted, in_units

_MOST_JOBS = 64


@declared("fetch")
@wanted_options("all tables that are there")
@option("--from", "url", required=True, metavar="URL", help="Fetch from this server: `tbgen serve`, or a web server.")
@flag("--children", help="Fetch the tables that captures and promotions lead to as well.")
@flag("--outcomes", help="Fetch outcomes alone, without distances.")
@option("--jobs", default=JOBS, type=click.IntRange(1, _MOST_JOBS), help="Fetch N files at once.")
@new_folder_option
@form_option
def command(
    wanted: Wanted,
    *,
    url: str,
    children: bool,
    outcomes: bool,
    jobs: int,
    data: Path,
    form: Form,
    quiet: bool,
) -> None:
    """Fetch tables from `tbgen serve`, or from a web server that has what `tbgen site --explorer` writes.

    tbgen checks each file before it keeps it. You may interrupt a fetch at any moment: the same command continues
    it. The value of a position needs no other table than its own; its captures and promotions do, see --children.

    \b
    Examples:
      tbgen fetch --from https://tables.example KRPvKR
      tbgen fetch --from https://tables.example --men 5 --outcomes
      tbgen fetch --from https://tables.example KRvKP --children
      tbgen fetch --from http://127.0.0.1:8000 --all --data copy
    """
    materials = wanted.materials(MOST_TABLE_MEN)

    def choose(offered: Iterable[Material]) -> Iterable[Material]:
        chosen = [material for material in offered if material in set(materials)] if wanted.every else materials
        return build_order(chosen) if children else chosen

    with reporter(quiet=quiet) as shown:
        done = fetch(data, url, choose, outcomes_alone=outcomes, jobs=jobs, watcher=_Shown(shown))
    if not form.is_table:
        print_facts(form, _facts(done, url), [_facts(done, url)])
    elif not quiet:
        speed = in_units(done.bytes / max(done.seconds, 0.001))
        click.echo(f"{len(done.fetched)} fetched, {len(done.there)} already there; {in_units(done.bytes)}, {speed}/s")
        if done.fetched:
            click.echo("the value of a position needs its own table alone; prove them with: tbgen verify --digest")


class _Shown(Watcher):
    """Tells a reporter of the bytes that come, with their speed."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._work: Work | None = None
        self._got = 0

    def begins(self, tables: int, size: int, there: int) -> None:
        if tables:
            title = f"fetching {counted(tables, 'table', 'tables')}, {in_units(size)}"
            self._work = self._reporter.work(title, size, as_share=True)
            self._work.advance(there)

    def waiting(self) -> None:
        self._reporter.say("a build or another fetch is at work in this folder; waiting for it to end ...")

    def got(self, size: int) -> None:
        if self._work is not None:
            self._got += size
            self._work.advance(size, detail=f"{in_units(max(self._got / max(self._work.elapsed, 0.001), 0))}/s")


def _facts(done: Fetched, url: str) -> dict[str, object]:
    return {
        "from": url,
        "fetched": [str(offer.material) for offer in done.fetched],
        "there": [str(material) for material in done.there],
        "bytes": done.bytes,
        "seconds": round(done.seconds, 3),
    }
