"""Move lists of a word: noted one by one, then counted for 64 positions at once.

The counts are bit-sliced (a plane for each binary digit): adding a move to all lanes in which it is legal takes a few
word operations, and only at the end are the planes spread to one code per cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import by_address, inlined, inner, small
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.words.block import Best, Block, new_best

MOST_SLOTS = 8
"""Men of a position at most, kings included; a power of two, for arrays that are indexed by slots."""

NO_SLOT = -1
"""In place of a slot, where nobody is captured, or nobody promotes."""

PLANES = 8
"""Bit planes of a count: no position has 256 moves."""

NO_ROLE = 0
SLOT, TO, GONE, ROLE, DOUBLE = range(5)
"""Fields of a move: the slot that moves, the square it goes to, the slot that is captured (or NO_SLOT), the role that a
pawn becomes (or NO_ROLE), whether it is a pawn's double step."""

MOST_MOVES = 512
"""Moves of one side in all the positions of a word, at most."""


@by_address
class Scratch(NamedTuple):
    """Scratch space of one thread while it looks at one word."""

    men: Ints
    """[man] the squares of the word's other men."""
    now: Ints
    """[slot] the squares of the position at hand."""
    there: Ints
    """[slot] the squares of its successor, as its table has them; as much again for an image of these."""
    lanes: Words
    """[move] the black king squares for which it is legal."""
    moves: Ints
    """[move, field] SLOT, TO, GONE, ROLE, DOUBLE."""
    noted: Ints
    """[0] how many moves are noted."""
    planes: Words
    """[plane] the move counts of 64 lanes, bit-sliced: bit n of lane x's count is bit x of plane n."""
    captures: Words
    """[pawn] the lanes in which it may take en passant."""
    folded: Best
    """[square] as far as the moves of the word have been folded."""
    with_reset: Words
    """The lanes that have one, as far as they have been folded."""
    next_reset: Ints
    """[side] the number of the next cell that has one."""
    status: Ints
    """[0] what has gone wrong, 0 for nothing."""


def new_scratch(men: int) -> Scratch:
    """Scratch space for a material with so many other men."""
    return Scratch(
        men=np.zeros(men, np.int64),
        now=np.zeros(MOST_SLOTS, np.int64),
        there=np.zeros(2 * MOST_SLOTS, np.int64),
        lanes=np.zeros(MOST_MOVES, np.uint64),
        moves=np.zeros((MOST_MOVES, 5), np.int64),
        noted=np.zeros(1, np.int64),
        planes=np.zeros(PLANES, np.uint64),
        captures=np.zeros(MOST_SLOTS, np.uint64),
        folded=new_best(64),
        with_reset=np.zeros(1, np.uint64),
        next_reset=np.zeros(2, np.int64),
        status=np.zeros(1, np.int64),
    )


@inlined
def note_move(scratch: Scratch, lanes: Word, slot: Int, to: Int, gone: Int, role: Int, double: Int) -> None:
    """Note a move, if it is legal anywhere. Of a quiet move only the lanes matter: it is counted and not folded."""
    if lanes:
        n = scratch.noted[0]
        scratch.noted[0] = n + 1
        scratch.lanes[n] = lanes
        move = scratch.moves[n]
        move[SLOT], move[TO], move[GONE], move[ROLE], move[DOUBLE] = slot, to, gone, role, double


@small
def add_move(planes: Words, lanes: Word) -> None:
    """Add one to the counts of some lanes: a ripple-carry addition, plane by plane."""
    for plane in range(PLANES):
        carry = planes[plane] & lanes
        planes[plane] ^= lanes
        lanes = carry
        if lanes == NOTHING:
            return


@inner
def write_codes(block: Block, scratch: Scratch, side: Int, word: Int) -> None:
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
