"""Notation: positions from texts, and answers as texts.

>>> board, accrued = position_of("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0", ["Ke5"])
>>> board.board_fen(), str(accrued)
('8/8/8/4KBk1/8/8/8/8', 'G3.5')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess

from tbgen.apps.games.tags import Source, write_tags
from tbgen.apps.games.writer import format_game, numbered
from tbgen.probe.answers import LineStep, Probe
from tbgen.rules.accrual import play_move
from tbgen.rules.fen import parse_fen, with_score
from tbgen.rules.notation import line_in, parse_move
from tbgen.rules.points import Scoring
from tbgen.rules.position import own_score
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Accrued, Mobility
from tbgen.text import in_plies


def position_of(
    fen: str, moves: str | Iterable[str] = (), accrued: Accrued | None = None, game: Mobility = Mobility.RESET
) -> tuple[chess.Board, Accrued | None]:
    """The position after some moves, and what has then accrued; None if that is the position's own score.

    `accrued` is what had accrued before the moves, and replaces what the FEN says.
    """
    board, carried = parse_fen(fen, game=game)
    score = carried if accrued is None else accrued
    for ply, text in enumerate(line_in(moves), 1):
        before = own_score(board) if score is None else score
        score = play_move(board, parse_move(board, text, ply), before, game).accrued
    return board.copy(stack=False), score


def picture_of(board: chess.Board) -> str:
    """The board as eight lines, White below, with the side to move."""
    lines = [f"{8 - number} {rank}" for number, rank in enumerate(str(board).splitlines())]
    side = "White" if board.turn == chess.WHITE else "Black"
    return "\n".join([*lines, "  a b c d e f g h", f"{side} to move"])


def pgn_of(
    board: chess.Board, answer: Probe, steps: Sequence[LineStep], scoring: Scoring, *, clock: str | None = None
) -> str:
    """A line as a PGN game that begins on the board; comments say own score, accrued score and plies to go.

    `clock` says what the fifty-move rule makes of it, where that matters.
    """
    last = steps[-1].accrued if steps else answer.accrued
    is_whole = last.outcome == answer.outcome
    first, carried = board, {}
    if answer.accrued != answer.own:
        first, accrued = with_score(board, answer.accrued)
        carried = {"RMobilityAccrued": str(accrued)}
    tags = {
        "Event": "Best play",
        "Round": "-",
        "White": "tbgen",
        "Black": "tbgen",
        "Result": "*",
        "SetUp": "1",
        "FEN": first.fen(),
        **carried,
        **(_tags_of_result(answer, scoring) if is_whole else {}),
        **({} if clock is None else {"RMobilityClock": clock}),
    }
    moves = [(step.san, f"{step.own}, accrued {step.accrued}, {_to_go(step)}") for step in steps]
    return format_game(tags, numbered(first.fullmove_number, first.turn == chess.WHITE, moves))


def _tags_of_result(answer: Probe, scoring: Scoring) -> dict[str, str]:
    tags = write_tags(answer.outcome, scoring, fifty_moves=FiftyMoveSetting.NONE)
    return {**tags, "RMobilitySource": Source.TABLEBASE.value}


def _to_go(step: LineStep) -> str:
    if step.accrued.outcome == step.outcome:
        return "reached"
    return str(step.outcome) if step.dtg is None else f"{step.outcome} in {in_plies(step.dtg)}"
