"""`tbgen hold`: proofs that a side keeps a score for ever."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tbgen.cli.completion import a_file, beginning_so
from tbgen.cli.data import optional_folders_option
from tbgen.cli.first_use import compile_for
from tbgen.cli.options import quiet_option
from tbgen.cli.output import written_whole
from tbgen.cli.position import PositionCommand, asked_accrued, asked_position, position_options
from tbgen.cli.refusals import refuse_beside
from tbgen.cli.terminal import progress
from tbgen.compiled.known import Purpose
from tbgen.errors import TbgenError, UnreadableFileError, UsageError
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.notation import picture_of, position_of
from tbgen.rules.accrual import accrued_of
from tbgen.score import Accrued, Color, Outcome, parse_score
from tbgen.text import counted, in_plies

if TYPE_CHECKING:
    from tbgen.apps.hold.answers import Bracket, Holding, Proof

_BOTH = "both"
_GOALS = ("accrued", "best", "draw")


@click.command("hold", cls=PositionCommand)
@position_options
@click.option(
    "--side",
    type=click.Choice(["white", "black", _BOTH]),
    default=_BOTH,
    help="The side that is to hold (default both, which brackets the value). With a score as the goal, both means "
    "the sides that have it.",
)
@click.option(
    "--goal",
    metavar="G",
    shell_complete=lambda ctx, param, incomplete: beginning_so(_GOALS, incomplete),
    default="best",
    help="What it is to keep, or better: accrued (the score that has accrued), draw (not to be mated), a score such "
    "as G5.5, or best (default: the best that can be proved).",
)
@click.option("--pair", metavar="B,C", help="The only two men to try, such as Ke1,Ke6; one of either side.")
@click.option("--nodes", type=click.IntRange(1, 5_000_000), default=100_000, help="The most positions of one search.")
@click.option("--wide", is_flag=True, help="Try to hold by moves of all men as well, where one does not do.")
@optional_folders_option
@click.option("--map", "with_map", is_flag=True, help="Show where the two men may stand.")
@click.option(
    "--strategy",
    "target",
    metavar="FILE",
    shell_complete=a_file,
    help="Write the moves that hold to a file; - is the output.",
)
@click.option("--check", "source", metavar="FILE", shell_complete=a_file, help="Check such a file, and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@quiet_option
def command(
    words: tuple[str, ...],
    *,
    moves: tuple[str, ...],
    accrued: str | None,
    side: str,
    goal: str,
    pair: str | None,
    nodes: int,
    wide: bool,
    folders: tuple[Path, ...],
    with_map: bool,
    target: str | None,
    source: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Prove that a side keeps a score for ever, with any number of men: fortresses, perpetual checks, shut boards.

    The board is indexed by two men, one of either side; all others stand still, and whatever else the other side can
    play is a break. If that is not enough, captures into the tables of --data count by their value, and then one man
    holds against all moves. "held" is a proof, and has been checked move by move; "broken by two men" and "unknown"
    say nothing about who is better.

    \b
    Examples:
      tbgen hold "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1" --side white --goal draw
      tbgen hold 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1 --side black --goal draw --map
      tbgen hold "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1" --json
      tbgen hold --check fortress.json
    """
    if source is not None:
        refuse_beside("--check", {"a position": words, "--strategy": target, "--map": with_map, "--pair": pair})
        return _check(source, folders, as_json=as_json)
    if target is not None and (side == _BOTH or as_json):
        raise UsageError("--strategy writes the moves of one side: give --side white or black, and no --json")
    fen, played = asked_position(words, moves)
    board, score = position_of(fen, played, asked_accrued(fen, accrued))
    compile_for(Purpose.HOLDS, quiet=quiet)
    wanted: str | Outcome = goal if goal in _GOALS else parse_score(goal).outcome
    with _tables_in(folders) as tables, progress("searching, positions", quiet=quiet) as shown:
        from tbgen.apps.hold.answers import Bracket
        from tbgen.apps.hold.ladder import hold

        found = [
            hold(
                board, each, goal=wanted, accrued=score, tables=tables, pair=pair, nodes=nodes, wide=wide,
                watch=shown.advance,
            )
            for each in _sides(side, wanted, accrued_of(board) if score is None else score)
        ]  # fmt: skip
    answer = Bracket(*found) if len(found) == 2 else found[0]
    if as_json:
        click.echo(json.dumps(answer.facts(with_map=with_map), indent=2))
        return 0
    if target is not None:
        return _write(found[0], target)
    click.echo(picture_of(board))
    _show(answer, found, with_map=with_map)
    return 0


