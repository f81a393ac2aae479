"""`tbgen adjudicate`: the score of every game of a file, written into a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from tbgen.apps.games.batch import ChunkReport, GamesTask, positions_to_solve, total
from tbgen.apps.games.decide import Ground, Solve
from tbgen.apps.games.rules import Continue, Rules
from tbgen.cli import complain, complain_of, is_quiet, options, say
from tbgen.cli.command import Command, refuse_beside, refuse_together, refuse_without
from tbgen.cli.output import GamesWriter, Outputs
from tbgen.cli.reading import (
    adjudicated,
    asked_files,
    building,
    say_overruled_fifty_moves,
)
from tbgen.cli.reporter import duration, progress
from tbgen.closures import DEFAULT_BUDGET
from tbgen.errors import MissingTableError, UsageError
from tbgen.library.build import outlook
from tbgen.material import Material
from tbgen.score import Mobility
from tbgen.system.inputs import STANDARD_INPUT, is_packed
from tbgen.system.outputs import STANDARD_OUTPUT, rewritten
from tbgen.system.process import processors
from tbgen.text import counted, in_gib, in_units

if TYPE_CHECKING:
    from tbgen.closures.solving import PositionSolver

_MOST_NAMED = 12
"""The missing tables that are named; they are the ones that most games lack."""


@click.command("adjudicate", cls=Command)
@options.files_argument
@click.option(
    "-o",
    "--output",
    metavar="OUT.pgn",
    type=options.NAME,
    help="Write the copy to this file; - (default) is the standard output.",
)
@options.force_option
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
@click.option(
    "--count-fifty",
    is_flag=True,
    help="Score games as the fifty-move rule lets them end, where that is known.",
)
@click.option(
    "--solve",
    is_flag=True,
    help="Solve last positions of six or more men, which no table has.",
)
@click.option(
    "--budget",
    metavar="S",
    type=click.IntRange(min=0),
    default=DEFAULT_BUDGET,
    help="With --solve: take S CPU seconds at most for a position, and keep the accrued score "
    f"where that is too little (default {DEFAULT_BUDGET}).",
)
@options.syzygy_option(help=f"With --solve: tighten bounds by {options.SYZYGY_TABLES}.")
@click.option(
    "--line", "lines", is_flag=True, help="Append best play to the moves, as a variation."
)
@options.rules_options
@options.mobility_option
@options.folders_option
@options.jobs_option
@options.strict_option
def command(
    *,
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    in_place: bool,
    verdicts: str | None,
    continued: str,
    count_fifty: bool,
    solve: bool,
    budget: int,
    syzygy: tuple[Path, ...] | None,
    lines: bool,
    rules: Rules,
    mobility: Mobility,
    folders: tuple[Path, ...],
    jobs: int,
    strict: bool,
) -> int:
    """Decide every game and write the tags RMobilityResult, Points and the like into a copy.

    Mate and stalemate on the board stand, then decisive results. A game that the rules ended (third
    repetition, fifty moves, bare kings) keeps its accrued score. Best play continues any other game
    from its last position, if its table is there; otherwise the accrued score stands. With --solve
    it continues games from six or more men, too: an exact value is the score; where only bounds
    are proved, they are in the tag RMobilityBounds.

    Tables ignore the fifty-move rule, so a win that the rule would have stopped (a cursed win) is
    G0.0. Where the rule matters, or may, the tag RMobilityClock says so. --count-fifty scores such
    games under the rule, if its effect is known.

    Tags go after the Result tag and replace those of an earlier decision; every other byte stays.
    IN.pgn may be packed, and - is the standard input.

    \b
    Examples:
      tbgen adjudicate event.pgn -o scored.pgn
      tbgen adjudicate event.pgn --in-place --line --scoring komi
      tbgen adjudicate event.pgn -o scored.pgn --solve --budget 600
      tbgen adjudicate archive.pgn.zst -o scored.pgn --verdicts scored.json --jobs 8
    """
    how = Continue(continued)
    _refuse_idle_options(how)
    names = asked_files(files)
    if in_place:
        _refuse_to_rewrite(names)
    if output is None and verdicts is None and not in_place:
        output = STANDARD_OUTPUT
    outputs = Outputs({"the copy": output, "the verdicts": verdicts}, read=names, force=force)
    if solve and not mobility.forgets:
        raise UsageError(
            f"--solve means nothing with --game {mobility}: "
            "positions are solved for r-mobility alone"
        )
    has_copy = in_place or output is not None
    if lines and not has_copy:
        raise UsageError("--line means nothing without -o or --in-place")
    is_file = has_copy and output != STANDARD_OUTPUT
    rules = replace(rules, continued=how, counts_fifty_moves=count_fifty)
    task = GamesTask(rules, folders, texts=has_copy, lines=lines, facts=verdicts is not None)
    with ExitStack() as stack:
        solving: Solve | None = None
        if solve:
            from tbgen.closures.solving import PositionSolver

            solver = stack.enter_context(
                PositionSolver(folders, budget=budget, threads=processors(), syzygy=syzygy)
            )
            _solve_ahead(solver, names, task)
            solving = solver.bracket
        verdicts_file = stack.enter_context(outputs.open("the verdicts"))
        writer = None if verdicts_file is None else GamesWriter(verdicts_file)
        copy = stack.enter_context(outputs.open("the copy"))

        def decided() -> Iterator[ChunkReport]:
            for name in names:
                # An incomplete file never replaces another one.
                reports = adjudicated([name], task, jobs, solving, whole=is_file)
                if in_place:
                    yield from _rewritten(name, reports, writer)
                else:
                    yield from _written(reports, copy, writer)

        everything = total(decided())
        if writer is not None:
            writer.finish(
                missing=dict(everything.missing),
                skipped=[error.facts() for error in everything.skipped],
            )
    complain(*everything.contradicted)
    code = complain_of(everything.skipped)
    _report(everything)
    if everything.missing and not is_quiet():
        decided_files = [output] if is_file and output is not None else names
        # Only a decided file tells what a solver has asked for, so other tables are named.
        tables = sorted(everything.missing) if solve and not is_file else []
        _report_missing(everything, folders, building(decided_files, folders, tables))
    if code == 0 and strict and everything.missing:
        return MissingTableError.exit_code
    return code


def _refuse_idle_options(how: Continue) -> None:
    """Refuse options that make no difference."""
    refuse_together("--in-place", "-o")
    refuse_together("--in-place", "--force")
    refuse_together("--solve", "--jobs")
    if how is Continue.NEVER:
        refuse_beside(
            "--continue never", "--data", "--solve", "--line", "--count-fifty", "--strict"
        )
    refuse_without("--solve", "--budget", "--syzygy")


def _refuse_to_rewrite(names: Sequence[str]) -> None:
    """Refuse to change files in place that are no plain files."""
    for name in names:
        if name == STANDARD_INPUT or is_packed(name):
            raise UsageError(f"{name} cannot be changed in place: it is no plain file; use -o")


def _written(
    reports: Iterable[ChunkReport], copy: IO[bytes] | None, writer: GamesWriter | None
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


def _solve_ahead(solver: PositionSolver, names: Sequence[str], task: GamesTask) -> None:
    """Solve all last positions together, each block once.

    The games of a stream are solved one by one.
    """
    positions = []
    for name in names:
        if name != STANDARD_INPUT:
            positions += positions_to_solve(name, task)
    ends, refused, plan = solver.outlook(positions)
    if ends or refused:
        say(f"{counted(len(ends), 'game', 'games')} to solve, {refused.total():,} left out")
    for reason, number in refused.most_common():
        say(f"{counted(number, 'game', 'games')} left out: {reason}")
    if not ends:
        return
    disk = plan.disk_bytes + plan.scratch_bytes
    say(
        f"{counted(plan.nodes, 'block', 'blocks')}, "
        f"{duration(plan.cpu_seconds)} of CPU at most (estimated), "
        f"{in_units(plan.memory_bytes)} of memory, {in_units(disk)} of disk"
    )
    solver.check(plan)
    with progress("solving", len(ends), as_share=True) as work:
        for number, (board, accrued) in enumerate(ends):

            def tell(part: float, number: int = number) -> None:
                work.reach(number + part)

            solver.bracket(board, accrued, tell)


def _report(everything: ChunkReport) -> None:
    """Print how the games were decided, and where the fifty-move rule and best play disagree."""
    grounds = []
    for ground in Ground:
        number = everything.grounds[ground]
        if number:
            how = "provisional" if ground is Ground.PROVISIONAL else f"by {ground.value}"
            grounds.append(f"{number:,} {how}")
    line = f"{counted(everything.games, 'game', 'games')} decided"
    if grounds:
        line += f": {', '.join(grounds)}"
    say(line)
    if everything.clocked:
        say(
            f"{counted(everything.clocked, 'game', 'games')} where the fifty-move rule may stop "
            "the table's value: see RMobilityClock"
        )
    say_overruled_fifty_moves(everything)
    bounded = everything.grounds[Ground.PROVISIONAL] - everything.lacking
    if bounded:
        say(
            f"{counted(bounded, 'game', 'games')} with bounds only, see RMobilityBounds: "
            "a larger --budget or --syzygy may decide more"
        )


def _report_missing(everything: ChunkReport, folders: Sequence[Path], build: str) -> None:
    """Print the tables that would decide the most games, how to build them all, and the cost."""
    missing = everything.missing
    names = [f"{name} ({number:,})" for name, number in missing.most_common(_MOST_NAMED)]
    if len(missing) > _MOST_NAMED:
        names.append(f"{len(missing) - _MOST_NAMED} others")
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
    say(
        f"that makes {counted(len(plan.steps), 'table', 'tables')}: {duration(plan.seconds())}, "
        f"{in_units(plan.bytes + plan.scratch_bytes)} of disk, "
        f"{in_gib(plan.peak_memory)} of memory"
    )
