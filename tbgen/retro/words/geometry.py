"""Geometry: what every kernel must know about a material's men, axes and kings.

A word of a block is numbered by its axes: white king, then the other men. `men` are those others,
in the order of the axes; the black king is the bits of a word, and pawns belong to the block.
"""

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import by_address, inlined
from tbgen.index.layout import Layout
from tbgen.index.squares import (
    KING_TO,
    LIGHT_BISHOP,
    SYMMETRY,
    TRIANGLE,
    Rays,
    is_light,
    rays_of,
)
from tbgen.index.words import NOTHING, square_bit
from tbgen.men import AnyMan, Role
from tbgen.score import Color

WHITE = int(Color.WHITE)
BLACK = int(Color.BLACK)

MOST_KING_STEPS = 16
"""Steps of a king to at most eight squares, with the symmetries back into the triangle.

A step has one or two.
"""


@by_address
class Geometry(NamedTuple):
    """The axes of a material's blocks, for kernels."""

    color: Ints
    rays: Rays
    shift: Ints
    """[man] a step of one square is 1 << shift words."""
    light: Ints
    """[man, square] what the man there adds to the number of the shade."""
    twin_start: Ints
    """[man] -> first man of its group of equal men."""
    twin_end: Ints
    """[man] -> the man after the last of that group."""
    king_square: Ints
    """[white king index] -> its square."""
    king_count: Ints
    """[white king index] -> how many king steps there are."""
    king_index: Ints
    """[white king index, step] -> white king index after the step and its symmetry."""
    king_image: Ints
    """[white king index, step] -> that symmetry. A step to the long diagonal has two of them."""
    king_shift: int
    """A word's number, shifted so far to the right, is its white king index."""
    words: int
    pawn_color: Ints


class Walker(NamedTuple):
    """A man that moves, as his rays need him."""

    man: Int
    shift: Int
    """A step of one square is 1 << shift words."""
    from_a1: Int
    """The word in which the man stands on a1, if he has no equal."""
    has_twins: bool


def geometry_of(layout: Layout) -> Geometry:
    start = layout.pawns + 1
    men = layout.slots[start:-1]
    shift = np.array([6 * (len(men) - 1 - n) for n in range(len(men))], np.int64)
    twin_start = np.array(layout.twin_start[start:-1], np.int64) - start
    twin_end = np.arange(len(men)) + 1
    for first, end in layout.twins:
        twin_end[first - start : end - start] = end - start
    king_square, king_count, king_index, king_image = _king_steps(bool(layout.pawns))
    return Geometry(
        color=np.array([int(color) for color, _ in men], np.int64),
        rays=rays_of([role for _, role in men]),
        shift=shift,
        light=np.array([_light(*man) for man in men], np.int64).reshape(len(men), 64),
        twin_start=twin_start,
        twin_end=twin_end.astype(np.int64),
        king_square=king_square,
        king_count=king_count,
        king_index=king_index,
        king_image=king_image,
        king_shift=6 * len(men),
        words=layout.block_words,
        pawn_color=np.array([int(color) for color, _ in layout.slots[: layout.pawns]], np.int64),
    )


def _light(color: Color, role: AnyMan) -> list[int]:
    """[square] what a man there adds to the number of the shade."""
    if role is not Role.BISHOP:
        return [0] * 64
    return [LIGHT_BISHOP[color] * is_light(square) for square in range(64)]


