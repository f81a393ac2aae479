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

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int
from tbgen.index.primary import turn_to_primary
from tbgen.index.squares import (
    FLIP_FILE,
    SYMMETRY,
    TO_TRIANGLE,
    TRANSPOSE,
    TRIANGLE,
    TRIANGLE_INDEX,
)
from tbgen.material import Material, Scope
from tbgen.men import AnyMan, Role
from tbgen.score import Color

UNMIRRORED: Final = 0
MIRRORED: Final = 1
BY_KING: Final = 2
INTO_TRIANGLE: Final = 3
"""How a board is turned. Within one block: it has every cell (the first two), none with the white
king on the files e-h (BY_KING), or none beyond the long diagonal (INTO_TRIANGLE)."""

HOW_BITS: Final = 2
HOW_MASK: Final = 3
"""An address is a block's number, shifted by these bits, plus how the board is turned."""


_BY_KING: Final = np.where(np.arange(64) % 8 < 4, 0, FLIP_FILE)
TURNS: Final = np.stack(
    [np.zeros_like(_BY_KING), np.full_like(_BY_KING, FLIP_FILE), _BY_KING, TO_TRIANGLE]
)
"""[how, white king's square] -> the symmetry that turns the board."""

ON_DIAGONAL: Final = SYMMETRY[TRANSPOSE] == np.arange(64)
"""[square] -> whether it lies on the long diagonal, which the transposition does not move."""


def how_turned(pawns: Int, own_mirror: Int) -> int:
    """How boards are turned in a block of so many pawns.

    `own_mirror` means that the pawns equal their mirror image.
    """
    if pawns == 0:
        return INTO_TRIANGLE
    return BY_KING if own_mirror else UNMIRRORED


MIRROR: Final = 7
"""square ^ MIRROR is its mirror image, on the same rank."""

Squares = tuple[int, ...]
"""The squares of some men, in the order of their slots."""
PawnSets = tuple[int, int]
"""The squares of White's pawns as a set of 64 bits, and those of Black's."""
Slot = tuple[Color, AnyMan]
"""A man's side and kind; his place among the slots is his axis in the table."""

_PAWN_SQUARES: Final = tuple(file + 8 * rank for file in range(8) for rank in range(1, 7))
"""File by file, so that the least placement has its first pawn on the files a-d."""

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
    digits: npt.NDArray[np.int64]
    """[pawn, square] -> the part that a pawn there adds to the pawns' number."""
    addresses: npt.NDArray[np.int32]
    """[pawns' number] -> block << HOW_BITS | how the board is turned, or -1."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        kings = 64 if self.pawns else len(TRIANGLE)
        others = (64,) * self.others
        return (len(self.blocks), 2, kings, *others, 64)

    @cached_property
    def twins(self) -> list[tuple[int, int]]:
        """Ranges of slots, pawns left out, that hold equal men."""
        return _runs(self.slots, self.pawns + 1, len(self.slots) - 1)

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
        """The words of one block with one side to move."""
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
        """The address of the pawns on these squares, or -1.

        It is their block << HOW_BITS | how the board is turned.
        """
        number = 0
        for pawn, square in enumerate(pawns):
            number += int(self.digits[pawn, square])
        return int(self.addresses[number])

    def addresses_of(self, placements: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """[placement] -> the address of its pawns, or -1. `placements` has a row for each."""
        numbers = self.digits[np.arange(self.pawns), placements].sum(axis=1)
        return self.addresses[numbers].astype(np.int64)

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


def _runs(slots: Sequence[Slot], start: int, end: int) -> list[tuple[int, int]]:
    """Ranges of two or more equal slots within [start, end)."""
    runs = list[tuple[int, int]]()
    for _, group in itertools.groupby(slots[start:end]):
        next_start = start + len(list(group))
        if next_start - start > 1:
            runs.append((start, next_start))
        start = next_start
    return runs


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


def have_pairs(slots: Sequence[Slot], placements: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """[placement] whether a white pawn stands below a black one on the same file.

    `placements` has the squares of the pawns in the order of the slots.
    """
    pawns = placements.shape[1]
    white = [pawn for pawn in range(pawns) if slots[pawn][0] is Color.WHITE]
    black = [pawn for pawn in range(pawns) if slots[pawn][0] is Color.BLACK]
    are_pairs = np.zeros(len(placements), np.bool_)
    for lower, upper in itertools.product(white, black):
        below = placements[:, lower]
        above = placements[:, upper]
        are_pairs |= (below % 8 == above % 8) & (below < above)
    return are_pairs


def _canonical_pawns(
    slots: Sequence[Slot], placements: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Each placement's pawns as one number, file by file, equal pawns in ascending order."""
    keys = placements % 8 * 8 + placements // 8
    for start, end in _runs(slots, 0, placements.shape[1]):
        keys[:, start:end] = np.sort(keys[:, start:end], axis=1)
    return keys @ (64 ** np.arange(placements.shape[1] - 1, -1, -1, dtype=np.int64))


