"""`tbgen serve`: tables as a web service, with the explorer's page. `tbgen uci`: a player for chess programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from tbgen.apps.site import need_modules
from tbgen.cli.folders import folders_option, optional_folders_option
from tbgen.cli.options import OLD_FOLDER, declared, flag, option
from tbgen.cli.reporter import compile_for
from tbgen.cli.terminal import complain_of
from tbgen.compiled.known import Purpose
from tbgen.text import counted

_ANY_ADDRESS = ("0.0.0.0", "::", "")


@declared("serve")
@folders_option
@option("--host", default="127.0.0.1", metavar="HOST", help="Listen on this address, with 0.0.0.0 on all.")
@option("--port", default=8000, type=click.IntRange(0, 65535), help="Use port N.")
@option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Answer under this host name as well, such as tables.example, or * for any.",
)
@option("--site", type=OLD_FOLDER, help="Show the pages that `tbgen site` wrote to DIR as well.")
@option("--workers", default=1, type=click.IntRange(1, 256), help="Answer in N processes.")
@option(
    "--cache",
    type=click.IntRange(0, 1 << 20),
    metavar="MB",
    help="Keep at most MB megabytes of unpacked table in each process (default 256).",
)
@flag("--frames", help="Allow other sites to embed the explorer (?embed=1) in a frame.")
@flag("--open", "show", help="Show the explorer in a browser.")
def command(
    *,
    folders: tuple[Path, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    site: Path | None,
    workers: int,
    cache: int | None,
    frames: bool,
    show: bool,
    quiet: bool,
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
    need_modules("servers", "serve", ("jinja2", "starlette", "uvicorn"))
    from tbgen.apps.site import server as app
    from tbgen.apps.site.guard import listen, places_for, serve
    from tbgen.library.catalog import Catalog

    with listen(host, port) as listening:
        catalog = Catalog(folders)
        complain_of(catalog.faults)
        places_for(len(catalog))
        compile_for(Purpose.ANSWERS, Purpose.GAMES, quiet=quiet)  # else every worker would compile them
        shown = "127.0.0.1" if host in _ANY_ADDRESS else f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/explorer/"
        if not quiet:
            click.echo(f"{counted(len(catalog), 'table', 'tables')}; {address}")
        own = () if host in _ANY_ADDRESS else (shown,)
        os.environ[app.FOLDERS] = os.pathsep.join(str(folder.resolve()) for folder in folders)
        os.environ[app.NAMES] = " ".join((*own, *names))
        os.environ[app.SITE] = "" if site is None else str(site.resolve())
        os.environ[app.CACHE] = "" if cache is None else str(cache)
        os.environ[app.FRAMES] = "1" if frames else ""
        if show:
            click.launch(address)
        serve("tbgen.apps.site.server:from_environment", listening, workers)


@declared("uci")
@optional_folders_option
def uci(*, folders: tuple[Path, ...]) -> None:
    """Play best moves for any chess program or referee that speaks UCI, with the accrued score in mind.

    The accrued score comes as the seventh field of the FEN, with the option Accrued, or from the moves.
    The player searches positions without a table, and uses the tables that they lead to.

    \b
    Examples:
      tbgen uci
      tbgen uci --data tables
    """
    from tbgen.apps.play.protocol import Protocol

    def tell(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    Protocol(list(folders), tell).run(sys.stdin)
