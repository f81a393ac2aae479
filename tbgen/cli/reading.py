"""Files of games as commands read them: the games, and the tables that they lack."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tbgen.apps.events.event import faults_of_event, games_of_event
from tbgen.apps.games.batch import ChunkReport, FilesDecider, GamesTask, total
from tbgen.apps.games.decide import Ground
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.rules import Rules
from tbgen.cli import complain, complain_of, say
from tbgen.cli.reporter import reading
from tbgen.errors import InputFileError, TbgenError, UsageError, build_command
from tbgen.material import Material, TableMaterial
from tbgen.storage.files import mobility_of, tables_in
from tbgen.system.inputs import STANDARD_INPUT, matching_files
from tbgen.text import counted


def asked_files(names: Sequence[str]) -> list[str]:
    """The files of names and patterns; UsageError if there are none."""
    files = matching_files(names)
    if not files:
        raise UsageError("name a PGN file, or - for the standard input")
    return files


def adjudicated(
    names: Sequence[str], decider: FilesDecider, *, whole: bool = False
) -> Iterator[ChunkReport]:
    """The games of files, part by part.

    A file with an unreadable part is an error if `whole`, else skipped.
    """
    for name in names:
        try:
            yield from reading(name, decider.decide(name), _size_of)
        except InputFileError as error:
            if whole:
                raise
            yield ChunkReport(skipped=[error])


def event_games(
    names: Sequence[str], task: GamesTask, jobs: int, event: str | None
) -> tuple[list[EventGame], Sequence[TbgenError]]:
    """The games of some files, or those of one event alone, and the errors that concern them.

    It says where tags contradict the moves.
    """
    with closing(FilesDecider(task, jobs)) as decider:
        parts = list(adjudicated(names, decider))
    games = list[EventGame]()
    for part in parts:
        games += part.results
    everything = total(parts)
    complain(*everything.contradicted, *misspelt_in_words(everything))
    say_overruled_fifty_moves(everything)
    if event is None or not games:
        return games, everything.skipped
    chosen = games_of_event(games, event)
    return chosen, faults_of_event(everything.skipped, games, chosen)


def _size_of(report: ChunkReport) -> tuple[int, int]:
    return report.size, report.games + len(report.skipped)


def misspelt_in_words(everything: ChunkReport) -> Iterator[str]:
    """A line for each file and tag whose case is wrong."""
    for (file, name), number in everything.misspelt.items():
        games = counted(number, "game has", "games have")
        yield (
            f"{file}: warning: {games} the tag {name}; did you mean {name.capitalize()}? "
            "Upper and lower case count"
        )


def say_overruled_fifty_moves(everything: ChunkReport) -> None:
    """Say how many games best play decided, though their tags name the fifty-move rule."""
    if everything.overruled_fifty_moves:
        say(
            f"{counted(everything.overruled_fifty_moves, 'game', 'games')} decided by best play, "
            "though the fifty-move rule ended them: --fifty fide lets it"
        )


def lacking(games: Sequence[str], folder: Path) -> list[TableMaterial]:
    """The tables that would decide games of some files and are not in a folder.

    It says how many games. A solver may have asked for a table, which only the tags of a game tell.
    """
    task = GamesTask(Rules(mobility=mobility_of(folder)), tables=[folder], texts=False)
    with closing(FilesDecider(task)) as decider:
        everything = total(adjudicated(matching_files(games), decider, whole=True))
    complain_of(everything.skipped)
    missing = everything.missing
    known = {*missing, *map(str, tables_in(folder))}
    undecided = everything.lacking
    for materials in everything.asked:
        unknown = set(map(str, materials)) - known
        if unknown:
            undecided += 1
            missing.update(unknown)
    if missing:
        tables = counted(len(missing), "table", "tables")
        say(f"{tables} would decide {counted(undecided, 'game', 'games')} more")
    else:
        say("no game lacks a table")
    stopped = everything.grounds[Ground.STOPPED]
    if stopped:
        say(
            f"{counted(stopped, 'game', 'games')} with more men than tables have, "
            "or castling rights: no table decides"
        )
    return [Material.parse(name).canonical() for name, _ in missing.most_common()]


def building(files: Sequence[str], folders: Sequence[Path], tables: Sequence[str] = ()) -> str:
    """The command that builds the tables that some files' games lack, or the named tables."""
    wanted = list(tables)
    if not wanted:
        names = [shlex.quote(name) for name in dict.fromkeys(files) if name != STANDARD_INPUT]
        wanted = [f"--for {name}" for name in names or ["GAMES.pgn"]]
    return build_command(wanted, str(folders[0]), outcomes=True)
