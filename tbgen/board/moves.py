"""The legal moves on a board, written down.

Moves are the integers of `board`; a promotion stands for itself, so there are four to a square.
"""

from __future__ import annotations

import numpy as np

from tbgen.board.attacks import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    bishop_attacks,
    pawn_attacks,
    pawn_pushes,
    rook_attacks,
)
from tbgen.board.board import (
    BISHOP,
    BLACK,
    EN_PASSANT,
    KIND,
    KING,
    KNIGHT,
    LAST_RANKS,
    PAWN,
    QUEEN,
    RIGHTS,
    ROOK,
    TURN,
    WHITE,
    packed_move,
    role_on,
)
from tbgen.board.legality import attacked_by, attackers, can_castle, is_safe, squares_between
from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit

MOST_MOVES = 320
"""Room for the moves of any position; no game reaches one with more than 218."""


@inner
def piece_reach(role: Int, square: Int, occupied: Word) -> Word:
    """What a man other than a pawn attacks."""
    if role == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if role == KING:
        return KING_ATTACKS[square]
    reached = NOTHING
    if role != ROOK:
        reached |= bishop_attacks(square, occupied)
    if role != BISHOP:
        reached |= rook_attacks(square, occupied)
    return reached


@inner
def pawn_reach(board: Words, side: Int, square: Int) -> Word:
    """Where a pawn may go if no king could be in check, en passant included."""
    pawn = square_bit(square)
    single, double = pawn_pushes(pawn, side == BLACK, ~(board[WHITE] | board[BLACK]))
    prey = board[1 - side] | board[EN_PASSANT]
    return single | double | pawn_attacks(pawn, side == BLACK) & prey


@inner
def shields_of(board: Words, side: Int, king: Int) -> Word:
    """The men of a side that alone stand between its king and a slider."""
    own, other = board[side], board[1 - side]
    bishops, rooks = board[KIND + BISHOP] | board[KIND + QUEEN], board[KIND + ROOK] | board[KIND + QUEEN]
    snipers = (bishop_attacks(king, other) & bishops | rook_attacks(king, other) & rooks) & other
    shields = NOTHING
    while snipers:
        shield = squares_between(king, lowest_square(snipers)) & own
        if shield & (shield - ONE) == NOTHING:
            shields |= shield
        snipers &= snipers - ONE
    return shields


@inner
def add_targets(moves: Ints, count: Int, origin: Int, targets: Word, is_pawn: bool) -> Int:
    """Write down the moves of a man to some squares; promotions are four each."""
    while targets:
        target = lowest_square(targets)
        if is_pawn and square_bit(target) & LAST_RANKS:
            for role in range(KNIGHT, QUEEN + 1):
                moves[count] = packed_move(origin, target, role)
                count += 1
        else:
            moves[count] = packed_move(origin, target, 0)
            count += 1
        targets &= targets - ONE
    return count


@inner
def add_moves_of(board: Words, side: Int, origin: Int, allowed: Word, is_loose: bool, moves: Ints, count: Int) -> Int:
    """Write down the legal moves of a man other than the king; a loose one cannot bare its king by moving."""
    role, own = role_on(board, square_bit(origin)), board[side]
    if role == PAWN:
        targets = pawn_reach(board, side, origin)
        passant = targets & board[EN_PASSANT]
        if passant and is_safe(board, side, origin, lowest_square(passant)):
            moves[count] = packed_move(origin, lowest_square(passant), 0)
            count += 1
        targets &= ~board[EN_PASSANT]
    else:
        targets = piece_reach(role, origin, board[WHITE] | board[BLACK]) & ~own
    targets &= allowed
    if not is_loose:
        safe, left = NOTHING, targets
        while left:
            if is_safe(board, side, origin, lowest_square(left)):
                safe |= left & (~left + ONE)
            left &= left - ONE
        targets = safe
    return add_targets(moves, count, origin, targets, role == PAWN)


@borrowing
def legal_moves(board: Words, moves: Ints) -> Int:
    """Write down the legal moves of a position; how many there are."""
    side = np.int64(board[TURN])
    own, occupied = board[side], board[WHITE] | board[BLACK]
    own_king = own & board[KIND + KING]
    king = lowest_square(own_king)
    checkers = attackers(board, king, 1 - side, occupied)
    danger = attacked_by(board, 1 - side, occupied ^ own_king)
    count = add_targets(moves, 0, king, KING_ATTACKS[king] & ~own & ~danger, False)
    if checkers & (checkers - ONE):
        return count
    allowed = ~NOTHING
    if checkers:
        allowed = checkers | squares_between(king, lowest_square(checkers))
    else:
        rooks = board[RIGHTS] & own
        while rooks:
            if can_castle(board, side, lowest_square(rooks), danger):
                moves[count] = packed_move(king, lowest_square(rooks), 0)
                count += 1
            rooks &= rooks - ONE
    shields = shields_of(board, side, king)
    left = own ^ own_king
    while left:
        origin = lowest_square(left)
        count = add_moves_of(board, side, origin, allowed, shields & square_bit(origin) == NOTHING, moves, count)
        left &= left - ONE
    return count
