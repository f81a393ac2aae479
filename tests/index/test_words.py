"""Word algebra against sets of squares and loops."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tbgen.index.squares import SYMMETRY
from tbgen.index.words import (
    ONE,
    image,
    king_step,
    lowest_square,
)
from tbgen.men import Role


def squares_of(word: int) -> set[int]:
    return {square for square in range(64) if int(word) >> square & 1}


def word_of(squares: Iterable[int]) -> np.uint64:
    return np.uint64(sum(1 << square for square in squares))


def _words() -> list[np.uint64]:
    """None, each single square, with a1, with h8, all but it, ranks, files, and random words of
    several densities.
    """
    singles = [1 << square for square in range(64)]
    everything = 2**64 - 1
    words = [
        0,
        everything,
        *singles,
        *[word | 1 for word in singles],
        *[word | 1 << 63 for word in singles],
    ]
    words += [everything ^ word for word in singles]
    words += [0xFF << 8 * rank for rank in range(8)] + [
        0x0101010101010101 << file for file in range(8)
    ]
    random = np.random.default_rng(11)
    for density in (0.05, 0.2, 0.5, 0.8, 0.95):
        drawn = random.random((60, 64)) < density
        words += [sum(1 << int(square) for square in np.flatnonzero(row)) for row in drawn]
    return [np.uint64(word) for word in words]


WORDS = _words()


def test_taking_the_lowest_square_again_and_again_lists_the_word() -> None:
    for word in WORDS:
        listed, left = [], word
        while left:
            listed.append(int(lowest_square(left)))
            left &= left - ONE
        assert listed == sorted(squares_of(word))


def test_a_king_step_moves_every_square_that_stays_on_the_board() -> None:
    for direction, (file_step, rank_step, _) in enumerate(Role.KING.rays):
        for word in WORDS:
            expected = {
                square + file_step + 8 * rank_step
                for square in squares_of(word)
                if 0 <= square % 8 + file_step < 8 and 0 <= square // 8 + rank_step < 8
            }
            assert squares_of(king_step(word, direction)) == expected


def test_an_image_has_the_images_of_the_squares() -> None:
    for symmetry in range(8):
        for word in WORDS:
            assert image(word, symmetry) == word_of(
                int(SYMMETRY[symmetry, square]) for square in squares_of(word)
            )
