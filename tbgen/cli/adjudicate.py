"""`tbgen adjudicate`: the score of every game of a file, written into a copy; and the tables that games lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from tbgen.apps.games.batch import ChunkReport, GamesTask, positions_to_solve, total
from tbgen.apps.games.decide import Ground, Solve
from tbgen.apps.games.tags import Continue, Rules
from tbgen.cli import complain, complain_of, is_quiet, options, say
from tbgen.cli.options import Command, flag, option
from tbgen.cli.output import GamesWriter, Outputs
from tbgen.cli.reading import (
    adjudicated,
    asked_files,
    building,
    say_whom_the_clock_did_not_stop,
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


@click.command(
    "adjudicate",
    cls=Command,
    alone=[
        ("--in-place", "-o"),
        ("--in-place", "--force"),
        ("--solve", "--jobs"),
        *(
            ("--continue never", each)
            for each in ("--data", "--solve", "--line", "--count-fifty", "--strict")
        ),
    ],
)
def command(
    *,
    files: tuple[str, ...] = options.FILES,
    output: str | None = option(
        "Write the copy to this file; - (default) is the standard output.",
        "-o",
        type=options.NAME,
        metavar="OUT.pgn",
    ),
    force: bool = options.FORCE,
    in_place: bool = flag("Write the tags into the files themselves."),
    verdicts: str | None = option(
        "Write the verdict on every game to FILE, as JSON.", type=options.NAME
    ),
    continued: str = option(
        "Continue games by best play: never, unless the rules ended them, or always.",
        "--continue",
        type=click.Choice([how.value for how in Continue]),
        default=Continue.UNLESS_OVER.value,
    ),
    count_fifty: bool = flag(
        "Score games as the fifty-move rule lets them end, where that is known."
    ),
    solve: bool = flag("Solve last positions of six and seven men, which no table has."),
    budget: int = option(
        "Take S CPU seconds at most for a position, and keep the accrued score where that is too little.",
        type=click.IntRange(min=0),
        default=DEFAULT_BUDGET,
        metavar="S",
        needs="--solve",
    ),
    syzygy: tuple[Path, ...] | None = options.syzygy_option(needs="--solve"),
    lines: bool = flag("Append best play to the moves, as a variation.", "--line"),
    rules: Rules = options.RULES,
    mobility: Mobility = options.MOBILITY,
    folders: tuple[Path, ...] = options.OPTIONAL_FOLDERS,
    jobs: int = options.JOBS,
    strict: bool = options.STRICT,
) -> int:
    """Decide every game and write the tags RMobilityResult, Points and the like into a copy.

    Mate and stalemate on the board stand, then decisive results. A game that the rules ended (third repetition,
    fifty moves, bare kings) keeps its accrued score. Best play continues any other game from its last position, if its
    table is there; otherwise the accrued score stands. With --solve it continues games from six and seven men, too: an
    exact value is the score; where only bounds are proved, they are in the tag RMobilityBounds.

    Tables ignore the fifty-move rule, so a win that the rule would have stopped (a cursed win) is G0.0. Where the rule
    matters, or may, the tag RMobilityClock says so. --count-fifty scores such games under the rule, if its
    effect is known.

    Tags go after the Result tag and replace those of an earlier decision; every other byte stays. IN.pgn may be
    packed, and - is the standard input.

    \b
    Examples:
      tbgen adjudicate event.pgn -o scored.pgn
      tbgen adjudicate event.pgn --in-place --line --scoring komi
      tbgen adjudicate event.pgn -o scored.pgn --solve --budget 600
      tbgen adjudicate archive.pgn.zst -o scored.pgn --verdicts scored.json --jobs 8
    """
    names = asked_files(files)
    if unfit := [
        name for name in names if in_place and (name == STANDARD_INPUT or is_packed(name))
    ]:
        raise UsageError(f"{unfit[0]} cannot be changed in place: it is no plain file; use -o")
    if output is None and verdicts is None and not in_place:
        output = STANDARD_OUTPUT
    outputs = Outputs({"the copy": output, "the verdicts": verdicts}, read=names, force=force)
    if solve and not mobility.forgets:
        raise UsageError(
            f"--solve means nothing with --game {mobility}: positions are solved for r-mobility alone"
        )
    has_copy = in_place or output is not None
    if lines and not has_copy:
        raise UsageError("--line means nothing without -o or --in-place")
    is_file = has_copy and output != STANDARD_OUTPUT
    rules = replace(rules, continued=Continue(continued), counts_fifty_moves=count_fifty)
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
        everything = total(
            part
            for name in names
            for part in _written(
                name,
                adjudicated(
                    [name], task, jobs, solving, whole=is_file
                ),  # an incomplete file never replaces another
                copy,
                writer,
                in_place=in_place,
            )
        )
        if writer is not None:
            writer.finish(
                missing=dict(everything.missing),
                skipped=[each.facts() for each in everything.skipped],
            )
    complain(*everything.contradicted)
    code = complain_of(everything.skipped)
    _report(everything)
    if everything.missing and not is_quiet():
        told = [output] if is_file and output is not None else names
        _report_missing(
            everything,
            folders,
            building(told, folders, sorted(everything.missing if solve and not is_file else ())),
        )
    return code or (MissingTableError.exit_code if strict and everything.missing else 0)


def _written(
    name: str,
    parts: Iterable[ChunkReport],
    copy: IO[bytes] | None,
    writer: GamesWriter | None,
    *,
    in_place: bool,
) -> Iterator[ChunkReport]:
    """The parts of a file's games, each written as soon as it is decided."""
    with ExitStack() as stack:
        if in_place:
            from tbgen.apps.match.journal import kept_from_matches

            stack.enter_context(kept_from_matches(Path(name)))
            copy = stack.enter_context(rewritten(name))
        for part in parts:
            if copy is not None:
                copy.write(part.text)
            if writer is not None:
                writer.add(*part.facts)
            yield part


