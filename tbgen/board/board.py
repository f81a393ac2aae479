"""A board as twelve 64-bit words, a move made on it, and the squares that its men attack.

    board[WHITE], board[BLACK]   the men of a side, a bit a square
    board[KIND + role]           the men of a role, of both sides
    board[RIGHTS]                the squares of rooks that may still castle
    board[EN_PASSANT]            the square behind a pawn that has just made a double step
    board[TURN]                  1 if Black is to move
    board[CHESS960]              1 under the castling rules of Chess960

A move is one integer, `from | to << TARGET_SHIFT | role << PROMOTION_SHIFT`; the role is that of a
promotion, else 0. Castling is the king's move to its own rook, as in Chess960: no other move ends
on a man of its own side.
"""

from __future__ import annotations

import chess
import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import inner, leading_zeros, small
from tbgen.index.words import NOT_A_FILE, NOT_H_FILE, NOTHING, ONE, lowest_square, square_bit

WHITE = 0
BLACK = 1
KIND = 1
"""It is 1 because roles count from 1: the pawns are board[2], the kings board[7]."""
RIGHTS = 8
EN_PASSANT = 9
TURN = 10
CHESS960 = 11
BOARD_WORDS = 12

PAWN = 1
KNIGHT = 2
BISHOP = 3
ROOK = 4
QUEEN = 5
KING = 6

TARGET_SHIFT = 6
PROMOTION_SHIFT = 12
NO_MOVE = -1

LAST_RANKS = np.uint64(0xFF000000000000FF)
_EIGHT = np.uint64(8)
_C1 = np.uint64(chess.BB_C1)
_D1 = np.uint64(chess.BB_D1)
_F1 = np.uint64(chess.BB_F1)
_G1 = np.uint64(chess.BB_G1)


@inner
def copy_words(words: Words, to: Words) -> None:
    """Copy a position.

    A loop, because numba would compile an error report into the assignment of whole arrays.
    """
    for word in range(len(words)):
        to[word] = words[word]


@small
def packed_move(origin: Int, target: Int, promotion: Int) -> Int:
    return origin | (target << TARGET_SHIFT) | (promotion << PROMOTION_SHIFT)


@small
def origin_of(move: Int) -> Int:
    """The square that a move begins on."""
    return move & 63


@small
def target_of(move: Int) -> Int:
    """The square that a move ends on; for castling that of the rook."""
    return (move >> TARGET_SHIFT) & 63


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
    origin = square_bit(origin_of(move))
    target = square_bit(target_of(move))
    role = role_on(board, origin)
    taken = target
    if role == PAWN and target == board[EN_PASSANT]:
        taken = one_rank_back(target, side)
    board[EN_PASSANT] = NOTHING
    board[TURN] = np.uint64(1 - side)
    if role == KING and target & board[side]:
        castle(board, side, origin, target)
        return False
    captured = role_on(board, taken)
    if captured:
        board[KIND + captured] ^= taken
        board[1 - side] ^= taken
    board[KIND + role] ^= origin
    board[KIND + (promotion_of(move) or role)] ^= target
    board[side] ^= origin | target
    board[RIGHTS] &= ~(origin | target)  # a rook that moved, or one that was captured
    if role == KING:
        board[RIGHTS] &= board[1 - side]
    elif role == PAWN and abs(target_of(move) - origin_of(move)) == 16:
        board[EN_PASSANT] = one_rank_back(target, side)
    return bool(captured > 0 or role == PAWN)


@inner
def castle(board: Words, side: Int, king: Word, rook: Word) -> None:
    """Put king and rook where castling leads them."""
    home = np.uint64(56 * side)
    if rook < king:
        king_to = _C1 << home
        rook_to = _D1 << home
    else:
        king_to = _G1 << home
        rook_to = _F1 << home
    # Under Chess960 the four squares may coincide. An exclusive or per man takes care of that: a
    # bit that is cleared and set again stays.
    board[KIND + KING] ^= king ^ king_to
    board[KIND + ROOK] ^= rook ^ rook_to
    board[side] ^= king ^ rook ^ king_to ^ rook_to
    board[RIGHTS] &= board[1 - side]


