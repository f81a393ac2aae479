"""Attacks on a board, and whether a move leaves the own king in check.

Every kernel here takes the board's words as `board` describes them; a side is 0 for White and 1 for Black.
"""

from __future__ import annotations

import numpy as np

from tbgen.board.attacks import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    bishop_attacks,
    pawn_attacks,
    rank_between,
    rook_attacks,
)
from tbgen.board.board import (
    BISHOP,
    BLACK,
    EN_PASSANT,
    KIND,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RIGHTS,
    ROOK,
    WHITE,
    one_rank_back,
)
from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import inner, small
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit


@inner
def attackers(board: Words, square: Int, side: Int, occupied: Word) -> Word:
    """The men of a side that attack a square."""
    bishops, rooks = board[KIND + BISHOP] | board[KIND + QUEEN], board[KIND + ROOK] | board[KIND + QUEEN]
    found = KNIGHT_ATTACKS[square] & board[KIND + KNIGHT] | KING_ATTACKS[square] & board[KIND + KING]
    found |= pawn_attacks(square_bit(square), side == WHITE) & board[KIND + PAWN]
    found |= bishop_attacks(square, occupied) & bishops | rook_attacks(square, occupied) & rooks
    return found & board[side]


@inner
def attacked_by(board: Words, side: Int, occupied: Word) -> Word:
    """All squares that a side attacks."""
    men = board[side]
    squares = pawn_attacks(men & board[KIND + PAWN], side == BLACK)
    left = men & board[KIND + KNIGHT]
    while left:
        squares |= KNIGHT_ATTACKS[lowest_square(left)]
        left &= left - ONE
    left = men & (board[KIND + BISHOP] | board[KIND + QUEEN])
    while left:
        squares |= bishop_attacks(lowest_square(left), occupied)
        left &= left - ONE
    left = men & (board[KIND + ROOK] | board[KIND + QUEEN])
    while left:
        squares |= rook_attacks(lowest_square(left), occupied)
        left &= left - ONE
    return squares | KING_ATTACKS[lowest_square(men & board[KIND + KING])]


@small
def squares_between(one: Int, other: Int) -> Word:
    """The squares strictly between two squares of one rank, file or diagonal; empty if they share none."""
    either = square_bit(one) | square_bit(other)
    if rook_attacks(one, NOTHING) >> np.uint64(other) & ONE:
        return rook_attacks(one, either) & rook_attacks(other, either)
    if bishop_attacks(one, NOTHING) >> np.uint64(other) & ONE:
        return bishop_attacks(one, either) & bishop_attacks(other, either)
    return NOTHING


@inner
def is_safe(board: Words, side: Int, origin: Int, target: Int) -> bool:
    """Whether a pseudo-legal move other than castling leaves the own king out of check."""
    enemy, left, reached = 1 - side, square_bit(origin), square_bit(target)
    occupied = board[WHITE] | board[BLACK]
    if board[KIND + KING] & left:
        # The king must not shield the squares behind it from a slider, so its own square counts as empty.
        return attackers(board, target, enemy, occupied ^ left) & ~reached == NOTHING
    captured = reached
    if board[KIND + PAWN] & left and reached == board[EN_PASSANT]:
        # Both pawns leave their rank at once, which can open it for a rook: no pin test sees that.
        captured = one_rank_back(reached, side)
        occupied ^= captured
    king = lowest_square(board[side] & board[KIND + KING])
    return attackers(board, king, enemy, (occupied ^ left) | reached) & ~captured == NOTHING


@inner
def can_castle(board: Words, side: Int, rook: Int, danger: Word) -> bool:
    """Whether the king may castle with the rook on a square; the caller knows that it is not in check.

    `danger` holds the squares that the other side attacks with our king taken off the board.
    """
    own_king = board[side] & board[KIND + KING]
    king, home = lowest_square(own_king), 56 * side
    king_to, rook_to = (home + 2, home + 3) if rook < king else (home + 6, home + 5)
    passed = rank_between(min(king, king_to), max(king, king_to))
    crossed = rank_between(min(rook, rook_to), max(rook, rook_to)) | square_bit(rook_to)
    others = (board[WHITE] | board[BLACK]) ^ own_king ^ square_bit(rook)
    if others & (passed | crossed | square_bit(king_to)) or passed & danger:
        return False
    # Asked anew and not of `danger`: under Chess960 the rook may have left the rank open behind it.
    return attackers(board, king_to, 1 - side, others | square_bit(rook_to)) == NOTHING


@inner
def may_castle(board: Words, side: Int, rook: Int) -> bool:
    """Whether castling with the rook on a square is legal."""
    occupied, own_king = board[WHITE] | board[BLACK], board[side] & board[KIND + KING]
    if board[RIGHTS] & board[side] & square_bit(rook) == NOTHING:
        return False
    if attackers(board, lowest_square(own_king), 1 - side, occupied):
        return False
    return can_castle(board, side, rook, attacked_by(board, 1 - side, occupied ^ own_king))
