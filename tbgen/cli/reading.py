"""Files of games as commands read them: the games, and the tables that they lack."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tbgen.apps.events.standings import faults_of_event, games_of_event
from tbgen.apps.games.batch import (
    MOST_SOLVED_MEN,
    ChunkReport,
    GamesDecider,
    GamesTask,
    total,
)
from tbgen.apps.games.decide import Ground
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import overrules_fifty_moves
from tbgen.cli import complain, complain_of, say
from tbgen.cli.reporter import reading
from tbgen.errors import InputFileError, TbgenError, UsageError, build_command
from tbgen.material import Material, TableMaterial
from tbgen.storage.files import mobility_of
from tbgen.system.inputs import STANDARD_INPUT, matching_files, read_pieces
from tbgen.text import counted


def asked_files(names: Sequence[str]) -> list[str]:
    """The files of names and patterns; UsageError if there are none."""
    files = matching_files(names)
    if not files:
        raise UsageError("name a PGN file, or - for the standard input")
    return files


def adjudicated(
    names: Sequence[str],
    decider: GamesDecider,
    *,
    whole: bool = False,
    read: Callable[[str], Iterable[bytes]] = read_pieces,
) -> Iterator[ChunkReport]:
    """The games of files, part by part.

    A file with an unreadable part is an error if `whole`, else skipped. `read` gives the bytes of a
    file.
    """
    for name in names:
        try:
            yield from reading(name, decider.decide_file(name, read(name)), _size_of)
        except InputFileError as error:
            if whole:
                raise
            yield ChunkReport(skipped=[error])


def event_games(
    names: Sequence[str],
    task: GamesTask,
    event: str | None,
    read: Callable[[str], Iterable[bytes]] = read_pieces,
    keep: Callable[[str, bytes], object] = lambda *_: None,
) -> tuple[list[EventGame], Sequence[TbgenError]]:
    """The games of some files, or those of one event alone, and the errors that concern them.

    It says where tags of these games contradict the moves. `read` gives the bytes of a file, and
    `keep` receives those of its copy.
    """
    parts = list[ChunkReport]()
    with closing(GamesDecider(task)) as decider:
        for name in names:
            for part in adjudicated([name], decider, read=read):
                keep(name, part.text)
                parts.append(part)
    games = list[EventGame]()
    for part in parts:
        games += part.results
    everything = total(parts)
    faults: Sequence[TbgenError] = everything.skipped
    if event is not None and games:
        chosen = games_of_event(games, event)
        faults = faults_of_event(faults, games, chosen)
        games = chosen
    for game in games:
        if game.contradiction is not None:
            complain(f"{game.file}, game {game.number}: warning: {game.contradiction}")
    complain(*misspelt_in_words(everything))
    say_overruled_fifty_moves(sum(overrules_fifty_moves(game.source, game.tags) for game in games))
    say_unsolved(sum(game.awaits_solve for game in games), names)
    return games, faults


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


def say_overruled_fifty_moves(number: int) -> None:
    """Say how many games best play decided, though their tags name the fifty-move rule."""
    if number:
        say(
            f"{counted(number, 'game', 'games')} decided by best play, though the tags name the "
            "fifty-move rule: by the moves, and the setting of the rule, it ended no game"
        )


def say_unsolved(number: int, names: Sequence[str]) -> None:
    """Say how many games of some files a solve may decide, and how to see what it takes."""
    files = [shlex.quote(name) for name in names if name != STANDARD_INPUT]
    if number and files:
        games = counted(number, "game", "games")
        solve = " ".join(f"--for {name}" for name in files)
        say(
            f"{games} of up to {MOST_SOLVED_MEN} men, for which there are no tables; "
            f"see what solving takes: tbgen solve {solve} --plan"
        )


def lacking(games: Sequence[str], folder: Path) -> list[TableMaterial]:
    """The tables that would decide games of some files and are not in a folder.

    It says how many games.
    """
    task = GamesTask(Rules(mobility=mobility_of(folder)), tables=[folder], texts=False)
    with closing(GamesDecider(task)) as decider:
        everything = total(adjudicated(matching_files(games), decider, whole=True))
    complain_of(everything.skipped)
    missing = everything.missing
    if missing:
        tables = counted(len(missing), "table", "tables")
        say(f"{tables} would decide {counted(everything.lacking, 'game', 'games')} more")
    else:
        say("no game lacks a table")
    stopped = everything.grounds[Ground.STOPPED]
    if stopped:
        say(
            f"{counted(stopped, 'game', 'games')} with more men than tables have, "
            "or castling rights: no table decides"
        )
    return [Material.parse(name).canonical() for name, _ in missing.most_common()]


def building(files: Sequence[str], folders: Sequence[Path]) -> str:
    """The command that builds the tables that some files' games lack."""
    names = [shlex.quote(name) for name in dict.fromkeys(files) if name != STANDARD_INPUT]
    wanted = [f"--for {name}" for name in names or ["GAMES.pgn"]]
    return build_command(wanted, str(folders[0]), outcomes=True)
