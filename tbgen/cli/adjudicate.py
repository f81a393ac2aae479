"""`tbgen adjudicate`: what every game of a file is scored with, written into a copy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import click

from tbgen.apps.games.archive import Decided, Task, decide_file, total
from tbgen.apps.games.decide import Continue, Ground
from tbgen.apps.games.files import STANDARD_INPUT, is_packed, matching_files
from tbgen.apps.games.game import GameSettings
from tbgen.apps.match.store import kept_from_matches
from tbgen.cli.completion import a_file
from tbgen.cli.data import optional_folders_option
from tbgen.cli.first_use import compile_for
from tbgen.cli.missing import report_missing
from tbgen.cli.output import STANDARD_OUTPUT, is_same_file, rewritten, written_whole
from tbgen.cli.reading import reading
from tbgen.cli.refusals import refuse_beside, refuse_together, refuse_without, typed_folders
from tbgen.cli.settings import scored_game_option, settings_options
from tbgen.cli.terminal import complain, complain_of, say
from tbgen.compiled.known import Purpose
from tbgen.errors import MissingTableError, PgnError, UsageError
from tbgen.storage.folders import folder_of_game
from tbgen.text import counted


@click.command("adjudicate")
@click.argument("files", nargs=-1, metavar="IN.pgn...", shell_complete=a_file)
@click.option(
    "-o",
    "--output",
    metavar="OUT.pgn",
    shell_complete=a_file,
    help="Write the copy to this file; - (default) is the standard output.",
)
@click.option("--in-place", is_flag=True, help="Write the tags into the files themselves.")
@optional_folders_option
@click.option(
    "--continue",
    "continued",
    type=click.Choice([how.value for how in Continue]),
    default=Continue.UNLESS_OVER.value,
    show_default=True,
    help="Continue games by best play: never, unless the rules ended them, or always.",
)
@settings_options
@scored_game_option
@click.option(
    "--count-fifty",
    is_flag=True,
    help="Score games as the fifty-move rule lets them end, where that is known; tables ignore the rule.",
)
@click.option("--line", "lines", is_flag=True, help="Append best play to the moves, as a variation.")
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    shell_complete=a_file,
    help="Write the verdict on every game to a file of JSON.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="The number of processes that share a file."
)
@click.option("--strict", is_flag=True, help="End with exit code 3 if a score is provisional for want of a table.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def command(
    files: tuple[str, ...],
    *,
    output: str | None,
    in_place: bool,
    folders: tuple[Path, ...],
    continued: str,
    settings: GameSettings,
    count_fifty: bool,
    lines: bool,
    json_file: str | None,
    jobs: int,
    strict: bool,
    quiet: bool,
) -> int:
    """Decide every game and write the tags RMobilityResult, Points and the like into a copy.

    Mate and stalemate on the board stand, then decisive results. A game that the rules ended (third repetition,
    fifty moves, bare kings) keeps its accrued score. Any other is continued by best play from its last position,
    where there is a table; else the accrued score stands. Tables ignore the fifty-move rule, so a win that the rule
    would have stopped (a cursed win) is G0.0. Where the rule matters, or may, the tag RMobilityClock says so;
    with --count-fifty the score is the one that the rule leaves, where that is known.

    Tags go after the Result tag and replace those of a decision before; every other byte stays. IN.pgn may be
    packed, and - is the standard input.

    \b
    Examples:
      tbgen adjudicate event.pgn -o scored.pgn
      tbgen adjudicate event.pgn --in-place --line --scoring komi
      tbgen adjudicate archive.pgn.zst -o scored.pgn --json scored.json --jobs 8
    """
    names = matching_files(files)
    if not names:
        raise UsageError("name a PGN file, or - for the standard input")
    output = _output(names, output, json_file, in_place=in_place)
    _refuse_one_file(names, output, json_file)
    texts, how = in_place or output is not None, Continue(continued)
    if how is Continue.NEVER:
        idle = {"--data": typed_folders(), "--line": lines, "--count-fifty": count_fifty, "--strict": strict}
        refuse_beside("--continue never", idle)
    if not texts:
        refuse_without("-o or --in-place", {"--line": lines})
    task = Task(settings, how, count_fifty, folders, texts=texts, lines=lines, facts=json_file is not None)
    compile_for(Purpose.GAMES, quiet=quiet)
    with ExitStack() as stack:
        writer = None if json_file is None else _JsonWriter(stack.enter_context(written_whole(json_file)))
        copy = None if output is None else stack.enter_context(written_whole(output))
        whole = output not in (None, STANDARD_OUTPUT)  # the old file stays if a new one would be cut short
        parts = [_decide(name, task, jobs, copy, writer, in_place=in_place, whole=whole, quiet=quiet) for name in names]
        everything = total(parts)
        if writer is not None:
            writer.finish(everything)
    written = list(names) if output in (None, STANDARD_OUTPUT) else [output]
    for line in everything.contradicted:
        complain(line)
    code = complain_of(everything.skipped)
    if not quiet:
        _report(everything, [folder_of_game(folder, settings.game) for folder in folders], written)
    return code or (MissingTableError.exit_code if strict and everything.missing else 0)


def _output(names: Sequence[str], output: str | None, json_file: str | None, *, in_place: bool) -> str | None:
    """Where the copy goes; None if there is to be none."""
    if in_place:
        refuse_together({"--in-place": in_place, "-o": output})
        for name in names:
            if name == STANDARD_INPUT or is_packed(name):
                raise UsageError(f"{name} cannot be changed in place: it is no plain file; use -o")
        return None
    if output is None and json_file is not None:
        return None
    return STANDARD_OUTPUT if output is None else output


def _refuse_one_file(names: Sequence[str], output: str | None, json_file: str | None) -> None:
    """Refuse what would be written over what is read, or over each other."""
    if output is not None and json_file is not None and is_same_file(output, json_file):
        where = "the standard output" if output == STANDARD_OUTPUT else output
        raise UsageError(f"only one of the copy and the JSON can go to {where}")
    for name in names:
        if name == STANDARD_INPUT:
            continue
        if output is not None and is_same_file(name, output):
            raise UsageError(f"{output} is what is read; use --in-place")
        if json_file is not None and is_same_file(name, json_file):
            raise UsageError(f"{json_file} is what is read; the JSON goes to a file of its own")


def _decide(
    name: str,
    task: Task,
    jobs: int,
    copy: IO[bytes] | None,
    writer: _JsonWriter | None,
    *,
    in_place: bool,
    whole: bool,
    quiet: bool,
) -> Decided:
    """Decide the games of one file; what is wrong with it as a whole is kept like what is wrong with a game."""
    parts: list[Decided] = []
    with ExitStack() as stack:
        tell = stack.enter_context(reading(name, quiet=quiet))
        if in_place:
            stack.enter_context(kept_from_matches(Path(name)))
        file = stack.enter_context(rewritten(name)) if in_place else copy
        for part in _unfailing(decide_file(name, task, jobs), whole=in_place or whole):
            if file is not None:
                file.write(part.text)
            if writer is not None:
                writer.add(part.facts)
            parts = [total([*parts, part])]
            tell(part.size, part.games + len(part.skipped))
    return total(parts)


def _unfailing(parts: Iterator[Decided], *, whole: bool) -> Iterator[Decided]:
    """The parts of a file. An error of the whole file ends them, or is raised if the output must be `whole`."""
    try:
        yield from parts
    except PgnError as error:
        if whole:
            raise
        yield Decided(skipped=[error])


class _JsonWriter:
    """The summary, written as the games come."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._between = '{"games": [\n  '

    def add(self, games: Sequence[str]) -> None:
        for game in games:
            self._file.write(f"{self._between}{game}".encode())
            self._between = ",\n  "

    def finish(self, whole: Decided) -> None:
        begin = "\n]" if self._between.startswith(",") else '{"games": []'
        skipped = [{"game": each.game, "ply": each.ply, "why": each.reason} for each in whole.skipped]
        rest = f'{begin},\n"missing": {json.dumps(dict(whole.missing))},\n"skipped": {json.dumps(skipped)}}}\n'
        self._file.write(rest.encode())


def _report(whole: Decided, folders: Sequence[Path], files: Sequence[str]) -> None:
    """What became of the games, and which tables would decide more."""
    grounds = [
        f"{whole.grounds[ground]:,} {_WORDS.get(ground, f'by {ground.value}')}"
        for ground in Ground
        if whole.grounds[ground]
    ]
    say(f"{counted(whole.games, 'game', 'games')} decided{': ' if grounds else ''}{', '.join(grounds)}")
    _report_fifty(whole)
    if whole.missing:
        report_missing(whole.missing, folders, files)


def _report_fifty(whole: Decided) -> None:
    """Where the fifty-move rule and best play do not go together."""
    if whole.clocked:
        games = counted(whole.clocked, "game", "games")
        say(f"{games} with too few plies left for the table's value, or perhaps: see RMobilityClock")
    if whole.against_their_word:
        games = counted(whole.against_their_word, "game", "games")
        say(f"{games} decided by best play, though the fifty-move rule ended them: --fifty fide lets it")


_WORDS = {Ground.PROVISIONAL: "provisional"}
