"""Spread: from positions to their quiet neighbours, 64 at a time.

A quiet move of a man other than a pawn can be taken back by the same man, so the words a man comes to
and the words it came from are the same: `mark` walks from decided positions back to those that can
reach them, `escapes` asks forward whether a position has a move that is not decided.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.squares import INVERSE, NOWHERE, PATHS, RAY_COUNT
from tbgen.index.words import NOTHING, ONE, image, king_spread
from tbgen.retro.geometry import BLACK, WHITE, has_twin, unpack_men, word_after_king, word_among_twins
from tbgen.retro.marks import add_word, contains, put

RAY = np.uint64(8)


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


@inner
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


@inner
def reach(geometry, men, occupied, mover, word, bits, allowed, target):
    """Add to `target` the allowed positions a quiet move of `mover` away from some positions of a word."""
    unpack_men(geometry, word, men)
    if mover == BLACK:
        target.bits[word] |= king_spread(bits) & allowed[word]
        add_word(target.words, word)
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            after = word_after_king(geometry, word, men, step)
            if allowed[after]:
                target.bits[after] |= image(bits, geometry.king_image[king, step]) & allowed[after]
                add_word(target.words, after)
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
                after = np.uint64(neighbour(geometry, men, word, man, to))
                if allowed[after] & clear:
                    target.bits[after] |= clear & allowed[after]
                    add_word(target.words, after)
            path += RAY


@inner
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
