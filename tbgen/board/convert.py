"""python-chess's boards and moves as kernels take them, and boards back."""

from __future__ import annotations

import chess
import numpy as np

from tbgen.board.board import (
    BLACK,
    BOARD_WORDS,
    CHESS960,
    EN_PASSANT,
    KIND,
    PROMOTION_SHIFT,
    RIGHTS,
    TARGET_SHIFT,
    TURN,
    WHITE,
)
from tbgen.compiled.arrays import Words


def words_of(board: chess.Board) -> Words:
    """The board as kernels take it."""
    words = np.zeros(BOARD_WORDS, np.uint64)
    words[WHITE], words[BLACK] = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    for role in chess.PIECE_TYPES:
        words[KIND + role] = board.pieces_mask(role, chess.WHITE) | board.pieces_mask(role, chess.BLACK)
    words[RIGHTS] = board.clean_castling_rights()
    words[EN_PASSANT] = 0 if board.ep_square is None else chess.BB_SQUARES[board.ep_square]
    words[TURN], words[CHESS960] = board.turn == chess.BLACK, board.chess960
    return words


def board_of(words: Words) -> chess.Board:
    """The python-chess board with the men of some words; its move counters are those of a first position."""
    sides = [int(words[side]) for side in (WHITE, BLACK)]
    board = chess.Board(None, chess960=bool(words[CHESS960]))
    for role in chess.PIECE_TYPES:
        for side, men in zip((chess.WHITE, chess.BLACK), sides, strict=True):
            for square in chess.scan_forward(int(words[KIND + role]) & men):
                board.set_piece_at(square, chess.Piece(role, side))
    board.turn = not words[TURN]
    board.castling_rights = int(words[RIGHTS])
    board.ep_square = chess.msb(int(words[EN_PASSANT])) if words[EN_PASSANT] else None
    return board


def kernel_move(board: chess.Board, move: chess.Move) -> int:
    """The integer that stands for a move in kernels, where castling ends on the rook's square."""
    target = move.to_square
    if board.is_castling(move) and not board.chess960:
        target += 1 if board.is_kingside_castling(move) else -2
    return move.from_square | target << TARGET_SHIFT | (move.promotion or 0) << PROMOTION_SHIFT
