"""Notation: positions from texts, and answers as texts.

>>> board, accrued = position_of("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0", ["Ke5"])
>>> board.board_fen(), str(accrued)
('8/8/8/4KBk1/8/8/8/8', 'G3.5')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess

from tbgen.errors import MoveError
from tbgen.pgn.tags import write_tags
from tbgen.pgn.writer import format_game, numbered
from tbgen.probe.answers import MoveProbe, Probe, Step
from tbgen.rules.fen import parse_fen
from tbgen.rules.points import Scoring
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Accrued


def position_of(
    fen: str, moves: Iterable[str] = (), accrued: Accrued | None = None
) -> tuple[chess.Board, Accrued | None]:
    """The position after some moves, and what has then accrued; None if that is the position's own score.

    `accrued` is what had accrued before the moves, and replaces what the FEN says.
    """
    board, carried = parse_fen(fen)
    score = carried if accrued is None else accrued
    for ply, text in enumerate(moves, 1):
        before = own_score(board) if score is None else score
        move = _move_of(board, text, ply)
        reset = is_reset(board, move)
        board.push(move)
        score = before.after(own_score(board), reset=reset)
    return board.copy(stack=False), score


def _move_of(board: chess.Board, text: str, ply: int) -> chess.Move:
    """A move written in SAN or as in UCI."""
    for parse in (board.parse_san, board.parse_uci):
        try:
            move = parse(text)
        except ValueError:
            continue
        if move:
            return move
    raise MoveError(text, ply)


def picture_of(board: chess.Board) -> str:
    """The board as eight lines, White below, with the side to move."""
    lines = [f"{8 - number} {rank}" for number, rank in enumerate(str(board).splitlines())]
    side = "White" if board.turn == chess.WHITE else "Black"
    return "\n".join([*lines, "  a b c d e f g h", f"{side} to move"])


def sans_of(board: chess.Board, moves: Sequence[MoveProbe]) -> list[str]:
    """The moves in short notation."""
    return [board.san(each.move) for each in moves]


def pgn_of(board: chess.Board, answer: Probe, steps: Sequence[Step], scoring: Scoring) -> str:
    """A line as a PGN game that begins on the board; comments say own score, accrued score and plies to go."""
    last = steps[-1].accrued if steps else answer.accrued
    is_whole = last.outcome == answer.outcome
    first = board.copy(stack=False)
    carried = {}
    if answer.accrued != answer.own:
        first.halfmove_clock = max(1, first.halfmove_clock)  # with 0 nothing could have been carried here
        carried["RMobilityAccrued"] = str(answer.accrued)
    tags = {
        "Event": "Best play",
        "Round": "-",
        "White": "tbgen",
        "Black": "tbgen",
        "Result": "*",
        "SetUp": "1",
        "FEN": first.fen(),
        **carried,
        **(write_tags(answer.outcome, scoring) if is_whole else {}),
    }
    moves = [(step.san, f"{step.own}, accrued {step.accrued}, {_to_go(step)}") for step in steps]
    return format_game(tags, numbered(first.fullmove_number, first.turn == chess.WHITE, moves))


def _to_go(step: Step) -> str:
    if step.accrued.outcome == step.outcome:
        return "reached"
    return f"{step.outcome} in {in_plies(step.dtg)}"


def in_plies(number: int) -> str:
    """A distance in words.

    >>> in_plies(1), in_plies(5)
    ('1 ply', '5 plies')
    """
    return f"{number} {'ply' if number == 1 else 'plies'}"
