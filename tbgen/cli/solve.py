"""`tbgen solve`: the value of a position with more men than tables have. `tbgen hold`: proofs that a score is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tbgen.cli import options
from tbgen.cli.options import Asked, Command, completing, flag, option, refuse_beside, syzygy_option
from tbgen.cli.output import Outputs
from tbgen.cli.reporter import duration, progress
from tbgen.cli.showing import Form, present, print_facts, show_facts, show_pairs
from tbgen.closures import DEFAULT_BUDGET
from tbgen.closures.bracket import Bracket, Solution, SolvePlan
from tbgen.errors import UnprovedError, UsageError
from tbgen.facts import facts_of
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.notation import picture_of, position_of
from tbgen.rules.points import Scheme, Scoring, format_points
from tbgen.rules.position import accrued_of
from tbgen.score import Color, Score
from tbgen.storage.files import read_bounded
from tbgen.system.process import processors
from tbgen.text import counted, in_plies, in_units

if TYPE_CHECKING:
    from tbgen.closures.solving import PositionSolver


@click.command("solve", cls=Command, alone=[("--prepare", "--syzygy"), ("--prepare", "--accrued")])
def solve(
    *,
    asked: Asked = options.ASKED,
    only_plan: bool = flag("Print the cost, and stop.", "--plan"),
    prepare: str | None = option(
        "Solve ahead what MATERIAL promotes to, or with --plan print the cost; then stop.",
        metavar="MATERIAL",
    ),
    budget: int = option(
        "Take S CPU seconds at most; bound promotions to keep within them, or else refuse.",
        type=click.IntRange(min=0),
        default=DEFAULT_BUDGET,
        metavar="S",
    ),
    syzygy: tuple[Path, ...] | None = syzygy_option(),
    threads: int | None = options.THREADS,
    folders: tuple[Path, ...] = options.FOLDERS,
    form: Form = options.FORM,
) -> None:
    """Solve one position with six or seven men, from the tables of --data.

    tbgen solves the positions that captures, pawn moves and promotions lead to, as far as the budget allows.
    It bounds the other promotions. The answer is then the least and the greatest possible value of the position.
    If both are equal, they prove the value. The value ignores the fifty-move rule, as in tables.

    Solved blocks stay in the folder "solved" of the tables. A later solve continues from them.

    --prepare finds who mates after promotions to a queen, ahead and for all games of a material.
    These blocks stay in the folder "solved", too.
    --syzygy asks tables of ordinary chess who mates, in the position and after each of its moves.

    \b
    Examples:
      tbgen solve "8/1K6/6p1/6P1/2k5/7p/7P/8 w - - 0 51 -G8.5"
      tbgen solve "8/2K5/P7/5r2/8/6k1/7p/R7 w - - 0 138" --plan
      tbgen solve --prepare KRPvKRP --plan
    """
    from tbgen.closures.solving import (
        PositionSolver,
    )  # importing it takes a while, and `tbgen hold` does not need it

    with PositionSolver(
        folders, budget=budget, threads=threads or processors(), syzygy=syzygy
    ) as solver:
        if prepare is not None:
            _prepare(solver, Material.parse(prepare), only_plan=only_plan, form=form)
            return
        position = position_of(*asked.read())
        if only_plan:
            _show_plan(solver.plan(*position), form, answers=True)
            return
        with progress("solving", 1, as_share=True) as shown:
            found = solver.solve(*position, shown.reach)
    present(form, found.facts(), lambda: _show(found, picture_of(position[0])))


def _prepare(solver: PositionSolver, material: Material, *, only_plan: bool, form: Form) -> None:
    """Find who mates after promotions of a material, or print the cost."""
    plan = solver.prepare(material)
    if not only_plan and plan.nodes:
        with progress("preparing", 1, as_share=True) as shown:
            solver.prepare(material, shown.reach)
    _show_plan(plan, form, answers=False)


def _show_plan(plan: SolvePlan, form: Form, *, answers: bool) -> None:
    what = "exact" if plan.exact else "perhaps exact: some promotions are bounded"
    closer = (
        f"{' '.join(plan.missing)} (these tables would make the answer closer)"
        if plan.missing
        else None
    )
    first = f"{duration(plan.first_seconds)} to a first answer, in all " if answers else ""
    pairs = {
        "blocks": f"{plan.nodes:,}, {plan.cells:,} cells",
        "time": f"{first}{duration(plan.cpu_seconds)} of CPU (estimated)",
        "memory": in_units(plan.memory_bytes),
        "disk": in_units(plan.disk_bytes + plan.scratch_bytes),
        **({"answer": what, "missing": closer} if answers else {}),
    }
    present(form, facts_of(plan), lambda: show_pairs(pairs))


def _show(found: Solution, picture: str) -> None:
    bracket, exact = found.bracket, found.bracket.exact
    click.echo(f"{picture}\n")
    show_pairs(
        {
            "accrued": found.accrued,
            "outcome": None if exact is None else f"{exact}: {exact.in_words()}",
            "at least": f"{bracket.lower} for White: {bracket.lower.in_words()}"
            if exact is None
            else None,
            "at most": f"{bracket.upper} for White: {bracket.upper.in_words()}"
            if exact is None
            else None,
            "points": _points(bracket),
            "solved": f"{counted(found.plan.nodes, 'block', 'blocks')}, {found.plan.cells:,} cells, "
            f"{found.cpu_seconds:.1f} CPU s",
        }
    )
    click.echo()
    show_facts(
        found.moves,
        {
            "move": lambda move: move.san,
            "at least": lambda move: move.bracket.lower,
            "at most": lambda move: move.bracket.upper,
            "points": lambda move: _points(move.bracket),
            "": lambda move: "best" * move.best,
        },
        none="no legal moves: the game is over",
    )


def _points(bracket: Bracket) -> str:
    """White's and Black's points under exponential scoring, for both bounds if they differ."""
    ends = [bracket.lower, bracket.upper] if bracket.exact is None else [bracket.exact]
    return " to ".join(format_points(Scoring().points(end), Scheme.EXPONENTIAL) for end in ends)


_BOTH = "both"
_GOALS = ("accrued", "best", "draw")


@click.command("hold", cls=Command, alone=[("--check", each) for each in ("--strategy", "--pair")])
def hold(
    *,
    asked: Asked = options.ASKED,
    side: str = option(
        "Search for a hold of this side. With a score as the goal, both means the sides that have it.",
        type=click.Choice(["white", "black", _BOTH]),
        default=_BOTH,
    ),
    goal: str = option(
        "Keep this or better: accrued (the score that has accrued), draw (not to be mated), a score such "
        "as G5.5, or best (the best that can be proved).",
        metavar="G",
        shell_complete=completing(lambda ctx: _GOALS),
        default="best",
    ),
    pair: str | None = option(
        "Try only these two men, one of either side, such as Ke1,Ke6.", metavar="B,C"
    ),
    nodes: int = option(
        "Give up each search after N positions.", type=click.IntRange(1, 5_000_000), default=100_000
    ),
    wide: bool = flag("Try to hold by moves of all men as well, where one does not suffice."),
    target: str | None = option(
        "Write the moves that hold to FILE; - is the standard output.",
        "--strategy",
        type=options.NAME,
    ),
    force: bool = flag("Replace a file that has more in it, too.", needs="--strategy"),
    source: str | None = option(
        "Check such a FILE, and nothing else.", "--check", type=options.NAME
    ),
    folders: tuple[Path, ...] = options.OPTIONAL_FOLDERS,
    form: Form = options.FORM,
) -> int:
    """Prove that a side keeps a score for ever, with any number of men: fortresses, perpetual checks, shut boards.

    The search moves two men, one of either side; all others stand still, and any other move of the other side
    is a break. If that is not enough, captures into the tables of --data count by their value, and then one man
    holds against all moves. "held" is a proof, checked move by move; "broken by two men" and "unknown"
    say nothing about who is better.

    \b
    Examples:
      tbgen hold "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1" --side white --goal draw
      tbgen hold 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1 --side black --goal draw
      tbgen hold "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1" --json
      tbgen hold --check fortress.json
    """
    if source is not None:
        refuse_beside("--check", {"a position": asked.words})
        _check(source, folders, form=form)
        return 0
    if target is not None and (side == _BOTH or form is not Form.TABLE):
        raise UsageError(
            "--strategy writes the moves of one side: give --side white or black, and no --json"
        )
    board, score = position_of(*asked.read())
    wanted: str | Score = goal if goal in _GOALS else Score(goal)
    with _tables_in(folders) as tables, progress("searching, positions") as shown:
        from tbgen.apps.hold import ladder
        from tbgen.apps.hold.answers import HoldBracket

        found = [
            ladder.hold(
                board, each, goal=wanted, accrued=score, tables=tables, pair=pair, nodes=nodes, wide=wide,
                watch=shown.advance,
            )
            for each in _sides(side, wanted, accrued_of(board) if score is None else score)
        ]  # fmt: skip
    answer = HoldBracket(*found) if len(found) == 2 else found[0]
    if form is not Form.TABLE:
        print_facts(form, answer.facts())
    elif target is not None:
        if found[0].proof is None:
            raise UnprovedError(
                f"nothing is proved ({found[0].verdict.value}), so there is no strategy to write"
            )
        with Outputs({"the strategy": target}, force=force).open("the strategy") as file:
            assert file is not None
            file.write(found[0].proof.strategy.text().encode())
    else:
        click.echo(f"{picture_of(board)}\n\naccrued  {found[0].accrued}")
        for each in found:
            click.echo("")
            _show_hold(each.facts(), is_mate=each.goal.outcome.is_mate)
        click.echo(f"\n{answer}\n" if len(found) == 2 else "", nl=False)
    return 0


def _sides(side: str, wanted: str | Score, accrued: Score) -> list[Color]:
    """The requested sides; of both, those that have the score of the goal."""
    if side != _BOTH:
        return [Color[side.upper()]]
    return [
        each
        for each in Color
        if isinstance(wanted, str) or accrued.worth_to(each) >= wanted.worth_to(each)
    ]


def _tables_in(folders: Sequence[Path]) -> contextlib.AbstractContextManager[Tablebase | None]:
    """The tables, if there are any: a hold does not need them."""
    there = [folder for folder in folders if folder.is_dir()]
    return open_tablebase(there) if there else contextlib.nullcontext()


def _check(source: str, folders: Sequence[Path], *, form: Form) -> None:
    """Check a strategy in a file."""
    from tbgen.apps.hold.answers import check_strategy
    from tbgen.apps.hold.strategy import parse_strategy

    strategy = parse_strategy(read_bounded(Path(source)).decode(errors="replace"), source)
    with _tables_in(folders) as tables:
        proof, goal = check_strategy(strategy, tables, source).facts(), strategy.goal
    kept = (
        f"{goal.side} keeps {goal.outcome} or better from {strategy.board.fen()} {strategy.accrued}"
    )
    present(form, proof, lambda: _show_proof(f"{source}: {kept}", proof))


def _show_hold(found: Mapping[str, Any], *, is_mate: bool) -> None:
    proof, escape, side = found["proof"], found["escape"], found["side"].title()
    kept = "nothing that is proved" if is_mate and proof is None else f"{found['goal']} or better"
    title = f"{side} keeps {kept}: {found['verdict'] if proof is None else 'held'}"
    if proof is not None:
        _show_proof(title, proof)
        return
    click.echo(title)
    if escape is not None:
        frames = f"{in_plies(escape['plies'])} at least, the most of all pairs: {' against '.join(escape['men'])}"
        show_pairs({"in frames": frames, "way out": " ".join(escape["line"]) or None}, "  {:11}{}")
    if found["verdict"] == "unknown":
        click.echo(
            "  wider      no proof within the nodes that were allowed; --nodes and --wide try harder"
        )


def _show_proof(title: str, proof: Mapping[str, Any]) -> None:
    click.echo(title)
    checked, (lead, loop) = proof["checked"], (proof["cycle"][part] for part in ("lead", "loop"))
    show_pairs(
        {
            "by": f"{' against '.join(proof['men']) or 'all men'} ({proof['rung']})",
            "checked": f"{counted(checked['positions'], 'position', 'positions')}, "
            f"{counted(checked['pairs'], 'pair', 'pairs')} with accrued scores",
            "cycle": " ".join([*lead, "[", *loop, "]"]) if loop else None,
            "line": " ".join(lead) if lead and not loop else None,
            "tables": " ".join(proof["tables"]) or None,
            "holds": f"{'without' if proof['tables'] else 'under every setting of'} the fifty-move rule",
        },
        "  {:11}{}",
    )