def _placements(slots: Sequence[Slot]) -> npt.NDArray[np.int8]:
    """Every placement of these pawns, equal ones in ascending order, file by file."""
    places = len(_PAWN_SQUARES)
    placements = np.zeros((1, 0), np.int8)
    for pawn, slot in enumerate(slots):
        before = placements.repeat(places, axis=0)
        last = np.tile(np.arange(places, dtype=np.int8), len(placements))
        fits = (before != last[:, None]).all(axis=1)
        if pawn > 0 and slots[pawn - 1] == slot:
            fits &= before[:, -1] < last
        placements = np.column_stack([before, last])[fits]
    return np.array(_PAWN_SQUARES, np.int8)[placements]


def _orders_of_equals(slots: Sequence[Slot]) -> Iterator[list[int]]:
    """Every order of these pawns in which each stands in the slot of an equal one."""
    white = [pawn for pawn, (color, _) in enumerate(slots) if color is Color.WHITE]
    black = [pawn for pawn, (color, _) in enumerate(slots) if color is Color.BLACK]
    for own in itertools.permutations(white):
        for enemy in itertools.permutations(black):
            yield [*own, *enemy]


# More than there are materials of up to six men. A layout with four pawns takes a third of a second
# to make if two of them face each other, else two seconds (measured).
@lru_cache(maxsize=1024)
def layout_of(material: Material) -> Layout:
    """The layout of a canonical material."""
    if not material.is_canonical:
        raise ValueError(
            f"{material} is not canonical; its table is that of {material.canonical()}"
        )
    slots = slots_of(material)
    pawns = material.pawns
    every = _placements(slots[:pawns])
    if material.scope is Scope.PAIRS:
        every = every[have_pairs(slots, every)]
    placements = every.astype(np.int64)

    there = _canonical_pawns(slots, placements)
    mirrored = _canonical_pawns(slots, placements ^ MIRROR)
    keys, inverse = np.unique(np.minimum(there, mirrored), return_inverse=True)
    powers: npt.NDArray[np.int64] = 64 ** np.arange(pawns - 1, -1, -1, dtype=np.int64)
    files_first = (keys[:, None] // powers) % 64
    files = files_first // 8
    ranks = files_first % 8
    squares = 8 * ranks + files

    # Blocks come in the order of the steps that their pawns have behind them, the most first.
    is_white = [color is Color.WHITE for color, _ in slots[:pawns]]
    steps = np.where(is_white, ranks - 1, 6 - ranks).sum(axis=1)
    order = np.lexsort((keys, -steps))
    number = np.empty(len(keys), np.int64)
    number[order] = np.arange(len(keys))
    wave_starts = np.flatnonzero(np.diff(steps[order], prepend=-1))
    blocks = tuple(map(tuple, squares[order].tolist()))

    how = np.where(there < mirrored, UNMIRRORED, MIRRORED)
    how[there == mirrored] = BY_KING if pawns else INTO_TRIANGLE
    addresses = np.full(64**pawns, -1, np.int32)
    for equals in _orders_of_equals(slots[:pawns]):
        addresses[placements[:, equals] @ powers] = (number[inverse] << HOW_BITS) | how
    return Layout(
        material=material,
        slots=slots,
        pawns=pawns,
        blocks=blocks,
        waves=(*wave_starts.tolist(), len(blocks)),
        digits=np.arange(64, dtype=np.int64) * powers[:, None],
        addresses=addresses,
    )


@dataclass(frozen=True, eq=False)
class PartialLayout(Layout):
    """A layout with the blocks of some placements, of up to sixteen pawns.

    Numbers made of digits would be too many, so an address is found by the set of squares of either
    side's pawns. `digits` and `addresses` are empty.
    """

    known: Mapping[PawnSets, int]
    """[sets of a placement in the layout] -> its address."""

    def address_of(self, pawns: Sequence[int]) -> int:
        return self.known.get(pawn_sets(self.slots, pawns), -1)

    def addresses_of(self, placements: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.array([self.address_of(pawns) for pawns in placements.tolist()], np.int64)


def pawn_sets(slots: Sequence[Slot], pawns: Sequence[int]) -> PawnSets:
    """The squares of White's pawns and of Black's, whichever pawn is on which."""
    white = 0
    black = 0
    for (color, _), square in zip(slots, pawns, strict=False):
        if color is Color.WHITE:
            white |= 1 << square
        else:
            black |= 1 << square
    return white, black


def placement_of(slots: Sequence[Slot], pawns: Sequence[int]) -> Squares:
    """The squares of the block that a placement and its mirror image share.

    They are those of the lesser of both by files and ranks, equal pawns in order.
    """
    mirrored = [square ^ MIRROR for square in pawns]
    return min(_in_order(slots, pawns), _in_order(slots, mirrored), key=_by_files)


def _in_order(slots: Sequence[Slot], pawns: Sequence[int]) -> Squares:
    """The squares of some pawns, those of each colour by file and rank."""
    squares = list[int]()
    for color in Color:
        own = [square for (owner, _), square in zip(slots, pawns, strict=False) if owner is color]
        squares += sorted(own, key=_by_file)
    return tuple(squares)


def _by_files(pawns: Squares) -> list[tuple[int, int]]:
    return [_by_file(square) for square in pawns]


def _by_file(square: int) -> tuple[int, int]:
    return square % 8, square // 8


def partial_layout(material: Material, placements: Iterable[Sequence[int]]) -> PartialLayout:
    """A layout with only the blocks of some placements of a material's pawns.

    Either side may be the stronger one.

    >>> partial_layout(Material.parse("KPvKP"), [(12, 52), (51, 11)]).blocks
    ((51, 11), (11, 51))
    """
    slots = slots_of(material)
    by_steps = dict[int, set[Squares]]()
    for pawns in placements:
        by_steps.setdefault(_steps_of(slots, pawns), set()).add(placement_of(slots, pawns))
    blocks = list[Squares]()
    waves = list[int]()
    for steps in sorted(by_steps, reverse=True):
        waves.append(len(blocks))
        blocks += sorted(by_steps[steps], key=_by_files)
    waves.append(len(blocks))
    known = dict[PawnSets, int]()
    for number, pawns in enumerate(blocks):
        own = pawn_sets(slots, pawns)
        mirrored = pawn_sets(slots, [square ^ MIRROR for square in pawns])
        known[mirrored] = number << HOW_BITS | MIRRORED
        known[own] = number << HOW_BITS | how_turned(material.pawns, own == mirrored)
    return PartialLayout(
        material=material,
        slots=slots,
        pawns=material.pawns,
        blocks=tuple(blocks),
        waves=tuple(waves),
        digits=np.zeros((0, 64), np.int64),
        addresses=np.zeros(0, np.int32),
        known=known,
    )


def _steps_of(slots: Sequence[Slot], pawns: Sequence[int]) -> int:
    """The steps that some pawns have behind them."""
    steps = 0
    for (color, _), square in zip(slots, pawns, strict=False):
        rank = square // 8
        steps += rank - 1 if color is Color.WHITE else 6 - rank
    return steps


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
    """The FEN of a cell's position."""
    return fen_of(layout, *layout.squares_of(cell))
