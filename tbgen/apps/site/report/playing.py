"""Lines played on the compiled board: which men move with each ply, and what has accrued after it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.board.board import BLACK, BOARD_WORDS, KIND, NO_MOVE, PAWN, WHITE
from tbgen.board.convert import words_of
from tbgen.board.replay import CODE, FACTS, HISTORY_WORDS, RESET, replay
from tbgen.compiled.arrays import Bytes, Ints, Words
from tbgen.errors import MoveError
from tbgen.rules.fen import parse_fen
from tbgen.score import Accrued, Color, Outcome

_SQUARES: Final = chess.SQUARE_NAMES
_ROLES: Final = {role: chess.piece_symbol(role) for role in chess.PIECE_TYPES}


class Played(NamedTuple):
    """What becomes of board and score when a line is played."""

    steps: tuple[str, ...]
    """What happens on the board with each ply: the move as UCI writes it, before it a pawn taken en passant."""
    accrued: tuple[Outcome, ...]
    """The accrued score before the first move and after each."""


def played(fen: str, moves: Sequence[str]) -> Played:
    """Play moves in short notation; MoveError if one is not legal."""
    board, _ = parse_fen(fen)
    text, spans = _text_and_spans(moves)
    words, rows = words_of(board), len(moves) + 1
    history, facts = np.empty((rows, HISTORY_WORDS), np.uint64), np.empty((rows, FACTS), np.int64)
    plies = int(replay(text, spans, words, history, facts, 0, NO_MOVE))
    if plies < len(moves):
        raise MoveError(moves[plies], plies + 1, "illegal move")
    return Played(_steps(history, board.turn), _accrued(facts, board.turn))


def step_of(board: chess.Board, move: chess.Move) -> str:
    """What happens on the board with a move, as `Played.steps` has it."""
    if not board.is_en_passant(move):
        return move.uci()
    taken = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return f"{chess.square_name(taken)},{move.uci()}"


def changes_of(accrued: Sequence[Outcome]) -> str:
    """The accrued score wherever it changes: `0 G5.5 7 G3.5` is G5.5 at first, and G3.5 from the seventh ply on."""
    changes = (ply for ply, score in enumerate(accrued) if ply == 0 or score != accrued[ply - 1])
    return " ".join(f"{ply} {accrued[ply]}" for ply in changes)


def _text_and_spans(moves: Sequence[str]) -> tuple[Bytes, Ints]:
    """The moves as bytes, and where each begins and ends."""
    words = [move.encode() for move in moves]
    sizes = np.array([len(word) for word in words], np.int64)
    ends = np.cumsum(sizes)
    return np.frombuffer(b"".join(words), np.uint8), np.stack([ends - sizes, ends], axis=1)


def _accrued(facts: Ints, turn: chess.Color) -> tuple[Outcome, ...]:
    """The accrued score before the first move and after each; `turn` is the side that moves first."""
    holders = (Color.BLACK, Color.WHITE) if turn == chess.WHITE else (Color.WHITE, Color.BLACK)
    found, accrued = list[Outcome](), None
    for ply, (code, reset) in enumerate(facts[:, (CODE, RESET)].tolist()):
        own = Accrued(code, holders[ply % 2])
        accrued = own if accrued is None else accrued.after(own, reset=bool(reset))
        found.append(accrued.outcome)
    return tuple(found)


def _steps(history: Words, turn: chess.Color) -> tuple[str, ...]:
    """What the positions of a line differ in, ply by ply."""
    boards = history[:, :BOARD_WORDS].tolist()
    sides = (WHITE, BLACK) if turn == chess.WHITE else (BLACK, WHITE)
    return tuple(
        _step(before, after, sides[ply % 2], sides[1 - ply % 2])
        for ply, (before, after) in enumerate(itertools.pairwise(boards))
    )


def _step(before: list[int], after: list[int], side: int, other: int) -> str:
    origin, target = before[side] & ~after[side], after[side] & ~before[side]
    step = _SQUARES[origin.bit_length() - 1] + _SQUARES[target.bit_length() - 1]
    if before[KIND + PAWN] & origin:
        if not after[KIND + PAWN] & target:
            step += next(symbol for role, symbol in _ROLES.items() if after[KIND + role] & target)
        taken = before[other] & ~after[other]
        if taken and taken != target:
            step = f"{_SQUARES[taken.bit_length() - 1]},{step}"
    return step
