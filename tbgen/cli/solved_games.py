"""The last positions that `tbgen adjudicate --solve` solves: their plan, and solving them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tbgen.apps.games.batch import GamesTask, GameToSolve, games_to_solve
from tbgen.cli import complain_of, say
from tbgen.cli.reporter import duration, progress
from tbgen.cli.showing import Facts, Form, ShownRow, print_facts, show_table
from tbgen.errors import InputFileError
from tbgen.facts import facts_of
from tbgen.rules.position import material_on
from tbgen.system.inputs import STANDARD_INPUT
from tbgen.text import counted, in_units

if TYPE_CHECKING:
    from tbgen.closures.bracket import SolvePlan
    from tbgen.closures.planning import Outlook, PositionOutlook
    from tbgen.closures.solving import PositionSolver

_LEAST_SECONDS = 0.1
"""A game whose blocks are solved already counts as so much work, so that progress moves."""
_MOST_NAMED = 12
"""More games than these are counted, and not named by their numbers."""


def _games_to_solve(
    names: Iterable[str], task: GamesTask
) -> tuple[list[GameToSolve], list[InputFileError]]:
    """The games of some files whose last positions no table has, and what cannot be read."""
    games = list[GameToSolve]()
    faults = list[InputFileError]()
    for name in names:
        for game in games_to_solve(name, task):
            if isinstance(game, InputFileError):
                faults.append(game)
            else:
                games.append(game)
    return games, faults


def show_plan(solver: PositionSolver, names: Sequence[str], task: GamesTask, form: Form) -> int:
    """Print what each game takes to solve, and all together; the exit code is that of faults."""
    games, faults = _games_to_solve(names, task)
    code = complain_of(faults)
    outlook = solver.outlook([game.problem for game in games])
    if form is not Form.TABLE:
        rows = list(map(_facts_of, games, outlook.positions))
        print_facts(form, {"games": rows, "plan": facts_of(outlook.plan)})
        return code
    has_files = len(names) > 1
    rows_shown = []
    for game, position in zip(games, outlook.positions, strict=True):
        if position.plan is not None:  # the others are counted below
            rows_shown.append(_row_of(game, position.plan, has_file=has_files))
    none = "no game stops in a position that a solve may decide"
    if games:
        none = "no game can be solved with this budget and these tables"
    show_table(rows_shown, none=none)
    _say_outlook(games, outlook)
    return code


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


def solve_ahead(solver: PositionSolver, names: Sequence[str], task: GamesTask) -> None:
    """Solve all last positions together, each block once.

    The games of a stream are solved one by one.
    """
    files = [name for name in names if name != STANDARD_INPUT]
    games, _ = _games_to_solve(files, task)  # deciding the games tells what cannot be read
    outlook = solver.outlook([game.problem for game in games])
    _say_outlook(games, outlook)
    planned = list[tuple[GameToSolve, float]]()
    for game, position in zip(games, outlook.positions, strict=True):
        if position.plan is not None:
            planned.append((game, max(position.expected_seconds, _LEAST_SECONDS)))
    if not planned:
        return
    solver.check(outlook.plan)
    all_seconds = sum(seconds for _, seconds in planned)
    with progress("solving", all_seconds, as_share=True) as work:
        done = 0.0
        for game, seconds in planned:
            board, accrued = game.problem

            def tell(part: float, before: float = done, whole: float = seconds) -> None:
                work.reach(before + part * whole)

            solver.bracket(board, accrued, tell)
            done += seconds


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
