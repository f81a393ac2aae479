"""What an outcome is worth in a search, and what a position promises that is looked at no further.

The unit is a thousandth of a centipawn. A value is the greater the better it is for the side to move.
"""

from __future__ import annotations

import numpy as np

from tbgen.board.attacks import KING_ATTACKS, attacked_by
from tbgen.board.board import BLACK, KIND, KING, KNIGHT, PAWN, QUEEN, TURN, WHITE
from tbgen.compiled.arrays import Int, Words
from tbgen.compiled.jit import inner, small
from tbgen.index.words import ONE, count, lowest_square

CENTIPAWN = 1000
MATE = 20_000_000
"""A mate on the board; the plies that the search had left are added, so that a shorter way counts more."""
SURE_MATE = 19_000_000
"""A mate that a table promises."""
_SCORES = 1_200_000
"""A score is worth this, divided by its code and 2: stalemate 4 pawns, G1.5 2.4, G5.5 0.9. Neighbouring codes up to
100 differ by more than the plies of a search."""

_VALUES = np.array([0, 100, 300, 320, 500, 900, 0], np.int64) * CENTIPAWN
"""[role]"""
_PAWN_STEP, _ROOM, _NEARNESS = 6 * CENTIPAWN, 5 * CENTIPAWN, 4 * CENTIPAWN
"""What a step of a pawn is worth, a square for the king to go to, and a step of the stronger side's king towards it."""
_AHEAD = 250 * CENTIPAWN
"""From this advantage on, the stronger side brings its king near the other one."""


@small
def worth_of(code: Int) -> Int:
    """What a score is worth to its holder."""
    return SURE_MATE if code == 0 else _SCORES // (code + 2)


@small
def code_in(signed: Int) -> Int:
    """The code of a signed score."""
    return signed - 1 if signed > 0 else -signed - 1


@inner
def men_of(board: Words, side: Int) -> Int:
    """What the men of a side are worth, and the steps that its pawns have made."""
    total: Int = 0
    for role in range(KNIGHT, QUEEN + 1):
        total += count(board[side] & board[KIND + role]) * _VALUES[role]
    left = board[side] & board[KIND + PAWN]
    while left:
        rank = lowest_square(left) >> 3
        total += _VALUES[PAWN] + _PAWN_STEP * (6 - rank if side == BLACK else rank - 1)
        left &= left - ONE
    return total


@inner
def room_of(board: Words, side: Int) -> Int:
    """How many squares the king of a side may go to."""
    king = board[side] & board[KIND + KING]
    danger = attacked_by(board, 1 - side, (board[WHITE] | board[BLACK]) ^ king)
    return count(KING_ATTACKS[lowest_square(king)] & ~board[side] & ~danger)


@inner
def evaluation(board: Words, accrued: Int) -> Int:
    """What a position promises the side to move: what has accrued, the men, and how free the kings are."""
    ahead = men_of(board, WHITE) - men_of(board, BLACK)
    total = ahead + _ROOM * (room_of(board, WHITE) - room_of(board, BLACK))
    total += worth_of(code_in(accrued)) if accrued > 0 else -worth_of(code_in(accrued))
    if abs(ahead) >= _AHEAD:
        one, other = lowest_square(board[WHITE] & board[KIND + KING]), lowest_square(board[BLACK] & board[KIND + KING])
        near = 7 - max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))
        total += _NEARNESS * near if ahead > 0 else -_NEARNESS * near
    return -total if board[TURN] else total
