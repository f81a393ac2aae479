"""`tbgen hold`: proofs that a side keeps a score for ever."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.cli.folders import optional_folders_option
from tbgen.cli.options import (
    Asked,
    PositionCommand,
    beginning_so,
    declared,
    flag,
    form_option,
    option,
    position_options,
    refuse_beside,
)
from tbgen.cli.output import Form, print_facts, show_pairs, written_whole
from tbgen.cli.reporter import compile_for, progress
from tbgen.compiled.known import Purpose
from tbgen.errors import TbgenError, UnreadableFileError, UsageError
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.fen import picture_of, position_of
from tbgen.rules.position import accrued_of
from tbgen.score import Color, Score
from tbgen.storage.files import read_bounded
from tbgen.text import counted, in_plies

_BOTH = "both"
_GOALS = ("accrued", "best", "draw")


@declared("hold", *(("--check", each) for each in ("--strategy", "--map", "--pair")), kind=PositionCommand)
@position_options
@option(
    "--side",
    type=click.Choice(["white", "black", _BOTH]),
    default=_BOTH,
    help="Search for a hold of this side. With a score as the goal, both means the sides that have it.",
)
@option(
    "--goal",
    metavar="G",
    shell_complete=lambda ctx, param, incomplete: beginning_so(_GOALS, incomplete),
    default="best",
    help="Keep this or better: accrued (the score that has accrued), draw (not to be mated), a score such "
    "as G5.5, or best (the best that can be proved).",
)
@option("--pair", metavar="B,C", help="Try only these two men, one of either side, such as Ke1,Ke6.")
@option("--nodes", type=click.IntRange(1, 5_000_000), default=100_000, help="Give up each search after N positions.")
@flag("--wide", help="Try to hold by moves of all men as well, where one does not suffice.")
@flag("--map", "with_map", help="Show where the two men may stand.")
@option("--strategy", "target", metavar="FILE", help="Write the moves that hold to FILE; - is the standard output.")
@option("--check", "source", metavar="FILE", help="Check such a FILE, and nothing else.")
@optional_folders_option
@form_option
def command(
    asked: Asked,
    *,
    side: str,
    goal: str,
    pair: str | None,
    nodes: int,
    wide: bool,
    with_map: bool,
    target: str | None,
    source: str | None,
    folders: tuple[Path, ...],
    form: Form,
    quiet: bool,
) -> int:
    """Prove that a side keeps a score for ever, with any number of men: fortresses, perpetual checks, shut boards.

    The search moves two men, one of either side; all others stand still, and any other move of the other side
    is a break. If that is not enough, captures into the tables of --data count by their value, and then one man
    holds against all moves. "held" is a proof, checked move by move; "broken by two men" and "unknown"
    say nothing about who is better.

    \b
    Examples:
      tbgen hold "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1" --side white --goal draw
      tbgen hold 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1 --side black --goal draw --map
      tbgen hold "8/8/1k6/1p1p4/1P1P4/8/1K6/8 w - - 0 1" --json
      tbgen hold --check fortress.json
    """
    if source is not None:
        refuse_beside("--check", {"a position": asked.words})
        _check(source, folders, form=form)
        return 0
    if target is not None and (side == _BOTH or not form.is_table):
        raise UsageError("--strategy writes the moves of one side: give --side white or black, and no --json")
    board, score = position_of(*asked.read())
    compile_for(Purpose.HOLDS, quiet=quiet)
    wanted: str | Score = goal if goal in _GOALS else Score(goal)
    with _tables_in(folders) as tables, progress("searching, positions", quiet=quiet) as shown:
        from tbgen.apps.hold.answers import HoldBracket
        from tbgen.apps.hold.ladder import hold

        found = [
            hold(
                board, each, goal=wanted, accrued=score, tables=tables, pair=pair, nodes=nodes, wide=wide,
                watch=shown.advance,
            )
            for each in _sides(side, wanted, accrued_of(board) if score is None else score)
        ]  # fmt: skip
    answer = HoldBracket(*found) if len(found) == 2 else found[0]
    if not form.is_table:
        print_facts(form, answer.facts(with_map=with_map))
    elif target is not None:
        if found[0].proof is None:
            raise TbgenError(f"nothing is proved ({found[0].verdict.value}), so there is no strategy to write")
        with written_whole(target) as file:
            file.write(found[0].proof.strategy.text().encode())
    else:
        click.echo(f"{picture_of(board)}\n\naccrued  {found[0].accrued}")
        for each in found:
            click.echo("")
            _show(each.facts(), is_mate=each.goal.outcome.is_mate)
            chart = each.map() if with_map else None
            click.echo("" if chart is None else f"\n{chart.text()}\n", nl=False)
        click.echo(f"\n{answer}\n" if len(found) == 2 else "", nl=False)
    return 0


def _sides(side: str, wanted: str | Score, accrued: Score) -> list[Color]:
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


def _check(source: str, folders: Sequence[Path], *, form: Form) -> None:
    """Check a strategy in a file."""
    from tbgen.apps.hold.answers import check_strategy
    from tbgen.apps.hold.strategy import parse_strategy

    try:
        text = read_bounded(Path(source)).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFileError(source, getattr(error, "strerror", None) or "it is no text") from None
    strategy = parse_strategy(text, source)
    with _tables_in(folders) as tables:
        proof = check_strategy(strategy, tables, source).facts()
    if not form.is_table:
        print_facts(form, proof)
        return
    goal = strategy.goal
    click.echo(f"{source}: {goal.side} keeps {goal.outcome} or better from {strategy.board.fen()} {strategy.accrued}")
    _show_proof(proof)


def _show(found: Mapping[str, Any], *, is_mate: bool) -> None:
    proof, escape, side = found["proof"], found["escape"], found["side"].title()
    kept = "nothing that is proved" if is_mate and proof is None else f"{found['goal']} or better"
    click.echo(f"{side} keeps {kept}: {found['verdict'] if proof is None else 'held'}")
    if proof is not None:
        _show_proof(proof)
        return
    facts = dict[str, object]()
    if escape is not None:
        ours, theirs = escape["men"]
        facts["in frames"] = f"{in_plies(escape['plies'])} at least, the most of all pairs: {ours} against {theirs}"
        facts["way out"] = " ".join(escape["line"]) or None
    if found["verdict"] == "unknown":
        facts["wider"] = "no proof within the nodes that were allowed; --nodes and --wide try harder"
    show_pairs(facts, "  {:11}{}")


def _show_proof(proof: Mapping[str, Any]) -> None:
    checked, (lead, loop) = proof["checked"], (proof["cycle"][part] for part in ("lead", "loop"))
    pairs = counted(checked["pairs"], "pair", "pairs")
    show_pairs(
        {
            "by": f"{' against '.join(proof['men']) or 'all men'} ({proof['rung']})",
            "checked": f"{counted(checked['positions'], 'position', 'positions')}, {pairs} with accrued scores",
            "cycle": " ".join([*lead, "[", *loop, "]"]) if loop else None,
            "line": " ".join(lead) if lead and not loop else None,
            "tables": " ".join(proof["tables"]) or None,
            "holds": f"{'without' if proof['tables'] else 'under every setting of'} the fifty-move rule",
        },
        "  {:11}{}",
    )
