"""Files of games, and the tables that their games lack."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tbgen.apps.games.archive import Decided, GamesTask, decide_file, total
from tbgen.apps.games.decide import Solve
from tbgen.apps.games.files import STANDARD_INPUT, matching_files
from tbgen.apps.games.game import GameSettings
from tbgen.cli.options import typed_folders
from tbgen.cli.reporter import compile_for, duration, reading
from tbgen.cli.terminal import complain_of, say
from tbgen.compiled.known import Purpose
from tbgen.errors import PgnError, UsageError
from tbgen.library.build import outlook
from tbgen.material import Material
from tbgen.storage.folders import game_of_folder
from tbgen.system.process import processors
from tbgen.text import counted, in_gib, in_units

_MOST_ROWS = 12


def asked_files(names: Sequence[str]) -> list[str]:
    """The files that names and patterns stand for; UsageError if there are none."""
    files = matching_files(names)
    if not files:
        raise UsageError("name a PGN file, or - for the standard input")
    return files


def decided(
    names: Sequence[str],
    task: GamesTask,
    jobs: int = 1,
    solve: Solve | None = None,
    *,
    quiet: bool,
    whole: bool = False,
) -> Iterator[Decided]:
    """The games of files, part by part. A file that cannot be read to its end is an error if `whole`, else skipped."""
    for name in names:
        with reading(name, quiet=quiet) as tell:
            try:
                for part in decide_file(name, task, jobs, solve):
                    yield part
                    tell(part.size, part.games + len(part.skipped))
            except PgnError as error:
                if whole:
                    raise
                yield Decided(skipped=[error])


def report_missing(missing: Counter[str], folders: Sequence[Path], files: Sequence[str]) -> None:
    """The tables that would decide the most games, the command that builds them all, and what that takes."""
    games, tables = counted(missing.total(), "game", "games"), counted(len(missing), "table", "tables")
    one, where = len(missing) == 1, ", ".join(map(str, folders))
    them = "it" if missing.total() == 1 else "them"
    say(f"the score of {games} is provisional; {tables} missing from {where} would decide {them}:")
    for name, number in missing.most_common(_MOST_ROWS):
        say(f"  {name:8} {number:>3,} {'game' if number == 1 else 'games'}")
    if len(missing) > _MOST_ROWS:
        rest = sum(number for _, number in missing.most_common()[_MOST_ROWS:])
        say(f"  {len(missing) - _MOST_ROWS} others {rest:,} games")
    say(f"build {'it' if one else 'them'}: {building(files, folders)}, then decide again")
    plan = outlook(folders[0], map(Material.parse, missing), processors())
    say(
        f"that makes {counted(len(plan.steps), 'table', 'tables')}: {duration(plan.seconds())}, "
        f"{in_units(plan.bytes + plan.scratch_bytes)} of disk, {in_gib(plan.peak_memory)} of memory"
    )


def lacking(games: Sequence[str], folder: Path, *, quiet: bool) -> list[Material]:
    """The tables that would decide games of some files and are not in a folder; says how many games."""
    task = GamesTask(GameSettings(game=game_of_folder(folder)), tables=[folder], texts=False)
    compile_for(Purpose.GAMES, quiet=quiet)
    found = total(decided(matching_files(games), task, quiet=quiet, whole=True))
    missing = found.missing
    complain_of(found.skipped)
    if not quiet:
        tables, number = counted(len(missing), "table", "tables"), counted(missing.total(), "game", "games")
        say(f"{tables} would decide {number} more" if missing else "no game lacks a table")
    return [Material.parse(name) for name, _ in missing.most_common()]


def building(files: Sequence[str], folders: Sequence[Path]) -> str:
    """The command that builds what the games of some files lack."""
    names = [shlex.quote(name) for name in dict.fromkeys(files) if name != STANDARD_INPUT] or ["GAMES.pgn"]
    data = f" --data {shlex.quote(str(folders[0]))}" if typed_folders() else ""
    game = "" if (named := game_of_folder(folders[0])).forgets else f" --game {named}"
    return f"tbgen build {' '.join(f'--for {name}' for name in names)}{data}{game}"
