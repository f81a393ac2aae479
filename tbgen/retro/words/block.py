"""Block: the arrays in which one placement of the pawns is solved.

Words are [side to move, word], cells [side to move, 64 * word + black king square]. What a side forces belongs to a
*forcer*, the side that forces; its opponent is the *defender* there. An outcome's *rank* counts from the forcer's best
(its own mate, 0) to its worst (the other's mate, 255).

Most cells are decided by the first class, mate, once and for all. The others are numbered, word by word, and only they
have labels: *places* are these numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import borrowing, inlined
from tbgen.arrays import Bytes, Int, Ints, Shorts, SignedBytes, Word, Words
from tbgen.index.words import NOTHING, ONE, count, lowest_square, square_bit
from tbgen.retro.words.geometry import Geometry


class Block(NamedTuple):
    """Where one block is solved; the arrays serve one block after another."""

    geometry: Geometry
    number: Ints
    """[0] which of the table's blocks it is."""
    pawns: Ints
    """[pawn] -> square."""
    pawn_set: Words
    """[0] the pawns as a set of squares."""
    occupied: Words
    """[word] all men but the black king; NOTHING where the word holds no position."""
    legal: Words
    """[side, word] legal positions."""
    check: Words
    """[side, word] legal positions in which the side to move is in check."""
    undecided: Words
    """[side, word] legal cells, not frozen yet, that neither side had forced when the level before was done."""
    frozen: Words
    """[side, word] undecided cells whose own code is the level being done."""
    resets: Words
    """[side, word] cells that have a reset."""
    numbered: Words
    """[side, word, MASK or FIRST] the cells that have places, and the place of the first of them."""
    code: Bytes
    """[side, cell] the position's own code."""
    next_code: Bytes
    """[side, word] no undecided cell has a lower code; 255 if there is none."""
    reset: SignedBytes
    """[side, cell] the mover's best outcome over resets, as a signed byte; 0 where there is no reset."""
    shortest: Shorts
    """[side, cell] plies to that outcome by the shortest such reset."""
    longest: Shorts
    """[side, cell] plies to it by the longest."""


MASK, FIRST = 0, 1


class BlockValues(NamedTuple):
    """A block's part of the table, which is filled in: [side * cells + cell]."""

    entry: SignedBytes
    dtg: Shorts


def new_block(geometry: Geometry) -> Block:
    """Arrays for the blocks of a material."""
    words, cells = geometry.words, geometry.words * 64
    return Block(
        geometry=geometry,
        number=np.zeros(1, np.int64),
        pawns=np.zeros(len(geometry.pawn_color), np.int64),
        pawn_set=np.zeros(1, np.uint64),
        occupied=np.zeros(words, np.uint64),
        legal=np.zeros((2, words), np.uint64),
        check=np.zeros((2, words), np.uint64),
        undecided=np.zeros((2, words), np.uint64),
        frozen=np.zeros((2, words), np.uint64),
        resets=np.zeros((2, words), np.uint64),
        numbered=np.zeros((2, words, 2), np.uint64),
        code=np.zeros((2, cells), np.uint8),
        next_code=np.zeros((2, words), np.uint8),
        reset=np.zeros((2, cells), np.int8),
        shortest=np.zeros((2, cells), np.uint16),
        longest=np.zeros((2, cells), np.uint16),
    )


@borrowing
def enter_block(block: Block, number: Int, squares: Ints) -> None:
    """Begin with another placement of the pawns, the table's block of this number."""
    block.number[0] = number
    block.pawn_set[0] = NOTHING
    for n in range(len(squares)):
        block.pawns[n] = squares[n]
        block.pawn_set[0] |= square_bit(squares[n])


@inlined
def place_of_cell(block: Block, side: Int, word: Int, square: Int) -> np.uint64:
    """The place of a numbered cell. Places are unsigned: numba would check a signed index for being negative."""
    mask, first = block.numbered[side, word, MASK], block.numbered[side, word, FIRST]
    place: np.uint64 = first + np.uint64(count(mask & (square_bit(square) - ONE)))
    return place


@borrowing
def number_cells(block: Block, first: int, end: int, place: int) -> int:
    """Give places, from one on, to the undecided cells of a range of words; returns the place after the last."""
    for side in range(2):
        for word in range(first, end):
            cells = block.undecided[side, word]
            block.numbered[side, word, MASK] = cells
            block.numbered[side, word, FIRST] = place
            place += count(cells)
    return place


@inlined
def find_resets(block: Block, side: Int, word: Int) -> Word:
    """Note which cells of a word have a reset."""
    lanes, found = block.legal[side, word], NOTHING
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        if block.reset[side, word * 64 + square]:
            found |= square_bit(square)
    block.resets[side, word] = found
    return found
