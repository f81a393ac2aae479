"""`tbgen probe`: the value of a position, of all its moves, and best play from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.apps.games.annotate import pgn_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.play.clock import ClockedValue, value_to_show
from tbgen.cli import options
from tbgen.cli.command import PositionCommand, refuse_beside, refuse_together
from tbgen.cli.positions import position_argument, read_position, warn_of_ignored_score
from tbgen.cli.showing import Form, ShownRow, print_facts, show_pairs, show_table
from tbgen.errors import NO_TABLE, TbgenError
from tbgen.probe import MoveProbe, Probe, Tablebase
from tbgen.probe.answers import Moves
from tbgen.probe.by_moves import ProvedByMoves
from tbgen.rules.facts import to_json
from tbgen.rules.notation import picture_of, position_of
from tbgen.rules.own_board import OwnBoard
from tbgen.rules.points import Scoring, format_points
from tbgen.rules.stage import FiftyMoves
from tbgen.storage.files import men_of_folder, mobility_of
from tbgen.text import in_plies

_INPUT = "-"


@click.command("probe", cls=PositionCommand)
@position_argument
@click.option(
    "--line", "with_line", is_flag=True, help="Print best play by both sides instead, as PGN."
)
@click.option(
    "--brief",
    is_flag=True,
    help="Leave out the moves, which answers thousands of positions faster.",
)
@click.option(
    "--svg",
    "as_svg",
    is_flag=True,
    help="Print a picture of the position and its verdict as SVG.",
)
@options.rules_options
@options.any_folders_option
@options.json_option
def command(
    *,
    words: tuple[str, ...],
    with_line: bool,
    brief: bool,
    as_svg: bool,
    rules: Rules,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Show the value of a position under best play, and the value of each move.

    FEN may have the accrued score as its seventh field, and needs no quotes. Moves after it are
    played first. In r-mobility tbgen ignores that field after a capture or pawn move (halfmove
    clock 0): the own score has accrued. DTG counts plies until the score of the outcome is reached.
    The columns own and accrued are the scores after the move. "best" marks best play: the best
    outcome, shortest for the side that makes progress, longest for the defender. Other moves may
    keep the outcome, give away a part of it, or give the score to the other side. Points of a move
    are those of the side to move. --fifty adds the value under that rule.

    --line prints best play by both sides, until the goal is reached and the position repeats.
    Comments give the score of the position, the accrued score, and the plies left to the goal. The
    tag RMobilityAccrued has the score accrued in the first position.

    Without the table of a position, its captures and promotions, and those of the replies, may
    prove its value or bounds of it.

    If FEN is -, tbgen reads positions from the standard input, one a line, with an optional score
    and moves. It answers each at once by a line of JSON. If it cannot read a position, that line
    has "error".

    \b
    Examples:
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen probe 8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0 --json
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1" Kh4 --scoring harmonic
      tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0" --line
      tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0" --svg > bishop.svg
      tbgen probe - --brief < positions.txt
    """
    refuse_together("--brief", "--line")
    for text in ("--json", "--line", "--brief"):
        refuse_together(text, "--svg")
    mobility = mobility_of(folders[0])
    scoring = rules.scoring()
    options.refuse_idle_cutoff(rules, scoring.scheme, rules.fifty_moves)
    fifty = None if rules.fifty_moves is None else rules.fifty()
    if words == (_INPUT,):
        refuse_beside(_INPUT, "--line", "--svg")
        with Tablebase(folders, mobility=mobility, missing_ok=True) as tables:
            return _answer_lines(tables, scoring, fifty, brief=brief)
    men = men_of_folder(folders[0])
    fen, played = read_position(words)
    board, score = position_of(fen, played, None, mobility, men)
    warn_of_ignored_score(fen, mobility, men)
    if isinstance(board, OwnBoard):
        refuse_beside("men of your own", "--svg")
    with Tablebase(folders, mobility=mobility, missing_ok=True) as tables:
        if as_svg:
            from tbgen.apps.pages.standalone import picture_of_value

            click.echo(picture_of_value(tables, board, score), nl=False)
            return 0
        try:
            answer = tables.probe(board, score)
        except NO_TABLE as error:
            if with_line or isinstance(board, OwnBoard):
                raise
            proof = tables.prove(board, score)
            _show_proof(proof, error, scoring, form)
            if not proof.is_exact:
                raise
            return 0
        moves = None
        if not (brief or with_line):
            moves = tables.probe_moves(board, score)
        steps = tables.line(board, score) if with_line else []
        clocked = value_to_show(tables, answer, board, fifty)
    if form is not Form.TABLE:
        facts = _facts(answer, clocked, moves, scoring)
        if with_line:
            facts["line"] = [step.facts() for step in steps]
        print_facts(form, facts)
    elif with_line:
        clock = str(clocked) if clocked is not None and clocked.matters else None
        click.echo(pgn_of(board, answer, steps, scoring, clock=clock))
    else:
        click.echo(picture_of(board))
        _show(answer, scoring, clocked)
        if moves is not None:
            _show_moves(moves, scoring)
    return 0


