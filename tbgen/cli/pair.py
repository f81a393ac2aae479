"""`tbgen pair`: the pairings of the next round of a Swiss tournament."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import click

from tbgen.apps.events.cross_table import in_fixed_decimals
from tbgen.apps.events.doubts import doubts_of
from tbgen.apps.events.standings import Standings, by_event, names_of_events
from tbgen.apps.games.batch import GamesTask
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.rules import Rules
from tbgen.apps.match.next_round import (
    NextRound,
    PlayerEntry,
    entries_of,
    next_round,
    parse_entries,
)
from tbgen.cli import complain, complain_of, options
from tbgen.cli.command import Command
from tbgen.cli.output import Outputs
from tbgen.cli.reading import event_games
from tbgen.cli.showing import Form, print_facts, table_lines
from tbgen.errors import UsageError
from tbgen.system.inputs import matching_files, read_lines
from tbgen.system.outputs import STANDARD_OUTPUT
from tbgen.text import printable


@click.command("pair", cls=Command)
@options.files_argument
@click.option(
    "--rounds",
    metavar="N",
    type=click.IntRange(min=1),
    required=True,
    help="The rounds of the tournament, the last of which is paired by rules of its own.",
)
@click.option(
    "--players",
    metavar="FILE",
    type=options.OLD_FILE,
    help="The players, a line each, strongest first; after | stands what is special: from 2, "
    "until 5, half 3, zero 4 (default: the players of the games, by their ratings).",
)
@click.option(
    "--games",
    metavar="N",
    type=click.IntRange(min=1),
    help="The games of an encounter, with colours in turn (default: as before, or else 1).",
)
@click.option(
    "--event",
    metavar="NAME",
    type=options.NAME,
    help="Take only the games whose tag Event has this name, and give it to the new ones.",
)
@click.option(
    "-o",
    "--output",
    metavar="NEXT.pgn",
    type=options.NAME,
    help="Write the games of the round to this file, without moves, to be filled in.",
)
@options.rules_options
@options.folders_option
@options.json_option
@options.csv_option
def command(
    *,
    files: tuple[str, ...],
    rounds: int,
    players: Path | None,
    games: int | None,
    event: str | None,
    output: str | None,
    rules: Rules,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Pair the next round of a Swiss tournament, and list who meets whom.

    The files have the games of all rounds so far; there are none before the first. Players with
    about the same points meet, by FIDE's Dutch system, and nobody meets twice. Points are those of
    `tbgen standings`: r-mobility points, or others with --scoring.

    A player without a game in a round was absent. With an odd number of players, one of them has a
    bye with all points.

    \b
    Lines of --players, strongest first:
      Anna
      Bob | from 2               enters late, in round 2
      Cid | until 4              withdraws after round 4
      Dan | half 3, zero 5       has asked for byes: half a point, and none

    \b
    Examples:
      tbgen pair --rounds 5 --players players.txt -o round1.pgn
      tbgen pair event.pgn --rounds 5 --players players.txt -o next.pgn
      tbgen pair event.pgn --rounds 9 --scoring classical --json
    """
    names = matching_files(files)
    if not names and players is None:
        raise UsageError("name the PGN files of the rounds so far, or --players for the first")
    if output == STANDARD_OUTPUT and form is not Form.TABLE:
        raise UsageError("the standard output takes the games (-o -) or the pairings, not both")
    outputs = Outputs({"the round": output}, read=names, kept={"--players": players})
    task = GamesTask(rules, tables=folders, texts=False, results=True)
    played, faults = event_games(names, task, event)
    code = complain_of(faults)
    _refuse_mixture(played)
    listed = [] if players is None else _entries_in(players)
    entered = [entry.name for entry in listed]
    complain(*(f"warning: {doubt}" for doubt in doubts_of(Standings(played), entered)))
    entries = entries_of(played) if players is None else listed
    pairings = next_round(entries, played, rounds=rounds, encounter=games or 0)
    with outputs.open("the round") as file:
        if file is not None:
            tags = {"Event": event or _event_of(played)}
            file.write(pairings.to_pgn(tags).encode())
    if output == STANDARD_OUTPUT:
        return code
    if form is Form.TABLE:
        _show(pairings, rounds)
    else:
        facts = {**pairings.facts(), "rounds": rounds}
        byes = [{"white": bye.player, "black": bye.opponent} for bye in pairings.byes]
        print_facts(form, facts, [*facts["pairs"], *byes])
    return code


def _refuse_mixture(games: Sequence[EventGame]) -> None:
    """Refuse games of several events, whose rounds have nothing to do with each other."""
    events = by_event(games)
    if len(events) > 1:
        raise UsageError(
            f"the games are of {len(events)} events: {names_of_events(games)}; "
            "choose one with --event NAME"
        )


def _entries_in(players: Path) -> list[PlayerEntry]:
    """The players of a file; UsageError names it if it makes no sense."""
    try:
        return parse_entries("".join(read_lines(str(players))))
    except UsageError as error:
        raise UsageError(f"{players}: {error}") from None


def _event_of(games: Sequence[EventGame]) -> str:
    """The event of the last game; `?` without one."""
    return (games[-1].event if games else "") or "?"


def _show(pairings: NextRound, rounds: int) -> None:
    """Print who meets whom, then who does not play."""
    click.echo(f"round {pairings.number} of {rounds}")
    points = dict[str, Fraction]()
    for pair in pairings.pairs:
        points[pair.white] = pair.white_points
        points[pair.black] = pair.black_points
    shown = in_fixed_decimals(points)
    rows = list[list[str]]()
    for pair in pairings.pairs:
        rows.append([str(pair.board), pair.white, shown[pair.white], pair.black, shown[pair.black]])
    heads = ["board", "white", "points", "black", "points"]
    for line in table_lines(heads, rows):
        click.echo(line)
    for bye in pairings.byes:
        click.echo(printable(f"{bye.player}: {bye.opponent}"))
    if pairings.absent:
        click.echo(printable(f"not here: {', '.join(pairings.absent)}"))
