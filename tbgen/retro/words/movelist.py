"""Move lists of a word: noted one by one, then counted for 64 positions at once.

The counts stand upright in bit planes: adding a move to all lanes in which it is legal is a few word operations,
and only at the end are the planes spread to one code per cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner, small
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit

MOST_SLOTS = 8
"""Men of a position at most."""

NO_SLOT = -1
PLANES = 8
NO_ROLE = 0
SLOT, TO, GONE, ROLE, DOUBLE = range(5)
MOST_MOVES = 512


class Scratch(NamedTuple):
    """What one thread needs while it looks at one word."""

    men: npt.NDArray[np.int64]
    now: npt.NDArray[np.int64]
    """[slot] the squares of the position at hand."""
    there: npt.NDArray[np.int64]
    lanes: npt.NDArray[np.uint64]
    """[move] the lanes in which it is legal, and what it is:"""
    moves: npt.NDArray[np.int64]
    """[move, field] SLOT that moves, square TO, slot GONE, new ROLE (or none), whether a DOUBLE step."""
    noted: npt.NDArray[np.int64]
    planes: npt.NDArray[np.uint64]
    """The move counts of 64 lanes, bit-sliced."""
    captures: npt.NDArray[np.uint64]
    """[pawn] the lanes in which it may take en passant."""
    status: npt.NDArray[np.int64]


def new_scratch(men: int) -> Scratch:
    """Scratch space for a material with so many other men."""
    return Scratch(
        np.zeros(men, np.int64),
        np.zeros(MOST_SLOTS, np.int64),
        np.zeros(2 * MOST_SLOTS, np.int64),
        np.zeros(MOST_MOVES, np.uint64),
        np.zeros((MOST_MOVES, 5), np.int64),
        np.zeros(1, np.int64),
        np.zeros(PLANES, np.uint64),
        np.zeros(MOST_SLOTS, np.uint64),
        np.zeros(1, np.int64),
    )


@inlined
def note_move(scratch, lanes, slot, to, gone, role, double):
    """Note a move, if it is legal anywhere; `gone` is NO_SLOT and the rest 0 for a quiet move."""
    if lanes:
        n = scratch.noted[0]
        scratch.noted[0] = n + 1
        scratch.lanes[n] = lanes
        move = scratch.moves[n]
        move[SLOT], move[TO], move[GONE], move[ROLE], move[DOUBLE] = slot, to, gone, role, double


@small
def add_move(planes, lanes):
    """Add one move to the count of every lane."""
    for plane in range(PLANES):
        carry = planes[plane] & lanes
        planes[plane] ^= lanes
        lanes = carry
        if lanes == NOTHING:
            return


@inner
def write_codes(block, scratch, side, word):
    """Spread the bit-sliced counts to one code per cell."""
    lanes, planes = block.legal[side, word], scratch.planes
    lowest = np.int64(255)
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        moves = np.int64(0)
        for plane in range(PLANES):
            moves |= np.int64(planes[plane] >> np.uint64(square) & ONE) << plane
        code = 2 * moves + (0 if block.check[side, word] & square_bit(square) else 1)
        block.code[side, word * 64 + square] = code
        lowest = min(lowest, code)
    block.next_code[side, word] = lowest
