"""The block: where one placement of the pawns is solved, its legal positions, its primary cells.

Words are [side to move, word], cells [side to move, 64 * word + black king square]. What a side
forces belongs to a *forcer*, the side that forces; its opponent is the *defender* there. An
outcome's *goal* counts from the forcer's best (its own mate, 0) to its worst (the other's mate,
255).

Most cells are decided by mate or stalemate, once and for all. The others are numbered, word by
word, and only they have labels.

Legality is found 64 black king squares at a time: attacks look through the black king, which the
bits stand for.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, NewArray, Shorts, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner
from tbgen.index.kernels import attacks_of, has_two_cells, how_turned, primary_black_kings
from tbgen.index.placements import INTO_TRIANGLE
from tbgen.index.resets import NO_SLOT
from tbgen.index.squares import KING_ATTACKS, PAWN_ATTACKS, TRANSPOSE
from tbgen.index.words import EVERYTHING, NOTHING, ONE, count, square_bit
from tbgen.retro.words.geometry import (
    BLACK,
    WHITE,
    Geometry,
    king_of,
    occupied_by,
    shade_of,
    unpack_men,
    word_of_images,
)


@by_address
class Best(NamedTuple):
    """The mover's best resets."""

    outcome: SignedBytes
    """As a signed byte; 0 where there is none."""
    shortest: Shorts
    """Plies to that outcome by the shortest such reset and by the longest; empty without plies."""
    longest: Shorts


def new_best(size: int, *, plies: bool = True) -> Best:
    """No reset yet; memory is touched as it fills."""
    counted = size if plies else 0
    return Best(np.zeros(size, np.int8), np.zeros(counted, np.uint16), np.zeros(counted, np.uint16))


@by_address
class Block(NamedTuple):
    """Where one block is solved; the arrays serve one block after another."""

    geometry: Geometry
    number: Ints
    """[0] which of the table's blocks it is."""
    pawns: Ints
    """[pawn] -> square."""
    pawn_set: Words
    """[0] the pawns as a set of squares."""
    shades: Words
    """[0] a bit for each shade that is solved (see `shade_of`), all of them for a table."""
    occupied: Words
    """[word] all men but the black king; NOTHING where the word holds no position."""
    legal: Words
    """[side, word] legal positions."""
    check: Words
    """[side, word] legal positions in which the side to move is in check."""
    undecided: Words
    """[side, word] legal cells, not frozen, that neither side had forced at the code before."""
    frozen: Words
    """[side, word] cells whose own code is being done, which have just left `undecided`. The solver
    of outcomes alone has only those here whose hold stands."""
    resets: Words
    """[side, word] cells that have a reset."""
    first_reset: Words
    """[side, word] the number of the first of them; those of the others follow."""
    numbered: Words
    """[side, word, MASK or FIRST] the cells that have numbers, and that of the first of them."""
    code: Bytes
    """[side, cell] the position's own code; empty if thresholds need none."""
    counts: Words
    """[side, word, plane] the number of moves, bit-sliced, for thresholds.

    Where there are too many, all bits are set.
    """
    next_code: Bytes
    """[side, word] a lower bound of the codes of undecided cells that are not ripe.

    NO_CODE if there are none.
    """
    best: Best
    """[number] the mover's best reset, of the cells that have one."""


MASK = 0
FIRST = 1

NO_CODE = 255
"""In place of a code, where there is no position: a position's own code is lower."""


class BlockValues(NamedTuple):
    """A block's part of the table, which is filled in: [side * cells + cell]."""

    entry: SignedBytes
    dtg: Shorts


def new_block(
    geometry: Geometry,
    *,
    plies: bool = True,
    numbers: bool = True,
    codes: bool = True,
    planes: int = 0,
    new: NewArray = np.zeros,
) -> Block:
    """Arrays for the blocks of a material.

    Thresholds need no `numbers`: they decide cells without numbering these or their resets. `new`
    makes the arrays that each threshold reads in order, or once.
    """
    words = geometry.words
    cells = geometry.words * 64
    numbered_words = words if numbers else 0
    coded_cells = cells if codes else 0
    pair = (2, words)
    numbered_pair = (2, numbered_words)
    return Block(
        geometry=geometry,
        number=np.zeros(1, np.int64),
        pawns=np.zeros(len(geometry.pawn_color), np.int64),
        pawn_set=np.zeros(1, np.uint64),
        shades=np.full(1, EVERYTHING),
        occupied=np.zeros(words, np.uint64),
        legal=new(2 * words, np.uint64).reshape(pair),
        check=new(2 * words, np.uint64).reshape(pair),
        undecided=np.zeros(numbered_pair, np.uint64),
        frozen=np.zeros(numbered_pair, np.uint64),
        resets=new(2 * words, np.uint64).reshape(pair),
        first_reset=np.zeros(numbered_pair, np.uint64),
        numbered=np.zeros((*numbered_pair, 2), np.uint64),
        code=new(2 * coded_cells, np.uint8).reshape(2, coded_cells),
        counts=new(2 * words * planes, np.uint64).reshape(2, words, planes),
        next_code=np.zeros(pair, np.uint8),
        best=new_best(2 * numbered_words * 64, plies=plies),
    )


def bare_block(geometry: Geometry, words: int) -> Block:
    """A block with room for so many words, and none for codes and resets."""
    few = new_block(geometry._replace(words=0))
    pair = (2, words)
    legal = np.zeros(pair, np.uint64)
    check = np.zeros(pair, np.uint64)
    return few._replace(
        geometry=geometry, occupied=np.zeros(words, np.uint64), legal=legal, check=check
    )


