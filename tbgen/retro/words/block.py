"""Block: the arrays in which one placement of the pawns is solved.

Words are [side to move, word], cells [side to move, 64 * word + black king square]. What a side forces belongs to a
*forcer*, the side that forces; its opponent is the *defender* there. An outcome's *rank* counts from the forcer's best
(its own mate, 0) to its worst (the other's mate, 255).

Most cells are decided by the first class, mate, once and for all. The others are numbered, word by word, and only they
have labels: *places* are these numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, Shorts, SignedBytes, Words
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.index.words import NOTHING, ONE, count, square_bit
from tbgen.retro.words.geometry import Geometry


@by_address
class Best(NamedTuple):
    """The mover's best resets."""

    outcome: SignedBytes
    """As a signed byte; 0 where there is none."""
    shortest: Shorts
    """Plies to that outcome by the shortest such reset, and by the longest."""
    longest: Shorts


def new_best(size: int) -> Best:
    """No reset yet; memory is touched as it fills."""
    return Best(np.zeros(size, np.int8), np.zeros(size, np.uint16), np.zeros(size, np.uint16))


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
    occupied: Words
    """[word] all men but the black king; NOTHING where the word holds no position."""
    legal: Words
    """[side, word] legal positions."""
    check: Words
    """[side, word] legal positions in which the side to move is in check."""
    undecided: Words
    """[side, word] legal cells, not frozen yet, that neither side had forced when the level before was done."""
    frozen: Words
    """[side, word] undecided cells whose own code is the level being done."""
    resets: Words
    """[side, word] cells that have a reset; once mates are known, those of them that have places."""
    first_reset: Words
    """[side, word] the number of the first of them; those of the others follow."""
    numbered: Words
    """[side, word, MASK or FIRST] the cells that have places, and the place of the first of them."""
    code: Bytes
    """[side, cell] the position's own code."""
    next_code: Bytes
    """[side, word] no undecided cell has a lower code; 255 if there is none."""
    best: Best
    """[number] the mover's best reset, of the cells that have one."""


MASK, FIRST = 0, 1


class BlockValues(NamedTuple):
    """A block's part of the table, which is filled in: [side * cells + cell]."""

    entry: SignedBytes
    dtg: Shorts


def new_block(geometry: Geometry) -> Block:
    """Arrays for the blocks of a material."""
    words, cells = geometry.words, geometry.words * 64
    return Block(
        geometry=geometry,
        number=np.zeros(1, np.int64),
        pawns=np.zeros(len(geometry.pawn_color), np.int64),
        pawn_set=np.zeros(1, np.uint64),
        occupied=np.zeros(words, np.uint64),
        legal=np.zeros((2, words), np.uint64),
        check=np.zeros((2, words), np.uint64),
        undecided=np.zeros((2, words), np.uint64),
        frozen=np.zeros((2, words), np.uint64),
        resets=np.zeros((2, words), np.uint64),
        first_reset=np.zeros((2, words), np.uint64),
        numbered=np.zeros((2, words, 2), np.uint64),
        code=np.zeros((2, cells), np.uint8),
        next_code=np.zeros((2, words), np.uint8),
        best=new_best(2 * cells),
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
def place_of_cell(block: Block, side: Int, word: Int, square: Int) -> np.uint64:
    """The place of a numbered cell. Places are unsigned: numba would check a signed index for being negative."""
    mask, first = block.numbered[side, word, MASK], block.numbered[side, word, FIRST]
    place: np.uint64 = first + np.uint64(count(mask & (square_bit(square) - ONE)))
    return place


@borrowing
def number_cells(block: Block, first: int, end: int, place: int) -> int:
    """Give places, from one on, to the undecided cells of a range of words; returns the place after the last."""
    for side in range(2):
        for word in range(first, end):
            cells = block.undecided[side, word]
            block.numbered[side, word, MASK] = cells
            block.numbered[side, word, FIRST] = place
            place += count(cells)
    return place


@inlined
def number_of_reset(block: Block, side: Int, word: Int, square: Int) -> np.uint64:
    """The number of a cell's reset, if it has one."""
    before = block.resets[side, word] & (square_bit(square) - ONE)
    number: np.uint64 = block.first_reset[side, word] + np.uint64(count(before))
    return number


@borrowing
def count_kept_resets(block: Block, first: int, end: int) -> int:
    """How many numbered cells of a range of words have a reset."""
    kept = 0
    for side in range(2):
        for word in range(first, end):
            kept += count(block.resets[side, word] & block.numbered[side, word, MASK])
    return kept


# Mates decide most cells that have a reset, and before them nobody knows how many will be left.
@borrowing
def move_resets(block: Block, first: int, end: int, kept: Best, start: int) -> None:
    """Only the numbered cells of a range of words keep their resets, in other arrays, with numbers from `start` on."""
    to = np.uint64(start)
    for side in range(2):
        for word in range(first, end):
            lanes, at = block.resets[side, word], block.first_reset[side, word]
            mine = lanes & block.numbered[side, word, MASK]
            block.resets[side, word], block.first_reset[side, word] = mine, to
            while lanes:
                bit = lanes & (~lanes + ONE)
                lanes ^= bit
                if mine & bit:
                    kept.outcome[to] = block.best.outcome[at]
                    kept.shortest[to] = block.best.shortest[at]
                    kept.longest[to] = block.best.longest[at]
                    to += ONE
                at += ONE
