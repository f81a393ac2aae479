"""python-chess's boards as words for the kernels, and back."""

from __future__ import annotations

import chess
import numpy as np

from tbgen.pgn.attacks import Words
from tbgen.pgn.board import BLACK, BOARD_WORDS, EN_PASSANT, FISCHER, KIND, RIGHTS, TURN, WHITE


def words_of(board: chess.Board) -> Words:
    """The board as the kernels know it."""
    words = np.zeros(BOARD_WORDS, np.uint64)
    words[WHITE], words[BLACK] = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    for role in chess.PIECE_TYPES:
        words[KIND + role] = board.pieces_mask(role, chess.WHITE) | board.pieces_mask(role, chess.BLACK)
    words[RIGHTS] = board.clean_castling_rights()
    words[EN_PASSANT] = 0 if board.ep_square is None else chess.BB_SQUARES[board.ep_square]
    words[TURN], words[FISCHER] = board.turn == chess.BLACK, board.chess960
    return words


def board_of(words: Words) -> chess.Board:
    """The board that stands in words; its move counters are those of a first position."""
    sides = [int(words[side]) for side in (WHITE, BLACK)]
    board = chess.Board(None, chess960=bool(words[FISCHER]))
    for role in chess.PIECE_TYPES:
        for side, men in zip((chess.WHITE, chess.BLACK), sides, strict=True):
            for square in chess.scan_forward(int(words[KIND + role]) & men):
                board.set_piece_at(square, chess.Piece(role, side))
    board.turn = not words[TURN]
    board.castling_rights = int(words[RIGHTS])
    board.ep_square = chess.msb(int(words[EN_PASSANT])) if words[EN_PASSANT] else None
    return board