def _show_proof(proof: ProvedByMoves, error: TbgenError, scoring: Scoring, form: Form) -> None:
    """Print what the moves of a position without a table prove, if they prove anything."""
    words = str(proof)
    if words and form is Form.TABLE:
        click.echo(f"{words}.")
    elif words:
        print_facts(form, proof.beside(error.facts(), scoring))


def _facts(
    answer: Probe, clocked: ClockedValue | None, moves: Sequence[MoveProbe] | None, scoring: Scoring
) -> dict[str, Any]:
    facts = answer.facts(scoring)
    if clocked is not None:
        facts |= clocked.facts()
    if moves is not None:
        facts["moves"] = [move.facts(scoring) for move in moves]
    return facts


def _answer_lines(
    tables: Tablebase, scoring: Scoring, fifty: FiftyMoves | None, *, brief: bool
) -> int:
    """Answer each position of the standard input; the exit code is that of the first error."""
    from tbgen.system.inputs import read_lines

    code = 0
    for number, line in enumerate(read_lines(_INPUT), 1):
        words = line.split()
        if not words:
            continue
        try:
            facts, exit_code = _answer(tables, words, scoring, fifty, brief=brief)
        except TbgenError as error:
            facts = {"fen": " ".join(words), **error.facts()}
            exit_code = error.exit_code
        if code == 0:
            code = exit_code
        click.echo(to_json({"number": number, **facts}))
    return code


def _answer(
    tables: Tablebase,
    words: Sequence[str],
    scoring: Scoring,
    fifty: FiftyMoves | None,
    *,
    brief: bool,
) -> tuple[dict[str, Any], int]:
    """The facts of a line's position, and the exit code of its error."""
    fen, played = read_position(words)
    men = men_of_folder(tables.folders[0])
    board, score = position_of(fen, played, None, tables.mobility, men)
    try:
        moves = None if brief else tables.probe_moves(board, score)
        answer = tables.probe(board, score)
    except NO_TABLE as error:
        if brief or isinstance(board, OwnBoard):
            raise
        proof = tables.prove(board, score)
        facts = {"fen": " ".join(words), **error.facts()}
        return proof.beside(facts, scoring), 0 if proof.is_exact else error.exit_code
    clocked = value_to_show(tables, answer, board, fifty)
    return _facts(answer, clocked, moves, scoring), 0


def _show(answer: Probe, scoring: Scoring, clocked: ClockedValue | None) -> None:
    if answer.is_reached:
        distance = "0 (the score is reached already)"
    elif answer.dtg is None:
        distance = "?"
    else:
        distance = in_plies(answer.dtg)
    points = format_points(scoring.points(answer.outcome), scoring.scheme)
    click.echo()
    show_pairs(
        {
            "material": answer.material.canonical(),
            "own": answer.own,
            "accrued": answer.accrued,
            "outcome": f"{answer.outcome}: {answer.outcome.in_words()}",
            "DTG": distance,
            "points": f"{points} ({scoring.scheme.value})",
            "clock": clocked,
        }
    )


def _show_moves(moves: Moves, scoring: Scoring) -> None:
    """The moves in groups: what keeps the value, gives away a part of it, or gives it away."""
    titles = {}
    for title, group in moves.groups():
        titles[moves.index(group[0])] = f"{title}:"
    click.echo()
    show_table(
        [_row_of(move, scoring) for move in moves],
        titles=titles,
        none="no legal moves: the game is over",
    )
    keeping = [move for move in moves if move.keeps]
    if any(move.dtg is None for move in keeping):
        unknown = "which of the moves that keep the outcome makes progress"
        if len(keeping) == 1:
            unknown = "how many plies the outcome takes"
        click.echo(f"\nDistances are not here: {unknown} is not known.")


def _row_of(move: MoveProbe, scoring: Scoring) -> ShownRow:
    points_of_sides = format_points(scoring.points(move.outcome), scoring.scheme).split("-")
    marks = []
    if move.best:
        marks.append("best")
    if move.reset:
        marks.append("reset")
    return {
        "move": move.san,
        "outcome": move.outcome,
        "DTG": move.dtg,
        "own": move.own,
        "accrued": move.accrued,
        "points": points_of_sides[int(move.own.holder)],
        "": ", ".join(marks),
    }