def _solve_ahead(solver: PositionSolver, names: Sequence[str], task: GamesTask) -> None:
    """Solve all last positions together, each block once; the games of a stream are solved one by one."""
    ends, refused, plan = solver.outlook(
        end for name in names if name != STANDARD_INPUT for end in positions_to_solve(name, task)
    )
    if ends or refused:
        say(f"{counted(len(ends), 'game', 'games')} to solve, {refused.total():,} left out")
    for reason, number in refused.most_common():
        say(f"{counted(number, 'game', 'games')} left out: {reason}")
    if not ends:
        return
    say(
        f"{counted(plan.nodes, 'block', 'blocks')}, {duration(plan.cpu_seconds)} of CPU at most (estimated), "
        f"{in_units(plan.memory_bytes)} of memory, {in_units(plan.disk_bytes + plan.scratch_bytes)} of disk"
    )
    solver.check(plan)
    with progress("solving", len(ends), as_share=True) as shown:
        for number, end in enumerate(ends):

            def tell(part: float, number: int = number) -> None:
                shown.reach(number + part)

            solver.bracket(*end, tell)


def _report(whole: ChunkReport) -> None:
    """Print how the games were decided, and where the fifty-move rule and best play disagree."""
    grounds = [
        f"{whole.grounds[ground]:,} {'provisional' if ground is Ground.PROVISIONAL else f'by {ground.value}'}"
        for ground in Ground
        if whole.grounds[ground]
    ]
    say(
        f"{counted(whole.games, 'game', 'games')} decided{': ' if grounds else ''}{', '.join(grounds)}"
    )
    if whole.clocked:
        say(
            f"{counted(whole.clocked, 'game', 'games')} where the fifty-move rule may stop the table's value: "
            "see RMobilityClock"
        )
    say_whom_the_clock_did_not_stop(whole)
    if bounded := whole.grounds[Ground.PROVISIONAL] - whole.lacking:
        say(
            f"{counted(bounded, 'game', 'games')} with bounds only, see RMobilityBounds: "
            "a larger --budget or --syzygy may decide more"
        )


_MOST_NAMED = 12


def _report_missing(whole: ChunkReport, folders: Sequence[Path], how: str) -> None:
    """Print the tables that would decide the most games, the command that builds them all, and its cost."""
    missing, games = whole.missing, counted(whole.lacking, "game", "games")
    tables, where = counted(len(missing), "table", "tables"), ", ".join(map(str, folders))
    named = [f"{name} ({number:,})" for name, number in missing.most_common(_MOST_NAMED)]
    others = [f"{len(missing) - _MOST_NAMED} others"] if len(missing) > _MOST_NAMED else []
    say(
        f"the score of {games} is provisional; {tables} missing from {where} "
        f"would decide {'it' if whole.lacking == 1 else 'them'}: {', '.join(named + others)}"
    )
    say(f"build {'it' if len(missing) == 1 else 'them'}: {how}, then decide again")
    plan = outlook(folders[0], map(Material.parse, missing), processors())
    say(
        f"that makes {counted(len(plan.steps), 'table', 'tables')}: {duration(plan.seconds())}, "
        f"{in_units(plan.bytes + plan.scratch_bytes)} of disk, {in_gib(plan.peak_memory)} of memory"
    )
