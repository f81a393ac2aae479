"""A board as twelve 64-bit words, and a move made on it.

    board[WHITE], board[BLACK]   the men of a side, a bit a square
    board[KIND + role]           the men of a role, of both sides
    board[RIGHTS]                the squares of rooks that may still castle
    board[EN_PASSANT]            the square behind a pawn that has just made a double step; else empty
    board[TURN]                  1 if Black is to move
    board[CHESS960]              1 under the castling rules of Chess960

A move is one integer, `from | to << TARGET_SHIFT | role << PROMOTION_SHIFT`; the role is that of a promotion, else 0.
Castling is the king's move to its own rook, as in Chess960: no other move ends on a man of its own side.
"""

from __future__ import annotations

import chess
import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import inner, small
from tbgen.index.words import NOTHING, square_bit

WHITE, BLACK, KIND, RIGHTS, EN_PASSANT, TURN, CHESS960, BOARD_WORDS = 0, 1, 1, 8, 9, 10, 11, 12
"""KIND is 1 because roles count from 1: the pawns are board[2], the kings board[7]."""
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 3, 4, 5, 6
TARGET_SHIFT, PROMOTION_SHIFT = 6, 12
NO_MOVE = -1

LAST_RANKS = np.uint64(0xFF000000000000FF)
_EIGHT = np.uint64(8)


@inner
def copy_words(words: Words, to: Words) -> None:
    """Copy a position. To assign all of an array to another has numba compile a report of other lengths, too."""
    for word in range(len(words)):
        to[word] = words[word]


@small
def packed_move(origin: Int, target: Int, promotion: Int) -> Int:
    """The integer that stands for a move."""
    return origin | target << TARGET_SHIFT | promotion << PROMOTION_SHIFT


@small
def origin_of(move: Int) -> Int:
    """The square that a move begins on."""
    return move & 63


@small
def target_of(move: Int) -> Int:
    """The square that a move ends on; for castling that of the rook."""
    return move >> TARGET_SHIFT & 63


@small
def promotion_of(move: Int) -> Int:
    """The role that a pawn becomes; 0 for any other move."""
    return move >> PROMOTION_SHIFT


@small
def one_rank_back(squares: Word, side: Int) -> Word:
    """The squares one step behind, seen from a side's pawns."""
    return squares << _EIGHT if side == BLACK else squares >> _EIGHT


@inner
def role_on(board: Words, square: Word) -> Int:
    """The role of the man on a square, which is given as a bit; 0 if the square is empty."""
    for role in range(PAWN, KING + 1):
        if board[KIND + role] & square:
            return role
    return 0


@inner
def play(board: Words, move: Int) -> bool:
    """Make a legal move on the board, and return whether it was a capture or a pawn move."""
    side = np.int64(board[TURN])
    origin, target = square_bit(origin_of(move)), square_bit(target_of(move))
    role = role_on(board, origin)
    en_passant = board[EN_PASSANT]
    board[EN_PASSANT] = NOTHING
    board[TURN] = np.uint64(1 - side)
    if role == KING and target & board[side]:
        castle(board, side, origin, target)
        return False
    captured = role_on(board, target)
    if captured:
        board[KIND + captured] ^= target
        board[1 - side] ^= target
    elif role == PAWN and target == en_passant:
        taken = one_rank_back(en_passant, side)
        board[KIND + PAWN] ^= taken
        board[1 - side] ^= taken
    promoted = promotion_of(move)
    board[KIND + role] ^= origin
    board[KIND + (promoted if promoted else role)] ^= target
    board[side] ^= origin | target
    board[RIGHTS] &= ~(origin | target)  # a rook that moved, or one that was captured
    if role == KING:
        board[RIGHTS] &= board[1 - side]
    elif role == PAWN:
        step = target_of(move) - origin_of(move)
        if step == 16 or step == -16:
            board[EN_PASSANT] = one_rank_back(target, side)
    return bool(captured > 0 or role == PAWN)


@inner
def castle(board: Words, side: Int, king: Word, rook: Word) -> None:
    """Put king and rook where castling leads them."""
    home = np.uint64(56 * side)
    king_to, rook_to = (np.uint64(4), np.uint64(8)) if rook < king else (np.uint64(64), np.uint64(32))
    king_to, rook_to = king_to << home, rook_to << home
    # Under Chess960 the four squares may coincide. An exclusive or per man takes care of that: a bit that is
    # cleared and set again stays.
    board[KIND + KING] ^= king ^ king_to
    board[KIND + ROOK] ^= rook ^ rook_to
    board[side] ^= king ^ rook ^ king_to ^ rook_to
    board[RIGHTS] &= board[1 - side]


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
