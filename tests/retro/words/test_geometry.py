"""Numbers of words, against squares that are sorted and put together plainly."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import borrowing
from tbgen.index.layout import layout_of
from tbgen.index.squares import SYMMETRY
from tbgen.material import Material
from tbgen.retro.words.geometry import (
    Geometry,
    geometry_of,
    unpack_men,
    word_after,
    word_among_twins,
    word_of_images,
)


@borrowing
def after(geometry: Geometry, word: Int, men: Ints, man: Int, to: Int) -> Int:
    unpack_men(geometry, word, men)
    return word_after(geometry, word, men, man, to)


@borrowing
def after_among_twins(geometry: Geometry, word: Int, men: Ints, man: Int, to: Int) -> Int:
    unpack_men(geometry, word, men)
    return word_among_twins(geometry, word, men, man, to)


@borrowing
def of_images(geometry: Geometry, symmetry: Int, king: Int, men: Ints) -> Int:
    return word_of_images(geometry, symmetry, king, men)


class Words:
    """Words of a material, put together from squares."""

    def __init__(self, name: str) -> None:
        self.layout = layout_of(Material.parse(name))
        self.geometry = geometry_of(self.layout)
        self.men = self.layout.others
        first = self.layout.pawns + 1
        self.twins = [(start - first, end - first) for start, end in self.layout.twins]

    def sorted_men(self, men: list[int]) -> list[int]:
        """The men with equal ones in ascending order."""
        result = list(men)
        for start, end in self.twins:
            result[start:end] = sorted(result[start:end])
        return result

    def number(self, king: int, men: list[int]) -> Int:
        """The word of a white king's index and other men: a digit to base 64 for each."""
        word = king
        for square in self.sorted_men(men):
            word = word * 64 + square
        return word

    def drawn(self, draw: np.random.Generator) -> tuple[int, list[int]]:
        """A white king's index, and other men on squares of their own."""
        men = draw.choice(64, self.men, replace=False).tolist()
        return int(draw.integers(0, 10)), self.sorted_men(men)


NAMES = ["KNNNvK", "KRRvKN", "KBNvKR", "KNNvKNN", "KPPPvKNN"]


@pytest.mark.parametrize("name", NAMES)
def test_a_man_moves_to_the_word_of_all_squares_in_order(name: str) -> None:
    words = Words(name)
    scratch = np.zeros(words.men, np.int64)
    draw = np.random.default_rng(5)
    for _ in range(300):
        king, men = words.drawn(draw)
        word = words.number(king, men)
        for man in range(words.men):
            to = int(draw.choice([square for square in range(64) if square not in men]))
            moved = [*men[:man], to, *men[man + 1 :]]
            assert after(words.geometry, word, scratch, man, to) == words.number(king, moved)


@pytest.mark.parametrize("name", ["KNNNvK", "KNNvKNN"])
def test_a_man_among_equal_ones_may_go_anywhere(name: str) -> None:
    words = Words(name)
    scratch = np.zeros(words.men, np.int64)
    men = [10, 20, 30, 40][: words.men]
    word = words.number(3, men)
    for man in range(words.men):
        for to in set(range(64)) - set(men):
            moved = [*men[:man], to, *men[man + 1 :]]
            expected = words.number(3, moved)
            assert after_among_twins(words.geometry, word, scratch, man, to) == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("symmetry", range(8))
def test_a_symmetry_leads_to_the_word_of_all_images_in_order(name: str, symmetry: int) -> None:
    words = Words(name)
    draw = np.random.default_rng(symmetry)
    for _ in range(50):
        king, men = words.drawn(draw)
        images = [int(SYMMETRY[symmetry, square]) for square in men]
        found = of_images(words.geometry, symmetry, king, np.array(men, np.int64))
        assert found == words.number(king, images)
