"""`tbgen probe`: the value of a position and of all its moves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.apps.play.within import ClockedValue, value_if_asked
from tbgen.cli.data import folders_option, game_option
from tbgen.cli.options import fifty_option, quiet_option, scoring_options
from tbgen.cli.position import PositionCommand, asked_accrued, asked_position, position_options
from tbgen.cli.refusals import refuse_beside
from tbgen.cli.terminal import show_rows
from tbgen.errors import TbgenError
from tbgen.probe import Grade, MoveProbe, Probe, Tablebase, open_tablebase
from tbgen.probe.notation import picture_of, position_of
from tbgen.rules.points import Scoring, format_points
from tbgen.rules.stage import FiftyMoves
from tbgen.score import Mobility
from tbgen.text import in_plies

_INPUT = "-"


@click.command("probe", cls=PositionCommand)
@position_options
@scoring_options
@fifty_option
@game_option
@folders_option
@click.option(
    "--brief", is_flag=True, help="Leave the moves out; thousands of positions are answered ten times faster."
)
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
    brief: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Show the value of a position under best play, and the value of each move.

    FEN may have the accrued score as its seventh field, and needs no quotes. Moves after it are played first.
    In r-mobility that field is left aside after a capture or pawn move (halfmove clock 0): the own score has accrued.
    DTG counts plies until the score of the outcome is reached. The columns own and accrued are the scores after
    the move. "best" is best play: the best outcome in the right number of plies. Other moves may keep the outcome,
    give away a part of it, or give the score to the other side. Points of a move are those of the side to move.

    If FEN is -, positions come from the standard input, one a line, each with its score and moves if it has any.
    Each is answered at once by a line of JSON; a position that cannot be read is answered by a line with "error".

    \b
    Examples:
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen probe 8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0 --json
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1" Kh4 --scoring harmonic
      tbgen probe - --brief < positions.txt
    """
    if words == (_INPUT,):
        refuse_beside("-", {"--moves": moves, "--accrued": accrued})
        with open_tablebase(folders, game=game) as tables:
            return _answer_lines(tables, rule, fifty, brief=brief)
    fen, played = asked_position(words, moves)
    board, score = position_of(fen, played, asked_accrued(fen, accrued), game)
    with open_tablebase(folders, game=game) as tables:
        answer, found = tables.probe(board, score), None if brief else tables.probe_moves(board, score)
        clocked = value_if_asked(tables, answer, board, fifty, unasked=not as_json)
    if as_json:
        click.echo(json.dumps(_facts(answer, clocked, found, rule), indent=2))
        return 0
    click.echo(picture_of(board))
    _show(answer, rule)
    if clocked is not None and (fifty is not None or clocked.matters):
        click.echo(f"clock     {clocked}")
    if found is not None:
        _show_moves(found, rule)
    return 0


def _facts(
    answer: Probe, clocked: ClockedValue | None, moves: Sequence[MoveProbe] | None, scoring: Scoring
) -> dict[str, Any]:
    facts = {**answer.facts(scoring), **({} if clocked is None else clocked.facts())}
    return facts if moves is None else {**facts, "moves": [each.facts(scoring) for each in moves]}


def _answer_lines(tables: Tablebase, scoring: Scoring, fifty: FiftyMoves | None, *, brief: bool) -> int:
    """A line of JSON for each position of the standard input; the exit code is that of the first error."""
    from tbgen.apps.games.files import open_text

    code = 0
    with open_text(_INPUT) as lines:
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words:
                continue
            try:
                fen, moves = asked_position(words, ())
                board, score = position_of(fen, moves, game=tables.game)
                found = None if brief else tables.probe_moves(board, score)
                answer = tables.probe(board, score)
                clocked = value_if_asked(tables, answer, board, fifty, unasked=False)
                facts = _facts(answer, clocked, found, scoring)
            except TbgenError as error:
                code = code or error.exit_code
                facts = {"fen": " ".join(words), **error.facts()}
            click.echo(json.dumps({"line": number, **facts}))
    return code


def _show(answer: Probe, scoring: Scoring) -> None:
    click.echo(f"\nmaterial  {answer.material.canonical()}")
    click.echo(f"own       {answer.own}")
    click.echo(f"accrued   {answer.accrued}")
    click.echo(f"outcome   {answer.outcome}: {answer.outcome.in_words()}")
    click.echo(f"DTG       {_way(answer)}")
    click.echo(f"points    {format_points(scoring.points(answer.outcome), scoring.scheme)} ({scoring.scheme.value})")


def _show_moves(moves: Sequence[MoveProbe], scoring: Scoring) -> None:
    """The moves in groups: what keeps the value, what gives away a part of it, what gives the score away."""
    if not moves:
        click.echo("\nno legal moves: the game is over")
        return
    click.echo()
    heads = ("move", "outcome", "DTG", "own", "accrued", "points", "")
    value, mover = moves[0].outcome, moves[0].own.holder
    words = {
        Grade.KEEPS: f"keep {value}:",
        Grade.COSTS: "give away part of it:" if value.holder is mover else f"give {mover.other} more:",
        Grade.LOSES: f"give the score to {mover.other}:",
    }
    titles: dict[int, str] = {}
    for number, each in enumerate(moves):
        title = words[Grade.of(value, each.outcome)]
        if title not in titles.values():
            titles[number] = title
    show_rows(heads, [_row(each, scoring) for each in moves], right=".rrrrr", titles=titles)
    if any(each.keeps and each.dtg is None for each in moves):
        click.echo("\nDistances are not here: which of the moves that keep the outcome makes progress is not known.")


def _row(move: MoveProbe, scoring: Scoring) -> tuple[str, ...]:
    remark = ", ".join(filter(None, ("best" if move.best else "", "reset" if move.reset else "")))
    points = format_points(scoring.points(move.outcome), scoring.scheme).split("-")[move.own.holder]
    return (move.san, str(move.outcome), _plies(move.dtg), str(move.own), str(move.accrued), points, remark)


def _way(answer: Probe) -> str:
    if answer.is_reached:
        return "0 (the score is reached already)"
    return _plies(answer.dtg) if answer.dtg is None else in_plies(answer.dtg)


def _plies(dtg: int | None) -> str:
    return "?" if dtg is None else str(dtg)