def _sides(side: str, wanted: str | Outcome, accrued: Accrued) -> list[Color]:
    """The sides that are asked; of both, those that have the score which is the goal."""
    if side != _BOTH:
        return [Color[side.upper()]]
    if isinstance(wanted, str):
        return list(Color)
    return [each for each in Color if accrued.worth_to(each) >= wanted.worth_to(each)]


@contextlib.contextmanager
def _tables_in(folders: Sequence[Path]) -> Iterator[Tablebase | None]:
    """The tables, if there are any: a hold can do without."""
    there = [folder for folder in folders if folder.is_dir()]
    if not there:
        yield None
        return
    with open_tablebase(there) as tables:
        yield tables


def _write(found: Holding, target: str) -> int:
    """Write the strategy of a proof."""
    if found.proof is None:
        raise TbgenError(f"nothing is proved ({found.verdict.value}), so there is no strategy to write")
    with written_whole(target) as file:
        file.write(found.proof.strategy.text().encode())
    return 0


def _check(source: str, folders: Sequence[Path], *, as_json: bool) -> int:
    """Check a strategy in a file."""
    from tbgen.apps.hold.answers import check_strategy
    from tbgen.apps.hold.strategy import parse_strategy

    try:
        text = Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFileError(source, getattr(error, "strerror", None) or "it is no text") from None
    strategy = parse_strategy(text, source)
    with _tables_in(folders) as tables:
        proof = check_strategy(strategy, tables, source)
    if as_json:
        click.echo(json.dumps(proof.facts(), indent=2))
        return 0
    goal = strategy.goal
    click.echo(f"{source}: {goal.side} keeps {goal.outcome} or better from {strategy.board.fen()} {strategy.accrued}")
    _show_proof(proof)
    return 0


def _show(answer: Bracket | Holding, found: Sequence[Holding], *, with_map: bool) -> None:
    click.echo(f"\naccrued  {found[0].accrued}")
    for each in found:
        click.echo("")
        _show_one(each)
        chart = each.map() if with_map else None
        if chart is not None:
            click.echo(f"\n{chart.text()}")
    if len(found) == 2:
        click.echo(f"\n{answer}")


def _show_one(found: Holding) -> None:
    goal = found.goal
    if found.proof is not None:
        click.echo(f"{goal.side} keeps {goal.outcome} or better: held")
        _show_proof(found.proof)
        return
    if goal.outcome.is_mate:
        click.echo(f"{goal.side} keeps nothing that is proved: {found.verdict.value}")
    else:
        click.echo(f"{goal.side} keeps {goal.outcome} or better: {found.verdict.value}")
    if found.escape is not None:
        b, c = found.escape.men
        click.echo(f"  in frames  {in_plies(found.escape.plies)} at least, the most of all pairs: {b} against {c}")
        if found.escape.line:
            click.echo(f"  way out    {' '.join(found.escape.line)}")
    if found.verdict.value == "unknown":
        click.echo("  wider      no proof within the nodes that were allowed; --nodes and --wide try harder")


def _show_proof(proof: Proof) -> None:
    strategy, checked = proof.strategy, proof.checked
    click.echo(f"  by         {' against '.join(strategy.men) or 'all men'} ({strategy.rung.value})")
    pairs = counted(checked.pairs, "pair", "pairs")
    click.echo(f"  checked    {counted(checked.positions, 'position', 'positions')}, {pairs} with accrued scores")
    cycle = proof.cycle
    if cycle.loop:
        click.echo(f"  cycle      {' '.join([*cycle.lead, '[', *cycle.loop, ']'])}")
    elif cycle.lead:
        click.echo(f"  line       {' '.join(cycle.lead)}")
    if proof.materials:
        click.echo(f"  tables     {' '.join(proof.materials)}")
    everywhere = not proof.materials
    click.echo(f"  holds      {'under every setting of' if everywhere else 'without'} the fifty-move rule")
