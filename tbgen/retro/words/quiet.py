"""Quiet moves: from positions to their quiet neighbours, 64 at a time.

A quiet move of a man other than a pawn can be taken back by the same man, so its successors and its predecessors are
the same words. `mark_predecessors` walks from decided positions back to those that can reach them; `find_escapes`
looks forward for positions with a move that is not decided; `list_neighbours` serves both directions.

The three walk the rays alike and do different things at each step, in the innermost loops of the solver: the first
drops most neighbours at once, the third stops as soon as nothing is left to be found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import by_address, inlined, prefetch
from tbgen.index import squares
from tbgen.index.kernels import path_of
from tbgen.index.squares import INVERSE, NOWHERE
from tbgen.index.words import NOTHING, ONE, image, king_spread
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import BLACK, WHITE, unpack_men, word_after, word_after_king
from tbgen.retro.words.worklist import Markable, add_bits, contains_word

RAY = np.uint64(squares.RAY)

MOST_NEIGHBOURS = 128
"""More words than the quiet moves of all men of a side lead to."""

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
    """Room for all neighbours of a word."""
    word, image_there = (np.zeros(MOST_NEIGHBOURS, np.int64) for _ in range(2))
    return Neighbours(word, np.zeros(MOST_NEIGHBOURS, np.uint64), image_there)


@inlined
def note_word(near: Neighbours, size: Int, word: Int, bits: Word, markable: Markable) -> None:
    """List some positions of a word as neighbour number `size`, and have fetched what is soon asked of the word."""
    prefetch(markable.allowed, (word,))
    prefetch(markable.worklist.bits, (word,))
    near.word[size], near.bits[size] = word, bits


# `men` and `near` are scratch space; `clear` are the black king squares that have not stood in the way of the ray
# so far. What is asked of a word comes from memory, so all words are listed before the first is looked at.
@inlined
def mark_predecessors(
    block: Block, men: Ints, mover: Int, word: Int, bits: Word, markable: Markable, near: Neighbours
) -> None:
    """Mark the allowed positions from which `mover` comes to some positions of a word by a quiet move."""
    geometry, occupied, size = block.geometry, block.occupied[word], 0
    unpack_men(geometry, word, men)
    if mover == BLACK:
        add_bits(markable.worklist, word, king_spread(bits) & markable.allowed[word])
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            before = word_after_king(geometry, word, men, step)
            if contains_word(markable.live, before):
                note_word(near, size, before, image(bits, geometry.king_image[king, step]), markable)
                size += 1
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path, paths = path_of(man, men[man]), geometry.rays.paths
        for _ in range(geometry.rays.counts[man]):
            clear = bits
            for at in range(path, path + RAY):
                to = np.int64(paths[at])
                if to == NOWHERE or occupied >> np.uint64(to) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                before = word_after(geometry, word, men, man, to)
                if contains_word(markable.live, before):
                    note_word(near, size, before, clear, markable)
                    size += 1
            path += RAY
    for n in range(size):
        before = near.word[n]
        add_bits(markable.worklist, before, near.bits[n] & markable.allowed[np.uint64(before)])


@inlined
def list_neighbours(block: Block, men: Ints, mover: Int, word: Int, bits: Word, found: Neighbours) -> int:
    """List the words that `mover` comes to by a quiet move from some positions of a word, or came from; how many."""
    geometry, occupied = block.geometry, block.occupied[word]
    unpack_men(geometry, word, men)
    size = 0
    if mover == BLACK:
        found.word[0], found.bits[0], found.image[0] = word, king_spread(bits), BLACK_KING_STEPS
        size = 1
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            symmetry = geometry.king_image[king, step]
            found.word[size] = word_after_king(geometry, word, men, step)
            found.bits[size], found.image[size] = image(bits, symmetry), symmetry
            size += 1
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path, paths = path_of(man, men[man]), geometry.rays.paths
        for _ in range(geometry.rays.counts[man]):
            clear = bits
            for at in range(path, path + RAY):
                to = np.int64(paths[at])
                if to == NOWHERE or occupied >> np.uint64(to) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                found.word[size], found.bits[size] = word_after(geometry, word, men, man, to), clear
                found.image[size] = 0
                size += 1
            path += RAY
    return size


@inlined
def find_escapes(block: Block, men: Ints, mover: Int, word: Int, bits: Word, left: Words) -> Word:
    """Those of some positions of a word in which `mover` has a quiet move to a position that is left.

    It stops as soon as all of them have one, and tries first what costs least: the black king, the other men, and
    the white king last, whose steps may need a symmetry.
    """
    geometry, occupied = block.geometry, block.occupied[word]
    found = NOTHING
    if mover == BLACK:
        found |= king_spread(left[word]) & bits
        if found == bits:
            return found
    unpack_men(geometry, word, men)
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path, paths = path_of(man, men[man]), geometry.rays.paths
        for _ in range(geometry.rays.counts[man]):
            clear = bits & ~found
            for at in range(path, path + RAY):
                to = np.int64(paths[at])
                if to == NOWHERE or occupied >> np.uint64(to) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                after = left[np.uint64(word_after(geometry, word, men, man, to))] & clear
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
