"""`tbgen standings`: the cross table of an event, and what r-mobility made of its games."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.apps.games.archive import GamesTask
from tbgen.apps.games.game import GameSettings
from tbgen.apps.games.standings import (
    DEFAULT_ORDER,
    PRESETS,
    EventGame,
    Standings,
    TieBreak,
    crosstable,
    in_decimals,
    meeting,
)
from tbgen.apps.games.tags import Source
from tbgen.cli.adjudicate import asked_files, building, decided
from tbgen.cli.folders import optional_folders_option
from tbgen.cli.options import (
    declared,
    flag,
    form_option,
    games_argument,
    option,
    processes_option,
    settings_options,
    strict_option,
)
from tbgen.cli.output import Form, fits, print_facts, show_rows
from tbgen.cli.reporter import compile_for
from tbgen.cli.terminal import complain, complain_of
from tbgen.compiled.known import Purpose
from tbgen.errors import MissingTableError, PgnError, UsageError
from tbgen.text import counted

_MOST_ACROSS = 20
_NAMES = ", ".join(by.value for by in TieBreak)
_DEFAULT_NAMES = ",".join(by.value for by in DEFAULT_ORDER)


@declared("standings", ("--format", "--crosstable", "--html"))
@games_argument
@option(
    "--tiebreak",
    metavar="LIST",
    help=f"Rank by these criteria or presets, in order: {_NAMES}; {', '.join(PRESETS)} (default {_DEFAULT_NAMES}).",
)
@flag("--crosstable", "as_crosstable", help="Print JSON in the shape that the site of TCEC reads.")
@flag("--html", "as_page", help="Print a page that needs no other file.")
@settings_options
@optional_folders_option
@processes_option
@strict_option
@form_option
def command(
    files: tuple[str, ...],
    *,
    tiebreak: str | None,
    as_crosstable: bool,
    as_page: bool,
    settings: GameSettings,
    folders: tuple[Path, ...],
    jobs: int,
    strict: bool,
    form: Form,
    quiet: bool,
) -> int:
    """Show the cross table and the standings of an event.

    Mate and stalemate on the board decide a game, then its tag RMobilityResult, then the verdict of `tbgen adjudicate`.
    `classical` are points by the ordinary result, `points` the sum of r-mobility points in exact fractions,
    `net` counts stalemates given less suffered, then the same for G1.0, G1.5 and so on.
    The other criteria follow FIDE's regulations and TCEC's rules.
    Over the board only G3.5 and better count: --scoring otb. Standings ignore games without a result.

    \b
    Examples:
      tbgen standings scored.pgn
      tbgen standings scored.pgn --tiebreak points,direct-encounter,net --scoring komi --komi G5.75
      tbgen standings scored.pgn --tiebreak tcec-swiss
      tbgen standings scored.pgn --html > standings.html
    """
    names, order = asked_files(files), _order(_DEFAULT_NAMES if tiebreak is None else tiebreak)
    task = GamesTask(settings, tables=folders, texts=False, results=True)
    compile_for(Purpose.GAMES, quiet=quiet)
    games, faults = list[EventGame](), list[PgnError]()
    for part in decided(names, task, jobs, quiet=quiet):
        games += part.results
        faults += part.skipped
        for line in part.contradicted:
            complain(line)
    standings = Standings(games, order)
    if as_crosstable:
        print_facts(Form.JSON, crosstable(standings))
    elif not form.is_table:
        facts = standings.facts()
        print_facts(form, facts, facts["players"])
    elif as_page:
        from tbgen.apps.site.alone import standings_page

        click.echo(standings_page(standings), nl=False)
    else:
        _show_table(standings, building(names, folders))
    provisional = any(game.source is Source.PROVISIONAL for game in games)
    return complain_of(faults) or (MissingTableError.exit_code if strict and provisional else 0)


def _order(text: str) -> list[TieBreak]:
    """The criteria that a list names; a preset stands for several."""
    known = {by.value: (by,) for by in TieBreak} | PRESETS
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise UsageError(f"{name!r} is no tie-break; there are {_NAMES}, and the presets {', '.join(PRESETS)}")
    return list(dict.fromkeys(by for name in names for by in known[name]))


def _show_table(standings: Standings, building: str) -> None:
    """The lines of all players, with a column for each of them where there is room for people to find it."""
    rows = standings.rows
    figures = list(rows[0].figures) if rows else []
    heads = ["", "player", "games", "classical", "points", *figures]
    lines = [
        [str(row.rank), row.name, str(row.games), *map(in_decimals, (row.classical, row.points, *row.figures.values()))]
        for row in rows
    ]
    met = [[meeting(row, other) for other in rows] for row in rows]
    crossed = [*heads, *(str(row.rank) for row in rows)], [line + more for line, more in zip(lines, met, strict=True)]
    has_room = len(rows) <= _MOST_ACROSS and fits(*crossed)
    show_rows(*(crossed if has_room else (heads, lines)))
    schemes = ", ".join(scheme.value for scheme in standings.schemes)
    click.echo(f"ranked by {', then '.join(by.value for by in standings.order)}; points: {schemes}")
    if standings.unfinished:
        click.echo(f"{counted(standings.unfinished, 'game', 'games')} without a result left out")
    if standings.provisional:
        lacking = len(standings.provisional) - (None in standings.provisional)
        advice = f"; build {'it' if lacking == 1 else 'them'} with: {building}" if lacking else ""
        click.echo(standings.caveat + advice)
