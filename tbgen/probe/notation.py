"""Notation: positions from texts, and answers as texts.

>>> board, accrued = position_of("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0", ["Ke5"])
>>> board.board_fen(), str(accrued)
('8/8/8/4KBk1/8/8/8/8', 'G3.5')
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import chess

from tbgen.errors import MoveError
from tbgen.probe.answers import MoveProbe, Step
from tbgen.rules.fen import format_fen, parse_fen
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Accrued

_LINE_WIDTH = 80


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


def pgn_of(board: chess.Board, accrued: Accrued, steps: Sequence[Step]) -> str:
    """A line as a PGN game that begins on the board; comments say own score, accrued score and plies to go."""
    number, white = board.fullmove_number, board.turn == chess.WHITE
    words: list[str] = []
    for step in steps:
        if white or not words:
            words.append(f"{number}." if white else f"{number}...")
        words += [step.san, f"{{{step.own}, accrued {step.accrued}, {_to_go(step)}}}"]
        number, white = number + (not white), not white
    fen = format_fen(board, None if accrued == own_score(board) else accrued)
    tags = f'[Event "Best play"]\n[SetUp "1"]\n[FEN "{fen}"]\n[Result "{_result(steps)}"]'
    moves = "\n".join(textwrap.wrap(" ".join([*words, _result(steps)]), _LINE_WIDTH, break_on_hyphens=False))
    return f"{tags}\n\n{moves}"


def _to_go(step: Step) -> str:
    if step.accrued.outcome == step.outcome:
        return "reached"
    return f"{step.outcome} in {step.dtg}"


def _result(steps: Sequence[Step]) -> str:
    """The Result tag of a line: it is over only by mate or stalemate."""
    if steps and steps[-1].own.is_mate:
        return "1-0" if steps[-1].own.holder == 0 else "0-1"
    return "1/2-1/2" if steps and steps[-1].own.is_stalemate else "*"
