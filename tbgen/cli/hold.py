"""`tbgen hold`: proofs that a side keeps a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tbgen.apps.hold import DEFAULT_NODES, MOST_NODES
from tbgen.cli import options
from tbgen.cli.command import PositionCommand, refuse_together
from tbgen.cli.output import Outputs
from tbgen.cli.positions import position_argument, read_position, warn_of_ignored_score
from tbgen.cli.reporter import progress
from tbgen.cli.showing import Form, print_facts, show_pairs
from tbgen.errors import UnprovedError, UsageError
from tbgen.probe import Tablebase
from tbgen.rules.notation import picture_of, position_of
from tbgen.rules.position import accrued_of
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import read_bounded
from tbgen.text import counted, in_plies

if TYPE_CHECKING:
    from tbgen.apps.hold.answers import Holding

_BOTH = "both"
_GOALS = ("accrued", "best", "draw")
_PAIR = "  {:11}{}"
"""How a fact of a hold is printed, below the side's line."""


def _goals(context: click.Context) -> Sequence[str]:
    return _GOALS


@click.command("hold", cls=PositionCommand)
@position_argument
@click.option(
    "--side",
    type=click.Choice(["white", "black", _BOTH]),
    default=_BOTH,
    help="Search for a hold of this side. With a score as the goal, both means the sides that "
    f"have it (default {_BOTH}).",
)
@click.option(
    "--goal",
    metavar="G",
    shell_complete=options.completing(_goals),
    default="best",
    help="Keep this or better: accrued (the score that has accrued), draw (not to be mated), a "
    "score such as G5.5, or best (the best that can be proved) (default best).",
)
@click.option(
    "--nodes",
    metavar="N",
    type=click.IntRange(1, MOST_NODES),
    default=DEFAULT_NODES,
    help=f"Give up each search after N positions (default {DEFAULT_NODES}).",
)
@click.option(
    "--wide",
    is_flag=True,
    help="Try to hold by moves of all men as well, where one does not suffice.",
)
@click.option(
    "--strategy",
    "target",
    metavar="FILE",
    type=options.NAME,
    help="Write the moves that hold to FILE; - is the standard output.",
)
@click.option(
    "--check",
    "source",
    metavar="FILE",
    type=options.NAME,
    help="Check such a FILE, and nothing else.",
)
@options.folders_option
@options.json_option
def command(
    *,
    words: tuple[str, ...],
    side: str,
    goal: str,
    nodes: int,
    wide: bool,
    target: str | None,
    source: str | None,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Prove that a side keeps a score for ever, with any number of men: fortresses, perpetual
    checks, shut boards.

    The search moves two men, one of either side; all others stand still, and any other move of the
    other side is a break. If that is not enough, captures into the tables of --data count by their
    value, and then one man holds against all moves. "held" is a proof, checked move by move;
    "broken by two men" and "unknown" say nothing about who is better.

    \b
    Examples:
      tbgen hold "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1" --side white --goal draw
      tbgen hold 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1 --side black --goal draw
      tbgen hold "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1" --json
      tbgen hold --check fortress.json
    """
    refuse_together("--check", "--strategy")
    if source is not None:
        if words:
            raise UsageError("--check and a position cannot be given together")
        _check(source, folders, form=form)
        return 0
    if target is not None and (side == _BOTH or form is not Form.TABLE):
        raise UsageError(
            "--strategy writes the moves of one side: give --side white or black, and no --json"
        )
    fen, played = read_position(words)
    board, accrued = position_of(fen, played)
    warn_of_ignored_score(fen, Mobility.RESET)
    wanted: str | Score = goal if goal in _GOALS else Score(goal)
    sides = _sides(side, wanted, accrued_of(board) if accrued is None else accrued)
    outputs = Outputs({"the strategy": target})
    with Tablebase(folders, missing_ok=True) as tables, progress("searching, positions") as work:
        from tbgen.apps.hold import ladder

        holds = []
        for holder in sides:
            hold = ladder.hold(
                board,
                holder,
                goal=wanted,
                accrued=accrued,
                tables=tables,
                nodes=nodes,
                wide=wide,
                watch=work.advance,
            )
            holds.append(hold)
    if target is not None:
        _write_strategy(holds[0], outputs)
    else:
        _print_holds(holds, picture_of(board), form)
    return 0


def _sides(side: str, wanted: str | Score, accrued: Score) -> list[Color]:
    """The requested sides; of both, those that have the score of the goal."""
    if side != _BOTH:
        return [Color[side.upper()]]
    if isinstance(wanted, str):
        return list(Color)
    return [color for color in Color if accrued.worth_to(color) >= wanted.worth_to(color)]


def _write_strategy(hold: Holding, outputs: Outputs) -> None:
    if hold.proof is None:
        raise UnprovedError(
            f"nothing is proved ({hold.verdict.value}), so there is no strategy to write"
        )
    with outputs.open("the strategy") as file:
        assert file is not None
        file.write(hold.proof.strategy.text().encode())


def _print_holds(holds: Sequence[Holding], picture: str, form: Form) -> None:
    """Print the hold of each side, and what both together prove."""
    from tbgen.apps.hold.answers import HoldBracket

    both = HoldBracket(*holds) if len(holds) == len(Color) else None
    if form is not Form.TABLE:
        print_facts(form, holds[0].facts() if both is None else both.facts())
        return
    click.echo(f"{picture}\n\naccrued  {holds[0].accrued}")
    for hold in holds:
        click.echo("")
        _show_hold(hold.facts(), is_mate=hold.goal.outcome.is_mate)
    if both is not None:
        click.echo(f"\n{both}")


def _check(source: str, folders: Sequence[Path], *, form: Form) -> None:
    """Check a strategy in a file."""
    from tbgen.apps.hold.answers import check_strategy
    from tbgen.apps.hold.strategy import parse_strategy

    strategy = parse_strategy(read_bounded(Path(source)).decode(errors="replace"), source)
    with Tablebase(folders, missing_ok=True) as tables:
        proof = check_strategy(strategy, tables, source).facts()
    if form is not Form.TABLE:
        print_facts(form, proof)
        return
    goal = strategy.goal
    where = f"{strategy.board.fen()} {strategy.accrued}"
    _show_proof(f"{source}: {goal.side} keeps {goal.outcome} or better from {where}", proof)


def _show_hold(hold: Mapping[str, Any], *, is_mate: bool) -> None:
    side = hold["side"].title()
    proof = hold["proof"]
    if proof is not None:
        _show_proof(f"{side} keeps {hold['goal']} or better: held", proof)
        return
    kept = "nothing that is proved" if is_mate else f"{hold['goal']} or better"
    click.echo(f"{side} keeps {kept}: {hold['verdict']}")
    escape = hold["escape"]
    if escape is not None:
        men = " against ".join(escape["men"])
        show_pairs(
            {
                "in frames": f"{in_plies(escape['plies'])} at least, the most of all pairs: {men}",
                "way out": " ".join(escape["line"]) or None,
            },
            _PAIR,
        )
    if hold["verdict"] == "unknown":
        click.echo(
            "  wider      no proof within the nodes that were allowed; "
            "--nodes and --wide try harder"
        )


def _show_proof(title: str, proof: Mapping[str, Any]) -> None:
    click.echo(title)
    men = " against ".join(proof["men"]) or "all men"
    positions = counted(proof["checked"]["positions"], "position", "positions")
    pairs = counted(proof["checked"]["pairs"], "pair", "pairs")
    lead = proof["cycle"]["lead"]
    loop = proof["cycle"]["loop"]
    cycle = None
    line = None
    if loop:
        cycle = " ".join([*lead, "[", *loop, "]"])
    elif lead:
        line = " ".join(lead)
    settings = "without" if proof["tables"] else "under every setting of"
    show_pairs(
        {
            "by": f"{men} ({proof['rung']})",
            "checked": f"{positions}, {pairs} with accrued scores",
            "cycle": cycle,
            "line": line,
            "tables": " ".join(proof["tables"]) or None,
            "holds": f"{settings} the fifty-move rule",
        },
        _PAIR,
    )