@cache
def _king_steps(all_squares: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """[king index] -> square, number of steps; [king index, step] -> index after it, symmetry."""
    squares = list(range(64)) if all_squares else list(TRIANGLE)
    symmetries = [0] if all_squares else range(8)
    count = np.zeros(len(squares), np.int64)
    index = np.zeros((len(squares), MOST_KING_STEPS), np.int64)
    symmetry = np.zeros((len(squares), MOST_KING_STEPS), np.int64)
    for king, square in enumerate(squares):
        steps = KING_TO[square][KING_TO[square] >= 0].tolist()
        for to, by in itertools.product(steps, symmetries):
            image = int(SYMMETRY[by, to])
            if image in squares:
                index[king, count[king]] = squares.index(image)
                symmetry[king, count[king]] = by
                count[king] += 1
    return np.array(squares, np.int64), count, index, symmetry


@inlined
def unpack_men(geometry: Geometry, word: Int, men: Ints) -> None:
    """Write the squares of the other men of a word into `men`."""
    for n in range(len(men)):
        men[n] = (word >> geometry.shift[n]) & 63


@inlined
def king_of(geometry: Geometry, word: Int) -> Int:
    """The white king's square in a word."""
    return geometry.king_square[word >> geometry.king_shift]


@inlined
def shade_of(geometry: Geometry, men: Ints) -> Int:
    """The number of a word's shade."""
    shade = 0
    for n in range(len(men)):
        shade += geometry.light[n, men[n]]
    return shade


@inlined
def occupied_by(geometry: Geometry, word: Int, men: Ints, pawn_set: Word) -> Word:
    """All men but the black king as a set.

    It is NOTHING where two stand on one square, or equal men are out of order.
    """
    occupied = pawn_set
    bit = square_bit(king_of(geometry, word))
    if occupied & bit:
        return NOTHING
    occupied |= bit
    for n in range(len(men)):
        bit = square_bit(men[n])
        if occupied & bit or (n > geometry.twin_start[n] and men[n] < men[n - 1]):
            return NOTHING
        occupied |= bit
    return occupied


@inlined
def has_twins(geometry: Geometry, man: Int) -> bool:
    """Whether there is another man equal to this one."""
    return bool(geometry.twin_end[man] - geometry.twin_start[man] > 1)


@inlined
def word_after(geometry: Geometry, word: Int, men: Ints, man: Int, to: Int) -> Int:
    if has_twins(geometry, man):
        return word_among_twins(geometry, word, men, man, to)
    return word + ((to - men[man]) << geometry.shift[man])


# What a man's moves have in common is worked out once for all his rays: the innermost loops of the
# solver add no more than his square to it.
@inlined
def walker_of(geometry: Geometry, word: Int, men: Ints, man: Int) -> Walker:
    """A man of a word, about to move."""
    shift = geometry.shift[man]
    return Walker(
        man=man,
        shift=shift,
        from_a1=word - (men[man] << shift),
        has_twins=has_twins(geometry, man),
    )


@inlined
def word_on(geometry: Geometry, word: Int, men: Ints, walker: Walker, to: Int) -> Int:
    """The word in which the walker stands on `to`."""
    if walker.has_twins:
        return word_among_twins(geometry, word, men, walker.man, to)
    return walker.from_a1 + (to << walker.shift)


# Equal men stand in ascending order, so a move past an equal man makes the two swap slots in the
# word's number.
@inlined
def word_among_twins(geometry: Geometry, word: Int, men: Ints, man: Int, to: Int) -> Int:
    """The word in which `man`, one of several equal men, stands on `to`."""
    slot = man
    while slot + 1 < geometry.twin_end[man] and men[slot + 1] < to:
        word += (men[slot + 1] - men[slot]) << geometry.shift[slot]
        slot += 1
    if slot == man:
        while slot > geometry.twin_start[man] and men[slot - 1] > to:
            word += (men[slot - 1] - men[slot]) << geometry.shift[slot]
            slot -= 1
    return word + ((to - men[slot]) << geometry.shift[slot])


@inlined
def word_of_images(geometry: Geometry, symmetry: Int, king_index: Int, men: Ints) -> Int:
    """The word of a white king's index and of the images of the other men."""
    result = king_index << geometry.king_shift
    for n in range(len(men)):
        square = SYMMETRY[symmetry, np.uint64(men[n])]
        slot = n
        if has_twins(geometry, n):
            slot = geometry.twin_start[n]
            for twin in range(geometry.twin_start[n], geometry.twin_end[n]):
                if SYMMETRY[symmetry, men[twin]] < square:
                    slot += 1
        result += square << geometry.shift[np.uint64(slot)]
    return result


@inlined
def word_after_king(geometry: Geometry, word: Int, men: Ints, step: Int) -> Int:
    """The word after a step of the white king, brought back by the step's symmetry."""
    king = word >> geometry.king_shift
    symmetry = geometry.king_image[king, step]
    index = geometry.king_index[king, step]
    if symmetry == 0:
        return word + ((index - king) << geometry.king_shift)
    return word_of_images(geometry, symmetry, index, men)
