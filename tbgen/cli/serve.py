"""`tbgen serve`: answers over HTTP, and the explorer."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tbgen.apps.pages import need_extra
from tbgen.cli import complain_of, options, say
from tbgen.cli.command import Command
from tbgen.library.catalog import Catalog
from tbgen.storage.files import tables_in
from tbgen.text import counted

_LOCAL = "127.0.0.1"
_DEFAULT_PORT = 8000
_MOST_PORT = 65535
_MOST_WORKERS = 256
_MOST_CACHE = 1 << 20
"""A terabyte, in megabytes."""


@click.command("serve", cls=Command)
@options.folders_option
@click.option(
    "--host",
    metavar="HOST",
    default=_LOCAL,
    help=f"Listen on this address, with 0.0.0.0 on all (default {_LOCAL}).",
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, _MOST_PORT),
    default=_DEFAULT_PORT,
    help=f"Use port N (default {_DEFAULT_PORT}).",
)
@click.option(
    "--name",
    "names",
    metavar="NAME",
    multiple=True,
    help="Answer under this host name as well, such as tables.example, or * for any.",
)
@click.option(
    "--site",
    metavar="DIR",
    type=options.OLD_FOLDER,
    help="Show the pages that `tbgen site` wrote to DIR as well.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, _MOST_WORKERS),
    default=1,
    help="Answer in N processes (default 1).",
)
@click.option(
    "--cache",
    metavar="MB",
    type=click.IntRange(0, _MOST_CACHE),
    help="Keep at most MB megabytes of unpacked table in each process (default 256).",
)
@click.option("--open", "show", is_flag=True, help="Show the explorer in a browser.")
def command(
    *,
    folders: tuple[Path, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    site: Path | None,
    workers: int,
    cache: int | None,
    show: bool,
) -> None:
    """Answer questions about positions over HTTP, and show the explorer.

    The explorer is at /explorer/, answers are at /r-mobility?fen=..., files at /tables;
    /openapi.json describes it all. To serve tables that are built while the server runs, start it
    again.

    \b
    Examples:
      tbgen serve --open
      tbgen serve --data tables --port 8080 --workers 4
      tbgen serve --host 0.0.0.0 --name tables.example --site site
    """
    need_extra("serve")
    from tbgen.apps.server import application as app
    from tbgen.apps.server.addresses import ANY_ADDRESS, addresses_for_others, in_url, listen
    from tbgen.apps.server.limits import connections_for
    from tbgen.apps.server.run import serve

    with listen(host, port) as listening:
        catalog = Catalog(folders)
        complain_of(catalog.faults)
        connections = connections_for(len(catalog))
        is_for_all = host in ANY_ADDRESS
        shown_host = _LOCAL if is_for_all else in_url(host)
        own_names = [] if is_for_all else [shown_host]
        port = listening.getsockname()[1]
        address = f"http://{shown_host}:{port}/explorer/"
        say(f"{counted(len(catalog), 'table', 'tables')}; {address}", err=False)
        if not any(map(tables_in, folders)):
            say("these tables come with tbgen; for more, stop it and run: tbgen build --men 4")
        if is_for_all:
            for other in addresses_for_others(listening):
                say(f"for other machines: http://{other}:{port}/explorer/", err=False)
            if not names:
                say("behind a proxy, add its public name: --name tables.example", err=False)
        existing = [folder.resolve() for folder in folders if folder.is_dir()]
        os.environ |= {
            app.FOLDERS: os.pathsep.join(map(str, existing)),
            app.NAMES: " ".join([*own_names, *names]),
            app.SITE: "" if site is None else str(site.resolve()),
            app.CACHE: "" if cache is None else str(cache),
        }
        if show:
            click.launch(address)
        serve("tbgen.apps.server.application:from_environment", listening, workers, connections)