def words_of(board: chess.Board) -> Words:
    """The board as kernels read it."""
    words = np.zeros(BOARD_WORDS, np.uint64)
    words[WHITE] = board.occupied_co[chess.WHITE]
    words[BLACK] = board.occupied_co[chess.BLACK]
    words[KIND + PAWN] = board.pawns
    words[KIND + KNIGHT] = board.knights
    words[KIND + BISHOP] = board.bishops
    words[KIND + ROOK] = board.rooks
    words[KIND + QUEEN] = board.queens
    words[KIND + KING] = board.kings
    words[RIGHTS] = board.clean_castling_rights()
    if board.ep_square is not None:
        words[EN_PASSANT] = chess.BB_SQUARES[board.ep_square]
    words[TURN] = board.turn == chess.BLACK
    words[CHESS960] = board.chess960
    return words


def board_of(words: Words) -> chess.Board:
    """The python-chess board of some words; its clock and move number are those of a new game."""
    board = chess.Board(None, chess960=bool(words[CHESS960]))
    board.pawns = int(words[KIND + PAWN])
    board.knights = int(words[KIND + KNIGHT])
    board.bishops = int(words[KIND + BISHOP])
    board.rooks = int(words[KIND + ROOK])
    board.queens = int(words[KIND + QUEEN])
    board.kings = int(words[KIND + KING])
    board.occupied_co[chess.WHITE] = int(words[WHITE])
    board.occupied_co[chess.BLACK] = int(words[BLACK])
    board.occupied = int(words[WHITE] | words[BLACK])
    board.turn = not words[TURN]
    board.castling_rights = int(words[RIGHTS])
    if words[EN_PASSANT]:
        board.ep_square = chess.msb(int(words[EN_PASSANT]))
    return board


def kernel_move(board: chess.Board, move: chess.Move) -> int:
    """The integer that stands for a move in kernels, where castling ends on the rook's square."""
    target = move.to_square
    if board.is_castling(move) and not board.chess960:
        target += 1 if board.is_kingside_castling(move) else -2
    promotion = move.promotion or 0
    return move.from_square | (target << TARGET_SHIFT) | (promotion << PROMOTION_SHIFT)


KNIGHT_ATTACKS = np.array(chess.BB_KNIGHT_ATTACKS, np.uint64)
KING_ATTACKS = np.array(chess.BB_KING_ATTACKS, np.uint64)
BETWEEN = np.zeros((64, 64), np.uint64)
"""[one, other] -> the squares between two squares of a line; nothing without a common line."""
LINES = np.zeros((64, 64), np.uint64)
"""[one, other] -> the whole rank, file or diagonal through two squares, or nothing."""
for _one in chess.SQUARES:
    for _other in chess.SQUARES:
        BETWEEN[_one, _other] = chess.between(_one, _other)
        LINES[_one, _other] = chess.ray(_one, _other)

_FILE, _RANK, _RISING, _FALLING = range(4)
"""The lines through a square."""
_FILES = np.arange(64) % 8
_RANKS = np.arange(64) // 8
_LINE_NUMBERS = np.array([_FILES, _RANKS, _FILES - _RANKS, _FILES + _RANKS])
_ON_A_LINE = _LINE_NUMBERS[:, :, None] == _LINE_NUMBERS[:, None]
_HALVES = np.stack([np.triu(_ON_A_LINE, 1), np.tril(_ON_A_LINE, -1)])
_ABOVE, _BELOW = np.packbits(_HALVES, axis=-1, bitorder="little").view("<u8")[..., 0]
"""[line, square] -> the other squares of a line: those of higher, of lower numbers."""
_LINE = _ABOVE | _BELOW
_OR_LOWEST = _BELOW | ONE
_TOP_BIT = np.uint64(1 << 63)
_FIRST_STEPS = np.array([chess.BB_RANK_3, chess.BB_RANK_6], np.uint64)
"""[side] -> where a pawn's single step may become a double step."""
_SEVEN = np.uint64(7)
_NINE = np.uint64(9)


@small
def line_attacks(line: Int, square: Int, occupied: Word) -> Word:
    """The squares that a slider attacks on one line, including the first man each way."""
    nearest = _TOP_BIT >> np.uint64(leading_zeros(_OR_LOWEST[line, square] & (occupied | ONE)))
    men = _ABOVE[line, square] & occupied
    # Subtracting the nearest man below, or a1, flips all bits from there up to the nearest man
    # above.
    return (men ^ (men - nearest)) & _LINE[line, square]


@small
def bishop_attacks(square: Int, occupied: Word) -> Word:
    """The squares that a bishop attacks, including the first man on each line."""
    return line_attacks(_RISING, square, occupied) | line_attacks(_FALLING, square, occupied)


