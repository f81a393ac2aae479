"""`tbgen standings`: the cross table of an event."""

from __future__ import annotations

import hashlib
import os
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tbgen.apps.events.criteria import DEFAULT_ORDER, MEANINGS, PRESETS, TIE_BREAKS, TieBreak
from tbgen.apps.events.cross_table import NO_VALUE, cells_of
from tbgen.apps.events.doubts import doubts_of
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings, by_event, games_of_event
from tbgen.apps.events.told import Told, csv_rows_of, facts_of_event, told_of
from tbgen.apps.games.batch import GamesTask
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.rules import Rules
from tbgen.cli import complain, complain_of, options, say
from tbgen.cli.called import with_program
from tbgen.cli.command import Command
from tbgen.cli.reading import asked_files, building, event_games
from tbgen.cli.reporter import progress
from tbgen.cli.showing import Form, print_facts, table_lines, terminal_width
from tbgen.errors import UsageError
from tbgen.storage.files import tables_of
from tbgen.system.inputs import STANDARD_INPUT, read_pieces
from tbgen.text import counted, in_decimals, printable

if TYPE_CHECKING:
    from tbgen.apps.events.pages import GamesFile

_MOST_ACROSS = 20
"""The players up to which the table has a column for each of them."""
_MOST_TIES = 6
"""The most groups of equal players that are explained."""
_NAMES = ", ".join(TIE_BREAKS)
_PRESETS = ", ".join(PRESETS)
_DEFAULT = ",".join(DEFAULT_ORDER)
_HELP_WIDTH = 78
_NAME_WIDTH = 18


def _list_of(heading: str, items: Mapping[str, str]) -> str:
    """A list for the help, which click leaves as it is."""
    lines = ["\b", heading]
    wrapper = textwrap.TextWrapper(
        _HELP_WIDTH, subsequent_indent=" " * (_NAME_WIDTH + 2), break_on_hyphens=False
    )
    for name, sentence in items.items():
        lines += wrapper.wrap(f"  {name:{_NAME_WIDTH}}{sentence}")
    return "\n".join(lines)


_CRITERIA = _list_of(
    "Criteria of --tiebreak, from direct-encounter on by the points that stand first:",
    {name: meaning.sentence for name, meaning in MEANINGS.items()},
)
_LISTS = _list_of(
    "Presets of --tiebreak:", {name: ", ".join(order) for name, order in PRESETS.items()}
)


