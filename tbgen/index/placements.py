"""Placements of pawns: those of a scope, the blocks that they share with their mirror images, and
the address of each.

A layout of a whole table, of pairs or of a closure differs in its placements alone. Placements are
arrays with a row for each, or the squares of one, always in the order of the slots.

Addresses stand in one of two tables. A table's layout has nearly all placements of its pawns, so
its addresses lie in an array by the number that the squares make, where many are found at once. A
closure has a few placements of up to sixteen pawns, whose numbers would be too many.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, SignedInts32
from tbgen.men import AnyMan
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

MIRROR: Final = 7
"""square ^ MIRROR is its mirror image, on the same rank."""

Squares = tuple[int, ...]
"""The squares of some men, in the order of their slots."""
PawnSets = tuple[int, int]
"""The squares of White's pawns as a set of 64 bits, and those of Black's."""
Slot = tuple[Color, AnyMan]
"""A man's side and kind; his place among the slots is his axis in the table."""
Placements = npt.NDArray[np.int64]
"""[placement, pawn] -> its square."""

_PAWN_SQUARES: Final = tuple(file + 8 * rank for file in range(8) for rank in range(1, 7))
"""File by file, so that the least placement has its first pawn on the files a-d."""


def how_turned(pawns: Int, own_mirror: Int) -> int:
    """How boards are turned in a block of so many pawns.

    `own_mirror` means that the pawns equal their mirror image.
    """
    if pawns == 0:
        return INTO_TRIANGLE
    return BY_KING if own_mirror else UNMIRRORED


def every_placement(slots: Sequence[Slot]) -> Placements:
    """Every placement of some pawns, equal ones in ascending order, file by file."""
    places = len(_PAWN_SQUARES)
    placements = np.zeros((1, 0), np.int8)
    for pawn, slot in enumerate(slots):
        before = placements.repeat(places, axis=0)
        last = np.tile(np.arange(places, dtype=np.int8), len(placements))
        fits = (before != last[:, None]).all(axis=1)
        if pawn > 0 and slots[pawn - 1] == slot:
            fits &= before[:, -1] < last
        placements = np.column_stack([before, last])[fits]
    return np.array(_PAWN_SQUARES, np.int64)[placements]


