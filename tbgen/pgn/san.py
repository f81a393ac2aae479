"""Moves as people write them, read from bytes.

What python-chess accepts is accepted: castling with O or 0, missing or superfluous signs of capture, check and
mate, more of the origin than is needed, promotions with or without `=`, and the long forms of UCI.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inner
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.pgn.attacks import KING, KNIGHT, bishop_attacks, pawn_attacks, rook_attacks
from tbgen.pgn.board import (
    BISHOP,
    BLACK,
    EN_PASSANT,
    FISCHER,
    KIND,
    KING_ROLE,
    KNIGHT_ROLE,
    NO_MOVE,
    PAWN,
    RIGHTS,
    ROOK,
    TURN,
    WHITE,
    attacked_by,
    attackers,
    can_castle,
    is_safe,
    pawn_pushes,
    role_on,
)

_FILE = np.uint64(0x0101010101010101)
_RANK = np.uint64(0xFF)
_LAST_RANKS = np.uint64(0xFF000000000000FF)
_CAPITAL, _ZERO, _HYPHEN, _PLUS, _HASH, _EQUALS, _X = 79, 48, 45, 43, 35, 61, 120


def _roles() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    table = np.zeros(256, np.int64)
    for role, letter in enumerate("PNBRQK", start=PAWN):
        table[ord(letter)] = role
    return table


_ROLES = _roles()
"""[byte] -> the role of a capital letter."""


@inner
def origins(board, side, role, target):
    """The men of a role that could reach a square if no king could be in check."""
    men, occupied = board[side] & board[KIND + role], board[WHITE] | board[BLACK]
    bit = square_bit(target)
    if board[side] & bit:
        return NOTHING
    if role == KNIGHT_ROLE:
        return men & KNIGHT[target]
    if role == KING_ROLE:
        return men & KING[target]
    if role == PAWN:
        found = pawn_attacks(bit, side == WHITE) if bit & (board[1 - side] | board[EN_PASSANT]) else NOTHING
        if occupied & bit == NOTHING:
            found |= _pushers(men, side, ~occupied, target)
        return men & found
    found = NOTHING
    if role != ROOK:
        found |= bishop_attacks(target, occupied)
    if role != BISHOP:
        found |= rook_attacks(target, occupied)
    return men & found


@inner
def _pushers(pawns, side, empty, target):
    """The pawn, if any, that steps straight to an empty square."""
    step = 8 if side == BLACK else -8
    for squares in range(1, 3):
        origin = target + squares * step
        if 0 <= origin < 64:
            pawn = pawns & square_bit(origin)
            single, double = pawn_pushes(pawn, side == BLACK, empty)
            if (single | double) >> np.uint64(target) & ONE:
                return pawn
    return NOTHING


@inner
def read_move(board, text, start, end):
    """The legal move that `text[start:end]` writes; NO_MOVE if there is none or more than one."""
    last = end
    if last - start > 1 and (text[last - 1] == _PLUS or text[last - 1] == _HASH):
        last -= 1
    if text[start] == _CAPITAL or text[start] == _ZERO:
        return _read_castling(board, text, start, last)
    promotion = 0
    if last - start > 2 and not 49 <= text[last - 1] <= 56:
        letter = text[last - 1]
        promotion = _ROLES[letter - 32 if letter >= 97 else letter]
        if promotion <= PAWN:
            return NO_MOVE
        last -= 1
        if text[last - 1] == _EQUALS:
            last -= 1
    if last - start < 2 or not (97 <= text[last - 2] <= 104 and 49 <= text[last - 1] <= 56):
        return NO_MOVE
    target = np.int64(text[last - 2]) - 97 + 8 * (np.int64(text[last - 1]) - 49)
    last -= 2
    if last > start and (text[last - 1] == _HYPHEN or text[last - 1] == _X):
        last -= 1
    role, file, rank, place = np.int64(0), np.int64(-1), np.int64(-1), start
    if place < last and _ROLES[text[place]] > PAWN:
        role = _ROLES[text[place]]
        place += 1
    if place < last and 97 <= text[place] <= 104:
        file = np.int64(text[place]) - 97
        place += 1
    if place < last and 49 <= text[place] <= 56:
        rank = np.int64(text[place]) - 49
        place += 1
    if place < last:
        return NO_MOVE
    if role == 0 and file >= 0 and rank >= 0:
        return _from_square(board, file + 8 * rank, target, promotion, end - start == 4)
    return _chosen(board, role, file, rank, target, promotion)


@inner
def _chosen(board, role, file, rank, target, promotion):
    """The one legal move of a role to a square, from the file and rank that are named."""
    side = np.int64(board[TURN])
    if role == 0:
        role = PAWN
        if file < 0:
            file = target & 7
    left = origins(board, side, role, target)
    if file >= 0:
        left &= _FILE << np.uint64(file)
    if rank >= 0:
        left &= _RANK << np.uint64(8 * rank)
    if (promotion > 0) != (role == PAWN and square_bit(target) & _LAST_RANKS != NOTHING):
        return NO_MOVE
    if promotion == KING_ROLE:
        return NO_MOVE
    found = NO_MOVE
    while left:
        origin = lowest_square(left)
        if is_safe(board, side, origin, target):
            if found != NO_MOVE:
                return NO_MOVE
            found = origin | target << 6 | promotion << 12
        left &= left - ONE
    return found


@inner
def _from_square(board, origin, target, promotion, is_plain):
    """The legal move from one square to another; `is_plain` says that the squares are all that was written."""
    side, bit = np.int64(board[TURN]), square_bit(origin)
    if board[side] & bit == NOTHING:
        return NO_MOVE
    role = role_on(board, bit)
    if role == KING_ROLE and promotion == 0:
        rook = _castling_rook(board, side, origin, target, is_plain)
        if rook >= 0 and may_castle(board, side, rook):
            return origin | rook << 6
    return _chosen(board, role, origin & 7, origin >> 3, target, promotion)


@inner
def _castling_rook(board, side, king, target, is_plain):
    """The rook that a king's move to a square may mean; -1 if it means none."""
    home = 56 * side
    if board[FISCHER] and board[RIGHTS] & board[side] & square_bit(target):
        return target
    if king == home + 4 and (is_plain or not board[FISCHER]):
        for to, rook in ((home + 6, home + 7), (home + 2, home)):
            if target == to and not (board[FISCHER] and board[KIND + ROOK] & square_bit(to)):
                return rook
            if target == rook and not board[FISCHER]:
                return rook
    return -1


@inner
def may_castle(board, side, rook):
    """Whether castling with the rook on a square is legal."""
    occupied, own_king = board[WHITE] | board[BLACK], board[side] & board[KIND + KING_ROLE]
    if board[RIGHTS] & board[side] & square_bit(rook) == NOTHING:
        return False
    if attackers(board, lowest_square(own_king), 1 - side, occupied):
        return False
    return can_castle(board, side, rook, attacked_by(board, 1 - side, occupied ^ own_king))


@inner
def _read_castling(board, text, start, last):
    """Castling as O-O or O-O-O, all with the letter or all with the digit."""
    length = last - start
    if length != 3 and length != 5:
        return NO_MOVE
    for place in range(1, length):
        if text[start + place] != (_HYPHEN if place & 1 else text[start]):
            return NO_MOVE
    side = np.int64(board[TURN])
    king = lowest_square(board[side] & board[KIND + KING_ROLE])
    left = board[RIGHTS] & board[side]
    while left:
        rook = lowest_square(left)
        if (rook < king) == (length == 5) and may_castle(board, side, rook):
            return king | rook << 6
        left &= left - ONE
    return NO_MOVE
