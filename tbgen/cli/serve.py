"""`tbgen serve`: the tables as a web service, with the explorer's page."""

from __future__ import annotations

import os
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import click

from tbgen.apps.site import need_modules
from tbgen.cli.data import folders_option
from tbgen.cli.first_use import compile_for
from tbgen.cli.terminal import complain_of
from tbgen.compiled.known import Purpose
from tbgen.text import counted

_ANY_ADDRESS = ("0.0.0.0", "::", "")
_PATIENCE_SECONDS = 120
END_SECONDS = 5
"""How long requests may take when the server is to end; without a limit a client that stops reading would keep it."""


@click.command("serve")
@folders_option
@click.option("--host", default="127.0.0.1", help="The address to listen on (default 127.0.0.1: this machine alone).")
@click.option("--port", default=8000, type=click.IntRange(0, 65535), help="The port (default 8000).")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="A host name to be asked under, such as tables.example, or *.",
)
@click.option(
    "--site",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Pages of `tbgen report` to show as well.",
)
@click.option("--workers", default=1, type=click.IntRange(1, 256), help="Processes that answer (default 1).")
@click.option(
    "--cache",
    type=click.IntRange(0, 1 << 20),
    metavar="MB",
    help="Megabytes of unpacked table that each process may keep in memory (default 256).",
)
@click.option("--open", "show", is_flag=True, help="Show the explorer in a browser.")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
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
    quiet: bool,
) -> None:
    """Answer questions about positions over HTTP, and show the explorer.

    The explorer is at /explorer/, answers are at /r-mobility?fen=..., files at /tables; /openapi.json describes it all.
    What is built while the server runs is there after a restart.

    \b
    Examples:
      tbgen serve --open
      tbgen serve --data tables --port 8080 --workers 4
      tbgen serve --host 0.0.0.0 --name tables.example --site report
    """
    need_modules("servers", "serve", ("jinja2", "starlette", "uvicorn"))
    import uvicorn

    from tbgen.apps.site import server as app
    from tbgen.library.catalog import Catalog

    catalog = Catalog(folders)
    complain_of(catalog.faults)
    compile_for(Purpose.ANSWERS, quiet=quiet)  # else every worker would compile them
    address = f"http://{'127.0.0.1' if host in _ANY_ADDRESS else f'[{host}]' if ':' in host else host}:{port}/explorer/"
    if not quiet:
        click.echo(f"{counted(len(catalog), 'table', 'tables')}; {address}")
    own = () if host in _ANY_ADDRESS else (f"[{host}]" if ":" in host else host,)
    os.environ[app.FOLDERS] = os.pathsep.join(str(folder.resolve()) for folder in folders)
    os.environ[app.NAMES] = " ".join((*own, *names))
    os.environ[app.SITE] = "" if site is None else str(site.resolve())
    os.environ[app.CACHE] = "" if cache is None else str(cache)
    if show:
        click.launch(address)
    uvicorn.run(
        "tbgen.apps.site.server:from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_level="warning",
        timeout_graceful_shutdown=END_SECONDS,
        **_patience(uvicorn.Config),
    )


def _patience(config: Callable[..., object]) -> dict[str, Any]:
    """How many seconds a worker may stay silent before it is started anew, where uvicorn can be told.

    With 64 workers and two cores each is still loading after the 5 seconds that uvicorn gives it.
    """
    name = "timeout_worker_healthcheck"
    return {name: _PATIENCE_SECONDS} if name in signature(config).parameters else {}
