"""`tbgen solve`: the value of a position with more men than tables have."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tbgen.cli import options, say
from tbgen.cli.command import PositionCommand, refuse_together
from tbgen.cli.positions import position_argument, read_position, warn_of_ignored_score
from tbgen.cli.reporter import duration, progress
from tbgen.cli.showing import Form, ShownRow, print_facts, show_pairs, show_table
from tbgen.cli.solved_games import solve_games
from tbgen.closures import DEFAULT_BUDGET
from tbgen.closures.answers import MoveBracket, Solution
from tbgen.closures.bounds import Bracket
from tbgen.closures.plan import SolvePlan
from tbgen.errors import build_command
from tbgen.facts import facts_of
from tbgen.material import most_useful_first
from tbgen.probe import Tablebase
from tbgen.rules.notation import picture_of, position_of
from tbgen.rules.points import Scheme, Scoring, format_points
from tbgen.score import Mobility
from tbgen.system.inputs import matching_files
from tbgen.system.process import processors
from tbgen.text import counted, in_units

if TYPE_CHECKING:
    from tbgen.probe.by_moves import ProvedByMoves


_FIRST_TABLES: Final = 2
"""Missing tables that are named first: all of them may be sixty."""


@click.command("solve", cls=PositionCommand)
@position_argument
@click.option(
    "--for",
    "files",
    metavar="IN.pgn",
    type=options.NAME,
    multiple=True,
    help="Solve the last positions of this file's games that no table has; repeat it for more.",
)
@click.option("--plan", "only_plan", is_flag=True, help="Print the cost, and stop.")
@click.option(
    "--budget",
    metavar="S",
    type=click.IntRange(min=0),
    default=DEFAULT_BUDGET,
    help="Take S CPU seconds at most; bound promotions to keep within them, or else refuse "
    f"(default {DEFAULT_BUDGET}).",
)
@click.option(
    "--line",
    "with_line",
    is_flag=True,
    help="Find moves that keep a proved value and make progress, too.",
)
@options.syzygy_option(help=f"Tighten bounds by {options.SYZYGY_TABLES}.")
@options.threads_option
@options.folders_option
@options.json_option
def command(
    *,
    words: tuple[str, ...],
    files: tuple[str, ...],
    only_plan: bool,
    budget: int,
    with_line: bool,
    syzygy: tuple[Path, ...] | None,
    threads: int | None,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Solve positions with six or more men, from the tables of --data.

    tbgen solves the positions that captures, pawn moves and promotions lead to, as far as the
    budget allows. It bounds the other promotions. The answer is then the least and the greatest
    possible value of the position. If both are equal, they prove the value. The value ignores the
    fifty-move rule, as in tables.

    Solved blocks stay in the folder "solved" of the tables. A later solve continues from them.
    With --for, tbgen solves the last positions of games, each block once. "tbgen adjudicate" then
    reads what was solved, as it reads tables.

    If captures and promotions lead to tables that prove the value, tbgen says so at once.

    --line finds moves of both sides that keep a proved value and make progress, until a table has
    the position. They are not always the shortest way.
    --syzygy asks tables of ordinary chess who mates, in the position and after each of its moves.

    \b
    Examples:
      tbgen solve "8/1K6/6p1/6P1/2k5/7p/7P/8 w - - 0 51 -G8.5"
      tbgen solve "8/2K5/P7/5r2/8/6k1/7p/R7 w - - 0 138" --plan
      tbgen solve --for event.pgn --budget 600
    """
    refuse_together("--plan", "--line")
    # Importing it takes a while, and `tbgen adjudicate` mostly does not need it.
    from tbgen.closures.solver import PositionSolver

    solver = PositionSolver(
        folders,
        budget=budget,
        threads=threads or processors(),
        syzygy=syzygy,
    )
    with solver:
        if files:
            names = matching_files([*files, *words])
            return solve_games(
                solver, names, folders, form, only_plan=only_plan, with_line=with_line
            )
        fen, played = read_position(words)
        board, accrued = position_of(fen, played)
        warn_of_ignored_score(fen, Mobility.RESET)
        if only_plan:
            _show_plan(solver.plan(board, accrued), form)
            return 0
        begun = time.process_time()
        with Tablebase(folders, missing_ok=True) as tables:
            proof = None if board in tables else tables.prove(board, accrued)
        if proof is not None and proof.is_exact and not with_line:
            _show_proof(proof, form, time.process_time() - begun)
            return 0
        if proof is not None and str(proof):
            say(str(proof))
        with progress("solving", 1, as_share=True) as work:
            solution = solver.solve(board, accrued, work.reach, line=with_line)
    if solution.plan.missing and not solution.bracket.is_exact:
        _say_missing(solution.plan.missing, folders)
    if form is Form.TABLE:
        _show(solution, picture_of(board))
        if solution.line is not None:
            moves = [step.move for step in solution.line]
            click.echo(f"\n{board.variation_san(moves)}")
    else:
        print_facts(form, solution.facts())
    return 0


