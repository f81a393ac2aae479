"""A board as a few words, the moves on it, and how many of them are legal.

`board[WHITE]`, `board[BLACK]` are the men of a side, `board[KIND + role]` those of a role; `board[RIGHTS]` are the
squares of rooks that may still castle, `board[EN_PASSANT]` the square behind a pawn that has just made a double step,
`board[TURN]` is 1 if Black is to move and `board[FISCHER]` is 1 under the castling rules of Chess960.

A move is `from | to << 6 | role << 12`, the role that of a promotion; castling is the king's move to its own rook.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inner, kernel, small
from tbgen.index.words import NOT_A_FILE, NOT_H_FILE, NOTHING, ONE, count, lowest_square, square_bit
from tbgen.pgn.attacks import KING, KNIGHT, between, bishop_attacks, pawn_attacks, rook_attacks

WHITE, BLACK, KIND, RIGHTS, EN_PASSANT, TURN, FISCHER, BOARD_WORDS = 0, 1, 1, 8, 9, 10, 11, 12
PAWN, KNIGHT_ROLE, BISHOP, ROOK, QUEEN, KING_ROLE = 1, 2, 3, 4, 5, 6
NO_MOVE = -1

_LAST_RANKS = np.uint64(0xFF000000000000FF)
_THIRD, _SIXTH = np.uint64(0x0000000000FF0000), np.uint64(0x0000FF0000000000)
_EIGHT, _SEVEN, _NINE = np.uint64(8), np.uint64(7), np.uint64(9)


@inner
def attackers(board, square, side, occupied):
    """The men of a side that attack a square."""
    bishops, rooks = board[KIND + BISHOP] | board[KIND + QUEEN], board[KIND + ROOK] | board[KIND + QUEEN]
    found = KNIGHT[square] & board[KIND + KNIGHT_ROLE] | KING[square] & board[KIND + KING_ROLE]
    found |= pawn_attacks(square_bit(square), side == WHITE) & board[KIND + PAWN]
    found |= bishop_attacks(square, occupied) & bishops | rook_attacks(square, occupied) & rooks
    return found & board[side]


@inner
def attacked_by(board, side, occupied):
    """All squares that a side attacks."""
    men = board[side]
    squares = pawn_attacks(men & board[KIND + PAWN], side == BLACK)
    left = men & board[KIND + KNIGHT_ROLE]
    while left:
        squares |= KNIGHT[lowest_square(left)]
        left &= left - ONE
    left = men & (board[KIND + BISHOP] | board[KIND + QUEEN])
    while left:
        squares |= bishop_attacks(lowest_square(left), occupied)
        left &= left - ONE
    left = men & (board[KIND + ROOK] | board[KIND + QUEEN])
    while left:
        squares |= rook_attacks(lowest_square(left), occupied)
        left &= left - ONE
    return squares | KING[lowest_square(men & board[KIND + KING_ROLE])]


@small
def squares_between(one, other):
    """What lies between two squares of one line; nothing if they share none."""
    either = square_bit(one) | square_bit(other)
    if rook_attacks(one, NOTHING) >> np.uint64(other) & ONE:
        return rook_attacks(one, either) & rook_attacks(other, either)
    if bishop_attacks(one, NOTHING) >> np.uint64(other) & ONE:
        return bishop_attacks(one, either) & bishop_attacks(other, either)
    return NOTHING


@small
def pawn_pushes(pawns, black, empty):
    """Where pawns may step to: one square, and two."""
    if black:
        single = pawns >> _EIGHT & empty
        return single, (single & _SIXTH) >> _EIGHT & empty
    single = pawns << _EIGHT & empty
    return single, (single & _THIRD) << _EIGHT & empty


@small
def pawn_moves(pawns, black, empty, prey, allowed):
    """How many moves of pawns lead to allowed squares, en passant apart; a promotion counts as four."""
    single, double = pawn_pushes(pawns, black, empty)
    west, east = pawns & NOT_A_FILE, pawns & NOT_H_FILE
    if black:
        west, east = west >> _NINE, east >> _SEVEN
    else:
        west, east = west << _SEVEN, east << _NINE
    single &= allowed
    west &= prey & allowed
    east &= prey & allowed
    promotions = count(single & _LAST_RANKS) + count(west & _LAST_RANKS) + count(east & _LAST_RANKS)
    return count(single) + count(double & allowed) + count(west) + count(east) + 3 * promotions


@inner
def moves_of(board, men, side, occupied, allowed):
    """How many moves of some men of a side lead to allowed squares; without its king, en passant and pins."""
    prey = board[1 - side]
    moves = pawn_moves(men & board[KIND + PAWN], side == BLACK, ~occupied, prey, allowed)
    left = men & board[KIND + KNIGHT_ROLE]
    while left:
        moves += count(KNIGHT[lowest_square(left)] & allowed)
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
def is_safe(board, side, origin, target):
    """Whether a move other than castling leaves no check behind."""
    them, bit, reached = 1 - side, square_bit(origin), square_bit(target)
    occupied = board[WHITE] | board[BLACK]
    if board[KIND + KING_ROLE] & bit:
        return attackers(board, target, them, occupied ^ bit) & ~reached == NOTHING
    captured = reached
    if board[KIND + PAWN] & bit and reached == board[EN_PASSANT]:
        captured = reached << _EIGHT if side == BLACK else reached >> _EIGHT
        occupied ^= captured
    king = lowest_square(board[side] & board[KIND + KING_ROLE])
    return attackers(board, king, them, (occupied ^ bit) | reached) & ~captured == NOTHING


@inner
def en_passant_moves(board, side):
    """How many legal captures en passant there are."""
    moves = 0
    if board[EN_PASSANT]:
        target = lowest_square(board[EN_PASSANT])
        left = pawn_attacks(board[EN_PASSANT], side == WHITE) & board[side] & board[KIND + PAWN]
        while left:
            moves += is_safe(board, side, lowest_square(left), target)
            left &= left - ONE
    return moves


@inner
def can_castle(board, side, rook, danger):
    """Whether the king, which is not in check, may castle with the rook on a square.

    `danger` is what the other side attacks if the king is not in its way.
    """
    own_king = board[side] & board[KIND + KING_ROLE]
    king, home = lowest_square(own_king), 56 * side
    king_to, rook_to = (home + 2, home + 3) if rook < king else (home + 6, home + 5)
    passed = between(min(king, king_to), max(king, king_to))
    crossed = between(min(rook, rook_to), max(rook, rook_to)) | square_bit(rook_to)
    others = (board[WHITE] | board[BLACK]) ^ own_king ^ square_bit(rook)
    if others & (passed | crossed | square_bit(king_to)) or passed & danger:
        return False
    return attackers(board, king_to, 1 - side, others | square_bit(rook_to)) == NOTHING


@inner
def castlings(board, side, danger):
    """How many ways to castle there are for a king that is not in check."""
    moves = 0
    left = board[RIGHTS] & board[side]
    while left:
        moves += can_castle(board, side, lowest_square(left), danger)
        left &= left - ONE
    return moves


@inner
def pinned_moves(board, side, king, allowed, loose):
    """The men that are not pinned among `loose`, and how many moves the pinned ones have."""
    own, other = board[side], board[1 - side]
    bishops, rooks = board[KIND + BISHOP] | board[KIND + QUEEN], board[KIND + ROOK] | board[KIND + QUEEN]
    snipers = (bishop_attacks(king, other) & bishops | rook_attacks(king, other) & rooks) & other
    moves = 0
    while snipers:
        sniper = lowest_square(snipers)
        line = squares_between(king, sniper)
        shield = line & own
        if shield and shield & (shield - ONE) == NOTHING:
            loose ^= shield
            moves += moves_of(board, shield, side, own | other, allowed & (line | square_bit(sniper)))
        snipers &= snipers - ONE
    return loose, moves


@kernel
def code_on(board):
    """The code of a position: twice its legal moves, and one if there is no check."""
    side = np.int64(board[TURN])
    own, occupied = board[side], board[WHITE] | board[BLACK]
    own_king = own & board[KIND + KING_ROLE]
    king = lowest_square(own_king)
    checkers = attackers(board, king, 1 - side, occupied)
    danger = attacked_by(board, 1 - side, occupied ^ own_king)
    moves = count(KING[king] & ~own & ~danger)
    if checkers & (checkers - ONE):
        return 2 * moves
    allowed = ~own
    if checkers:
        allowed &= checkers | squares_between(king, lowest_square(checkers))
    else:
        moves += castlings(board, side, danger)
    loose, pinned = pinned_moves(board, side, king, allowed, own ^ own_king)
    moves += pinned + moves_of(board, loose, side, occupied, allowed) + en_passant_moves(board, side)
    return 2 * moves + (checkers == NOTHING)


@inner
def role_on(board, bit):
    """The role of the man on a square; 0 if there is none."""
    for role in range(PAWN, KING_ROLE + 1):
        if board[KIND + role] & bit:
            return role
    return 0


@inner
def play(board, move):
    """Make a legal move; whether it was a capture or a pawn move."""
    side = np.int64(board[TURN])
    origin, target = square_bit(move & 63), square_bit(move >> 6 & 63)
    role = role_on(board, origin)
    passant = board[EN_PASSANT]
    board[EN_PASSANT] = NOTHING
    board[TURN] = np.uint64(1 - side)
    if role == KING_ROLE and target & board[side]:
        castle(board, side, origin, target)
        return False
    captured = role_on(board, target)
    if captured:
        board[KIND + captured] ^= target
        board[1 - side] ^= target
    elif role == PAWN and target == passant:
        taken = passant << _EIGHT if side == BLACK else passant >> _EIGHT
        board[KIND + PAWN] ^= taken
        board[1 - side] ^= taken
    promoted = move >> 12
    board[KIND + role] ^= origin
    board[KIND + (promoted if promoted else role)] ^= target
    board[side] ^= origin | target
    board[RIGHTS] &= ~(origin | target)
    if role == KING_ROLE:
        board[RIGHTS] &= board[1 - side]
    elif role == PAWN:
        step = (move >> 6 & 63) - (move & 63)
        if step == 16 or step == -16:
            board[EN_PASSANT] = target << _EIGHT if side == BLACK else target >> _EIGHT
    return captured > 0 or role == PAWN


@inner
def castle(board, side, king, rook):
    """Put king and rook where castling leads them."""
    home = np.uint64(56 * side)
    king_to, rook_to = (np.uint64(4), np.uint64(8)) if rook < king else (np.uint64(64), np.uint64(32))
    king_to, rook_to = king_to << home, rook_to << home
    board[KIND + KING_ROLE] ^= king ^ king_to
    board[KIND + ROOK] ^= rook ^ rook_to
    board[side] ^= king ^ rook ^ king_to ^ rook_to
    board[RIGHTS] &= board[1 - side]
