"""Legal moves: listed, and counted without listing them.

Men that are not pinned are counted group by group. Only pinned men, en passant and castling are tried one by one.
"""

from __future__ import annotations

import numpy as np

from tbgen.board.board import (
    BETWEEN,
    BISHOP,
    BLACK,
    EN_PASSANT,
    KIND,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    LAST_RANKS,
    LINES,
    NINE,
    PAWN,
    QUEEN,
    RIGHTS,
    ROOK,
    SEVEN,
    TURN,
    WHITE,
    attacked_by,
    attackers,
    bishop_attacks,
    can_castle,
    is_safe,
    packed_move,
    pawn_attacks,
    pawn_pushes,
    role_on,
    rook_attacks,
)
from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing, inner, small
from tbgen.index.words import EVERYTHING, NOT_A_FILE, NOT_H_FILE, NOTHING, ONE, count, lowest_square, square_bit

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
    """The men of a side that alone stand between its king and a slider: they can move on that line only."""
    shields = NOTHING
    snipers = attackers(board, king, 1 - side, board[1 - side])  # as if our own men were off the board
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
def add_moves_of(board: Words, side: Int, origin: Int, allowed: Word, moves: Ints, count: Int) -> Int:
    """Write down the moves of a man other than the king to `allowed` squares, and what it may take en passant."""
    role = role_on(board, square_bit(origin))
    if role == PAWN:
        targets = pawn_reach(board, side, origin)
        passant = targets & board[EN_PASSANT]
        if passant and is_safe(board, side, origin, lowest_square(passant)):
            moves[count] = packed_move(origin, lowest_square(passant), 0)
            count += 1
        targets &= ~board[EN_PASSANT]
    else:
        targets = piece_reach(role, origin, board[WHITE] | board[BLACK]) & ~board[side]
    return add_targets(moves, count, origin, targets & allowed, role == PAWN)


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
    allowed = EVERYTHING
    if checkers:
        allowed = checkers | BETWEEN[king, lowest_square(checkers)]
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
        line = LINES[king, origin] if shields & square_bit(origin) else EVERYTHING
        count = add_moves_of(board, side, origin, allowed & line, moves, count)
        left &= left - ONE
    return count


@small
def pawn_moves(pawns: Word, black: bool, empty: Word, enemies: Word, allowed: Word) -> Int:
    """The number of pawn moves to `allowed` squares, without en passant; a promotion counts as four moves."""
    single, double = pawn_pushes(pawns, black, empty)
    west, east = pawns & NOT_A_FILE, pawns & NOT_H_FILE
    if black:
        west, east = west >> NINE, east >> SEVEN
    else:
        west, east = west << SEVEN, east << NINE
    single &= allowed
    west &= enemies & allowed
    east &= enemies & allowed
    promotions = count(single & LAST_RANKS) + count(west & LAST_RANKS) + count(east & LAST_RANKS)
    return count(single) + count(double & allowed) + count(west) + count(east) + 3 * promotions


@inner
def moves_of(board: Words, men: Word, side: Int, occupied: Word, allowed: Word) -> Int:
    """The number of moves of `men` to `allowed` squares, as if no man were pinned; no king moves, no en passant."""
    enemies = board[1 - side]
    moves = pawn_moves(men & board[KIND + PAWN], side == BLACK, ~occupied, enemies, allowed)
    left = men & board[KIND + KNIGHT]
    while left:
        moves += count(KNIGHT_ATTACKS[lowest_square(left)] & allowed)
        left &= left - ONE
    left = men & (board[KIND + BISHOP] | board[KIND + QUEEN])
    while left:
        moves += count(bishop_attacks(lowest_square(left), occupied) & allowed)
        left &= left - ONE
    left = men & (board[KIND + ROOK] | board[KIND + QUEEN])
    while left:
        moves += count(rook_attacks(lowest_square(left), occupied) & allowed)
        left &= left - ONE
    return moves


@inner
def en_passant_moves(board: Words, side: Int) -> Int:
    """The number of legal captures en passant."""
    moves = 0
    if board[EN_PASSANT]:
        target = lowest_square(board[EN_PASSANT])
        left = pawn_attacks(board[EN_PASSANT], side == WHITE) & board[side] & board[KIND + PAWN]
        while left:
            moves += is_safe(board, side, lowest_square(left), target)
            left &= left - ONE
    return moves


@inner
def castling_moves(board: Words, side: Int, danger: Word) -> Int:
    """The number of castling moves of a king that is not in check."""
    moves = 0
    left = board[RIGHTS] & board[side]
    while left:
        moves += can_castle(board, side, lowest_square(left), danger)
        left &= left - ONE
    return moves


@borrowing
def code_on(board: Words) -> Int:
    """The code of a position: twice its legal moves, and one if there is no check."""
    side = np.int64(board[TURN])
    own, occupied = board[side], board[WHITE] | board[BLACK]
    own_king = own & board[KIND + KING]
    king = lowest_square(own_king)
    checkers = attackers(board, king, 1 - side, occupied)
    # With our king off the board: it cannot step back along the line of a slider that checks it.
    danger = attacked_by(board, 1 - side, occupied ^ own_king)
    moves: Int = count(KING_ATTACKS[king] & ~own & ~danger)
    if checkers & (checkers - ONE):  # a double check leaves only king moves
        return 2 * moves
    allowed = ~own
    if checkers:
        allowed &= checkers | BETWEEN[king, lowest_square(checkers)]
    else:
        moves += castling_moves(board, side, danger)
    shields = shields_of(board, side, king)
    moves += moves_of(board, own ^ own_king ^ shields, side, occupied, allowed) + en_passant_moves(board, side)
    while shields:
        shield = lowest_square(shields)
        moves += moves_of(board, square_bit(shield), side, occupied, allowed & LINES[king, shield])
        shields &= shields - ONE
    return 2 * moves + (checkers == NOTHING)


# boards[n] holds the words of a board, as board.py describes them; codes[n] receives its code.
@borrowing
def codes_on(boards: Words, codes: Ints) -> Int:
    """Fill in the code of each board, and return how many there are."""
    for n in range(len(codes)):
        codes[n] = code_on(boards[n])
    return len(codes)
