"""Layout: every position of a material has a cell, and most of them exactly one.

A table is an array with the axes ::

    block | side to move | white king | the other men that are not pawns ... | black king

A *block* is one placement of the pawns (one block where there are none). The white king has 64
squares beside pawns and the 10 of the a1-d1-d4 triangle without them; every other man has 64. A
*slot* is a man's index in this order: pawns, white king, other men, black king.

Symmetry: without pawns the eight symmetries bring the white king into the triangle. With pawns the
mirror brings the leftmost pawn to the files a-d. Equal men stand in ascending order. Some positions
still have two cells (white king on the long diagonal, pawns equal to their own mirror). Such a
position belongs to the *primary* one, which `cell_of` returns. primary.py applies the rule, of
which the verifier has its own copy on purpose:

1. Its pawns' address (or that there are no pawns) says *how* the board is turned: as it is,
   mirrored, by the white king to the files a-d where the pawns equal their own mirror image, or by
   the white king into the triangle a1-d1-d4.
2. Equal men stand in ascending order.
3. If there are no pawns and the white king then stands on the long diagonal, the image in that
   diagonal has a cell as well. The primary one is the lesser: the first man that differs, in the
   order of the slots, has the lower square.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from tbgen.index.placements import (
    BY_KING,
    HOW_BITS,
    HOW_MASK,
    Addresses,
    AddressesByNumber,
    AddressesBySets,
    Blocks,
    Placements,
    Slot,
    Squares,
    blocks_of,
    every_placement,
    few_blocks_of,
    have_pairs,
    runs_of_equals,
)
from tbgen.index.primary import turn_to_primary
from tbgen.index.squares import (
    FLIP_FILE,
    SYMMETRY,
    TO_TRIANGLE,
    TRANSPOSE,
    TRIANGLE,
    TRIANGLE_INDEX,
)
from tbgen.material import Material, Scope, TableMaterial
from tbgen.men import Role
from tbgen.score import Color

_BY_KING: Final = np.where(np.arange(64) % 8 < 4, 0, FLIP_FILE)
TURNS: Final = np.stack(
    [np.zeros_like(_BY_KING), np.full_like(_BY_KING, FLIP_FILE), _BY_KING, TO_TRIANGLE]
)
"""[how, white king's square] -> the symmetry that turns the board."""

ON_DIAGONAL: Final = SYMMETRY[TRANSPOSE] == np.arange(64)
"""[square] -> whether it lies on the long diagonal, which the transposition does not move."""


_TURNS: Final[list[int]] = TURNS.ravel().tolist()
_SYMMETRY: Final[list[int]] = SYMMETRY.ravel().tolist()
_TRIANGLE_INDEX: Final[list[int]] = TRIANGLE_INDEX.tolist()


@dataclass(frozen=True, eq=False)
class Layout:
    """The cells of the positions of one canonical material."""

    material: Material
    slots: tuple[Slot, ...]
    pawns: int
    blocks: tuple[Squares, ...]
    """Pawn squares of each block, in solving order: a pawn move leads to a block before it."""
    waves: tuple[int, ...]
    """Where the waves of mutually independent blocks begin, and the number of blocks."""
    placing: Addresses
    """The addresses of placements of the pawns."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        kings = 64 if self.pawns else len(TRIANGLE)
        others = (64,) * self.others
        return (len(self.blocks), 2, kings, *others, 64)

    @cached_property
    def twins(self) -> list[tuple[int, int]]:
        """Ranges of slots, pawns left out, that hold equal men."""
        return runs_of_equals(self.slots, self.pawns + 1, len(self.slots) - 1)

    @cached_property
    def twin_start(self) -> list[int]:
        """[slot] -> the first slot of the men that equal this one."""
        return [self.slots.index(slot) for slot in self.slots]

    @property
    def others(self) -> int:
        """The number of men that are neither pawns nor kings."""
        return len(self.slots) - self.pawns - 2

    @property
    def block_words(self) -> int:
        return self.shape[2] * int(64**self.others)

    @property
    def cells(self) -> int:
        return len(self.blocks) * 2 * self.block_words * 64

    @property
    def orders(self) -> int:
        """The number of orders of equal men.

        A cell stands for so many placements of labelled men.
        """
        return math.prod(math.factorial(equal) for equal in Counter(self.slots).values())

    def address_of(self, pawns: Sequence[int]) -> int:
        """The address of the pawns on these squares, or -1."""
        return self.placing.of(pawns)

    def addresses_of(self, placements: Placements) -> Placements:
        """[placement] -> the address of its pawns, or -1. `placements` has a row for each."""
        return self.placing.of_many(placements)

    def cell_of(self, side: int, squares: Sequence[int]) -> int:
        """The primary cell of a position.

        `squares` in the order of the slots, `side` 0 = White to move.

        >>> layout_of(Material.parse("KvK")).cell_of(0, [0, 63])
        63
        """
        address = self.address_of(squares[: self.pawns])
        if address < 0:
            raise ValueError(f"no pawns stand on {squares[: self.pawns]}")
        block = address >> HOW_BITS
        king = self.pawns
        turned = list(squares)
        images = [0] * len(turned)
        how = address & HOW_MASK
        end = len(turned)
        turn_to_primary(turned, images, self.twin_start, king, end, how, _TURNS, _SYMMETRY)
        king_index = turned[king] if self.pawns else _TRIANGLE_INDEX[turned[king]]
        cell = (block * 2 + side) * self.shape[2] + king_index
        for square in turned[king + 1 :]:
            cell = cell * 64 + square
        return cell

    def is_own_mirror(self, pawns: Sequence[int]) -> bool:
        """Whether these pawn squares, a block's, are equal to their own mirror image."""
        return self.address_of(pawns) & HOW_MASK == BY_KING

    def squares_of(self, cell: int) -> tuple[int, Squares]:
        """The side to move and the squares of a cell, in the order of the slots.

        The position may be illegal.
        """
        digits = list[int]()
        left = int(cell)  # numbers of Python's own, as 32 men have more cells than 64 bits count
        for size in reversed(self.shape):
            left, digit = divmod(left, size)
            digits.append(digit)
        block, side, king, *rest = reversed(digits)
        if not self.pawns:
            king = TRIANGLE[king]
        return side, (*self.blocks[block], king, *rest)


@lru_cache(maxsize=1024)
def slots_of(material: Material) -> tuple[Slot, ...]:
    """The men of a material in the order of the axes, pawns first."""
    pawns = list[Slot]()
    others = list[Slot]()
    for color in Color:
        for kind in material.side(color):
            if kind is Role.PAWN:
                pawns.append((color, kind))
            elif kind is not Role.KING:
                others.append((color, kind))
    return (*pawns, (Color.WHITE, Role.KING), *others, (Color.BLACK, Role.KING))


# More than there are materials of up to six men. A layout with four pawns takes a third of a second
# to make if two of them face each other, else two seconds (measured).
@lru_cache(maxsize=1024)
def layout_of(material: TableMaterial) -> Layout:
    if not material.is_canonical:
        raise ValueError(
            f"{material} is not canonical; its table is that of {material.canonical()}"
        )
    slots = slots_of(material)
    placements = every_placement(slots[: material.pawns])
    if material.scope is Scope.PAIRS:
        placements = placements[have_pairs(slots, placements)]
    blocks = blocks_of(slots, placements)
    return _layout(material, blocks, AddressesByNumber(slots, blocks.squares))


def partial_layout(material: Material, placements: Iterable[Sequence[int]]) -> Layout:
    """A layout with only the blocks of some placements of a material's pawns.

    Either side may be the stronger one.

    >>> partial_layout(Material.parse("KPvKP"), [(12, 52), (51, 11)]).blocks
    ((51, 11), (11, 51))
    """
    slots = slots_of(material)
    blocks = few_blocks_of(slots, placements)
    return _layout(material, blocks, AddressesBySets(slots, blocks.squares))


def _layout(material: Material, blocks: Blocks, placing: Addresses) -> Layout:
    return Layout(
        material=material,
        slots=slots_of(material),
        pawns=material.pawns,
        blocks=tuple(map(tuple, blocks.squares.tolist())),
        waves=tuple(blocks.waves),
        placing=placing,
    )


def fen_of(layout: Layout, side: int, squares: Sequence[int]) -> str:
    """The FEN of a position given by the squares of its slots; halfmove clock 0, move 1.

    >>> fen_of(layout_of(Material.parse("KBvK")), 1, [36, 37, 38])
    '8/8/8/4KBk1/8/8/8/8 b - - 0 1'
    """
    board = ["1"] * 64
    for (color, kind), square in zip(layout.slots, squares, strict=True):
        board[square] = kind.letter if color is Color.WHITE else kind.letter.lower()
    ranks = list[str]()
    for start in range(56, -1, -8):
        rank = "".join(board[start : start + 8])
        for empty in range(8, 1, -1):
            rank = rank.replace(empty * "1", str(empty))
        ranks.append(rank)
    placement = "/".join(ranks)
    return f"{placement} {'wb'[side]} - - 0 1"


def fen_of_cell(layout: Layout, cell: int) -> str:
    return fen_of(layout, *layout.squares_of(cell))
