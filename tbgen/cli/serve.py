"""Tables between machines: `tbgen serve` answers over HTTP, `tbgen fetch` fetches tables."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from tbgen.apps.site import need_extra
from tbgen.cli import complain_of, is_quiet, say
from tbgen.cli.options import (
    DATA,
    FOLDERS,
    FORM,
    OLD_FOLDER,
    Command,
    Wanted,
    flag,
    option,
    wanted_options,
)
from tbgen.cli.reporter import reporter
from tbgen.cli.showing import Form, print_facts
from tbgen.facts import facts_of
from tbgen.library.catalog import Catalog
from tbgen.library.fetch import fetch
from tbgen.material import MOST_TABLE_MEN, Material, build_order
from tbgen.text import counted, in_units


@click.command("serve", cls=Command)
def command(
    *,
    folders: tuple[Path, ...] = FOLDERS,
    host: str = option(
        "Listen on this address, with 0.0.0.0 on all.", default="127.0.0.1", metavar="HOST"
    ),
    port: int = option("Use port N.", default=8000, type=click.IntRange(0, 65535)),
    names: tuple[str, ...] = option(
        "Answer under this host name as well, such as tables.example, or * for any.",
        "--name",
        multiple=True,
        metavar="NAME",
    ),
    site: Path | None = option(
        "Show the pages that `tbgen site` wrote to DIR as well.", type=OLD_FOLDER
    ),
    workers: int = option("Answer in N processes.", default=1, type=click.IntRange(1, 256)),
    cache: int | None = option(
        "Keep at most MB megabytes of unpacked table in each process (default 256).",
        type=click.IntRange(0, 1 << 20),
        metavar="MB",
    ),
    frames: bool = flag("Allow other sites to embed the explorer (?embed=1) in a frame."),
    show: bool = flag("Show the explorer in a browser.", "--open"),
) -> None:
    """Answer questions about positions over HTTP, and show the explorer.

    The explorer is at /explorer/, answers are at /r-mobility?fen=..., files at /tables; /openapi.json describes it all.
    To serve tables that are built while the server runs, start it again.

    \b
    Examples:
      tbgen serve --open
      tbgen serve --data tables --port 8080 --workers 4
      tbgen serve --host 0.0.0.0 --name tables.example --site site
    """
    need_extra("serve")
    from tbgen.apps.site import server as app
    from tbgen.apps.site.addresses import ANY_ADDRESS, addresses_for_others, in_url, listen
    from tbgen.apps.site.limits import connections_for
    from tbgen.apps.site.run import serve

    with listen(host, port) as listening:
        catalog = Catalog(folders)
        complain_of(catalog.faults)
        connections_for(len(catalog))
        is_for_all = host in ANY_ADDRESS
        shown = "127.0.0.1" if is_for_all else in_url(host)
        port = listening.getsockname()[1]
        address = f"http://{shown}:{port}/explorer/"
        say(f"{counted(len(catalog), 'table', 'tables')}; {address}", err=False)
        if is_for_all:
            for other in addresses_for_others(listening):
                say(f"for other machines: http://{other}:{port}/explorer/", err=False)
            if not names:
                say("behind a proxy, add its public name: --name tables.example", err=False)
        os.environ |= {
            app.FOLDERS: os.pathsep.join(str(folder.resolve()) for folder in folders),
            app.NAMES: " ".join(names if is_for_all else (shown, *names)),
            app.SITE: "" if site is None else str(site.resolve()),
            app.CACHE: "" if cache is None else str(cache),
            app.FRAMES: "1" if frames else "",
        }
        if show:
            click.launch(address)
        serve("tbgen.apps.site.server:from_environment", listening, workers)


@click.command("fetch", cls=Command)
def fetch_command(
    *,
    wanted: Wanted = wanted_options("all tables that are there"),
    url: str = option(
        "Fetch from this server: `tbgen serve`, or a web server.",
        "--from",
        required=True,
        metavar="URL",
    ),
    children: bool = flag("Fetch the tables that captures and promotions lead to as well."),
    outcomes: bool = flag("Fetch outcomes alone, without distances."),
    jobs: int = option("Fetch N files at once.", default=4, type=click.IntRange(1, 64)),
    data: Path = DATA,
    form: Form = FORM,
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
        chosen = (
            [material for material in offered if material in set(materials)]
            if wanted.every
            else materials
        )
        return build_order(chosen) if children else chosen

    with reporter() as shown:
        work = shown.work("fetching", as_share=True)

        def tell(tables: int, size: int, there: int, come: int) -> None:
            title = f"fetching {counted(tables, 'table', 'tables')}, {in_units(size)}"
            speed = max(come / max(work.elapsed, 0.001), 0)
            work.reach(there + come, size, title=title, detail=f"{in_units(speed)}/s")

        done = fetch(
            data,
            url,
            choose,
            outcomes_alone=outcomes,
            jobs=jobs,
            tell=tell,
            on_wait=lambda: shown.say(
                "a build or another fetch is at work in this folder; waiting for it to end ..."
            ),
        )
    if form is not Form.TABLE:
        print_facts(form, {"from": url, **facts_of(done, seconds=round(done.seconds, 3))})
    elif not is_quiet():
        speed = in_units(done.bytes / max(done.seconds, 0.001))
        click.echo(
            f"{len(done.fetched)} fetched, {len(done.there)} already there; {in_units(done.bytes)}, {speed}/s"
        )
        if done.fetched:
            click.echo(
                "a value needs its own table alone; compare them with the known ones: tbgen verify --digest"
            )
