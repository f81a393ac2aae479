"""Kernels of the index: the primary cell of a position, and outcomes as numbers.

A group of equal men is known by its first slot: `twin_start[slot]`, the slot itself for a man
without an equal.

Signed bytes and rows of outcomes are those of outcomes.py. A *goal* is an outcome as a *forcer*
numbers it, a side that forces something: 0 is its own mate, the best, 255 (WORST_GOAL) the other
side's. So a forcer prefers the smaller goal.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import by_address, inlined, small
from tbgen.index import layout, outcomes, placements, primary
from tbgen.index.layout import ON_DIAGONAL
from tbgen.index.placements import BY_KING, INTO_TRIANGLE
from tbgen.index.squares import NOWHERE, RAY, SYMMETRY, TRANSPOSE, TRIANGLE_INDEX, Rays, bits_of
from tbgen.index.words import EVERYTHING, NOTHING, square_bit
from tbgen.men import MOST_RAYS
from tbgen.score import Color

DIAGONAL = np.uint64(bits_of(ON_DIAGONAL))
NOT_BEYOND_DIAGONAL = np.uint64(bits_of(np.arange(64) <= SYMMETRY[TRANSPOSE]))
"""Squares that are no higher than their image in the long diagonal."""
_LEFT_HALF = np.uint64(bits_of(np.arange(64) % 8 < 4))
_IN_TRIANGLE = np.uint64(bits_of(TRIANGLE_INDEX >= 0))


how_turned = small(placements.how_turned)
turn_to_primary = inlined(primary.turn_to_primary)
SYMMETRY_ROWS = SYMMETRY.ravel()
TURNS_ROWS = layout.TURNS.ravel()
"""The tables of `turn_to_primary`."""
by_address(Rays)


@inlined
def rays_start(man: Int, square: Int) -> np.uint64:
    """Where the rays of a man on a square begin in `Rays.paths`."""
    return np.uint64((man * 64 + square) * (MOST_RAYS * RAY))


@inlined
def attacks_of(rays: Rays, man: Int, square: Int, occupied: Word) -> Word:
    """The squares that a man attacks (not a pawn)."""
    attacked = NOTHING
    path = rays_start(man, square)
    for _ in range(rays.counts[man]):
        for at in range(path, path + np.uint64(RAY)):
            to = np.int64(rays.paths[at])
            if to == NOWHERE:
                break
            attacked |= square_bit(to)
            if occupied & square_bit(to):
                break
        path += np.uint64(RAY)
    return attacked


@small
def has_two_cells(how: Int, king: Int) -> bool:
    """Whether positions with the white king on this square of a block have a second cell there."""
    return how == BY_KING or (how == INTO_TRIANGLE and king % 9 == 0)


# words are sets of squares; `compared` is the answer of `beside_image`
@small
def primary_black_kings(how: Int, king: Int, compared: Int) -> Word:
    """The black king's squares in primary cells.

    `compared` matters on the diagonal alone, and leaves that king out.
    """
    if how == BY_KING:
        return NOTHING if king & 4 else EVERYTHING
    if how == INTO_TRIANGLE and king % 9 == 0 and compared >= 0:
        return NOTHING if compared else NOT_BEYOND_DIAGONAL
    return EVERYTHING


@small
def primary_white_kings(how: Int, compared: Int) -> Word:
    """The white king's squares in primary cells of the other men; `compared` takes all of these."""
    if how == BY_KING:
        return _LEFT_HALF
    if how == INTO_TRIANGLE:
        return _IN_TRIANGLE & ~DIAGONAL if compared > 0 else _IN_TRIANGLE
    return EVERYTHING


@small
def are_in_order(squares: Ints, twin_start: Ints, first: Int, end: Int) -> bool:
    """Whether equal men of the slots from `first` up to `end` ascend."""
    ordered = True
    for slot in range(first + 1, end):
        ordered &= twin_start[slot] == slot or squares[slot - 1] < squares[slot]
    return ordered


@small
def sort_twins(squares: Ints, twin_start: Ints, first: Int, end: Int) -> None:
    """Bring equal men of the slots from `first` up to `end` into ascending order."""
    for slot in range(first + 1, end):
        at = slot
        square = squares[slot]
        while at > twin_start[slot] and squares[at - 1] > square:
            squares[at] = squares[at - 1]
            at -= 1
        squares[at] = square


@small
def beside_image(squares: Ints, twin_start: Ints, first: Int, end: Int, images: Ints) -> int:
    """Compare the men of some slots with their image in the long diagonal, left in `images`.

    The slots are those from `first` up to `end`. Returns -1 if the men are less, 0 if both are
    equal, 1 if the image is less.
    """
    for slot in range(first, end):
        images[slot] = SYMMETRY[TRANSPOSE, squares[slot]]
    sort_twins(images, twin_start, first, end)
    for slot in range(first, end):
        if squares[slot] != images[slot]:
            return -1 if squares[slot] < images[slot] else 1
    return 0


GOALS: Final = 256
WORST_GOAL: Final = GOALS - 1
_WHITE: Final = int(Color.WHITE)

row_of_byte = small(outcomes.row_of_byte)


@small
def goal_of_byte(byte: Int, forcer: Int) -> Int:
    """The goal for a forcer of an outcome's signed byte.

    Its own outcome of code k has goal k, the other side's has 255 - k.
    """
    goal = byte - 1 if byte > 0 else WORST_GOAL + 1 + byte
    return goal if forcer == _WHITE else WORST_GOAL - goal


@small
def byte_of_goal(goal: Int, forcer: Int) -> Int:
    """The signed byte of the outcome that has this goal for a forcer."""
    if forcer != _WHITE:
        goal = WORST_GOAL - goal
    return goal + 1 if goal < GOALS // 2 else goal - GOALS
