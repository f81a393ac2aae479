"""Kernels that say what own code a position has at least where there is no check and no pin: most need no more.

What does not depend on the white king is found once a row, when it is first asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.apps.records.counting import BEHIND, Men
from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import by_address, inner
from tbgen.index.squares import BETWEEN, KING_ATTACKS, PAWN_ATTACKS, REACHED
from tbgen.index.words import NOTHING, count, square_bit
from tbgen.material import Role
from tbgen.score import Color

UNKNOWN = 0
"""In place of a code: a check or a pin makes it something else."""
_IS_KNOWN, _MOVES, _SLIDERS, _MAY_BE_PINNED = 0, 1, 2, 3
_SAFE, _PUSHES, _OWN = 0, 1, 2
_PAWN, _KNIGHT, _KING = int(Role.PAWN), int(Role.KNIGHT), int(Role.KING)
_WHITE = int(Color.WHITE)
_MOST_BEHIND, _MOST_KNIGHTS = 7, 3
_EIGHT = np.uint64(8)


@by_address
class Bound(NamedTuple):
    """What the men of a row, the white king aside, say of a side's moves."""

    facts: npt.NDArray[np.int64]
    """Whether all of this is known, moves of men that are neither kings nor pawns, sliders, whether one may be pinned.
    """
    words: npt.NDArray[np.uint64]
    """Squares that are safe for its king, squares that its pawns can be pushed to, and those of its men."""
    reach: npt.NDArray[np.uint64]
    """[slider] -> squares that it attacks."""
    steps: npt.NDArray[np.uint64]
    """The same of all knights together."""


def no_bound() -> Bound:
    """Room for a side's bound."""
    return Bound(np.zeros(4, np.int64), np.zeros(3, np.uint64), np.zeros(8, np.uint64), np.zeros(1, np.uint64))


@inner
def reach_of(men: Men, squares: Ints, slot: Int, through: Int) -> Word:
    """The squares that a man attacks, past a man that is to be looked through (-1: none) and past the white king."""
    role, start = men.role[slot], squares[slot]
    reached: Word = PAWN_ATTACKS[men.color[slot], start] if role == _PAWN else REACHED[role, start]
    if role != _PAWN and role != _KNIGHT and role != _KING:
        for other in range(men.role.size):
            if other not in (men.pawns.size, slot, through):
                reached &= ~BEHIND[start, squares[other]]
    return reached


@inner
def forget_row(bound: Bound) -> None:
    """Make ready for another row."""
    bound.facts[_IS_KNOWN] = 0


@inner
def find_bound(men: Men, squares: Ints, occupied: Word, side: Int, bound: Bound) -> None:
    """Find what does not depend on the white king."""
    last = men.role.size - 1
    own, attacked, pushes, steps = NOTHING, NOTHING, NOTHING, NOTHING
    moves, sliders, pinned = 0, 0, 0
    for slot in range(men.role.size):
        if slot != men.pawns.size and men.color[slot] == side:
            own |= square_bit(squares[slot])
    for slot in range(men.role.size):
        if slot == men.pawns.size:
            continue
        role, start = men.role[slot], squares[slot]
        if men.color[slot] != side:
            attacked |= reach_of(men, squares, slot, last if side != _WHITE else -1)
            is_slider = role not in (_PAWN, _KNIGHT, _KING)
            if side != _WHITE and is_slider and REACHED[role, start] & square_bit(squares[last]):
                pinned |= BETWEEN[start, squares[last]] & own != NOTHING
        elif role == _PAWN:
            ahead = square_bit(start) << _EIGHT if side == _WHITE else square_bit(start) >> _EIGHT
            pushes |= ahead & ~occupied
        elif role != _KING:
            reached = reach_of(men, squares, slot, -1) & ~own
            moves += count(reached)
            if role == _KNIGHT:
                steps |= reached
            else:
                bound.reach[sliders] = reached
                sliders += 1
    bound.words[_SAFE], bound.words[_PUSHES], bound.words[_OWN], bound.steps[0] = ~(attacked | own), pushes, own, steps
    bound.facts[_MOVES], bound.facts[_SLIDERS], bound.facts[_MAY_BE_PINNED] = moves, sliders, pinned
    bound.facts[_IS_KNOWN] = 1


@inner
def least_code(men: Men, squares: Ints, occupied: Word, side: Int, bound: Bound, square: Int, is_safe: bool) -> int:
    """A code that the own one is no less than, or UNKNOWN; `square` is the white king's, `is_safe` says: no check."""
    if not is_safe:
        return UNKNOWN
    if bound.facts[_IS_KNOWN] == 0:
        find_bound(men, squares, occupied, side, bound)
    if bound.facts[_MAY_BE_PINNED]:
        return UNKNOWN
    king, other = square_bit(square), squares[men.role.size - 1]
    if side == _WHITE:
        for slot in range(men.role.size - 1):
            role = men.role[slot]
            if slot != men.pawns.size and men.color[slot] != side and role not in (_PAWN, _KNIGHT):
                start = squares[slot]
                if REACHED[role, start] & king and BETWEEN[start, square] & bound.words[_OWN]:
                    return UNKNOWN
    here, there = (square, other) if side == _WHITE else (other, square)
    moves = bound.facts[_MOVES] + count(KING_ATTACKS[here] & bound.words[_SAFE] & ~KING_ATTACKS[there])
    moves += count(bound.words[_PUSHES] & ~king)
    for n in range(bound.facts[_SLIDERS]):
        if bound.reach[n] & king:
            moves -= _MOST_BEHIND
    if bound.steps[0] & king:
        moves -= _MOST_KNIGHTS
    return int(2 * moves + 1)
