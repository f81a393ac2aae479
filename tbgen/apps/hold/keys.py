"""Boards packed into keys of five words, which a search can look up.

Boards are those of `tbgen.board.board`. A key has the men of White, three words whose bits together are the role on
each square, and a word for everything else: bit 0 the side to move, 1 the rules of Chess960, 2-7 and 8 the square of an
en passant right and whether there is one, 9-24 the rooks that may castle, 25-31 the square of the one man that its side
moves (ANY_MAN if it moves all), from 32 on a threshold.
"""

from __future__ import annotations

import numpy as np

from tbgen.board.board import (
    BISHOP,
    BLACK,
    CHESS960,
    EN_PASSANT,
    KIND,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RIGHTS,
    ROOK,
    TURN,
    WHITE,
    en_passant_takers,
)
from tbgen.compiled.arrays import Int, Words
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.words import NOTHING, ONE, lowest_square

KEY_WORDS = 5
META = 4
"""The word of a key that has what is not men."""
ANY_MAN = 64
MOVER_BIT, THRESHOLD_BIT = 25, 32

_FIRST_RANK = np.uint64(0xFF)
_SQUARE_BITS = np.uint64(63)
_MOVER_BIT, _MOVER_BITS, _THRESHOLD_BIT = np.uint64(MOVER_BIT), np.uint64(127), np.uint64(THRESHOLD_BIT)


@inner
def forget_idle_en_passant(board: Words) -> None:
    """Take away an en passant right that no legal move uses."""
    if board[EN_PASSANT] and en_passant_takers(board, np.int64(board[TURN])) == NOTHING:
        board[EN_PASSANT] = NOTHING


@inner
def pack(board: Words, threshold: Int, mover: Int, key: Words) -> None:
    """Write the key of a position with a threshold and the man that moves."""
    queens, kings = board[KIND + QUEEN], board[KIND + KING]
    key[0] = board[WHITE]
    key[1] = board[KIND + PAWN] | board[KIND + BISHOP] | queens
    key[2] = board[KIND + KNIGHT] | board[KIND + BISHOP] | kings
    key[3] = board[KIND + ROOK] | queens | kings
    meta = board[TURN] | board[CHESS960] << np.uint64(1) | np.uint64(threshold) << _THRESHOLD_BIT
    if board[EN_PASSANT]:
        meta |= np.uint64(lowest_square(board[EN_PASSANT])) << np.uint64(2) | ONE << np.uint64(8)
    rights = board[RIGHTS] & _FIRST_RANK | board[RIGHTS] >> np.uint64(56) << np.uint64(8)
    key[META] = meta | rights << np.uint64(9) | np.uint64(mover) << _MOVER_BIT


@borrowing
def unpack(key: Words, board: Words) -> Int:
    """Write the board of a key; its threshold."""
    white, low, middle, high, meta = key[0], key[1], key[2], key[3], key[META]
    board[WHITE], board[BLACK] = white, (low | middle | high) & ~white
    board[KIND + PAWN] = low & ~middle & ~high
    board[KIND + KNIGHT] = middle & ~low & ~high
    board[KIND + BISHOP] = low & middle
    board[KIND + ROOK] = high & ~low & ~middle
    board[KIND + QUEEN] = low & high
    board[KIND + KING] = middle & high
    board[TURN], board[CHESS960] = meta & ONE, meta >> ONE & ONE
    passant = meta >> np.uint64(2) & _SQUARE_BITS
    board[EN_PASSANT] = ONE << passant if meta >> np.uint64(8) & ONE else NOTHING
    rights = meta >> np.uint64(9)
    board[RIGHTS] = rights & _FIRST_RANK | (rights >> np.uint64(8) & _FIRST_RANK) << np.uint64(56)
    return np.int64(meta >> _THRESHOLD_BIT)


@inner
def side_to_move(key: Words) -> Int:
    """The side to move of a key."""
    return np.int64(key[META] & ONE)


@inner
def mover_of(key: Words) -> Int:
    """The square of the one man that moves, or ANY_MAN."""
    return np.int64(key[META] >> _MOVER_BIT & _MOVER_BITS)
