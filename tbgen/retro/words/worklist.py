"""Worklist: one 64-bit mask per word, and a two-level bitmap of the words whose mask is not empty.

Adding bits takes a few instructions however often a word is added, and the words come out in
ascending order, so that memory is read in order too.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedInts32, Word, Words
from tbgen.compiled.jit import by_address, inlined, inner
from tbgen.index.words import NOTHING, ONE, lowest_square

GROUP = np.uint64(6)
"""A group is 64 words: a word's number >> GROUP."""

TOP = np.uint64(12)
"""A top group is 64 groups."""

LOW_BITS = np.uint64(63)

FAR = 12
"""A loop over listed words prefetches the bits of the word that comes so many later."""
NEAR = 4
"""It prefetches what lies where those bits say, such as labels, for the word so many later."""


@by_address
class Worklist(NamedTuple):
    """Bits to be looked at, and the words that have any."""

    bits: Words
    """[word]"""
    marked: Words
    """[word >> 6] at least the words that have bits."""
    summary: Words
    """[word >> 12] the groups of 64 words that have bits."""
    words: SignedInts32
    """The words that have bits in ascending order, once `list_words` has listed them."""
    size: Ints
    """[0] the number of words added since they were last listed; some may count twice."""


class Markable(NamedTuple):
    """What may be marked, and where marks go."""

    worklist: Worklist
    allowed: Words
    """[word] the bits that may be marked."""
    live: Words
    """A set with at least the words that have such bits: it stays in the cache and comes first."""


def new_worklist(words: int) -> Worklist:
    return Worklist(
        bits=np.zeros(words, np.uint64),
        marked=new_word_set(words),
        summary=np.zeros((words + 4095) >> 12, np.uint64),
        words=np.empty(words, np.int32),
        size=np.zeros(1, np.int64),
    )


def new_word_set(words: int) -> Words:
    """An empty set of words: [word >> 6], a bit a word."""
    return np.zeros((words + 63) >> 6, np.uint64)


@inlined
def add_bits(worklist: Worklist, word: Int, bits: Word) -> None:
    if bits == NOTHING:
        return
    at = np.uint64(word)
    before = worklist.bits[at]
    worklist.bits[at] = before | bits
    if before == NOTHING:
        worklist.marked[at >> GROUP] |= ONE << (at & LOW_BITS)
        worklist.summary[at >> TOP] |= ONE << ((at >> GROUP) & LOW_BITS)
        worklist.size[0] += 1


@inner
def list_words(worklist: Worklist) -> int:
    """List the words that have bits, in ascending order; how many they are.

    The bits stay for `take_bits`.
    """
    if worklist.size[0] == 0:
        return 0
    worklist.size[0] = 0
    return list_range(worklist, 0, len(worklist.summary))


@inner
def list_range(worklist: Worklist, first: Int, end: Int) -> int:
    """The same for some top groups; it neither reads nor writes `size`."""
    size = 0
    for top in range(first, end):
        groups = worklist.summary[top]
        worklist.summary[top] = NOTHING
        while groups:
            group = top * 64 + lowest_square(groups)
            groups &= groups - ONE
            words = worklist.marked[group]
            worklist.marked[group] = NOTHING
            while words:
                worklist.words[size] = group * 64 + lowest_square(words)
                words &= words - ONE
                size += 1
    return size


@inlined
def take_bits(worklist: Worklist, word: Int) -> Word:
    """The bits of a word, which has none from now on."""
    at = np.uint64(word)
    bits: Word = worklist.bits[at]
    worklist.bits[at] = NOTHING
    return bits


@inlined
def contains_word(words: Words, word: Int) -> bool:
    """Whether a set of words has this one."""
    at = np.uint64(word)
    return bool((words[at >> GROUP] >> (at & LOW_BITS)) & ONE != NOTHING)


@inlined
def drop_word(words: Words, word: Int) -> None:
    """Take a word out of a set of words."""
    at = np.uint64(word)
    words[at >> GROUP] &= ~(ONE << (at & LOW_BITS))
