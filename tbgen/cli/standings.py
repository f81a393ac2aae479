"""`tbgen standings`: the cross table of an event, and what r-mobility made of its games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from tbgen.apps.games.archive import Task, decide_file
from tbgen.apps.games.game import GameSettings
from tbgen.apps.games.standings import (
    DEFAULT_ORDER,
    EventGame,
    Standings,
    Statistics,
    TieBreak,
    as_csv,
    cells_of,
    in_decimals,
    meeting,
)
from tbgen.apps.games.tags import Source
from tbgen.cli.folders import optional_folders_option
from tbgen.cli.games import asked_files, building
from tbgen.cli.options import (
    games_argument,
    json_option,
    processes_option,
    quiet_option,
    refuse_beside,
    refuse_together,
    refuse_without,
    settings_options,
    strict_option,
)
from tbgen.cli.reporter import compile_for, reading
from tbgen.cli.terminal import complain, complain_of, print_json, show_rows
from tbgen.compiled.known import Purpose
from tbgen.errors import MissingTableError, PgnError, UsageError
from tbgen.text import counted

_MOST_ACROSS = 20
_NAMES = ", ".join(by.value for by in TieBreak)
_DEFAULT_NAMES = ",".join(by.value for by in DEFAULT_ORDER)


@click.command("standings")
@games_argument
@click.option(
    "--tiebreak", metavar="LIST", help=f"Rank by these criteria, in order: {_NAMES} (default {_DEFAULT_NAMES})."
)
@click.option("--stats", is_flag=True, help="Count final scores, sources, players and openings instead.")
@click.option("--csv", "as_rows", is_flag=True, help="Print CSV.")
@click.option("--html", "as_page", is_flag=True, help="Print a page that needs no other file.")
@click.option("--title", metavar="TEXT", help="With --html: set the heading of the page (default: the event's name).")
@settings_options
@optional_folders_option
@processes_option
@strict_option
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    *,
    tiebreak: str | None,
    stats: bool,
    as_rows: bool,
    as_page: bool,
    title: str | None,
    settings: GameSettings,
    folders: tuple[Path, ...],
    jobs: int,
    strict: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Show the cross table and the standings of an event.

    Mate and stalemate on the board decide a game, then its tag RMobilityResult, then the verdict of `tbgen adjudicate`.
    `classical` are points by the ordinary result, `points` the sum of r-mobility points in exact fractions,
    `net` counts given less suffered, first G0.0, then G0.5, G1.0 and so on,
    `head-to-head` the points in the games between equal players.
    Over the board only G3.5 and better count: --scoring otb. Games without a result are left out.

    \b
    Examples:
      tbgen standings scored.pgn
      tbgen standings scored.pgn --tiebreak points,head-to-head,net --scoring komi --komi G5.75
      tbgen standings scored.pgn --html > standings.html
    """
    names, order = asked_files(files), _order(_DEFAULT_NAMES if tiebreak is None else tiebreak)
    refuse_together({"--json": as_json, "--csv": as_rows, "--html": as_page})
    if stats:
        refuse_beside("--stats", {"--csv": as_rows, "--html": as_page, "--tiebreak": tiebreak})
    if not as_page:
        refuse_without("--html", {"--title": title})
    task = Task(settings, tables=folders, texts=False, results=True)
    compile_for(Purpose.GAMES, quiet=quiet)
    games, counts = list[EventGame](), Statistics()
    add = counts.add if stats else games.append
    faults = [fault for name in names for fault in _collect(name, task, jobs, add, quiet=quiet)]
    standings = Standings(games, order)
    if as_json:
        print_json((counts if stats else standings).facts())
    elif stats:
        _show_statistics(counts)
    elif as_rows:
        click.echo(as_csv(standings), nl=False)
    elif as_page:
        from tbgen.apps.site.alone import standings_page

        click.echo(standings_page(standings, title), nl=False)
    else:
        _show_table(standings, building(names, folders))
    provisional = any(game.source is Source.PROVISIONAL for game in games) or counts.sources[Source.PROVISIONAL] > 0
    return complain_of(faults) or (MissingTableError.exit_code if strict and provisional else 0)


def _order(text: str) -> list[TieBreak]:
    names, known = [name.strip() for name in text.split(",")], {by.value for by in TieBreak}
    for name in names:
        if name not in known:
            raise UsageError(f"{name!r} is no tie-break; there are {_NAMES}")
    return [TieBreak(name) for name in names]


def _collect(name: str, task: Task, jobs: int, add: Callable[[EventGame], None], *, quiet: bool) -> Iterator[PgnError]:
    """Add every game of a file, and yield what cannot be read."""
    with reading(name, quiet=quiet) as tell:
        try:
            for part in decide_file(name, task, jobs):
                for game in part.results:
                    add(game)
                for line in part.contradicted:
                    complain(line)
                yield from part.skipped
                tell(part.size, part.games + len(part.skipped))
        except PgnError as error:
            yield error


def _show_table(standings: Standings, building: str) -> None:
    """The lines of all players, with a column for each of them where there is room for people to find it."""
    rows = standings.rows
    across = rows if len(rows) <= _MOST_ACROSS else []
    heads = ["", "player", "games", "classical", "points", *(str(place) for place in range(1, len(across) + 1))]
    lines = []
    for place, row in enumerate(rows, start=1):
        shared = "" if row.rank == place else "="
        lines.append([f"{place}{shared}", *cells_of(row)[1:-1], *(meeting(row, other) for other in across)])
    show_rows(heads, lines, right="r.rrr" + "r" * len(across))
    schemes = ", ".join(scheme.value for scheme in standings.schemes)
    click.echo(f"ranked by {', then '.join(by.value for by in standings.order)}; points: {schemes}")
    if standings.unfinished:
        click.echo(f"{counted(standings.unfinished, 'game', 'games')} without a result left out")
    if standings.provisional:
        them = "it" if len(standings.provisional) == 1 else "them"
        click.echo(f"{standings.caveat}; build {them} with: {building}")


def _show_statistics(counts: Statistics) -> None:
    sources = ", ".join(f"{counts.sources[source]:,} {source.value}" for source in Source if counts.sources[source])
    click.echo(f"{counted(counts.games, 'game', 'games')}: {sources}" if counts.games else "no games")
    finals, whole = counts.finals, max(1, counts.finals.total())
    shares = [(str(final), f"{finals[final]:,}", f"{100 * finals[final] / whole:.1f} %") for final in sorted(finals)]
    show_rows(("final", "games", ""), shares[::-1], right="rrr")
    drawn = counts.drawn.total()
    if drawn:
        by_tables = counts.drawn_sources[Source.TABLEBASE]
        click.echo(f"\n{counted(drawn, 'draw', 'draws')} on the sheet, {by_tables:,} of them continued by best play")
        for code, name in ((1, "G0.5"), (3, "G1.5"), (7, "G3.5"), (11, "G5.5")):
            number = counts.decided(code)
            click.echo(f"  {name} or better {number:8,}  {100 * number / drawn:5.1f} %")
    for title, tallies in (("player", counts.players), ("opening", counts.openings)):
        ranked = sorted(tallies.items(), key=lambda item: (-item[1].games, item[0]))
        lines = [(name, f"{tally.games:,}", in_decimals(tally.points / tally.games)) for name, tally in ranked]
        click.echo()
        show_rows((title, "games", "points a game"), lines, right=".rr")
