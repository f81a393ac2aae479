"""A worklist and a set of words, against a dictionary and a set."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.arrays import Bools, Ints, Words
from tbgen.compiled.jit import borrowing
from tbgen.retro.words.worklist import (
    Worklist,
    add_bits,
    contains_word,
    drop_word,
    list_words,
    new_word_set,
    new_worklist,
    take_bits,
)


@borrowing
def add_all(worklist: Worklist, words: Ints, bits: Words) -> None:
    for n in range(len(words)):
        add_bits(worklist, words[n], bits[n])


@borrowing
def take_all(worklist: Worklist, words: Ints, bits: Words) -> int:
    size = list_words(worklist)
    for n in range(size):
        words[n] = worklist.words[n]
        bits[n] = take_bits(worklist, worklist.words[n])
    return size


@borrowing
def drop_all(words: Words, dropped: Ints, has: Bools) -> None:
    for word in dropped:
        drop_word(words, word)
    for word in range(len(has)):
        has[word] = contains_word(words, word)


@pytest.mark.parametrize("size", [1, 64, 65, 4096, 10_000])
def test_words_come_in_ascending_order_with_all_their_bits_and_are_then_clear(size: int) -> None:
    draw = np.random.default_rng(size)
    worklist = new_worklist(size)
    for wanted in (0, 1, 5, 3000):
        words = draw.integers(0, size, wanted)
        sparse = draw.integers(0, 64, wanted).astype(np.uint64)
        bits = draw.integers(0, 1 << 62, wanted).astype(np.uint64) >> sparse
        expected = dict[int, int]()
        for word, word_bits in zip(words.tolist(), bits.tolist(), strict=True):
            if word_bits:
                expected[word] = expected.get(word, 0) | word_bits
        add_all(worklist, words, bits)
        taken_words = np.zeros(size, np.int64)
        taken_bits = np.zeros(size, np.uint64)
        taken = take_all(worklist, taken_words, taken_bits)
        assert taken_words[:taken].tolist() == sorted(expected)
        assert taken_bits[:taken].tolist() == [expected[word] for word in sorted(expected)]
        for array in (worklist.bits, worklist.marked, worklist.summary, worklist.size):
            assert not array.any()


@pytest.mark.parametrize("size", [1, 64, 65, 5000])
def test_a_set_of_words_has_all_but_those_dropped(size: int) -> None:
    draw = np.random.default_rng(6)
    words = new_word_set(size)
    words[:] = ~np.uint64(0)
    dropped = draw.integers(0, size, size // 2)
    has = np.zeros(size, bool)
    drop_all(words, dropped, has)
    assert set(np.flatnonzero(~has).tolist()) == set(dropped.tolist())
