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
from tbgen.index.squares import INVERSE, MOVES, RAY_COUNT
from tbgen.index.words import NOTHING, image, king_spread, square_bit
from tbgen.retro.geometry import BLACK, WHITE, has_twin, unpack_men, word_after_king, word_among_twins

Words = npt.NDArray[np.uint64]


class Marks(NamedTuple):
    """Bits to look at, by word, and the words that have any."""

    bits: Words
    words: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]


def new_marks(words: int) -> Marks:
    """Marks on nothing."""
    return Marks(np.zeros(words, np.uint64), np.zeros(words, np.int64), np.zeros(1, np.int64))


@inlined
def put(marks, word, bits):
    """Mark some bits of a word."""
    if bits == NOTHING:
        return
    if marks.bits[word] == NOTHING:
        marks.words[marks.size[0]] = word
        marks.size[0] += 1
    marks.bits[word] |= bits


@inlined
def mark(geometry, men, occupied, mover, word, bits, allowed, marks):
    """Mark the allowed positions from which `mover` comes to some positions of a word by a quiet move."""
    unpack_men(geometry, word, men)
    if mover == BLACK:
        put(marks, word, king_spread(bits) & allowed[word])
    else:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            before = word_after_king(geometry, word, men, step)
            if allowed[before]:
                put(marks, before, image(bits, geometry.king_image[king, step]) & allowed[before])
    for man in range(len(men)):
        if geometry.color[man] != mover:
            continue
        role, start, shift = geometry.role[man], men[man], geometry.shift[man]
        alone = not has_twin(geometry, man)
        for ray in range(RAY_COUNT[role]):
            clear = bits
            for step in range(8):
                to = np.int64(MOVES[role, start, ray, step])
                if to < 0 or occupied & square_bit(to):
                    break
                clear &= ~square_bit(to)
                if clear == NOTHING:
                    break
                before = word + ((to - start) << shift) if alone else word_among_twins(geometry, word, men, man, to)
                put(marks, before, clear & allowed[before])


@inlined
def escapes(geometry, men, occupied, mover, word, bits, left):
    """Those of some positions of a word in which `mover` has a quiet move to a position that is left."""
    found = NOTHING
    if mover == BLACK:
        found |= king_spread(left[word]) & bits
    if found != bits:
        unpack_men(geometry, word, men)
    for man in range(len(men)):
        if geometry.color[man] != mover or found == bits:
            continue
        role, start, shift = geometry.role[man], men[man], geometry.shift[man]
        alone = not has_twin(geometry, man)
        for ray in range(RAY_COUNT[role]):
            clear = bits & ~found
            for step in range(8):
                to = np.int64(MOVES[role, start, ray, step])
                if to < 0 or occupied & square_bit(to):
                    break
                clear &= ~square_bit(to)
                if clear == NOTHING:
                    break
                after = word + ((to - start) << shift) if alone else word_among_twins(geometry, word, men, man, to)
                found |= left[after] & clear
                clear &= ~found
    if mover == WHITE and found != bits:
        king = word >> geometry.king_shift
        for step in range(geometry.king_count[king]):
            after = word_after_king(geometry, word, men, step)
            if left[after]:
                found |= image(left[after], INVERSE[geometry.king_image[king, step]]) & bits
                if found == bits:
                    break
    return found
