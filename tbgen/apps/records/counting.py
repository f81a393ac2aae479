r"""The kernel that counts: every position of a block, with either side to move.

The places of a table, outermost first (storage/order.py):

    block | side to move | black king | last man ... first man | white king
            \_________________ a plane of one side ____________________/
                           \_____________ a row _______________/ \_ digit /

    place in its plane = row * kings + digit
    row = ((black king * 64 + last man) * 64 ...) * 64 + first man
    kind = number of the entry value * distances + distance

The *kings* are the squares that the white king can have: 10 in the triangle a1-d1-d4, or 64 with
pawns; its *digit* is the number of its square among them. A *row* is all places that differ in the
white king alone, and a *kind* is an entry value with its distance. The file has a kind for each
place, also where no position stands. So the kernel looks at the men themselves, at all white kings
of a row at a time: words are sets of their squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints, WideInts, Word
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.index.kernels import (
    DIAGONAL,
    are_in_order,
    attacks_of,
    beside_image,
    primary_white_kings,
    row_of_byte,
)
from tbgen.index.layout import Layout
from tbgen.index.outcomes import ROWS
from tbgen.index.placements import INTO_TRIANGLE, how_turned
from tbgen.index.squares import KING_ATTACKS, PAWN_ATTACKS, TRIANGLE_INDEX, Rays, rays_of
from tbgen.index.words import EVERYTHING, NOTHING, lowest_and_rest, square_bit
from tbgen.men import is_bound
from tbgen.score import Color

PLACEMENTS = 0
"""Count placements of labelled men on 64 squares."""
CLASSES = 1
"""Count only placements that differ up to symmetry."""

WHOLE = 0
"""A place stands for all images of its position."""
HALVED = 1
"""It stands for half of them, because it is its own image in the diagonal."""
REFLECTED = 2
"""It is its own image, too, but the reflection exchanges two equal men."""

_WHITE = int(Color.WHITE)


@by_address
class BlockMen(NamedTuple):
    """The men of a block by slots: pawns, white king, other men, black king."""

    rays: Rays
    color: npt.NDArray[np.int64]
    pawns: npt.NDArray[np.int64]
    """Squares."""
    twin_start: npt.NDArray[np.int64]
    """[slot] -> the first slot of its group of equal men; of pawns, and of men without an equal,
    its own.
    """
    kings: int
    """The number of squares that the white king can have."""
    digit: npt.NDArray[np.int64]
    """[square] -> the number of that square among them."""
    how: int
    """How boards are turned in this block, see index/layout.py."""
    pair: npt.NDArray[np.int64]
    """The slots of `pair_of_bishops`."""


def pair_of_bishops(layout: Layout) -> list[int]:
    """The slots of the men bound to one colour of a side that has two or more.

    Only one side can.
    """
    for color in Color:
        slots = list[int]()
        for slot, (side, role) in enumerate(layout.slots):
            if side is color and is_bound(role):
                slots.append(slot)
        if len(slots) > 1:
            return slots
    return []


def men_of(layout: Layout, block: int) -> BlockMen:
    return BlockMen(
        rays=rays_of([role for _, role in layout.slots]),
        color=np.array([int(color) for color, _ in layout.slots], np.int64),
        pawns=np.array(layout.blocks[block], np.int64),
        twin_start=np.array(layout.twin_start, np.int64),
        kings=layout.shape[2],
        digit=np.arange(64) if layout.pawns else TRIANGLE_INDEX,
        how=how_turned(layout.pawns, layout.is_own_mirror(layout.blocks[block])),
        pair=np.array(pair_of_bishops(layout), np.int64),
    )


@by_address
class Meanings(NamedTuple):
    """What the kinds mean, one entry a kind."""

    worth: npt.NDArray[np.int16]
    """The higher, the better the outcome is for White."""
    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]


@by_address
class Counts(NamedTuple):
    """What has been counted so far."""

    often: npt.NDArray[np.int64]
    """[what it stands for, bishops on one colour, side, kind] -> the number of places"""
    weights: npt.NDArray[np.int64]
    """[what a place stands for, placements or classes] -> their number"""
    pairs: npt.NDArray[np.int64]
    """Mutual zugzwangs: [row of the entry value, White to move, the same, Black to move, played
    for, what is counted]

    *Played for*: neither side has the score already that it will be held to.
    """
    longest: npt.NDArray[np.int64]
    """The first mutual zugzwang of those played for longest: its longer and its shorter distance,
    and with a minus its block and its place there, so that it is the greatest; all -1 if there is
    none.
    """

    @property
    def kinds(self) -> npt.NDArray[np.int64]:
        """[with the pair of bishops on one colour, side, kind, placements or classes]"""
        return np.tensordot(self.often, self.weights, (0, 0))


def no_counts(kinds: int, layout: Layout) -> Counts:
    """Counts of nothing yet."""
    orders = layout.orders
    symmetries = 2 if layout.pawns else 8
    images = orders * symmetries
    weights = np.zeros((3, 2), np.int64)
    weights[WHOLE] = (images, orders)
    weights[HALVED] = (images // 2, orders)
    weights[REFLECTED] = (images // 2, orders // 2)
    colors = 2 if pair_of_bishops(layout) else 1
    return Counts(
        often=np.zeros((3, colors, 2, kinds), np.int64),
        weights=weights,
        pairs=np.zeros((ROWS, ROWS, 2, 2), np.int64),
        longest=np.full(4, -1, np.int64),
    )


def total_of(parts: Sequence[Counts]) -> Counts:
    """The counts of several parts, in any order, together."""
    first, *others = parts
    often = first.often.copy()
    pairs = first.pairs.copy()
    for part in others:
        often += part.often
        pairs += part.pairs
    longest = max(part.longest.tolist() for part in parts)
    return Counts(often, first.weights, pairs, np.array(longest))


@inner
def set_up(men: BlockMen, row: Int, occupied: Word, squares: Ints) -> Word:
    """Put the men of a row, but for the white king, on their squares; the pawns stand there.

    Returns the squares of all of them as a word, which begins with those of the pawns; nothing if
    two stand on one.
    """
    for slot in range(men.pawns.size + 1, men.color.size):
        squares[slot] = row & 63
        row >>= 6
        bit = square_bit(squares[slot])
        if occupied & bit:
            return NOTHING
        occupied |= bit
    return occupied


@inner
def out_of_check(men: BlockMen, squares: Ints, occupied: Word) -> tuple[Word, Word]:
    """White kings beside which the black king is not attacked, and those that are not attacked
    themselves.
    """
    white = EVERYTHING
    black = EVERYTHING
    prey = squares[men.color.size - 1]
    for slot in range(men.color.size - 1):
        if slot == men.pawns.size:
            continue
        start = squares[slot]
        color = men.color[slot]
        reached = PAWN_ATTACKS[color, start]
        if slot >= men.pawns.size:
            reached = attacks_of(men.rays, slot, start, occupied)
        if color != _WHITE:
            black &= ~reached
        elif reached & square_bit(prey):
            white &= men.rays.between[slot, start, prey]
    return white, black


@inner
def primary_kings(men: BlockMen, occupied: Word, squares: Ints, other: Ints) -> tuple[Word, int]:
    """The white kings that make primary places of a row, and what those on the diagonal stand for.

    `other` is a scratch buffer of the size of `squares`.
    """
    last = men.color.size - 1
    if occupied == NOTHING or not are_in_order(squares, men.twin_start, men.pawns.size + 1, last):
        return NOTHING, WHOLE
    compared = -1
    if men.how == INTO_TRIANGLE:
        compared = beside_image(squares, men.twin_start, 1, last + 1, other)
    kings = ~(occupied | KING_ATTACKS[squares[last]]) & primary_white_kings(men.how, compared)
    return kings, WHOLE if compared else stands_on_diagonal(squares)


@inner
def stands_on_diagonal(squares: Ints) -> int:
    """What a place stands for that is its own image in the diagonal."""
    for slot in range(1, squares.size):
        if squares[slot] % 9:
            return REFLECTED
    return HALVED


@inner
def count_pair(
    counts: Counts,
    meanings: Meanings,
    white: Int,
    black: Int,
    block: Int,
    place: Int,
    stands_for: Int,
) -> None:
    """Count men who do worse, whoever has to move."""
    near = min(np.int64(meanings.dtg[white]), np.int64(meanings.dtg[black]))
    far = max(np.int64(meanings.dtg[white]), np.int64(meanings.dtg[black]))
    played = 1 if near > 0 else 0
    with_white = row_of_byte(np.int64(meanings.entry[white]))
    with_black = row_of_byte(np.int64(meanings.entry[black]))
    for counted in range(2):
        counts.pairs[with_white, with_black, played, counted] += counts.weights[stands_for, counted]
    longest = counts.longest
    if played and (far, near, -block, -place) > (longest[0], longest[1], longest[2], longest[3]):
        longest[0] = far
        longest[1] = near
        longest[2] = -block
        longest[3] = -place


@inner
def are_one_colored(men: BlockMen, squares: Ints) -> int:
    """1 if there is a pair of bishops on squares of one colour, else 0."""
    one_colored = 1 if men.pair.size else 0
    for slot in men.pair:
        between = squares[slot] ^ squares[men.pair[0]]
        one_colored &= ~(between ^ (between >> 3)) & 1
    return one_colored


@borrowing
def count_places(
    men: BlockMen,
    block: Int,
    first: Int,
    white: WideInts,
    black: WideInts,
    meanings: Meanings,
    counts: Counts,
    rows: Ints,
) -> None:
    """Count the positions of a run of whole rows of a block, whose kinds are `white` and `black` by
    the side to move.

    `rows` is a scratch buffer: the squares of a row's men, and of those of a row that it is
    compared with.
    """
    squares = rows[0]
    pawns = NOTHING
    for slot in range(men.pawns.size):
        squares[slot] = men.pawns[slot]
        pawns |= square_bit(squares[slot])
    for place in range(first, first + white.size, men.kings):
        occupied = set_up(men, place // men.kings, pawns, squares)
        kings, on_diagonal = primary_kings(men, occupied, squares, rows[1])
        if kings == NOTHING:
            continue
        with_white, with_black = out_of_check(men, squares, occupied)
        often = counts.often[:, are_one_colored(men, squares)]
        left = kings & (with_white | with_black)
        while left:
            square, left = lowest_and_rest(left)
            bit = square_bit(square)
            there = place + men.digit[square]
            kind_white = white[there - first]
            kind_black = black[there - first]
            stands_for = on_diagonal if bit & DIAGONAL else WHOLE
            if with_white & bit:
                often[stands_for, 0, kind_white] += 1
            if with_black & bit:
                often[stands_for, 1, kind_black] += 1
            is_worse = meanings.worth[kind_white] < meanings.worth[kind_black]
            if with_white & with_black & bit and is_worse:
                count_pair(counts, meanings, kind_white, kind_black, block, there, stands_for)
