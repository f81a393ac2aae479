"""`tbgen fetch`: tables that somebody else has built."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path

import click

from tbgen.cli.data import in_units, new_folder_option, wanted_materials
from tbgen.cli.refusals import refuse_together
from tbgen.cli.terminal import Progress, complain
from tbgen.library.fetch import JOBS, Fetched, Watcher, fetch
from tbgen.material import MOST_TABLE_MEN, Material, build_order
from tbgen.text import counted

_MOST_JOBS = 64


@click.command("fetch")
@click.argument("names", nargs=-1, metavar="[MATERIAL]...")
@click.option("--from", "url", required=True, metavar="URL", help="Where they are: `tbgen serve`, or a web server.")
@click.option("--men", type=int, metavar="N", help="All materials with N men, kings included.")
@click.option("--all", "every", is_flag=True, help="All tables that are there.")
@click.option("--children", is_flag=True, help="And the tables that captures and promotions lead to.")
@click.option("--outcomes", is_flag=True, help="Outcomes alone, without distances.")
@click.option(
    "--digest", "by_digest", is_flag=True, help="Hold the tables against the known ones then: docs/digests.md."
)
@new_folder_option
@click.option(
    "--jobs", default=JOBS, type=click.IntRange(1, _MOST_JOBS), metavar="N", help="Files at once (default 4)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def command(
    names: tuple[str, ...],
    *,
    url: str,
    men: int | None,
    every: bool,
    children: bool,
    outcomes: bool,
    by_digest: bool,
    data: Path,
    jobs: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """Fetch tables from `tbgen serve`, or from a web server that has what `tbgen explorer` writes.

    Each file is checked before it has its name. A fetch may be interrupted at any moment: the same command goes on.
    The value of a position needs no other table than its own; its captures and promotions do, see --children.

    \b
    Examples:
      tbgen fetch --from https://tables.example KRPvKR
      tbgen fetch --from https://tables.example --men 5 --outcomes
      tbgen fetch --from https://tables.example KRvKP --children --digest
      tbgen fetch --from http://127.0.0.1:8000 --all --data copy
    """
    refuse_together({"--json": as_json, "--quiet": quiet})
    wanted = wanted_materials(names, men, every=every, most=MOST_TABLE_MEN)

    def choose(offered: Iterable[Material]) -> Iterable[Material]:
        chosen = [material for material in offered if material in set(wanted)] if every else wanted
        return build_order(chosen) if children else chosen

    with _Shown(quiet=quiet) as shown:
        done = fetch(data, url, choose, outcomes_alone=outcomes, jobs=jobs, watcher=shown)
    if as_json:
        click.echo(json.dumps(_facts(done, url), indent=2))
    elif not quiet:
        _show(done, proved=by_digest)
    if not by_digest:
        return 0
    from tbgen.cli.verify_digest import compare_digests

    tables = [*done.there, *(offer.material for offer in done.fetched)]
    return compare_digests(tables, (data,), quiet=quiet or as_json)


class _Shown(Watcher):
    """Progress in bytes, with their speed."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._progress: Progress | None = None
        self._begun, self._got = 0.0, 0

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress is not None:
            self._progress.close()

    def begins(self, tables: int, size: int, there: int) -> None:
        self._begun = time.monotonic()
        title = f"fetching {counted(tables, 'table', 'tables')}, {in_units(size)}"
        self._title = title
        self._progress = Progress(title, size, quiet=self._quiet or not tables, as_share=True)
        self._progress.advance(there)

    def waiting(self) -> None:
        if not self._quiet:
            complain("a build or another fetch is at work in this folder; waiting for it to end ...")

    def got(self, size: int) -> None:
        if self._progress is not None:
            self._got += size
            speed = self._got / max(time.monotonic() - self._begun, 0.001)
            self._progress.advance(size, title=f"{self._title}, {in_units(max(int(speed), 0))}/s")


def _facts(done: Fetched, url: str) -> dict[str, object]:
    return {
        "from": url,
        "fetched": [str(offer.material) for offer in done.fetched],
        "there": [str(material) for material in done.there],
        "bytes": done.bytes,
        "seconds": round(done.seconds, 3),
    }


def _show(done: Fetched, *, proved: bool) -> None:
    speed = in_units(int(done.bytes / max(done.seconds, 0.001)))
    click.echo(f"{len(done.fetched)} fetched, {len(done.there)} already there; {in_units(done.bytes)}, {speed}/s")
    if done.fetched:
        how = "" if proved else "; prove them with: tbgen verify --digest"
        click.echo(f"the value of a position needs its own table alone{how}")
