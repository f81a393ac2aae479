"""`tbgen convert`: tables of an earlier format as those of today."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.cli.completion import a_table
from tbgen.cli.data import check_folders, named_material, new_folder_option
from tbgen.cli.options import quiet_option
from tbgen.cli.terminal import progress
from tbgen.text import counted


@click.command("convert")
@click.argument("names", metavar="[MATERIAL]...", nargs=-1, shell_complete=a_table)
@new_folder_option
@click.option("--threads", type=click.IntRange(1), default=1, metavar="N", help="Threads that pack (default 1).")
@quiet_option
def command(*, names: tuple[str, ...], data: Path, threads: int, quiet: bool) -> int:
    """Bring tables of format 2 into today's format without solving them again.

    All tables of the folder, or those that are named. Each is compared with the old one, place by place, before it
    takes its place; the same command goes on after an interruption. Tables of today's format are left alone.

    \b
    Examples:
      tbgen convert
      tbgen convert KBvK KRPvKR --data tables
    """
    from tbgen.library.convert import convert, former_tables
    from tbgen.storage.files import tables_in

    check_folders([data])
    materials = [named_material(name) for name in names] or tables_in(data)
    former = former_tables(data, materials)
    with progress("converting", len(former), quiet=quiet) as shown:
        convert(data, former, threads, lambda _: shown.advance())
    if not quiet:
        click.echo(f"{counted(len(former), 'table', 'tables')} converted")
    return 0
