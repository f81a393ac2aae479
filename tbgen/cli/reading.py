"""Files of games as commands read them: the games, the tables that they lack, and the files that may be replaced."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from tbgen.apps.games.batch import ChunkReport, GamesTask, adjudicate_file, total
from tbgen.apps.games.decide import Ground, Solve
from tbgen.apps.games.tags import Rules
from tbgen.cli import complain_of, say
from tbgen.cli.options import not_empty
from tbgen.cli.reporter import reading
from tbgen.errors import InputFileError, build_options
from tbgen.material import Material
from tbgen.storage.files import mobility_of, tables_in
from tbgen.system.inputs import STANDARD_INPUT, matching_files
from tbgen.text import counted


def asked_files(names: Sequence[str]) -> list[str]:
    """The files of names and patterns; UsageError if there are none."""
    return not_empty(matching_files(names), "name a PGN file, or - for the standard input")


def adjudicated(
    names: Sequence[str],
    task: GamesTask,
    jobs: int = 1,
    solve: Solve | None = None,
    *,
    whole: bool = False,
) -> Iterator[ChunkReport]:
    """The games of files, part by part. A file with an unreadable part is an error if `whole`, else skipped."""
    for name in names:
        try:
            parts = adjudicate_file(name, task, jobs, solve)
            yield from reading(
                name, parts, lambda part: (part.size, part.games + len(part.skipped))
            )
        except InputFileError as error:
            if whole:
                raise
            yield ChunkReport(skipped=[error])


def say_whom_the_clock_did_not_stop(whole: ChunkReport) -> None:
    """How many games best play decided, though their tags say that the fifty-move rule ended them."""
    if whole.against_their_word:
        say(
            f"{counted(whole.against_their_word, 'game', 'games')} decided by best play, though the fifty-move rule "
            "ended them: --fifty fide lets it"
        )


def lacking(games: Sequence[str], folder: Path) -> list[Material]:
    """The tables that would decide games of some files and are not in a folder; says how many games.

    A solver may have asked for a table, which only the tags of a game tell.
    """
    names = matching_files(games)
    found = total(
        adjudicated(
            names,
            GamesTask(Rules(mobility=mobility_of(folder)), tables=[folder], texts=False),
            whole=True,
        )
    )
    complain_of(found.skipped)
    known = {*found.missing, *map(str, tables_in(folder))}
    for asked in found.asked:
        if new := {*map(str, asked)} - known:
            found.lacking += 1
            found.missing.update(new)
    tables, more = (
        counted(len(found.missing), "table", "tables"),
        counted(found.lacking, "game", "games"),
    )
    say(f"{tables} would decide {more} more" if found.missing else "no game lacks a table")
    if stopped := found.grounds[Ground.STOPPED]:
        say(
            f"{counted(stopped, 'game', 'games')} with more men than tables have, or castling rights: no table decides"
        )
    return [Material.parse(name) for name, _ in found.missing.most_common()]


def building(files: Sequence[str], folders: Sequence[Path], tables: Sequence[str] = ()) -> str:
    """The command that builds the tables that some files' games lack, or the named tables."""
    names = [shlex.quote(name) for name in dict.fromkeys(files) if name != STANDARD_INPUT] or [
        "GAMES.pgn"
    ]
    wanted = " ".join(tables or (f"--for {name}" for name in names))
    return f"tbgen build {wanted}{build_options(str(folders[0]))} --outcomes"