@click.command(
    "standings",
    cls=Command,
    epilog=f"{_CRITERIA}\n\n{_LISTS}",
    rare=("--fifty",),
)
@options.files_argument
@click.option(
    "--tiebreak",
    metavar="LIST",
    default=_DEFAULT,
    help=f"Rank by these criteria or presets, in order; see below (default {_DEFAULT}).",
)
@click.option(
    "--event",
    metavar="NAME",
    type=options.NAME,
    help="Rank only the games whose tag Event is NAME, as one event; * stands for any text.",
)
@click.option(
    "--final",
    "over",
    metavar="NAME",
    multiple=True,
    type=options.NAME,
    help="Say that the event of this name is over, so that its first player has won; * stands for "
    "any text; repeat it for more events.",
)
@click.option(
    "--pages",
    metavar="DIR",
    type=options.FOLDER,
    help="Write pages of the events and of each game into DIR, for any web server, and copies of "
    "the files with every decision.",
)
@options.rules_options
@options.folders_option
@options.json_option
@options.csv_option
def command(
    *,
    files: tuple[str, ...],
    tiebreak: str,
    event: str | None,
    over: tuple[str, ...],
    pages: Path | None,
    rules: Rules,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Show the cross table and the standings of an event.

    Mate and stalemate on the board decide a game, then its tag RMobilityResult, then the verdict of
    `tbgen adjudicate`. Over the board only G3.5 and better count: --scoring otb. Standings ignore
    games without a result.

    Each event of the files has a table of its own, by the tag Event. Nobody has won before you say
    with --final that an event is over, unless the tags of a knockout prove it.

    With --pages, tbgen writes a folder of pages: each event with its rounds, each game with its
    board and the reason of its score. It decides games that "tbgen adjudicate" has not decided, and
    writes their tags into copies of the files. Run the same command after each round; tbgen writes
    only new and changed pages, and removes those of games that are no more. Pages of other events
    stay.

    \b
    Examples:
      tbgen standings event.pgn
      tbgen standings scored.pgn --tiebreak points,direct-encounter,net --scoring komi=G5.75
      tbgen standings scored.pgn --tiebreak tcec-swiss
      tbgen standings season.pgn --pages www
    """
    names = asked_files(files)
    order = _order(tiebreak)
    if pages is not None:
        _refuse_pages(pages, names)
    task = GamesTask(rules, tables=folders, texts=pages is not None, results=True)
    files_read = _ReadFiles()
    games, faults = event_games(names, task, event, files_read.read, files_read.keep)
    over_events = _events_named(over, games)
    unread_files = [fault for fault in faults if getattr(fault, "number", None) is None]
    ranked = list[Standings]()
    for played in _events(games, as_one=event is not None):
        is_over = _is_over(played, over_events)
        ranked.append(Standings(played, order, is_over=is_over, faults=unread_files))
    _complain_of_doubts(ranked)
    if form is Form.TABLE:
        _show_tables(ranked, building(names, folders), _tables_here(folders))
    else:
        rows = chain.from_iterable(map(csv_rows_of, ranked))
        print_facts(form, {"events": list(map(facts_of_event, ranked))}, rows)
    if pages is not None:
        for_program = form is not Form.TABLE
        _write_pages(pages, ranked, files_read.files(), rules, folders, for_program=for_program)
    return complain_of(faults)


class _ReadFiles:
    """Files with their decided copies: each is read once, for it may change before its pages are
    made.
    """

    def __init__(self) -> None:
        self._copies: dict[str, list[bytes]] = {}
        self._digests: dict[str, Any] = {}
        self._modified: dict[str, float] = {}

    def read(self, name: str) -> Iterator[bytes]:
        """The pieces of a file."""
        self._copies[name] = []
        self._digests[name] = hashlib.sha256()
        with suppress(OSError):  # reading says what is wrong
            self._modified[name] = os.stat(name).st_mtime
        for piece in read_pieces(name):
            self._digests[name].update(piece)
            yield piece

    def keep(self, name: str, text: bytes) -> None:
        """Keep a part of the copy of a file."""
        self._copies[name].append(text)

    def files(self) -> list[GamesFile]:
        """The files that were read."""
        from tbgen.apps.events.pages import GamesFile

        return [
            GamesFile(name, b"".join(self._copies[name]), self._digests[name].hexdigest(), modified)
            for name, modified in self._modified.items()
        ]


def _events_named(names: Iterable[str], games: Sequence[EventGame]) -> set[str]:
    """The events that names and patterns stand for."""
    events = set[str]()
    for name in names:
        events |= {game.event for game in games_of_event(games, name)}
    return events


def _events(games: Sequence[EventGame], *, as_one: bool) -> list[Sequence[EventGame]]:
    """The games of each event; there is one event at least, perhaps without games."""
    if as_one or not games:
        return [games]
    return list(by_event(games).values())


def _is_over(games: Sequence[EventGame], over_events: Collection[str]) -> bool:
    """Whether somebody said so of the event of some games."""
    # An unreadable game may have lost its event.
    events = {game.event for game in games if game.event or game.fault is None}
    return bool(events) and events.issubset(over_events)


def _order(text: str) -> list[TieBreak]:
    """The criteria in a list; a preset stands for several."""
    known: dict[str, Sequence[TieBreak]] = {name: (name,) for name in TIE_BREAKS}
    known.update(PRESETS)
    order: dict[TieBreak, None] = {}
    for word in text.split(","):
        name = word.strip()
        if name not in known:
            raise UsageError(
                f"{name!r} is no tie-break; there are {_NAMES}, and the presets {_PRESETS}"
            )
        order.update(dict.fromkeys(known[name]))
    return list(order)


def _refuse_pages(folder: Path, names: Sequence[str]) -> None:
    """Refuse to make pages of a stream, or over pages of somebody else."""
    from tbgen.apps.events.pages import generator_of
    from tbgen.apps.events.rendered import INDEX
    from tbgen.apps.pages import need_extra

    need_extra("report")
    if STANDARD_INPUT in names:
        raise UsageError("--pages copies the files of games, so name files; - is a stream")
    index = folder / INDEX
    if index.exists() and not generator_of(index):
        raise UsageError(f"{index} is no page of an event; name another folder")


def _write_pages(
    folder: Path,
    ranked: Sequence[Standings],
    files: Sequence[GamesFile],
    rules: Rules,
    folders: Sequence[Path],
    *,
    for_program: bool,
) -> None:
    """Write the pages of events and games, and print their number, unless a program reads that."""
    from tbgen.apps.events.pages import EventSite, entries_in, write_events
    from tbgen.apps.events.rendered import INDEX
    from tbgen.apps.games.solved import finding_solved
    from tbgen.probe import Tablebase

    with (
        Tablebase(folders, missing_ok=True) as tables,
        finding_solved(folders) as find_solved,
        progress("writing pages", as_share=True) as work,
    ):
        site = EventSite(ranked, files, rules, tables, entries_in(folder), find_solved)
        number, written = write_events(site, folder, work.reach)
    say(
        f"{counted(number, 'file', 'files')}, {written:,} of them new or changed; "
        f"begin with {folder / INDEX}",
        err=for_program,
    )
    if site.others:
        others = ", ".join(f'"{entry.title}"' for entry in site.others)
        say(f"{folder} keeps the pages of other events: {others}", err=for_program)


def _complain_of_doubts(ranked: Sequence[Standings]) -> None:
    for standings in ranked:
        where = f"{standings.event or '?'}: " if len(ranked) > 1 else ""
        complain(*(f"warning: {where}{doubt}" for doubt in doubts_of(standings)))


def _tables_here(folders: Sequence[Path]) -> frozenset[str]:
    """The names of the tables at hand."""
    return frozenset(str(material) for material, _ in tables_of(folders))


def _show_tables(ranked: Sequence[Standings], build: str, here: Collection[str]) -> None:
    """Print each event; `build` is the command for the tables that are not `here`."""
    for number, standings in enumerate(ranked):
        if number:
            click.echo()
        for line in lines_of(standings, build, here):
            click.echo(line)


def lines_of(standings: Standings, build: str, here: Collection[str] = ()) -> Iterator[str]:
    """An event as the terminal shows it; `build` is the command for the tables not `here`."""
    told = told_of(standings)
    yield printable(", ".join(filter(None, (told.title, told.dates, told.counts))))
    if not standings.rows:
        yield "no game counts yet"
    else:
        yield printable(told.headline)
        for bracket_round in told.bracket:
            yield bracket_round.name
            for winner, rest in bracket_round.ties:
                yield printable(f"  {winner}{rest}")
            for bye in bracket_round.byes:
                yield printable(f"  {bye}")
        if told.note:
            yield told.note
        yield from _table_of(standings, told)
    yield from _notes_of(standings, told, build, here)


def _table_of(standings: Standings, told: Told) -> Iterable[str]:
    """The rows of all players, with a column for each of them if there is room."""
    rows = standings.rows
    columns = {}
    for criterion in _shown_criteria(standings):
        columns[criterion] = cells_of(standings, criterion)
    if told.byes:
        columns["byes"] = told.byes
    heads = ["", "player", "games", *columns]
    cells = []
    for row in rows:
        figures = [column.get(row.name, "").replace(NO_VALUE, "") for column in columns.values()]
        cells.append([str(row.rank), row.name, str(row.games), *figures])
    if len(rows) <= _MOST_ACROSS:
        ranks = [str(row.rank) for row in rows]
        crossed_cells = []
        for row, line in zip(rows, cells, strict=True):
            crossed_cells.append([*line, *_meetings(row, rows)])
        across = list(table_lines([*heads, *ranks], crossed_cells))
        if max(map(len, across)) <= terminal_width():
            return across
    return table_lines(heads, cells)


def _shown_criteria(standings: Standings) -> list[TieBreak]:
    """The criteria that have a column: both sums of points, and others of the order.

    The net has one only where it decides.
    """
    shown = ["classical", "points"]
    for criterion in standings.order:
        if criterion in ("direct-encounter", *shown):
            continue
        if criterion != "net" or any(row.behind_by == "net" for row in standings.rows):
            shown.append(criterion)
    return shown


def _meetings(row: PlayerRow, rows: Sequence[PlayerRow]) -> list[str]:
    """The points of a player against each of the players."""
    cells = []
    for other in rows:
        if row is other:
            cells.append("x")
        else:
            cells.append(" ".join(map(in_decimals, row.points_against(other.name))))
    return cells


def _notes_of(standings: Standings, told: Told, build: str, here: Collection[str]) -> Iterator[str]:
    """How the players are ranked, and what that lacks; `build` is the command for tables."""
    order = ", then ".join(standings.order)
    schemes = ", ".join(scheme.value for scheme in standings.schemes)
    if standings.rows:
        yield f"ranked by {order}; points: {schemes}"
    if len(told.ties) <= _MOST_TIES:
        for sentences in told.ties:
            yield printable(" ".join(sentences))
    if standings.unfinished:
        games = counted(len(standings.unfinished), "game", "games")
        yield f"{games} without a result left out"
    for error in standings.by_sheet:
        yield printable(f"counted by the score sheet, for it is unreadable: {error}")
    for error in standings.skipped:
        yield printable(f"left out: {error}")
    if standings.provisional:
        tables = standings.provisional.keys() - {None}
        advice = ""
        if tables and tables <= set(here):
            are_here = "it is here" if len(tables) == 1 else "they are here"
            advice = f"; {are_here} now, so adjudicate the games again"
        elif tables:
            them = "it" if len(tables) == 1 else "them"
            advice = f"; build {them} with: {build}"
        yield with_program(standings.caveat + advice)
