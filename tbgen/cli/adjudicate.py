"""`tbgen adjudicate`: the score of every game of a file, written into a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO

import click

from tbgen.apps.games.batch import (
    ChunkReport,
    GamesDecider,
    GamesTask,
    total,
)
from tbgen.apps.games.decide import Ground
from tbgen.apps.games.edits import JoinedGames
from tbgen.apps.games.rules import Continue, Rules
from tbgen.cli import complain, complain_of, is_quiet, options, say
from tbgen.cli.command import (
    Command,
    refuse_beside,
    refuse_together,
)
from tbgen.cli.output import GamesWriter, Outputs
from tbgen.cli.reading import (
    adjudicated,
    asked_files,
    building,
    misspelt_in_words,
    say_overruled_fifty_moves,
    say_unsolved,
)
from tbgen.cli.reporter import duration
from tbgen.errors import UsageError
from tbgen.library.build import outlook
from tbgen.material import Material
from tbgen.score import Mobility
from tbgen.system.inputs import STANDARD_INPUT, is_packed
from tbgen.system.outputs import STANDARD_OUTPUT, rewritten
from tbgen.system.process import processors
from tbgen.text import counted, in_gib, in_units

_MOST_NAMED = 12
"""The missing tables that are named; they are the ones that most games lack."""


@click.command(
    "adjudicate",
    cls=Command,
    rare=("--in-place", "--continue", "--fifty", "--game"),
)
@options.files_argument
@click.option(
    "-o",
    "--output",
    metavar="OUT.pgn",
    type=options.NAME,
    help="Write the copy to this file; - (default) is the standard output.",
)
@click.option("--in-place", is_flag=True, help="Write the tags into the files themselves.")
@click.option(
    "--verdicts",
    metavar="FILE",
    type=options.NAME,
    help="Write the verdict on every game to FILE, as JSON.",
)
@click.option(
    "--continue",
    "continued",
    type=click.Choice([how.value for how in Continue]),
    default=Continue.UNLESS_OVER.value,
    help="Continue games by best play: never, unless the rules ended them, or always "
    f"(default {Continue.UNLESS_OVER.value}).",
)
@options.rules_options
@options.mobility_option
@options.folders_option
def command(
    *,
    files: tuple[str, ...],
    output: str | None,
    in_place: bool,
    verdicts: str | None,
    continued: str,
    rules: Rules,
    mobility: Mobility,
    folders: tuple[Path, ...],
) -> int:
    """Decide every game and write the tags RMobilityResult, Points and the like into a copy.

    Mate and stalemate on the board stand, then decisive results. A game that the rules ended (third
    repetition, fifty moves, bare kings) keeps its accrued score. Best play continues any other game
    from its last position, if its table is there, or if "tbgen solve --for" has solved it;
    otherwise the accrued score stands. Where only bounds are proved, they are in the tag
    RMobilityBounds.

    Tables ignore the fifty-move rule, so a win that the rule would have stopped (a cursed win) is
    G0.0. Where the rule matters, or may, the tag RMobilityClock says so.

    Tags go after the Result tag and replace those of an earlier decision; every other byte stays.
    IN.pgn may be packed, and - is the standard input.

    \b
    Examples:
      tbgen adjudicate event.pgn -o scored.pgn
      tbgen adjudicate event.pgn --in-place --scoring komi
      tbgen adjudicate archive.pgn.zst -o scored.pgn --verdicts scored.json
    """
    how = Continue(continued)
    _refuse_idle_options(how)
    names = asked_files(files)
    if in_place:
        _refuse_to_rewrite(names)
    if output is None and verdicts is None and not in_place:
        output = STANDARD_OUTPUT
    outputs = Outputs({"the copy": output, "the verdicts": verdicts}, read=names)
    has_copy = in_place or output is not None
    is_file = has_copy and output != STANDARD_OUTPUT
    rules = replace(rules, continued=how)
    task = GamesTask(rules, folders, texts=has_copy, facts=verdicts is not None)
    everything = _decided(names, task, outputs, in_place=in_place, whole=is_file)
    complain(*everything.contradicted, *misspelt_in_words(everything))
    code = complain_of(everything.skipped)
    _report(everything)
    if is_file and len(names) > 1:
        games = everything.games + len(everything.skipped)
        say(f"{output} has the {counted(games, 'game', 'games')} of {len(names)} files")
    if everything.missing and not is_quiet():
        decided_files = [output] if is_file and output is not None else names
        _report_missing(everything, folders, building(decided_files, folders))
    say_unsolved(everything.unsolved, names)
    return code


def _decided(
    names: Sequence[str],
    task: GamesTask,
    outputs: Outputs,
    *,
    in_place: bool,
    whole: bool,
) -> ChunkReport:
    """Decide the games of some files, and write them and their verdicts.

    If `whole`, an incomplete file is an error, because it never replaces another one.
    """
    with (
        outputs.open("the verdicts") as verdicts_file,
        outputs.open("the copy") as copy,
        closing(GamesDecider(task)) as decider,
    ):
        writer = None if verdicts_file is None else GamesWriter(verdicts_file)
        joined = None if copy is None else JoinedGames(copy)

        def decided() -> Iterator[ChunkReport]:
            for name in names:
                reports = adjudicated([name], decider, whole=whole)
                if in_place:
                    yield from _rewritten(name, reports, writer)
                    continue
                if joined is not None:
                    joined.begin(name)
                yield from _written(reports, joined, writer)

        everything = total(decided())
        if writer is not None:
            writer.finish(
                missing=dict(everything.missing),
                skipped=[error.facts() for error in everything.skipped],
            )
    return everything


def _refuse_idle_options(how: Continue) -> None:
    """Refuse options that make no difference."""
    refuse_together("--in-place", "-o")
    if how is Continue.NEVER:
        refuse_beside("--continue never", "--data")


def _refuse_to_rewrite(names: Sequence[str]) -> None:
    """Refuse to change files in place that are no plain files."""
    for name in names:
        if name == STANDARD_INPUT or is_packed(name):
            raise UsageError(f"{name} cannot be changed in place: it is no plain file; use -o")


def _written(
    reports: Iterable[ChunkReport],
    copy: JoinedGames | IO[bytes] | None,
    writer: GamesWriter | None,
) -> Iterator[ChunkReport]:
    """The parts of a file's games, each written as soon as it is decided."""
    for report in reports:
        if copy is not None:
            copy.write(report.text)
        if writer is not None:
            writer.add(*report.facts)
        yield report


