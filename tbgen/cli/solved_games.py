"""The last positions of games that `tbgen solve --for` solves: their plan, and solving them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbgen.apps.games.solved import GameToSolve, games_to_solve
from tbgen.cli import complain_of, say
from tbgen.cli.reporter import duration, progress
from tbgen.cli.showing import Facts, Form, ShownRow, print_facts, show_table
from tbgen.errors import InputFileError
from tbgen.facts import facts_of
from tbgen.probe import Tablebase
from tbgen.rules.position import material_on
from tbgen.text import counted, in_units

if TYPE_CHECKING:
    from tbgen.closures.bounds import Bracket
    from tbgen.closures.plan import Outlook, PositionOutlook, SolvePlan
    from tbgen.closures.solver import PositionSolver

_LEAST_SECONDS = 0.1
"""A game whose blocks are solved already counts as so much work, so that progress moves."""
_MOST_NAMED = 12
"""More games than these are counted, and not named by their numbers."""


def solve_games(
    solver: PositionSolver,
    names: Sequence[str],
    folders: Sequence[Path],
    form: Form,
    *,
    only_plan: bool,
    with_line: bool,
) -> int:
    """Solve the last positions of some files' games, or print what that takes.

    The exit code is that of games that cannot be read.
    """
    games, faults = _games_to_solve(names, folders)
    code = complain_of(faults)
    with progress("planning", as_share=True, total=1) as work:
        outlook = solver.outlook([game.problem for game in games], work.reach)
    if only_plan:
        _show_plan(games, outlook, form, has_files=len(names) > 1)
    else:
        _solve(solver, games, outlook, form, has_files=len(names) > 1, with_line=with_line)
    return code


def _games_to_solve(
    names: Sequence[str], folders: Sequence[Path]
) -> tuple[list[GameToSolve], list[InputFileError]]:
    """The games of some files whose last positions no table has, and what cannot be read."""
    games = list[GameToSolve]()
    faults = list[InputFileError]()
    with Tablebase(folders, missing_ok=True) as tables, progress("games read") as work:
        for name in names:
            for game in games_to_solve(name, tables):
                if isinstance(game, InputFileError):
                    faults.append(game)
                elif game is not None:
                    games.append(game)
                work.advance()
    return games, faults


def _show_plan(
    games: Sequence[GameToSolve], outlook: Outlook, form: Form, *, has_files: bool
) -> None:
    """Print what each game takes to solve, and all together."""
    if form is not Form.TABLE:
        rows = list(map(_facts_of, games, outlook.positions))
        print_facts(form, {"games": rows, "plan": facts_of(outlook.plan)})
        return
    rows_shown = []
    for game, position in zip(games, outlook.positions, strict=True):
        if position.plan is not None:  # the others are counted below
            rows_shown.append(_row_of(game, position.plan, has_file=has_files))
    none = "no game stops in a position that a solve may decide"
    if games:
        none = "no game can be solved with this budget and these tables"
    show_table(rows_shown, none=none)
    _say_outlook(games, outlook)


def _facts_of(game: GameToSolve, position: PositionOutlook) -> Facts:
    board, accrued = game.problem
    plan = None if position.plan is None else facts_of(position.plan)
    return {
        "file": game.file,
        "number": game.number,
        "white": game.white,
        "black": game.black,
        "fen": board.fen(),
        "accrued": str(accrued),
        "plan": plan,
        "lacks_room": position.lacks_room,
        "refusal": position.refusal,
    }


def _row_of(game: GameToSolve, plan: SolvePlan, *, has_file: bool) -> ShownRow:
    board, _ = game.problem
    row: dict[str, object] = {"file": game.file} if has_file else {}
    row["game"] = game.number
    row["players"] = f"{game.white} - {game.black}"
    row["men"] = material_on(board)
    row["blocks"] = plan.nodes
    row["first answer"] = duration(plan.first_seconds)
    row["in all"] = duration(plan.expected_seconds)
    row["memory"] = in_units(plan.memory_bytes)
    row["disk"] = in_units(plan.disk_bytes + plan.scratch_bytes)
    row["answer"] = "exact" if plan.exact else "perhaps exact"
    return row


def _solve(
    solver: PositionSolver,
    games: Sequence[GameToSolve],
    outlook: Outlook,
    form: Form,
    *,
    has_files: bool,
    with_line: bool,
) -> None:
    """Solve games one after the other, each block once, and print their values or bounds."""
    if form is Form.TABLE:
        _say_outlook(games, outlook)
    planned = list[tuple[GameToSolve, float]]()
    for game, position in zip(games, outlook.positions, strict=True):
        if position.plan is not None:
            planned.append((game, max(position.expected_seconds, _LEAST_SECONDS)))
    if planned:
        solver.check(outlook.plan)
    all_seconds = sum(seconds for _, seconds in planned)
    answers: list[tuple[GameToSolve, Bracket]] = []
    with progress("solving", all_seconds, as_share=True) as work:
        done = 0.0
        for game, seconds in planned:
            board, accrued = game.problem

            def tell(part: float, before: float = done, whole: float = seconds) -> None:
                work.reach(before + part * whole)

            bracket = solver.bracket(board, accrued, tell)
            if bracket is not None:
                answers.append((game, bracket))
                if with_line and bracket.is_exact:
                    solver.solve(board, accrued, line=True)
            done += seconds
    if form is not Form.TABLE:
        print_facts(form, {"games": [_solved_facts(*answer) for answer in answers]})
        return
    rows = []
    for game, bracket in answers:
        row: dict[str, object] = {"file": game.file} if has_files else {}
        row.update(game=game.number, players=f"{game.white} - {game.black}", value=str(bracket))
        rows.append(row)
    show_table(rows)


def _solved_facts(game: GameToSolve, bracket: Bracket) -> Facts:
    board, accrued = game.problem
    return {
        "file": game.file,
        "number": game.number,
        "white": game.white,
        "black": game.black,
        "fen": board.fen(),
        "accrued": str(accrued),
        **bracket.facts(),
    }


def _say_outlook(games: Sequence[GameToSolve], outlook: Outlook) -> None:
    """Print how many games can be solved and at what cost, and why others are left out."""
    number = len(outlook.planned)
    refused = len(outlook.positions) - number
    if outlook.positions:
        say(f"{counted(number, 'game', 'games')} to solve, {refused:,} left out")
    others = dict[str, list[GameToSolve]]()
    lacking_room = list[GameToSolve]()
    for game, position in zip(games, outlook.positions, strict=True):
        if position.lacks_room:
            lacking_room.append(game)
        if position.refusal is not None:
            others.setdefault(position.refusal, []).append(game)
    for reason, refused_games in others.items():
        say(f"{_named(refused_games)} left out: {reason}")
    if lacking_room:
        say(
            f"{_named(lacking_room)} may get closer bounds on a machine with more free memory "
            "or disk"
        )
    if number:
        say(_cost_of(outlook.plan))


def _named(games: Sequence[GameToSolve]) -> str:
    """Games by their numbers, if they are few and of one file; else how many there are."""
    files = {game.file for game in games}
    if len(games) > _MOST_NAMED or len(files) > 1:
        return counted(len(games), "game", "games")
    *first, last = [str(game.number) for game in games]
    if not first:
        return f"game {last}"
    return f"games {', '.join(first)} and {last}"


def _cost_of(plan: SolvePlan) -> str:
    disk = plan.disk_bytes + plan.scratch_bytes
    return (
        f"{counted(plan.nodes, 'block', 'blocks')}, "
        f"{duration(plan.expected_seconds)} of CPU (estimated), "
        f"{in_units(plan.memory_bytes)} of memory, {in_units(disk)} of disk"
    )