def _show_proof(proof: ProvedByMoves, form: Form, seconds: float) -> None:
    """Print a value that the moves prove, with which nothing is left to solve."""
    if form is Form.TABLE:
        click.echo(f"{proof}.")
        return
    effort = {"nodes": 0, "cells": 0, "cpu_seconds": round(seconds, 3)}
    print_facts(form, proof.facts() | effort)


def _say_missing(missing: Sequence[str], folders: Sequence[Path]) -> None:
    """Name the tables without which perhaps only bounds were found."""
    first = most_useful_first(missing)[:_FIRST_TABLES]
    build = build_command(first, str(folders[0]), outcomes=True)
    these = f"these {_FIRST_TABLES} first" if len(missing) > len(first) else "with"
    say(
        f"{counted(len(missing), 'missing table', 'missing tables')} would make the answer closer; "
        f"build {these}: {build}"
    )


def _show_plan(plan: SolvePlan, form: Form) -> None:
    """Print the cost of a position."""
    if form is not Form.TABLE:
        print_facts(form, facts_of(plan, missing=most_useful_first(plan.missing)))
        return
    first = duration(plan.first_seconds)
    whole = duration(plan.expected_seconds)
    time = f"{first} to a first answer, {whole} of CPU if all ways are needed"
    pairs = {
        "blocks": f"{plan.nodes:,}, {plan.cells:,} cells",
        "time": f"{time} (estimated)",
        "memory": in_units(plan.memory_bytes),
        "disk": in_units(plan.disk_bytes + plan.scratch_bytes),
        "answer": "exact" if plan.exact else "perhaps exact: some promotions are bounded",
    }
    if plan.missing:
        names = most_useful_first(plan.missing)
        first = " ".join(names[:_FIRST_TABLES])
        others = len(names) - _FIRST_TABLES
        also = f" and {others} more" if others > 0 else ""
        pairs["missing"] = f"{first}{also} (these tables would make the answer closer)"
    show_pairs(pairs)


def _show(solution: Solution, picture: str) -> None:
    bracket = solution.bracket
    pairs: dict[str, object] = {"accrued": solution.accrued}
    if bracket.exact is None:
        pairs["at least"] = f"{bracket.lower} for White: {bracket.lower.in_words()}"
        pairs["at most"] = f"{bracket.upper} for White: {bracket.upper.in_words()}"
    else:
        pairs["outcome"] = f"{bracket.exact}: {bracket.exact.in_words()}"
    pairs["points"] = _points(bracket)
    pairs["solved"] = (
        f"{counted(solution.plan.nodes, 'block', 'blocks')}, {solution.plan.cells:,} cells, "
        f"{solution.cpu_seconds:.1f} CPU s"
    )
    click.echo(f"{picture}\n")
    show_pairs(pairs)
    click.echo()
    show_table(map(_row_of, solution.moves), none="no legal moves: the game is over")


def _row_of(move: MoveBracket) -> ShownRow:
    return {
        "move": move.san,
        "at least": move.bracket.lower,
        "at most": move.bracket.upper,
        "points": _points(move.bracket),
        "": "best" if move.best else "",
    }


def _points(bracket: Bracket) -> str:
    """White's and Black's points under exponential scoring, for both bounds if they differ."""
    ends = bracket.ends if bracket.exact is None else [bracket.exact]
    return " to ".join(format_points(Scoring().points(end), Scheme.EXPONENTIAL) for end in ends)
