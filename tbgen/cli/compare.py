"""`tbgen compare`: r-mobility and whole-game mobility side by side."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tbgen.cli.completion import a_file, a_table
from tbgen.cli.data import folders_option, wanted_materials
from tbgen.cli.first_use import by_pawns, compile_for
from tbgen.cli.output import written_whole
from tbgen.cli.terminal import progress, show_rows
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError
from tbgen.score import Mobility
from tbgen.storage.files import tables_of
from tbgen.storage.folders import folder_of_game


@click.command("compare")
@click.argument("names", metavar="[MATERIAL]...", nargs=-1, shell_complete=a_table)
@click.option("--men", type=int, metavar="N", help="All materials with N men, kings included.")
@click.option("--all", "every", is_flag=True, help="All materials that have tables of both games.")
@folders_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    shell_complete=a_file,
    help="Write all figures, lines and positions to a file of JSON.",
)
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Draw all tables into an .svg file."
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page for a site of `tbgen report`, such as site/games.html.",
)
@click.option(
    "--known",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    multiple=True,
    metavar="FILE",
    help="Take the tables of a file of JSON that was written before, and do not compare them again.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
def command(
    names: tuple[str, ...],
    *,
    men: int | None,
    every: bool,
    folders: tuple[Path, ...],
    output: str | None,
    plot: Path | None,
    page: Path | None,
    known: tuple[Path, ...],
    quiet: bool,
) -> None:
    """Compare the tables of r-mobility with those of whole-game mobility, position by position.

    Both must have been built. Shares are of all placements on 64 squares. Points are those of the exponential
    formula that r-mobility gives White more than whole-game mobility does, on average over all positions.
    docs/whole-game.md says what the file of JSON has.

    \b
    Examples:
      tbgen compare KBvK KPvKP
      tbgen compare --all -o games.json --plot games.svg
      tbgen compare --all --known games.json -o all.json   go on with tables built since
    """
    from tbgen.apps.records.two_games import Comparer, joined, read_comparison

    there = [
        {material for material, _ in tables_of([folder_of_game(folder, game) for folder in folders])}
        for game in Mobility
    ]
    wanted = wanted_materials(names, men, every=every)
    if every:
        wanted = [material for material in wanted if all(material in tables for tables in there)]
        if not wanted:
            raise UsageError("no material has tables of both games; build some with --game whole-game and without")
    before = joined([read_comparison(path) for path in known])
    done = {table["material"] for table in before["tables"]}
    wanted = [material for material in wanted if str(material) not in done]
    comparer = Comparer(folders)
    compile_for(by_pawns(wanted, Purpose.RECORDS, Purpose.PAWN_RECORDS), quiet=quiet)
    with progress("comparing", len(wanted), quiet=quiet) as shown:
        for material in wanted:
            shown.advance(0, title=str(material))
            comparer.compare(material)
            shown.advance()
    if output or plot or page:
        with progress("playing the longest lines", comparer.lines_to_play, quiet=quiet) as shown:
            comparer.finish(shown.advance)
    facts = joined([before, comparer.facts()])
    if output is not None:
        with written_whole(output) as file:
            file.write(f"{json.dumps(facts, indent=1)}\n".encode())
    if plot is not None or page is not None:
        from tbgen.apps.site.two_games import draw_games, write_games_page

        if plot is not None:
            draw_games(facts, plot)
        if page is not None:
            write_games_page(facts, page)
    if not quiet and output != "-":
        rows = [_row(table) for table in facts["tables"]]
        show_rows(("table", "differ", "for White", "for Black", "other holder", "points"), rows, right=".rrrrr")
        sys.stdout.flush()


def _row(table: Mapping[str, Any]) -> tuple[str, ...]:
    """A table in a line."""
    shown = ("differing", "better_for_white", "better_for_black", "other_holder")
    shares = (f"{table[name] / table['positions']:.2%}" for name in shown)
    return (table["material"], *shares, f"{table['points_to_white']:+.4f}")
