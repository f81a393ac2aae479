"""Word algebra: the 64 squares of the black king are the 64 bits of a word."""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import ones, small, trailing_zeros

NOTHING = np.uint64(0)
EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)

NOT_A_FILE = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_H_FILE = np.uint64(0x7F7F7F7F7F7F7F7F)
_KING_SHIFTS = np.array([8, 1, -8, -1, 9, -7, -9, 7], np.int64)
"""[direction] -> the number of bits by which a king step shifts a word to the left."""
_STAYING = np.array(
    [~NOTHING, NOT_H_FILE, ~NOTHING, NOT_A_FILE, NOT_H_FILE, NOT_H_FILE, NOT_A_FILE, NOT_A_FILE]
)
"""[direction] -> the squares from which that step stays on the board."""
_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)
_7 = np.uint64(7)
_8 = np.uint64(8)
_14 = np.uint64(14)
_16 = np.uint64(16)
_28 = np.uint64(28)
_32 = np.uint64(32)
_ODD = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x00FF00FF00FF00FF)
_SHORTS = np.uint64(0x0000FFFF0000FFFF)
_SWAP4 = np.uint64(0x0F0F0F0F00000000)
_SWAP2 = np.uint64(0x3333000033330000)
_SWAP1 = np.uint64(0x5500550055005500)


@small
def square_bit(square: Int) -> Word:
    return ONE << np.uint64(square)


@small
def lowest_square(word: Word) -> int:
    """The lowest square of a word that is not empty."""
    return trailing_zeros(word)


@small
def lowest_and_rest(word: Word) -> tuple[int, Word]:
    """The lowest square of a word that is not empty, and the word without it."""
    return trailing_zeros(word), word & (word - ONE)


@small
def count(word: Word) -> int:
    """The number of squares in a word."""
    return ones(word)


@small
def king_step(word: Word, direction: Int) -> Word:
    """Every square moved by one king step; steps off the board vanish.

    Directions are those of Role.KING.rays.
    """
    shift = _KING_SHIFTS[direction]
    staying = word & _STAYING[direction]
    if shift > 0:
        return staying << np.uint64(shift)
    return staying >> np.uint64(-shift)


@small
def king_spread(word: Word) -> Word:
    """The squares a king step away from any square of the word."""
    sides = ((word & NOT_H_FILE) << _1) | ((word & NOT_A_FILE) >> _1)
    row = word | sides
    return sides | (row << _8) | (row >> _8)


@small
def flip_file(word: Word) -> Word:
    word = ((word >> _1) & _ODD) | ((word & _ODD) << _1)
    word = ((word >> _2) & _PAIRS) | ((word & _PAIRS) << _2)
    return ((word >> _4) & _NIBBLES) | ((word & _NIBBLES) << _4)


@small
def flip_rank(word: Word) -> Word:
    word = ((word >> _8) & _BYTES) | ((word & _BYTES) << _8)
    word = ((word >> _16) & _SHORTS) | ((word & _SHORTS) << _16)
    return (word >> _32) | (word << _32)


@small
def transpose(word: Word) -> Word:
    swap = _SWAP4 & (word ^ (word << _28))
    word ^= swap ^ (swap >> _28)
    swap = _SWAP2 & (word ^ (word << _14))
    word ^= swap ^ (swap >> _14)
    swap = _SWAP1 & (word ^ (word << _7))
    return word ^ swap ^ (swap >> _7)


@small
def image(word: Word, symmetry: Int) -> Word:
    """The image of every square under one of the eight symmetries of squares.py."""
    if symmetry & 1:
        word = flip_file(word)
    if symmetry & 2:
        word = flip_rank(word)
    if symmetry & 4:
        word = transpose(word)
    return word
