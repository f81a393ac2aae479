"""Quiet moves: from positions to their quiet neighbours, 64 at a time.

A quiet move of a man other than a pawn can be taken back by the same man, so its successors and its
predecessors are the same words. `list_neighbours` serves both directions; `mark_predecessors` marks
the positions that can reach decided ones; `find_escapes` looks forward for positions with a move
that is not decided.

Both walk the rays alike, in the innermost loops of the solver: `find_escapes` stops as soon as
nothing is left to be found.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import by_address, inlined, prefetch
from tbgen.index import squares
from tbgen.index.kernels import rays_start
from tbgen.index.squares import INVERSE, NOWHERE
from tbgen.index.words import NOTHING, ONE, image, king_spread
from tbgen.material import MOST_TABLE_MOVES
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import BLACK, WHITE, unpack_men, walker_of, word_after_king, word_on
from tbgen.retro.words.worklist import Markable, add_bits, contains_word

RAY = np.uint64(squares.RAY)

MOST_NEIGHBOURS = MOST_TABLE_MOVES + 4
"""The words that the quiet moves of a side lead to, at most. A step of the white king to the long
diagonal leads to two words, and at most four of his steps end there."""

BLACK_KING_STEPS = -1
"""In place of a symmetry: the black king has stepped, within the word."""


@by_address
class Neighbours(NamedTuple):
    """The words a quiet move away from some positions of a word: [neighbour]."""

    word: Ints
    bits: Words
    """The positions there."""
    image: Ints
    """The symmetry from here to there, or BLACK_KING_STEPS."""


def new_neighbours() -> Neighbours:
    return Neighbours(
        word=np.zeros(MOST_NEIGHBOURS, np.int64),
        bits=np.zeros(MOST_NEIGHBOURS, np.uint64),
        image=np.zeros(MOST_NEIGHBOURS, np.int64),
    )


@inlined
def is_listed(word: Int, markable: Markable | None) -> bool:
    """Whether to list a neighbour: for marking, only if any of its positions may be marked."""
    return markable is None or contains_word(markable.live, word)


@inlined
def note_word(
    near: Neighbours, n: Int, word: Int, bits: Word, symmetry: Int, markable: Markable | None
) -> None:
    """List some positions of a word as neighbour number `n`, to be marked or with a symmetry."""
    at = np.uint64(n)
    near.word[at] = word
    near.bits[at] = bits
    if markable is None:
        near.image[at] = symmetry
    else:
        prefetch(markable.allowed, (word,))
        prefetch(markable.worklist.bits, (word,))


# `men` is scratch space; `clear` are the black king squares that have not stood in the way of the
# ray so far.
@inlined
def list_neighbours(
    block: Block,
    men: Ints,
    mover: Int,
    word: Int,
    bits: Word,
    near: Neighbours,
    markable: Markable | None,
) -> int:
    """List the words a quiet move of `mover` away from some positions of a word; how many.

    The moves lead from here to there as well as from there to here. If only some positions may be
    marked, words without any of them are left out.
    """
    geometry = block.geometry
    occupied = block.occupied[word]
    size = 0
    unpack_men(geometry, word, men)
    if mover == BLACK:
        note_word(near, 0, word, king_spread(bits), BLACK_KING_STEPS, markable)
        size = 1
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            there = word_after_king(geometry, word, men, step)
            symmetry = geometry.king_image[king, step]
            if is_listed(there, markable):
                note_word(near, size, there, image(bits, symmetry), symmetry, markable)
                size += 1
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path = rays_start(man, men[man])
        paths = geometry.rays.paths
        walker = walker_of(geometry, word, men, man)
        for _ in range(geometry.rays.counts[man]):
            clear = bits
            at = path
            while True:  # until NOWHERE, which ends every ray
                to = np.int64(paths[at])
                at += ONE
                if to == NOWHERE or (occupied >> np.uint64(to)) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                there = word_on(geometry, word, men, walker, to)
                if is_listed(there, markable):
                    note_word(near, size, there, clear, 0, markable)
                    size += 1
            path += RAY
    return size


# What is asked of a word comes from memory, so all words are listed before the first is looked at.
@inlined
def mark_predecessors(
    block: Block, men: Ints, mover: Int, word: Int, bits: Word, markable: Markable, near: Neighbours
) -> None:
    """Mark allowed positions from which a quiet move of `mover` leads to some of a word."""
    for n in range(list_neighbours(block, men, mover, word, bits, near, markable)):
        before = near.word[n]
        add_bits(markable.worklist, before, near.bits[n] & markable.allowed[np.uint64(before)])


@inlined
def find_escapes(block: Block, men: Ints, mover: Int, word: Int, bits: Word, left: Words) -> Word:
    """Those of some positions of a word in which `mover` has a quiet move into the set `left`.

    It stops as soon as all of them have one, and tries first what costs least: the black king, the
    other men, and the white king last, whose steps may need a symmetry.
    """
    geometry = block.geometry
    occupied = block.occupied[word]
    found = NOTHING
    if mover == BLACK:
        found |= king_spread(left[word]) & bits
        if found == bits:
            return found
    unpack_men(geometry, word, men)
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path = rays_start(man, men[man])
        paths = geometry.rays.paths
        walker = walker_of(geometry, word, men, man)
        for _ in range(geometry.rays.counts[man]):
            clear = bits & ~found
            at = path
            while True:  # until NOWHERE, which ends every ray
                to = np.int64(paths[at])
                at += ONE
                if to == NOWHERE or (occupied >> np.uint64(to)) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                there = word_on(geometry, word, men, walker, to)
                after = left[np.uint64(there)] & clear
                found |= after
                clear &= ~after
            path += RAY
        if found == bits:
            return found
    if mover == WHITE:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            after = word_after_king(geometry, word, men, step)
            if left[after]:
                found |= image(left[after], INVERSE[geometry.king_image[king, step]]) & bits
                if found == bits:
                    break
    return found
