"""`tbgen line`: best play from a position."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tbgen.cli.data import data_option
from tbgen.cli.options import scoring_of, scoring_options
from tbgen.probe import open_tablebase
from tbgen.probe.notation import pgn_of, position_of
from tbgen.score import parse_score


@click.command("line")
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
    """Show optimal play by both sides, as PGN, until the goal is reached and the position repeats.

    Comments say the score of the position, the accrued score, and how many plies are left to the goal.

    \b
    Examples:
      tbgen line "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen line "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30" --accrued G4.0
    """
    rule = scoring_of(scoring, cutoff, komi)
    board, score = position_of(fen, moves, None if accrued is None else parse_score(accrued))
    with open_tablebase(data) as tables:
        answer, steps = tables.probe(board, score), tables.line(board, score)
    if not as_json:
        click.echo(pgn_of(board, answer, steps, rule))
        return
    facts = {**answer.facts(rule), "line": [step.facts() for step in steps]}
    click.echo(json.dumps(facts, indent=2))
