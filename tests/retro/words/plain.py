"""Words written plainly: positions as squares, sets as sets, and moves by python-chess."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import SupportsInt

import chess
import numpy as np

from tbgen.compiled.arrays import Ints
from tbgen.index.layout import layout_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material
from tbgen.men import Role
from tbgen.retro.words.block import Block, enter_block, find_legal, new_block
from tbgen.retro.words.geometry import geometry_of
from tests.positions import board_of

Cell = tuple[int, int]
"""A word, and the black king's square in it."""


def squares_in(word: SupportsInt) -> set[int]:
    """The squares of a word."""
    return {square for square in range(64) if int(word) >> square & 1}


def word_of(squares: Iterable[int]) -> np.uint64:
    """The word that has some squares."""
    return np.uint64(sum(1 << square for square in squares))


def cells_in(words: np.ndarray) -> set[Cell]:
    """The cells of a set: [word] -> its squares."""
    return {(int(n), square) for n in np.flatnonzero(words) for square in squares_in(words[n])}


def holds(words: np.ndarray, cell: Cell) -> bool:
    """Whether a set has a cell."""
    word, king = cell
    return bool(int(words[word]) >> king & 1)


def image_of(square: int, flip_file: bool, flip_rank: bool, transpose: bool) -> int:
    """Where one of the eight symmetries brings a square."""
    rank, file = divmod(square, 8)
    if flip_file:
        file = 7 - file
    if flip_rank:
        rank = 7 - rank
    return 8 * file + rank if transpose else 8 * rank + file


class PlainBlock:
    """A block with its legal positions, and the quiet moves between them, one by one."""

    def __init__(self, name: str, number: int = 0) -> None:
        self.layout = layout_of(Material.parse(name))
        self.number = number
        self.geometry = geometry_of(self.layout)
        self.block: Block = new_block(self.geometry)
        self.men: Ints = np.zeros(self.layout.others, np.int64)
        enter_block(self.block, number, np.array(self.layout.blocks[number], np.int64))
        find_legal(self.block, self.men, 0, self.geometry.words)

    def squares_of(self, word: int, king: int) -> list[int]:
        """The square of each man, in the order of the slots."""
        cell = (2 * self.number * self.layout.block_words + word) * 64 + king
        return list(self.layout.squares_of(cell)[1])

    def cells_of(self, squares: list[int], *, turned: bool) -> set[Cell]:
        """The cells of a position: with every symmetry, or as the board lies."""
        flips: list[tuple[bool, ...]] = [(False, False, False)]
        if turned and not self.layout.pawns:
            flips = list(itertools.product((False, True), repeat=3))
        cells = set[Cell]()
        for flip in flips:
            images = [image_of(square, *flip) for square in squares]
            for start, end in self.layout.twins:
                images[start:end] = sorted(images[start:end])
            king, *men, black_king = images[self.layout.pawns :]
            if self.layout.pawns:
                word = king
            elif king in TRIANGLE:
                word = TRIANGLE.index(king)
            else:
                continue
            for square in men:
                word = word * 64 + square
            cells.add((word, black_king))
        return cells

    def cells_after(self, side: int, cell: Cell) -> Iterator[Cell]:
        """The cells that quiet moves of a side's men, but for pawns, lead to, legal or not.

        The board lies as it was, unless the white king has moved.
        """
        squares = self.squares_of(*cell)
        board = board_of(self.layout.slots, squares, side)
        white_king = self.layout.pawns
        for slot, (color, kind) in enumerate(self.layout.slots):
            if int(color) != side or kind is Role.PAWN:
                continue
            for to in chess.SquareSet(board.attacks_mask(squares[slot]) & ~board.occupied):
                moved = [*squares[:slot], to, *squares[slot + 1 :]]
                yield from self.cells_of(moved, turned=slot == white_king)
