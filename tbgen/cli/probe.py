"""`tbgen probe`: the value of a position, of all its moves, and best play from it. `tbgen uci`: a player."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.apps.games.annotate import pgn_of
from tbgen.apps.games.tags import Rules
from tbgen.apps.play.within import ClockedValue, value_if_asked
from tbgen.cli import options
from tbgen.cli.options import Asked, Command, flag, option, refuse_beside, refuse_idle
from tbgen.cli.showing import Form, print_facts, show_facts, show_pairs
from tbgen.errors import TbgenError
from tbgen.men import Man
from tbgen.probe import MoveProbe, Probe, Tablebase, open_tablebase
from tbgen.probe.answers import Moves
from tbgen.rules.facts import to_json
from tbgen.rules.notation import picture_of, position_of
from tbgen.rules.own_board import OwnBoard
from tbgen.rules.points import Scoring, format_points
from tbgen.rules.stage import FiftyMoves
from tbgen.score import Mobility, Score
from tbgen.storage.files import men_of_folder
from tbgen.text import in_plies

_INPUT = "-"


@click.command(
    "probe",
    cls=Command,
    alone=[
        ("--brief", "--line"),
        ("--format", "--svg"),
        *((image, text) for image in ("--map", "--svg") for text in ("--line", "--brief")),
    ],
)
def command(
    *,
    asked: Asked = options.ASKED,
    with_line: bool = flag("Print best play by both sides instead, as PGN.", "--line"),
    brief: bool = flag("Leave out the moves, which answers thousands of positions faster."),
    man: str | None = option(
        "Show the outcome with the man on SQUARE moved to each square.", "--map", metavar="SQUARE"
    ),
    as_svg: bool = flag("Print a picture of the position and its verdict as SVG.", "--svg"),
    own: tuple[Man, ...] = options.OWN,
    rules: Rules = options.RULES,
    mobility: Mobility = options.MOBILITY,
    folders: tuple[Path, ...] = options.FOLDERS,
    form: Form = options.FORM,
) -> int:
    """Show the value of a position under best play, and the value of each move.

    FEN may have the accrued score as its seventh field, and needs no quotes. Moves after it are played first.
    In r-mobility tbgen ignores that field after a capture or pawn move (halfmove clock 0): the own score has accrued.
    DTG counts plies until the score of the outcome is reached. The columns own and accrued are the scores after
    the move. "best" marks best play: the best outcome, shortest for the side that makes progress, longest for the
    defender. Other moves may keep the outcome, give away a part of it, or give the score to the other side.
    Points of a move are those of the side to move. --fifty adds the value under that rule.

    --line prints best play by both sides, until the goal is reached and the position repeats. Comments
    give the score of the position, the accrued score, and the plies left to the goal. The tag RMobilityAccrued has
    the score accrued in the first position.

    --map shows on each square the outcome of the position with the man on SQUARE moved there; a dot marks squares
    where it cannot stand. With --svg the picture shows this map.

    If FEN is -, tbgen reads positions from the standard input, one a line, with an optional score and moves.
    It answers each at once by a line of JSON. If it cannot read a position, that line has "error".

    \b
    Examples:
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen probe 8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0 --json
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1" Kh4 --scoring harmonic
      tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30" --accrued G4.0 --line
      tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30" --map f5
      tbgen probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30" --accrued G4.0 --svg > bishop.svg
      tbgen probe - --brief < positions.txt
    """
    scoring = rules.scoring()
    refuse_idle(rules, scoring.scheme, rules.fifty_moves)
    fifty = None if rules.fifty_moves is None else rules.fifty()
    if asked.words == (_INPUT,):
        refuse_beside(
            "-", {"--accrued": asked.accrued, "--line": with_line, "--map": man, "--svg": as_svg}
        )
        with open_tablebase(folders, mobility=mobility) as tables:
            return _answer_lines(tables, scoring, fifty, brief=brief)
    board, score = position_of(*asked.read(), mobility, men_of_folder(folders[0]))
    if isinstance(board, OwnBoard):
        refuse_beside("men of your own", {"--map": man, "--svg": as_svg})
    with open_tablebase(folders, mobility=mobility) as tables:
        if man is not None or as_svg:
            _draw(tables, (board, score), man, as_svg=as_svg, form=form)
            return 0
        answer = tables.probe(board, score)
        moves = None if brief or with_line else tables.probe_moves(board, score)
        steps = tables.line(board, score) if with_line else []
        clocked = value_if_asked(tables, answer, board, fifty, unasked=form is Form.TABLE)
    matters = clocked is not None and clocked.matters
    if form is not Form.TABLE:
        line = {"line": [step.facts() for step in steps]} if with_line else {}
        print_facts(form, _facts(answer, clocked, moves, scoring) | line)
    elif with_line:
        click.echo(pgn_of(board, answer, steps, scoring, clock=str(clocked) if matters else None))
    else:
        click.echo(picture_of(board))
        _show(answer, scoring, clocked if matters or fifty is not None else None)
        if moves is not None:
            _show_moves(moves, scoring)
    return 0


def _draw(
    tables: Tablebase, at: tuple[Any, Score | None], man: str | None, *, as_svg: bool, form: Form
) -> None:
    """Print a picture of a position, or the map of one man."""
    from tbgen.apps.site import boards

    if as_svg:
        from tbgen.apps.site.standalone import picture_of_value

        click.echo(picture_of_value(tables, *at, man), nl=False)
    elif man is not None and form is Form.TABLE:
        click.echo(
            "\n".join(boards.map_lines(boards.map_of(tables, *at, boards.man_on(at[0], man))))
        )
    elif man is not None:
        print_facts(form, boards.map_facts(tables, *at, man))


def _facts(
    answer: Probe, clocked: ClockedValue | None, moves: Sequence[MoveProbe] | None, scoring: Scoring
) -> dict[str, Any]:
    facts = {**answer.facts(scoring), **({} if clocked is None else clocked.facts())}
    return facts if moves is None else {**facts, "moves": [each.facts(scoring) for each in moves]}


def _answer_lines(
    tables: Tablebase, scoring: Scoring, fifty: FiftyMoves | None, *, brief: bool
) -> int:
    """A line of JSON for each position of the standard input; the exit code is that of the first error."""
    from tbgen.system.inputs import read_lines

    code = 0
    for number, words in enumerate(map(str.split, read_lines(_INPUT)), 1):
        if not words:
            continue
        try:
            board, score = position_of(
                *Asked(tuple(words), None).read(), tables.mobility, men_of_folder(tables.folders[0])
            )
            moves = None if brief else tables.probe_moves(board, score)
            answer = tables.probe(board, score)
            facts = _facts(
                answer, value_if_asked(tables, answer, board, fifty, unasked=False), moves, scoring
            )
        except TbgenError as error:
            code = code or error.exit_code
            facts = {"fen": " ".join(words), **error.facts()}
        click.echo(to_json({"number": number, **facts}))
    return code


def _show(answer: Probe, scoring: Scoring, clocked: ClockedValue | None) -> None:
    way = "?" if answer.dtg is None else in_plies(answer.dtg)
    click.echo()
    show_pairs(
        {
            "material": answer.material.canonical(),
            "own": answer.own,
            "accrued": answer.accrued,
            "outcome": f"{answer.outcome}: {answer.outcome.in_words()}",
            "DTG": "0 (the score is reached already)" if answer.is_reached else way,
            "points": f"{format_points(scoring.points(answer.outcome), scoring.scheme)} ({scoring.scheme.value})",
            "clock": clocked,
        }
    )


def _show_moves(moves: Moves, scoring: Scoring) -> None:
    """The moves in groups: what keeps the value, what gives away a part of it, what gives the score away."""
    titles = {moves.index(group[0]): f"{title}:" for title, group in moves.groups()}
    click.echo()
    show_facts(
        moves,
        {
            "move": lambda move: move.san,
            "outcome": lambda move: move.outcome,
            "DTG": lambda move: move.dtg,
            "own": lambda move: move.own,
            "accrued": lambda move: move.accrued,
            "points": lambda move: format_points(
                scoring.points(move.outcome), scoring.scheme
            ).split("-")[int(move.own.holder)],
            "": lambda move: ", ".join(name for name in ("best", "reset") if getattr(move, name)),
        },
        titles=titles,
        none="no legal moves: the game is over",
    )
    if any(each.keeps and each.dtg is None for each in moves):
        click.echo(
            "\nDistances are not here: which of the moves that keep the outcome makes progress is not known."
        )


@click.command("uci", cls=Command)
def uci(*, folders: tuple[Path, ...] = options.OPTIONAL_FOLDERS) -> None:
    """Play best moves for any chess program or referee that speaks UCI, with the accrued score in mind.

    The accrued score comes as the seventh field of the FEN, with the option Accrued, or from the moves.
    The player searches positions without a table, and uses the tables that they lead to.

    \b
    Examples:
      tbgen uci
      tbgen uci --data tables
    """
    from tbgen.apps.play.protocol import Protocol

    Protocol(list(folders), click.echo).run(sys.stdin)
