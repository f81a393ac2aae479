"""Word algebra against sets of squares and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import SupportsInt

import chess
import numpy as np

from tbgen.index.squares import SYMMETRY
from tbgen.index.words import (
    ONE,
    image,
    king_step,
    lowest_square,
)
from tbgen.men import Role


def squares_of(word: SupportsInt) -> set[int]:
    return {square for square in range(64) if int(word) >> square & 1}


def word_of(squares: Iterable[int]) -> np.uint64:
    return np.uint64(sum(1 << square for square in squares))


def _sets_of_squares() -> Iterator[set[int]]:
    """Sets at the edges of what a word holds, and random ones of several densities."""
    everything = set(range(64))
    yield set()
    yield everything
    for square in range(64):
        yield {square}
        yield {square, chess.A1}
        yield {square, chess.H8}
        yield everything - {square}
    for line in (*chess.BB_RANKS, *chess.BB_FILES):
        yield set(chess.SquareSet(line))
    random = np.random.default_rng(11)
    for density in (0.05, 0.2, 0.5, 0.8, 0.95):
        for row in random.random((60, 64)) < density:
            yield set(np.flatnonzero(row).tolist())


WORDS = [word_of(squares) for squares in _sets_of_squares()]


def test_taking_the_lowest_square_again_and_again_lists_the_word() -> None:
    for word in WORDS:
        listed = []
        left = word
        while left:
            listed.append(int(lowest_square(left)))
            left &= left - ONE
        assert listed == sorted(squares_of(word))


def test_a_king_step_moves_every_square_that_stays_on_the_board() -> None:
    for direction, (file_step, rank_step, _) in enumerate(Role.KING.rays):
        for word in WORDS:
            expected = set()
            for square in squares_of(word):
                file = square % 8 + file_step
                rank = square // 8 + rank_step
                if 0 <= file < 8 and 0 <= rank < 8:
                    expected.add(8 * rank + file)
            assert squares_of(king_step(word, direction)) == expected


def test_an_image_has_the_images_of_the_squares() -> None:
    for symmetry in range(8):
        for word in WORDS:
            squares = [int(SYMMETRY[symmetry, square]) for square in squares_of(word)]
            assert image(word, symmetry) == word_of(squares)