def _rewritten(
    name: str, reports: Iterable[ChunkReport], writer: GamesWriter | None
) -> Iterator[ChunkReport]:
    """The same, into the file itself, which no match may write at the same time."""
    from tbgen.apps.match.journal import kept_from_matches

    with kept_from_matches(Path(name)), rewritten(name) as copy:
        yield from _written(reports, copy, writer)


def _report(everything: ChunkReport) -> None:
    """Print how the games were decided, and where the fifty-move rule and best play disagree."""
    if everything.unfinished:
        say(
            f"{counted(everything.unfinished, 'game', 'games')} without a result, which standings "
            "leave out"
        )
    grounds = []
    for ground in Ground:
        number = everything.grounds[ground]
        if number:
            how = "provisional" if ground is Ground.PROVISIONAL else f"by {ground.in_words(number)}"
            grounds.append(f"{number:,} {how}")
    decided = everything.games - everything.unfinished
    line = f"{counted(decided, 'game', 'games')} decided"
    if grounds:
        line += f": {', '.join(grounds)}"
    if decided or not everything.unfinished:
        say(line)
    if everything.clocked:
        say(
            f"{counted(everything.clocked, 'game', 'games')} where the fifty-move rule may stop "
            "the table's value: see RMobilityClock"
        )
    say_overruled_fifty_moves(everything.overruled_fifty_moves)
    if everything.bounded:
        games = counted(everything.bounded, "game", "games")
        say(
            f"{games} with bounds only, see RMobilityBounds: "
            "a solve with a larger --budget or with --syzygy may decide more"
        )


def _report_missing(everything: ChunkReport, folders: Sequence[Path], build: str) -> None:
    """Print the tables that would decide the most games, how to build them all, and the cost."""
    missing = everything.missing
    names = [f"{name} ({number:,})" for name, number in missing.most_common(_MOST_NAMED)]
    if len(missing) > _MOST_NAMED:
        names.append(counted(len(missing) - _MOST_NAMED, "other", "others"))
    games = counted(everything.lacking, "game", "games")
    tables = counted(len(missing), "table", "tables")
    where = ", ".join(map(str, folders))
    those_games = "it" if everything.lacking == 1 else "them"
    say(
        f"the score of {games} is provisional; {tables} missing from {where} "
        f"would decide {those_games}: {', '.join(names)}"
    )
    those_tables = "it" if len(missing) == 1 else "them"
    say(f"build {those_tables}: {build}, then decide again")
    plan = outlook(folders[0], map(Material.parse, missing), processors())
    all_tables = counted(len(plan.steps), "table", "tables")
    too_many = len(plan.steps) - len(plan.fitting)
    if too_many:
        say(
            f"that makes {all_tables}; {too_many} of them need more memory than is free, "
            f"and a plan names them: {build} --plan"
        )
        return
    disk = f"{in_units(plan.bytes)} of disk"
    if plan.scratch_bytes:
        disk += f", {in_units(plan.scratch_bytes)} more until the end"
    say(
        f"that makes {all_tables}: {duration(plan.seconds())}, {disk}, "
        f"{in_gib(plan.peak_memory)} of memory"
    )
