"""`tbgen line`: best play from a position."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tbgen.apps.play.within import value_if_asked
from tbgen.cli.data import folders_option, game_option
from tbgen.cli.options import fifty_option, quiet_option, scoring_options
from tbgen.cli.position import PositionCommand, asked_accrued, asked_position, position_options
from tbgen.probe import open_tablebase
from tbgen.probe.notation import pgn_of, position_of
from tbgen.rules.points import Scoring
from tbgen.rules.stage import FiftyMoves
from tbgen.score import Mobility


@click.command("line", cls=PositionCommand)
@position_options
@scoring_options
@fifty_option
@game_option
@folders_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@quiet_option
def command(
    words: tuple[str, ...],
    *,
    moves: tuple[str, ...],
    accrued: str | None,
    rule: Scoring,
    game: Mobility,
    folders: tuple[Path, ...],
    fifty: FiftyMoves | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print best play by both sides as PGN, until the goal is reached and the position repeats.

    Comments give the score of the position, the accrued score, and the plies left to the goal. A score that had
    accrued in the first position is in the tag RMobilityAccrued.

    \b
    Examples:
      tbgen line "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen line "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30" --accrued G4.0
      tbgen line 8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0 Be4 --json
    """
    fen, played = asked_position(words, moves)
    board, score = position_of(fen, played, asked_accrued(fen, accrued), game)
    with open_tablebase(folders, game=game) as tables:
        answer, steps = tables.probe(board, score), tables.line(board, score)
        clocked = value_if_asked(tables, answer, board, fifty, unasked=not as_json)
    if not as_json:
        matters = clocked is not None and clocked.matters
        click.echo(pgn_of(board, answer, steps, rule, clock=str(clocked) if matters else None))
        return
    facts = {
        **answer.facts(rule),
        **({} if clocked is None else clocked.facts()),
        "line": [step.facts() for step in steps],
    }
    click.echo(json.dumps(facts, indent=2))
