"""`tbgen fetch`: tables from a server."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from tbgen.cli import is_quiet, options
from tbgen.cli.command import Command
from tbgen.cli.materials import Wanted, wanted_options
from tbgen.cli.reporter import reporter
from tbgen.cli.showing import Form, print_facts
from tbgen.facts import facts_of
from tbgen.library.fetch import Fetched, fetch
from tbgen.material import MOST_TABLE_MEN, TableMaterial, all_materials, build_order
from tbgen.text import counted, in_units

_JOBS = 4
"""The files that are fetched at once."""
_SHORTEST = 0.001
"""Seconds: no speed divides by less."""


@click.command("fetch", cls=Command)
@wanted_options
@click.option(
    "--from",
    "url",
    metavar="URL",
    required=True,
    help="Fetch from this server: `tbgen serve`, or a web server.",
)
@click.option(
    "--children",
    is_flag=True,
    help="Fetch the tables that captures and promotions lead to as well.",
)
@click.option("--outcomes", is_flag=True, help="Fetch outcomes alone, without distances.")
@options.data_option
@options.json_option
def command(
    *,
    wanted: Wanted,
    url: str,
    children: bool,
    outcomes: bool,
    data: Path,
    form: Form,
) -> None:
    """Fetch tables such as KBvK, or all tables of a server: of `tbgen serve`, or of a web server
    that has what `tbgen site --explorer` writes.

    tbgen checks each file before it keeps it. You may interrupt a fetch at any moment: the same
    command continues it. The value of a position needs no other table than its own; its captures
    and promotions do, see --children.

    \b
    Examples:
      tbgen fetch --from https://tables.example KRPvKR
      tbgen fetch --from https://tables.example --men 5 --outcomes
      tbgen fetch --from https://tables.example KRvKP --children
      tbgen fetch --from http://127.0.0.1:8000 --data copy
    """
    materials = wanted.materials(MOST_TABLE_MEN) if wanted.given else None

    def choose(offered: Iterable[TableMaterial]) -> Iterable[TableMaterial]:
        chosen = materials
        if chosen is None:
            whole = set(all_materials())
            chosen = [material for material in offered if material in whole]
        if children:
            return build_order(chosen)
        return chosen

    with reporter() as shown:
        work = shown.work("fetching", as_share=True)

        def tell(tables: int, size: int, there: int, come: int) -> None:
            title = f"fetching {counted(tables, 'table', 'tables')}, {in_units(size)}"
            speed = max(come / max(work.elapsed, _SHORTEST), 0)
            work.reach(there + come, size, title=title, detail=f"{in_units(speed)}/s")

        def say_that_it_waits() -> None:
            shown.say(
                "a build or another fetch is at work in this folder; waiting for it to end ..."
            )

        fetched = fetch(
            data,
            url,
            choose,
            outcomes_alone=outcomes,
            jobs=_JOBS,
            tell=tell,
            on_wait=say_that_it_waits,
        )
    if form is not Form.TABLE:
        facts = facts_of(fetched, seconds=round(fetched.seconds, 3))
        print_facts(form, {"from": url, **facts})
    elif not is_quiet():
        _show(fetched)


def _show(fetched: Fetched) -> None:
    speed = in_units(fetched.bytes / max(fetched.seconds, _SHORTEST))
    click.echo(
        f"{len(fetched.fetched)} fetched, {len(fetched.there)} already there; "
        f"{in_units(fetched.bytes)}, {speed}/s"
    )
    if fetched.fetched:
        click.echo(
            "a value needs its own table alone; "
            "compare them with the known ones: tbgen verify --digest"
        )
