"""Spread: from positions to their quiet neighbours, 64 at a time.

A quiet move of a man other than a pawn can be taken back by the same man, so the words a man comes to
and the words it came from are the same: `mark` walks from decided positions back to those that can
reach them, `escapes` asks forward whether a position has a move that is not decided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined
from tbgen.index.squares import INVERSE, NOWHERE, PATHS, RAY_COUNT
from tbgen.index.words import NOTHING, ONE, image, king_spread
from tbgen.retro.words.geometry import BLACK, WHITE, has_twin, unpack_men, word_after_king, word_among_twins
from tbgen.retro.words.worklist import contains, put

RAY = np.uint64(8)
MOST_NEAR = 128
KING_LANES = -1
"""In place of a symmetry: Black's king has stepped, within the word."""


class Near(NamedTuple):
    """The words a quiet move away from some positions of a word."""

    word: npt.NDArray[np.int64]
    bits: npt.NDArray[np.uint64]
    """The cells there."""
    image: npt.NDArray[np.int64]
    """The symmetry from here to there, or KING_LANES."""


def new_near() -> Near:
    """Nothing is near."""
    return Near(np.zeros(MOST_NEAR, np.int64), np.zeros(MOST_NEAR, np.uint64), np.zeros(MOST_NEAR, np.int64))


@inlined
def path_of(role, square):
    """Where the rays of a man on a square begin in PATHS."""
    return np.uint64((role * 64 + square) * 64)


@inlined
def neighbour(geometry, men, word, man, to):
    """The word in which a man stands on another square."""
    if has_twin(geometry, man):
        return word_among_twins(geometry, word, men, man, to)
    return word + ((to - men[man]) << geometry.shift[man])


@inlined
def mark(geometry, men, occupied, mover, word, bits, allowed, marks):
    """Mark the allowed positions from which `mover` comes to some positions of a word by a quiet move."""
    unpack_men(geometry, word, men)
    if mover == BLACK:
        put(marks, word, king_spread(bits) & allowed.bits[word])
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            before = word_after_king(geometry, word, men, step)
            if contains(allowed.words, before):
                put(marks, before, image(bits, geometry.king_image[king, step]) & allowed.bits[before])
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path = path_of(geometry.role[man], men[man])
        for _ in range(RAY_COUNT[geometry.role[man]]):
            clear = bits
            for at in range(path, path + RAY):
                to = np.int64(PATHS[at])
                if to == NOWHERE or occupied >> np.uint64(to) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                before = neighbour(geometry, men, word, man, to)
                if contains(allowed.words, before):
                    put(marks, before, clear & allowed.bits[np.uint64(before)])
            path += RAY


@inlined
def find_near(geometry, men, occupied, mover, word, bits, near):
    """List the words that `mover` comes to by a quiet move from some positions of a word, or came from; how many."""
    unpack_men(geometry, word, men)
    size = 0
    if mover == BLACK:
        near.word[0], near.bits[0], near.image[0] = word, king_spread(bits), KING_LANES
        size = 1
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            symmetry = geometry.king_image[king, step]
            near.word[size] = word_after_king(geometry, word, men, step)
            near.bits[size], near.image[size] = image(bits, symmetry), symmetry
            size += 1
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path = path_of(geometry.role[man], men[man])
        for _ in range(RAY_COUNT[geometry.role[man]]):
            clear = bits
            for at in range(path, path + RAY):
                to = np.int64(PATHS[at])
                if to == NOWHERE or occupied >> np.uint64(to) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                near.word[size], near.bits[size] = neighbour(geometry, men, word, man, to), clear
                near.image[size] = 0
                size += 1
            path += RAY
    return size


@inlined
def escapes(geometry, men, occupied, mover, word, bits, left):
    """Those of some positions of a word in which `mover` has a quiet move to a position that is left."""
    found = NOTHING
    if mover == BLACK:
        found |= king_spread(left[word]) & bits
        if found == bits:
            return found
    unpack_men(geometry, word, men)
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        path = path_of(geometry.role[man], men[man])
        for _ in range(RAY_COUNT[geometry.role[man]]):
            clear = bits & ~found
            for at in range(path, path + RAY):
                to = np.int64(PATHS[at])
                if to == NOWHERE or occupied >> np.uint64(to) & ONE:
                    break
                clear &= ~(ONE << np.uint64(to))
                if clear == NOTHING:
                    break
                after = left[np.uint64(neighbour(geometry, men, word, man, to))] & clear
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
