"""`tbgen solve`: the value of one position with more men than tables have, or bounds of it."""

from __future__ import annotations

from pathlib import Path

import click

from tbgen.apps.games.writer import numbered
from tbgen.cli.folders import folders_option
from tbgen.cli.options import (
    Asked,
    PositionCommand,
    declared,
    flag,
    form_option,
    option,
    position_options,
    threads_option,
)
from tbgen.cli.output import Form, print_facts, show_pairs, show_rows
from tbgen.cli.reporter import compile_for, duration, progress
from tbgen.compiled.known import Purpose
from tbgen.material import Material
from tbgen.position import DEFAULT_BUDGET
from tbgen.position.bracket import Bracket, Solution, SolvePlan
from tbgen.position.solving import PositionSolver
from tbgen.rules.fen import picture_of, position_of
from tbgen.rules.points import Scoring, format_points
from tbgen.system.process import processors
from tbgen.text import counted, in_units


@declared("solve", kind=PositionCommand)
@position_options
@flag("--plan", "only_plan", help="Print the cost, and stop.")
@option(
    "--prepare",
    metavar="MATERIAL",
    help="Make the classes of mates of all that MATERIAL promotes to, or with --plan print their cost; then stop.",
)
@option(
    "--budget",
    type=click.IntRange(min=0),
    default=DEFAULT_BUDGET,
    metavar="S",
    help="Take S CPU seconds at most; bound promotions to keep within them, or else refuse.",
)
@threads_option
@folders_option
@form_option
def command(
    asked: Asked,
    *,
    only_plan: bool,
    prepare: str | None,
    budget: int,
    threads: int | None,
    folders: tuple[Path, ...],
    form: Form,
    quiet: bool,
) -> None:
    """Solve one position with six or seven men, from the tables of --data.

    tbgen solves the positions that captures, pawn moves and promotions lead to, as far as the budget allows.
    It bounds the other promotions. The answer is then the least and the greatest possible value of the position.
    If both are equal, they prove the value. The value ignores the fifty-move rule, as in tables.

    Solved blocks stay in the folder "solved" of the tables. A later solve continues from them.

    --prepare makes closer bounds of promotions to five men beside a pawn, ahead and for all games of a material:
    who mates, in each position after a promotion. They stay in the folder "classes".

    \b
    Examples:
      tbgen solve "8/1K6/6p1/6P1/2k5/7p/7P/8 w - - 0 51 -G8.5"
      tbgen solve "8/2K5/P7/5r2/8/6k1/7p/R7 w - - 0 138" --plan
      tbgen solve --prepare KRPvKRP --plan
    """
    if prepare is not None:
        with PositionSolver(folders, threads=threads or processors()) as solver:
            _prepare(solver, Material.parse(prepare), only_plan=only_plan, form=form, quiet=quiet)
        return
    board, score = position_of(*asked.read())
    with PositionSolver(folders, budget=budget, threads=threads or processors()) as solver:
        if only_plan:
            plan = solver.plan(board)
            _show_plan(plan, answers=True) if form.is_table else print_facts(form, plan.facts())
            return
        solver.plan(board)
        compile_for(Purpose.POSITIONS, quiet=quiet)
        with progress("solving", 1, quiet=quiet, as_share=True) as shown:
            found = solver.solve(board, score, lambda done, left: shown.reach(done, left=left))
    if form.is_table:
        click.echo(picture_of(board))
        _show(found)
        if found.line:
            steps = [(step.san, "") for step in found.line]
            click.echo(f"\nbest play: {' '.join(numbered(board.fullmove_number, board.turn, steps))}")
    else:
        print_facts(form, found.facts())


def _prepare(solver: PositionSolver, material: Material, *, only_plan: bool, form: Form, quiet: bool) -> None:
    """Make the classes of mates of a material, or print their cost."""
    plan = solver.preparation(material)
    if not only_plan and plan.nodes:
        compile_for(Purpose.POSITIONS, quiet=quiet)
        with progress("preparing", 1, quiet=quiet, as_share=True) as shown:
            solver.prepare(material, lambda done, left: shown.reach(done, left=left))
    _show_plan(plan, answers=False) if form.is_table else print_facts(form, plan.facts())


def _show_plan(plan: SolvePlan, *, answers: bool) -> None:
    what = "exact" if plan.exact else f"promotions to more than {plan.most_free} men beside pawns are bounded"
    closer = f"{' '.join(plan.missing)} (these tables would make the answer closer)" if plan.missing else None
    show_pairs(
        {
            "blocks": f"{plan.nodes:,}, {plan.cells:,} cells",
            "time": f"{duration(plan.cpu_seconds)} of CPU (estimated)",
            "memory": in_units(plan.memory_bytes),
            "disk": in_units(plan.disk_bytes),
            **({"answer": what, "missing": closer} if answers else {}),
        }
    )


def _show(found: Solution) -> None:
    bracket = found.bracket
    bounds: dict[str, object] = {
        "at least": f"{bracket.lower} for White: {bracket.lower.in_words()}",
        "at most": f"{bracket.upper} for White: {bracket.upper.in_words()}",
    }
    if bracket.exact is not None:
        bounds = {"outcome": f"{bracket.exact}: {bracket.exact.in_words()}"}
    blocks = counted(found.plan.nodes, "block", "blocks")
    solved = f"{blocks}, {found.plan.cells:,} cells, {found.cpu_seconds:.1f} CPU s"
    click.echo()
    show_pairs({"accrued": found.accrued, **bounds, "points": _points(bracket), "solved": solved})
    click.echo("" if found.moves else "\nno legal moves: the game is over")
    rows = [
        (each.san, str(each.bracket.lower), str(each.bracket.upper), _points(each.bracket), "best" * each.best)
        for each in found.moves
    ]
    if rows:
        show_rows(("move", "at least", "at most", "points", ""), rows)


def _points(bracket: Bracket) -> str:
    """White's and Black's points under exponential scoring, for both bounds if they differ."""
    scoring = Scoring()
    ends = dict.fromkeys((bracket.lower, bracket.upper))
    return " to ".join(format_points(scoring.points(end), scoring.scheme) for end in ends)
