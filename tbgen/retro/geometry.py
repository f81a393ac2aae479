"""Geometry: what every kernel must know about a material's men, axes and kings.

A word of a block is numbered by its axes: white king, then the other men. `men` are those others, in
the order of the axes; the black king is the bits of a word, and pawns belong to the block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import small
from tbgen.index.layout import Layout
from tbgen.index.squares import KING_TO, SYMMETRY, TRIANGLE, TRIANGLE_INDEX
from tbgen.index.words import NOTHING, square_bit
from tbgen.score import Color

Ints = npt.NDArray[np.int64]

WHITE = int(Color.WHITE)
BLACK = int(Color.BLACK)
NOBODY = -1


class Geometry(NamedTuple):
    """The axes of a material's blocks, for kernels."""

    role: Ints
    color: Ints
    stride: Ints
    twin_start: Ints
    """[man] -> first man of its group of equal men."""
    twin_end: Ints
    king_square: Ints
    king_count: Ints
    """[white king index] -> how many king steps there are."""
    king_index: Ints
    """[white king index, step] -> white king index after the step and the symmetry that follows it."""
    king_image: Ints
    """[white king index, step] -> that symmetry. A step to the long diagonal has two of them."""
    king_stride: int
    words: int
    pawn_color: Ints


def geometry_of(layout: Layout) -> Geometry:
    """The geometry of a layout."""
    start = layout.pawns + 1
    men = layout.slots[start:-1]
    stride = np.array([64 ** (len(men) - 1 - n) for n in range(len(men))], np.int64)
    twin_start, twin_end = np.arange(len(men)), np.arange(len(men)) + 1
    for first, end in layout.twins:
        twin_start[first - start : end - start] = first - start
        twin_end[first - start : end - start] = end - start
    return Geometry(
        np.array([int(role) for _, role in men], np.int64),
        np.array([int(color) for color, _ in men], np.int64),
        stride,
        twin_start.astype(np.int64),
        twin_end.astype(np.int64),
        *_king_steps(bool(layout.pawns)),
        int(64 ** len(men)),
        layout.block_words,
        np.array([int(color) for color, _ in layout.slots[: layout.pawns]], np.int64),
    )


def _king_steps(all_squares: bool) -> tuple[Ints, Ints, Ints, Ints]:
    squares = list(range(64)) if all_squares else list(TRIANGLE)
    count = np.zeros(len(squares), np.int64)
    index, symmetry = np.zeros((len(squares), 16), np.int64), np.zeros((len(squares), 16), np.int64)
    for n, square in enumerate(squares):
        for to in KING_TO[square][KING_TO[square] >= 0].tolist():
            for t in [0] if all_squares else range(8):
                target = int(SYMMETRY[t, to])
                if all_squares or target in TRIANGLE:
                    index[n, count[n]] = target if all_squares else int(TRIANGLE_INDEX[target])
                    symmetry[n, count[n]] = t
                    count[n] += 1
    return np.array(squares, np.int64), count, index, symmetry


@small
def unpack_men(geometry, word, men):
    """Write the squares of the other men of a word into `men`."""
    for n in range(len(geometry.stride)):
        men[n] = word // geometry.stride[n] & 63


@small
def king_of(geometry, word):
    """The white king's square in a word."""
    return geometry.king_square[word // geometry.king_stride]


@small
def occupied_by(geometry, word, men, block_pawns):
    """All men but the black king as a set, or NOTHING where two stand on one square or equal men are out of order."""
    occupied = block_pawns
    bit = square_bit(king_of(geometry, word))
    if occupied & bit:
        return NOTHING
    occupied |= bit
    for n in range(len(geometry.role)):
        bit = square_bit(men[n])
        if occupied & bit or (n > geometry.twin_start[n] and men[n] < men[n - 1]):
            return NOTHING
        occupied |= bit
    return occupied


@small
def word_after(geometry, word, men, man, to):
    """The word in which `man` stands on `to`, equal men in ascending order again."""
    first, end = geometry.twin_start[man], geometry.twin_end[man]
    if end - first == 1:
        return word + (to - men[man]) * geometry.stride[man]
    place = man
    while place + 1 < end and men[place + 1] < to:
        word += (men[place + 1] - men[place]) * geometry.stride[place]
        place += 1
    if place == man:
        while place > first and men[place - 1] > to:
            word += (men[place - 1] - men[place]) * geometry.stride[place]
            place -= 1
    return word + (to - men[place]) * geometry.stride[place]


@small
def word_after_king(geometry, word, men, step):
    """The word after a step of the white king, brought back by the step's symmetry."""
    king = word // geometry.king_stride
    symmetry = geometry.king_image[king, step]
    result = geometry.king_index[king, step] * geometry.king_stride
    if symmetry == 0:
        return result + word % geometry.king_stride
    for n in range(len(geometry.role)):
        first, end = geometry.twin_start[n], geometry.twin_end[n]
        square = SYMMETRY[symmetry, men[n]]
        place = first
        for other in range(first, end):
            place += SYMMETRY[symmetry, men[other]] < square
        result += square * geometry.stride[place]
    return result

