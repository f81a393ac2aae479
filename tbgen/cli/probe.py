"""`tbgen probe`: the value of a position and of all its moves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from tbgen.cli.data import data_option
from tbgen.cli.options import scoring_of, scoring_options
from tbgen.cli.terminal import show_rows
from tbgen.probe import MoveProbe, Probe, open_tablebase
from tbgen.probe.notation import picture_of, position_of
from tbgen.rules.points import Scoring, format_points
from tbgen.score import parse_score


@click.command("probe")
@click.argument("fen")
@click.option(
    "--accrued", metavar="G", help="The accrued score, such as G2.5 (default: what the FEN says, else its own)."
)
@click.option("--moves", metavar="MOVES", default="", help='Moves to play first, such as "e4e5 Kd7".')
@scoring_options
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    fen: str,
    *,
    accrued: str | None,
    moves: str,
    scoring: str,
    cutoff: str | None,
    komi: str | None,
    data: Path,
    as_json: bool,
) -> None:
    """Look up a position: what it is worth with best play, and what each move is worth.

    FEN may carry the accrued score as its seventh field. DTG counts plies until the score is reached.

    \b
    Examples:
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0" --json
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1" --moves "Kh4" --scoring harmonic
    """
    rule = scoring_of(scoring, cutoff, komi)
    board, score = position_of(fen, moves, None if accrued is None else parse_score(accrued))
    with open_tablebase(data) as tables:
        answer = tables.probe(board, score)
        found = tables.probe_moves(board, score)
    if as_json:
        facts = {**answer.facts(rule), "moves": [each.facts() for each in found]}
        click.echo(json.dumps(facts, indent=2))
        return
    click.echo(picture_of(board))
    _show(answer, rule)
    _show_moves(found)


def _show(answer: Probe, scoring: Scoring) -> None:
    click.echo(f"\nmaterial  {answer.material}")
    click.echo(f"own       {answer.own}")
    click.echo(f"accrued   {answer.accrued}")
    click.echo(f"outcome   {answer.outcome}: {answer.outcome.in_words()}")
    reached = " (the score is reached already)" if answer.is_reached else " plies"
    click.echo(f"DTG       {answer.dtg}{reached}")
    click.echo(f"points    {format_points(scoring.points(answer.outcome), scoring.scheme)} ({scoring.scheme.value})")


def _show_moves(moves: Sequence[MoveProbe]) -> None:
    if not moves:
        click.echo("\nno legal moves: the game is over")
        return
    rows = [(each.san, str(each.outcome), str(each.dtg), "reset" if each.reset else "", _grade(each)) for each in moves]
    click.echo()
    show_rows(("move", "outcome", "DTG", "", ""), rows, right=".rr")


def _grade(move: MoveProbe) -> str:
    if move.best:
        return "best"
    return "same outcome" if move.keeps else ""
