"""Legal moves: listed, and counted without listing them.

Both ask where each man may go. The king's squares, the pins and the limits of a check are found
once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.board.board import (
    BETWEEN,
    BLACK,
    EN_PASSANT,
    KIND,
    KING,
    KING_ATTACKS,
    KNIGHT,
    LAST_RANKS,
    LINES,
    PAWN,
    QUEEN,
    RIGHTS,
    TURN,
    WHITE,
    attacked_by,
    attackers,
    can_castle,
    en_passant_takers,
    packed_move,
    pawn_attacks,
    pawn_pushes,
    piece_attacks,
    role_on,
)
from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.words import NOTHING, ONE, count, lowest_and_rest, lowest_square, square_bit

MOST_MOVES = 320
"""Room for the moves of any position; no game reaches one with more than 218."""


class Bounds(NamedTuple):
    """The limits that the king's safety sets for the side to move."""

    checkers: Word
    """The men that give check."""
    steps: Word
    """Where the king may go; for castling the square of the rook."""
    allowed: Word
    """Where other men may go."""
    pinned: Word
    """The pinned men, which may go along a line with their king only."""
    takers: Word
    """The pawns that may take en passant, whatever the other bounds say."""


@inner
def shields_of(board: Words, side: Int, king: Int) -> Word:
    """The men of a side that stand alone between its king and a slider.

    They can move on that line only.
    """
    shields = NOTHING
    # As if our own men were off the board.
    snipers = attackers(board, king, 1 - side, board[1 - side])
    while snipers:
        shield = BETWEEN[king, lowest_square(snipers)] & board[side]
        if shield & (shield - ONE) == NOTHING:
            shields |= shield
        snipers &= snipers - ONE
    return shields


@inner
def add_targets(moves: Ints, count: Int, origin: Int, targets: Word, is_pawn: bool) -> Int:
    """Write down the moves of a man to some squares; promotions are four each."""
    while targets:
        target, targets = lowest_and_rest(targets)
        if is_pawn and square_bit(target) & LAST_RANKS:
            for promotion in range(KNIGHT, QUEEN + 1):
                moves[count] = packed_move(origin, target, promotion)
                count += 1
        else:
            moves[count] = packed_move(origin, target, 0)
            count += 1
    return count


@inlined
def bounds_of(board: Words, side: Int) -> Bounds:
    """The limits that the king's safety sets for the side to move."""
    own = board[side]
    occupied = board[WHITE] | board[BLACK]
    own_king = own & board[KIND + KING]
    king = lowest_square(own_king)
    checkers = attackers(board, king, 1 - side, occupied)
    # Without the king on the board, because it cannot step back along the line of a slider that
    # checks it.
    danger = attacked_by(board, 1 - side, occupied ^ own_king)
    steps = KING_ATTACKS[king] & ~own & ~danger
    allowed = ~own
    if checkers & (checkers - ONE):  # a double check leaves only king moves
        allowed = NOTHING
    elif checkers:
        allowed = checkers | BETWEEN[king, lowest_square(checkers)]
    else:
        rooks = board[RIGHTS] & own
        while rooks:
            rook, rooks = lowest_and_rest(rooks)
            if can_castle(board, side, rook, danger):
                steps |= square_bit(rook)
    pinned = shields_of(board, side, king)
    return Bounds(checkers, steps, allowed, pinned, en_passant_takers(board, side))


@inlined
def targets_of(board: Words, side: Int, role: Int, origin: Int, bounds: Bounds) -> Word:
    """The squares on which a legal move of a man ends."""
    if role == KING:
        return bounds.steps
    man = square_bit(origin)
    occupied = board[WHITE] | board[BLACK]
    allowed = bounds.allowed
    if bounds.pinned & man:
        allowed &= LINES[lowest_square(board[side] & board[KIND + KING]), origin]
    if role != PAWN:
        return piece_attacks(role, origin, occupied) & allowed
    captures = pawn_attacks(man, side == BLACK) & board[1 - side]
    targets = (pawn_pushes(man, side, ~occupied) | captures) & allowed
    if bounds.takers & man:
        targets |= board[EN_PASSANT]
    return targets


@borrowing
def legal_moves(board: Words, moves: Ints) -> Int:
    """Write down the legal moves of a position, the king's first, and return their number."""
    side = np.int64(board[TURN])
    bounds = bounds_of(board, side)
    king = board[side] & board[KIND + KING]
    number = add_targets(moves, 0, lowest_square(king), bounds.steps, False)
    left = board[side] ^ king
    while left:
        origin, left = lowest_and_rest(left)
        role = role_on(board, square_bit(origin))
        targets = targets_of(board, side, role, origin, bounds)
        number = add_targets(moves, number, origin, targets, role == PAWN)
    return number


@inner
def code_within(board: Words, bounds: Bounds) -> Int:
    """The code of a position whose bounds are known."""
    side = np.int64(board[TURN])
    moves = np.int64(0)
    for role in range(PAWN, KING + 1):
        left = board[side] & board[KIND + role]
        while left:
            targets = targets_of(board, side, role, lowest_square(left), bounds)
            moves += count(targets)
            if role == PAWN:
                moves += 3 * count(targets & LAST_RANKS)  # a promotion is four moves
            left &= left - ONE
    return 2 * moves + (bounds.checkers == NOTHING)


@borrowing
def code_on(board: Words) -> Int:
    """The code of a position: twice its legal moves, and one if there is no check."""
    return code_within(board, bounds_of(board, np.int64(board[TURN])))


# boards[n] has the words of a board, as board.py describes them; codes[n] receives its code.
@borrowing
def codes_on(boards: Words, codes: Ints) -> Int:
    """Fill in the code of each board, and return how many there are."""
    for n in range(len(codes)):
        codes[n] = code_on(boards[n])
    return len(codes)
