"""Block: the arrays in which one placement of the pawns is solved.

Words are [side to move, word], cells [side to move, 64 * word + black king square]. What a side forces belongs to a
*forcer*, the side that forces: the best outcome and in how many plies. A *label* is `rank << 16 | plies`, where an
outcome's rank counts from the forcer's best (its own mate, 0) to its worst (the other's mate, 255); a smaller
label is better, NO_LABEL is none.

Most cells are decided by the first class, mate, once and for all. The others are numbered, word by word, and only they
have labels: *places* are these numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import borrowing, inlined
from tbgen.index.words import NOTHING, ONE, count, lowest_square, square_bit
from tbgen.retro.words.geometry import Geometry

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

NO_LABEL = np.uint32(0xFFFFFFFF)


class Block(NamedTuple):
    """Where one block is solved; the arrays serve one block after another."""

    pawns: Ints
    pawn_set: Words
    occupied: Words
    """[word] all men but the black king; NOTHING where the word holds no position."""
    legal: Words
    check: Words
    open: Words
    """Legal cells whose own code is above the level just done."""
    undecided: Words
    """Open cells that neither side had forced when the level before was done."""
    frozen: Words
    """Undecided cells whose own code is the level being done."""
    resets: Words
    """Cells that have a reset."""
    numbered: Words
    """[side, word, MASK or FIRST] the cells that have places, and the place of the first of them."""
    code: npt.NDArray[np.uint8]
    next_code: npt.NDArray[np.uint8]
    """[side, word] no undecided cell that is open has a lower code; 255 if there is none."""
    reset: npt.NDArray[np.int8]
    """The mover's best outcome over resets, as a signed byte; 0 where there is no reset."""
    near: npt.NDArray[np.uint16]
    """Plies to that outcome by the shortest and by the longest reset."""
    far: npt.NDArray[np.uint16]


MASK, FIRST = 0, 1


class BlockValues(NamedTuple):
    """A block's part of the table: what is found."""

    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]


def new_block(geometry: Geometry) -> Block:
    """Arrays for the blocks of a material."""
    words, cells = geometry.words, geometry.words * 64
    return Block(
        np.zeros(len(geometry.pawn_color), np.int64),
        np.zeros(1, np.uint64),
        np.zeros(words, np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words, 2), np.uint64),
        np.zeros((2, cells), np.uint8),
        np.zeros((2, words), np.uint8),
        np.zeros((2, cells), np.int8),
        np.zeros((2, cells), np.uint16),
        np.zeros((2, cells), np.uint16),
    )


@borrowing
def enter_block(block, squares):
    """Begin with another placement of the pawns."""
    block.pawn_set[0] = NOTHING
    for n in range(len(squares)):
        block.pawns[n] = squares[n]
        block.pawn_set[0] |= square_bit(squares[n])


@inlined
def place_of(block, side, word, square):
    """The place of a numbered cell."""
    mask, first = block.numbered[side, word, MASK], block.numbered[side, word, FIRST]
    return first + np.uint64(count(mask & (square_bit(square) - ONE)))


@borrowing
def number_cells(block, first, end, place):
    """Give places, from one on, to the undecided cells of a range of words; returns the place after the last."""
    for side in range(2):
        for word in range(first, end):
            cells = block.undecided[side, word]
            block.numbered[side, word, MASK] = cells
            block.numbered[side, word, FIRST] = place
            place += count(cells)
    return place


@inlined
def find_resets(block, side, word):
    """Note which cells of a word have a reset."""
    lanes, found = block.legal[side, word], NOTHING
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        if block.reset[side, word * 64 + square]:
            found |= square_bit(square)
    block.resets[side, word] = found
    return found
