"""The kernel that counts: every position of a block, with either side to move.

`ids[side, n]` are the states of the places `first + n` of one block in the order of the file (storage/order.py):
the white king varies fastest, the black king slowest. A place of no position has some state or other, so the
kernel looks at the men themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inner, kernel
from tbgen.index.layout import Layout
from tbgen.index.squares import BETWEEN, KING_ATTACKS, PAWN_ATTACKS, REACHED, SYMMETRY, TRANSPOSE, TRIANGLE
from tbgen.material import Role

PLACEMENTS, CLASSES = 0, 1
"""What is counted: placements of labelled men on 64 squares, and of these only such as differ up to symmetry."""

_PAWN = int(Role.PAWN)
_TRIANGLE = np.array(TRIANGLE, np.int64)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


class Men(NamedTuple):
    """The men of a block by slots: pawns, white king, other men, black king."""

    role: npt.NDArray[np.int64]
    color: npt.NDArray[np.int64]
    pawns: npt.NDArray[np.int64]
    """Squares."""
    twins: npt.NDArray[np.int64]
    """[n] -> first and last + 1 slot of equal men that are not pawns."""
    orders: int
    """In how many orders equal men stand on the same squares."""
    is_own_mirror: int
    """Whether the pawns are; 1 without pawns."""


def men_of(layout: Layout, block: int) -> Men:
    """The men of one block."""
    role = np.array([int(role) for _, role in layout.slots], np.int64)
    color = np.array([int(color) for color, _ in layout.slots], np.int64)
    pawns = np.array(layout.blocks[block], np.int64)
    twins = np.array(layout.twins, np.int64).reshape(-1, 2)
    mirror = not layout.pawns or layout.is_own_mirror(layout.blocks[block])
    return Men(role, color, pawns, twins, layout.orders, int(mirror))


class Meanings(NamedTuple):
    """What the states mean, one entry a state."""

    rank: npt.NDArray[np.int64]
    """The higher, the better the outcome is for White."""
    entry: npt.NDArray[np.int64]
    dtg: npt.NDArray[np.int64]


class Counts(NamedTuple):
    """What has been counted so far."""

    states: npt.NDArray[np.int64]
    """[side, state, placements or classes]"""
    pairs: npt.NDArray[np.int64]
    """Mutual zugzwangs: [entry + 128 with White to move, with Black to move, whether both are played for, as above]"""
    longest: npt.NDArray[np.int64]
    """The mutual zugzwang played for longest: its longer and its shorter distance, its place in the block, and
    the number of its block, which is for the caller to fill in; -1 where there is none."""


def no_counts(states: int) -> Counts:
    """Counts of nothing yet."""
    return Counts(np.zeros((2, states, 2), np.int64), np.zeros((256, 256, 2, 2), np.int64), np.full(4, -1, np.int64))


@inner
def set_up(men, place, squares):
    """Put the men of a place on their squares."""
    pawns, slots = men.pawns.size, men.role.size
    kings = 64 if pawns else 10
    for slot in range(pawns):
        squares[slot] = men.pawns[slot]
    king = place % kings
    squares[pawns] = king if pawns else _TRIANGLE[king]
    place //= kings
    for slot in range(pawns + 1, slots):
        squares[slot] = place & 63
        place >>= 6


@inner
def occupied_by(squares):
    """The squares of all men as a word; nothing if two stand on one square."""
    occupied = _NONE
    for square in squares:
        bit = _ONE << np.uint64(square)
        if occupied & bit:
            return _NONE
        occupied |= bit
    return occupied


@inner
def is_attacked(men, squares, occupied, prey, color):
    """Whether the man of slot `prey` is attacked by a side's men, its king left out."""
    target = squares[prey]
    bit = _ONE << np.uint64(target)
    for slot in range(men.role.size):
        start, role = squares[slot], men.role[slot]
        if men.color[slot] != color or slot == men.pawns.size or slot == men.role.size - 1:
            continue
        reached = PAWN_ATTACKS[color, start] if role == _PAWN else REACHED[role, start]
        if reached & bit and BETWEEN[start, target] & occupied == _NONE:
            return True
    return False


@inner
def transposed(men, squares, other):
    """The squares of the men that are not pawns behind the long diagonal, equal men in ascending order."""
    for slot in range(squares.size):
        other[slot] = SYMMETRY[TRANSPOSE, squares[slot]]
    for twin in range(men.twins.shape[0]):
        for last in range(men.twins[twin, 0] + 1, men.twins[twin, 1]):
            n = last
            while n > men.twins[twin, 0] and other[n - 1] > other[n]:
                other[n - 1], other[n] = other[n], other[n - 1]
                n -= 1


@inner
def images_of(men, squares, other):
    """How many placements the symmetries make of a place's men, equal men not told apart; 0 if another place counts.

    Equal men ascend in the place that counts; where the white king leaves a choice of two places, the lesser one does.
    """
    pawns = men.pawns.size
    for twin in range(men.twins.shape[0]):
        for slot in range(men.twins[twin, 0] + 1, men.twins[twin, 1]):
            if squares[slot - 1] > squares[slot]:
                return 0
    if pawns:
        return 0 if men.is_own_mirror and squares[pawns] & 4 else 2
    if squares[0] % 9:
        return 8
    transposed(men, squares, other)
    for slot in range(1, squares.size):
        if squares[slot] != other[slot]:
            return 8 if squares[slot] < other[slot] else 0
    return 4


@inner
def classes_of(men, squares, images):
    """How many placements of labelled men differ up to symmetry among all those of a place."""
    if images != 4:
        return men.orders
    for square in squares:
        if square % 9:
            return men.orders // 2  # a reflection exchanges two equal men
    return men.orders


@inner
def count_pair(counts, meanings, white, black, place, images, classes):
    """Count men who do worse, whoever has to move."""
    if meanings.rank[white] >= meanings.rank[black]:
        return
    near = min(meanings.dtg[white], meanings.dtg[black])
    far = max(meanings.dtg[white], meanings.dtg[black])
    played = 1 if near > 0 else 0
    row = counts.pairs[meanings.entry[white] + 128, meanings.entry[black] + 128, played]
    row[PLACEMENTS] += images
    row[CLASSES] += classes
    longest = counts.longest
    if played and (far > longest[0] or (far == longest[0] and near > longest[1])):
        longest[0], longest[1], longest[2], longest[3] = far, near, place, -1


@kernel
def count_places(men, first, ids, meanings, counts):
    """Count the positions of a run of places; returns how many there are."""
    squares, other = np.zeros(men.role.size, np.int64), np.zeros(men.role.size, np.int64)
    white_king, black_king = men.pawns.size, men.role.size - 1
    positions = 0
    for n in range(ids.shape[1]):
        set_up(men, first + n, squares)
        occupied = occupied_by(squares)
        if occupied == _NONE or KING_ATTACKS[squares[white_king]] >> np.uint64(squares[black_king]) & _ONE:
            continue
        images = images_of(men, squares, other)
        if images == 0:
            continue
        classes = classes_of(men, squares, images)
        images *= men.orders
        white = not is_attacked(men, squares, occupied, black_king, 0)
        black = not is_attacked(men, squares, occupied, white_king, 1)
        if white:
            counts.states[0, ids[0, n], PLACEMENTS] += images
            counts.states[0, ids[0, n], CLASSES] += classes
        if black:
            counts.states[1, ids[1, n], PLACEMENTS] += images
            counts.states[1, ids[1, n], CLASSES] += classes
        if white and black:
            count_pair(counts, meanings, ids[0, n], ids[1, n], first + n, images, classes)
        positions += white + black
    return positions