@borrowing
def enter_block(block: Block, number: Int, squares: Ints) -> None:
    """Begin with another placement of the pawns, the table's block of this number."""
    block.number[0] = number
    block.pawn_set[0] = NOTHING
    for n in range(len(squares)):
        block.pawns[n] = squares[n]
        block.pawn_set[0] |= square_bit(squares[n])


@inlined
def number_of_cell(block: Block, side: Int, word: Int, square: Int) -> np.uint64:
    """The number of a numbered cell.

    It is unsigned: numba would check a signed index for being negative.
    """
    mask = block.numbered[side, word, MASK]
    first = block.numbered[side, word, FIRST]
    number: np.uint64 = first + np.uint64(count(mask & (square_bit(square) - ONE)))
    return number


@borrowing
def number_cells(block: Block, first: int, end: int, number: int) -> int:
    """Number the undecided cells of a range of words from `number` on.

    Returns the number after the last.
    """
    for side in range(2):
        for word in range(first, end):
            cells = block.undecided[side, word]
            block.numbered[side, word, MASK] = cells
            block.numbered[side, word, FIRST] = number
            number += count(cells)
    return number


@inlined
def number_of_reset(block: Block, side: Int, word: Int, square: Int) -> np.uint64:
    """The number of a cell's reset, if it has one."""
    before = block.resets[side, word] & (square_bit(square) - ONE)
    number: np.uint64 = block.first_reset[side, word] + np.uint64(count(before))
    return number


@inner
def white_attacks(block: Block, men: Ints, king: Int, occupied: Word, gone: Int) -> Word:
    """All that White attacks, looking through the black king.

    A man in the slot `gone` has been captured, and attacks nothing.
    """
    geometry = block.geometry
    attacked = KING_ATTACKS[king]
    gone_man = gone - len(block.pawns) - 1
    for n in range(len(geometry.color)):
        if geometry.color[n] == WHITE and n != gone_man:
            attacked |= attacks_of(geometry.rays, n, men[n], occupied)
    for n in range(len(geometry.pawn_color)):
        if geometry.pawn_color[n] == WHITE and n != gone:
            attacked |= PAWN_ATTACKS[WHITE, block.pawns[n]]
    return attacked


@inner
def white_king_attacked(block: Block, men: Ints, king: Int, occupied: Word, gone: Int) -> Word:
    """Black king squares for which Black's other men attack the white king.

    A man in the slot `gone` has been captured, and attacks nothing.
    """
    geometry = block.geometry
    attacked = NOTHING
    gone_man = gone - len(block.pawns) - 1
    for n in range(len(geometry.color)):
        if geometry.color[n] == BLACK and n != gone_man:
            between = geometry.rays.between[n, men[n], king]
            if geometry.rays.reached[n, men[n]] & square_bit(king) and not between & occupied:
                attacked |= ~between
    for n in range(len(geometry.pawn_color)):
        if (
            geometry.pawn_color[n] == BLACK
            and n != gone
            and PAWN_ATTACKS[BLACK, block.pawns[n]] & square_bit(king)
        ):
            return EVERYTHING
    return attacked


@borrowing
def find_legal(block: Block, men: Ints, first: int, end: int) -> None:
    """Write legal[side, word] and check[side, word] of a range of words.

    `men` is room for the squares of a word's men.
    """
    geometry = block.geometry
    for word in range(first, end):
        unpack_men(geometry, word, men)
        occupied = NOTHING
        if block.shades[0] & square_bit(shade_of(geometry, men)):
            occupied = occupied_by(geometry, word, men, block.pawn_set[0])
        block.occupied[word] = occupied
        if occupied == NOTHING:
            block.legal[:, word] = NOTHING
            block.check[:, word] = NOTHING
            continue
        king = king_of(geometry, word)
        apart = ~occupied & ~KING_ATTACKS[king]
        attacked = white_attacks(block, men, king, occupied, NO_SLOT)
        attacked_king = white_king_attacked(block, men, king, occupied, NO_SLOT)
        block.legal[WHITE, word] = apart & ~attacked
        block.legal[BLACK, word] = apart & ~attacked_king
        block.check[WHITE, word] = apart & ~attacked & attacked_king
        block.check[BLACK, word] = apart & ~attacked_king & attacked


@inlined
def is_halved(geometry: Geometry, word: Int, own_mirror: bool) -> bool:
    """Whether the positions of a word have two cells.

    `own_mirror` says whether the pawns of its block are their own mirror image.
    """
    how = how_turned(len(geometry.pawn_color), own_mirror)
    return has_two_cells(how, king_of(geometry, word))


@inlined
def primary_kings(geometry: Geometry, word: Int, own_mirror: bool, men: Ints) -> Word:
    """The black king squares of a word whose cells are primary.

    `men` is room for the squares of its men.
    """
    how = how_turned(len(geometry.pawn_color), own_mirror)
    king = king_of(geometry, word)
    compared = -1
    if how == INTO_TRIANGLE and has_two_cells(how, king):
        unpack_men(geometry, word, men)
        image = word_of_images(geometry, TRANSPOSE, word >> geometry.king_shift, men)
        if word > image:
            compared = 1
        elif word == image:
            compared = 0
    return primary_black_kings(how, king, compared)
