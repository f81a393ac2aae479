"""Marks: bits to look at, by word, and in which words there are any.

A set of words is a bitset with a summary above it, so that marking is a few instructions however often a word is
marked, and the words come out in ascending order, which is kind to the memory they are looked up in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner
from tbgen.index.words import NOTHING, ONE, lowest_square

Words = npt.NDArray[np.uint64]

GROUP = np.uint64(6)
TOP = np.uint64(12)
PLACE = np.uint64(63)


class Marks(NamedTuple):
    """Bits to look at, and the words that have any."""

    bits: Words
    dirty: Words
    """[word >> 6] the words with bits."""
    dirtier: Words
    """[word >> 12] the groups of 64 words with bits."""
    words: npt.NDArray[np.int32]
    """The words with bits in ascending order, once they are gathered."""
    size: npt.NDArray[np.int64]
    """How many words have been marked since they were last gathered."""


class Sparse(NamedTuple):
    """Bits by word, and a set of words that has all of those with any: it stays in the cache, and is asked first."""

    bits: Words
    words: Words


def new_marks(words: int) -> Marks:
    """Marks on nothing."""
    return Marks(
        np.zeros(words, np.uint64),
        new_set(words),
        np.zeros((words + 4095) >> 12, np.uint64),
        np.empty(words, np.int32),
        np.zeros(1, np.int64),
    )


def new_set(words: int) -> Words:
    """An empty set of words."""
    return np.zeros((words + 63) >> 6, np.uint64)


@inlined
def put(marks, word, bits):
    """Mark some bits of a word."""
    if bits == NOTHING:
        return
    at = np.uint64(word)
    before = marks.bits[at]
    marks.bits[at] = before | bits
    if before == NOTHING:
        marks.dirty[at >> GROUP] |= ONE << (at & PLACE)
        marks.dirtier[at >> TOP] |= ONE << (at >> GROUP & PLACE)
        marks.size[0] += 1


@inner
def gather(marks):
    """Write down the words that have bits, in ascending order, and how many they are; the bits stay for `take`."""
    size = 0
    if marks.size[0] == 0:
        return size
    marks.size[0] = 0
    for top in range(len(marks.dirtier)):
        groups = marks.dirtier[top]
        marks.dirtier[top] = NOTHING
        while groups:
            group = top * 64 + lowest_square(groups)
            groups &= groups - ONE
            words = marks.dirty[group]
            marks.dirty[group] = NOTHING
            while words:
                marks.words[size] = group * 64 + lowest_square(words)
                words &= words - ONE
                size += 1
    return size


@inlined
def take(marks, word):
    """The bits of a word, which are marked no longer."""
    at = np.uint64(word)
    bits = marks.bits[at]
    marks.bits[at] = NOTHING
    return bits


@inlined
def contains(words, word):
    """Whether a set of words has this one."""
    at = np.uint64(word)
    return words[at >> GROUP] >> (at & PLACE) & ONE != NOTHING


@inlined
def add_word(words, word):
    """Add a word to a set of words."""
    at = np.uint64(word)
    words[at >> GROUP] |= ONE << (at & PLACE)


@inlined
def drop_word(words, word):
    """Take a word out of a set of words."""
    at = np.uint64(word)
    words[at >> GROUP] &= ~(ONE << (at & PLACE))


@inner
def copy(target, source):
    """The words of one array into another of the same size."""
    for n in range(len(target)):
        target[n] = source[n]