@small
def rook_attacks(square: Int, occupied: Word) -> Word:
    """The squares that a rook attacks, including the first man on each line."""
    return line_attacks(_FILE, square, occupied) | line_attacks(_RANK, square, occupied)


@small
def pawn_attacks(pawns: Word, black: bool) -> Word:
    if black:
        return ((pawns & NOT_A_FILE) >> _NINE) | ((pawns & NOT_H_FILE) >> _SEVEN)
    return ((pawns & NOT_A_FILE) << _SEVEN) | ((pawns & NOT_H_FILE) << _NINE)


@small
def pawn_pushes(pawns: Word, side: Int, empty: Word) -> Word:
    """The empty squares that a side's pawns may step to, by one square or by two."""
    single = one_rank_back(pawns, 1 - side) & empty
    double = one_rank_back(single & _FIRST_STEPS[side], 1 - side) & empty
    return single | double


@inner
def attackers(board: Words, square: Int, side: Int, occupied: Word) -> Word:
    """The men of a side that attack a square."""
    bishops = board[KIND + BISHOP] | board[KIND + QUEEN]
    rooks = board[KIND + ROOK] | board[KIND + QUEEN]
    men = KNIGHT_ATTACKS[square] & board[KIND + KNIGHT]
    men |= KING_ATTACKS[square] & board[KIND + KING]
    men |= pawn_attacks(square_bit(square), side == WHITE) & board[KIND + PAWN]
    men |= bishop_attacks(square, occupied) & bishops
    men |= rook_attacks(square, occupied) & rooks
    return men & board[side]


@small
def piece_attacks(role: Int, square: Int, occupied: Word) -> Word:
    """The squares that a man other than a pawn attacks."""
    if role == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if role == KING:
        return KING_ATTACKS[square]
    attacks = NOTHING
    if role != ROOK:
        attacks |= bishop_attacks(square, occupied)
    if role != BISHOP:
        attacks |= rook_attacks(square, occupied)
    return attacks


@inner
def attacked_by(board: Words, side: Int, occupied: Word) -> Word:
    squares = pawn_attacks(board[side] & board[KIND + PAWN], side == BLACK)
    for role in range(KNIGHT, KING + 1):
        left = board[side] & board[KIND + role]
        while left:
            squares |= piece_attacks(role, lowest_square(left), occupied)
            left &= left - ONE
    return squares


@inner
def en_passant_takers(board: Words, side: Int) -> Word:
    """The pawns with a legal capture en passant."""
    takers = pawn_attacks(board[EN_PASSANT], side == WHITE) & board[side] & board[KIND + PAWN]
    taken = one_rank_back(board[EN_PASSANT], side)
    king = lowest_square(board[side] & board[KIND + KING])
    left = takers
    while left:
        # Both pawns leave their rank at once, which can open it for a rook. No test for pins sees
        # that.
        taker = square_bit(lowest_square(left))
        occupied = (board[WHITE] | board[BLACK]) ^ taker ^ taken ^ board[EN_PASSANT]
        if attackers(board, king, 1 - side, occupied) & ~taken:
            takers ^= taker
        left ^= taker
    return takers


@inner
def forget_idle_en_passant(board: Words) -> None:
    """Remove an en passant right that no legal move uses: it does not change the position."""
    if en_passant_takers(board, np.int64(board[TURN])) == NOTHING:
        board[EN_PASSANT] = NOTHING


@inner
def can_castle(board: Words, side: Int, rook: Int, danger: Word) -> bool:
    """Whether the king may castle with the rook on a square.

    The caller knows that it is not in check.

    `danger` holds the squares that the other side attacks with our king taken off the board.
    """
    own_king = board[side] & board[KIND + KING]
    king = lowest_square(own_king)
    home = 56 * side
    if rook < king:
        king_to = home + 2
        rook_to = home + 3
    else:
        king_to = home + 6
        rook_to = home + 5
    passed = BETWEEN[king, king_to]
    crossed = BETWEEN[rook, rook_to] | square_bit(rook_to)
    others = (board[WHITE] | board[BLACK]) ^ own_king ^ square_bit(rook)
    if others & (passed | crossed | square_bit(king_to)):
        return False
    if passed & danger:
        return False
    # Do not use `danger` here: under Chess960 the rook may have left the rank open behind it.
    return attackers(board, king_to, 1 - side, others | square_bit(rook_to)) == NOTHING