def have_pairs(slots: Sequence[Slot], placements: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """[placement] whether a white pawn stands below a black one on the same file."""
    pawns = placements.shape[1]
    white = [pawn for pawn in range(pawns) if slots[pawn][0] is Color.WHITE]
    black = [pawn for pawn in range(pawns) if slots[pawn][0] is Color.BLACK]
    are_pairs = np.zeros(len(placements), np.bool_)
    for lower, upper in itertools.product(white, black):
        below = placements[:, lower]
        above = placements[:, upper]
        are_pairs |= (below % 8 == above % 8) & (below < above)
    return are_pairs


class Blocks(NamedTuple):
    """The blocks of some placements, in solving order.

    A block has the lesser of a placement and its mirror image. Blocks come in the order of the
    steps that their pawns have behind them, the most first: a pawn move leads to an earlier wave.
    """

    squares: Placements
    waves: list[int]
    """Where the waves begin, and the number of blocks."""


def blocks_of(slots: Sequence[Slot], placements: Placements) -> Blocks:
    least = _least_images(slots, placements)
    files = least // 8
    ranks = least % 8
    is_white = [color is Color.WHITE for color, _ in slots[: placements.shape[1]]]
    steps = np.where(is_white, ranks - 1, 6 - ranks).sum(axis=1)
    order = np.lexsort((*least.T[::-1], -steps))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (np.diff(least[order], axis=0) != 0).any(axis=1)
    order = order[is_new]
    starts = np.flatnonzero(np.diff(steps[order], prepend=-1))
    return Blocks((8 * ranks + files)[order], [*starts.tolist(), len(order)])


def few_blocks_of(slots: Sequence[Slot], placements: Iterable[Sequence[int]]) -> Blocks:
    """The blocks of a few placements, in a third of the time that arrays would take for them."""
    by_steps = dict[int, set[Squares]]()
    for pawns in placements:
        by_steps.setdefault(_steps_of(slots, pawns), set()).add(placement_of(slots, pawns))
    blocks = list[Squares]()
    waves = list[int]()
    for steps in sorted(by_steps, reverse=True):
        waves.append(len(blocks))
        blocks += sorted(by_steps[steps], key=_files_of)
    return Blocks(np.array(blocks, np.int64), [*waves, len(blocks)])


def _steps_of(slots: Sequence[Slot], pawns: Sequence[int]) -> int:
    steps = 0
    for (color, _), square in zip(slots, pawns, strict=False):
        rank = square // 8
        steps += rank - 1 if color is Color.WHITE else 6 - rank
    return steps


def _least_images(slots: Sequence[Slot], placements: Placements) -> Placements:
    """The lesser of each placement and its mirror image, file by file, equal pawns in order."""
    own = _by_files(slots, placements)
    if placements.shape[1] == 0:
        return own
    mirrored = _by_files(slots, placements ^ MIRROR)
    first = (own != mirrored).argmax(axis=1)
    rows = np.arange(len(own))
    is_own_less = own[rows, first] <= mirrored[rows, first]
    return np.where(is_own_less[:, None], own, mirrored)


def _by_files(slots: Sequence[Slot], placements: Placements) -> Placements:
    """The squares as numbers that ascend file by file, equal pawns in ascending order."""
    numbers = placements % 8 * 8 + placements // 8
    for start, end in runs_of_equals(slots, 0, placements.shape[1]):
        numbers[:, start:end] = np.sort(numbers[:, start:end], axis=1)
    return numbers


def runs_of_equals(slots: Sequence[Slot], start: int, end: int) -> list[tuple[int, int]]:
    """Ranges of two or more equal slots within [start, end)."""
    runs = list[tuple[int, int]]()
    for _, group in itertools.groupby(slots[start:end]):
        next_start = start + len(list(group))
        if next_start - start > 1:
            runs.append((start, next_start))
        start = next_start
    return runs


def placement_of(slots: Sequence[Slot], pawns: Sequence[int]) -> Squares:
    """The squares of the block that one placement and its mirror image share.

    `blocks_of` has the same rule for many.
    """
    mirrored = [square ^ MIRROR for square in pawns]
    return min(_in_order(slots, pawns), _in_order(slots, mirrored), key=_files_of)


def _in_order(slots: Sequence[Slot], pawns: Sequence[int]) -> Squares:
    """The squares of some pawns, those of each colour by file and rank."""
    squares = list[int]()
    for color in Color:
        own = [square for (owner, _), square in zip(slots, pawns, strict=False) if owner is color]
        squares += sorted(own, key=_file_of)
    return tuple(squares)


def _files_of(pawns: Squares) -> list[tuple[int, int]]:
    return [_file_of(square) for square in pawns]


def _file_of(square: int) -> tuple[int, int]:
    return square % 8, square // 8


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


def double_steps(slots: Sequence[Slot], pawns: Sequence[int]) -> Iterator[tuple[Color, int]]:
    """The pawns that may just have made a double step beside an enemy pawn, which may take them."""
    placed = [(color, square) for (color, _), square in zip(slots, pawns, strict=False)]
    for color, square in placed:
        rank = 3 if color is Color.WHITE else 4
        enemies = [at for other, at in placed if other is not color and at // 8 == rank]
        if square // 8 == rank and any(abs(at - square) == 1 for at in enemies):
            yield color, square


class Addresses(Protocol):
    """The addresses of placements: block << HOW_BITS | how the board is turned; -1 for others."""

    addresses: SignedInts32
    """[number that the squares make] -> address, for kernels; empty where numbers are too many."""

    def of(self, pawns: Sequence[int]) -> int:
        """The address of one placement."""

    def of_many(self, placements: Placements) -> Placements:
        """[placement] -> its address."""


class AddressesByNumber:
    """Addresses in an array, by the number of which the squares are the digits."""

    def __init__(self, slots: Sequence[Slot], blocks: Placements) -> None:
        pawns = blocks.shape[1]
        powers: Placements = 64 ** np.arange(pawns - 1, -1, -1, dtype=np.int64)
        self._digits = np.arange(64, dtype=np.int64) * powers[:, None]
        """[pawn, square] -> the part that a pawn there adds to the number."""
        self.addresses = np.full(64**pawns, -1, np.int32)
        numbers = np.arange(len(blocks), dtype=np.int64) << HOW_BITS
        are_own_mirrors = _numbers(slots, blocks) == _numbers(slots, blocks ^ MIRROR)
        own = numbers | np.where(are_own_mirrors, how_turned(pawns, 1), how_turned(pawns, 0))
        # Own placements come last, as some are a mirror image, too.
        for placements, addresses in ((blocks ^ MIRROR, numbers | MIRRORED), (blocks, own)):
            for equals in _orders_of_equals(slots[:pawns]):
                self.addresses[placements[:, equals] @ powers] = addresses

    def of(self, pawns: Sequence[int]) -> int:
        number = 0
        for pawn, square in enumerate(pawns):
            number += int(self._digits[pawn, square])
        return int(self.addresses[number])

    def of_many(self, placements: Placements) -> Placements:
        numbers = self._digits[np.arange(len(self._digits)), placements].sum(axis=1)
        return self.addresses[numbers].astype(np.int64)


def _numbers(slots: Sequence[Slot], placements: Placements) -> Placements:
    """Each placement as one number, whichever of equal pawns is on which square."""
    by_files = _by_files(slots, placements)
    return by_files @ (64 ** np.arange(placements.shape[1] - 1, -1, -1, dtype=np.int64))


def _orders_of_equals(slots: Sequence[Slot]) -> Iterator[list[int]]:
    """Every order of these pawns in which each stands in the slot of an equal one."""
    white = [pawn for pawn, (color, _) in enumerate(slots) if color is Color.WHITE]
    black = [pawn for pawn, (color, _) in enumerate(slots) if color is Color.BLACK]
    for own in itertools.permutations(white):
        for enemy in itertools.permutations(black):
            yield [*own, *enemy]


class AddressesBySets:
    """Addresses in a dictionary, by the sets of squares of either side's pawns."""

    def __init__(self, slots: Sequence[Slot], blocks: Placements) -> None:
        self.addresses = np.zeros(0, np.int32)
        self._slots = slots
        self._known = dict[PawnSets, int]()
        for number, pawns in enumerate(blocks.tolist()):
            own = pawn_sets(slots, pawns)
            mirrored = pawn_sets(slots, [square ^ MIRROR for square in pawns])
            self._known[mirrored] = number << HOW_BITS | MIRRORED
            self._known[own] = number << HOW_BITS | how_turned(len(pawns), own == mirrored)

    def of(self, pawns: Sequence[int]) -> int:
        return self._known.get(pawn_sets(self._slots, pawns), -1)

    def of_many(self, placements: Placements) -> Placements:
        return np.array([self.of(pawns) for pawns in placements.tolist()], np.int64)
