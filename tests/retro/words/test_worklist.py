"""A worklist against a dictionary of sets."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.jit import kernel
from tbgen.retro.words.worklist import (
    add_bits,
    add_word,
    contains_word,
    drop_word,
    list_words,
    new_word_set,
    new_worklist,
    take_bits,
)


@kernel
def add_all_bits(worklist, words, bits):
    for n in range(len(words)):
        add_bits(worklist, words[n], bits[n])


@kernel
def take_all_bits(worklist, words, bits):
    size = list_words(worklist)
    for n in range(size):
        words[n] = worklist.words[n]
        bits[n] = take_bits(worklist, worklist.words[n])
    return size


@kernel
def change_set(words, added, dropped, found):
    for word in added:
        add_word(words, word)
    for word in dropped:
        drop_word(words, word)
    for word in range(len(found)):
        found[word] = contains_word(words, word)


@pytest.mark.parametrize("size", [1, 64, 65, 4096, 10000])
def test_marked_words_come_in_ascending_order_with_all_their_bits_and_are_then_clear(size: int) -> None:
    random, worklist = np.random.default_rng(size), new_worklist(size)
    for wanted in (0, 1, 5, 3000):
        words = random.integers(0, size, wanted)
        bits = random.integers(0, 1 << 62, wanted).astype(np.uint64) >> random.integers(0, 64, wanted).astype(np.uint64)
        expected: dict[int, int] = {}
        for word, bit in zip(words.tolist(), bits.tolist(), strict=True):
            if bit:
                expected[word] = expected.get(word, 0) | bit
        add_all_bits(worklist, words, bits)
        found_words, found_bits = np.zeros(size, np.int64), np.zeros(size, np.uint64)
        found = take_all_bits(worklist, found_words, found_bits)
        assert dict(zip(found_words[:found].tolist(), found_bits[:found].tolist(), strict=True)) == expected
        assert found_words[:found].tolist() == sorted(expected)
        assert not any(each.any() for each in (worklist.bits, worklist.marked, worklist.summary, worklist.size))


@pytest.mark.parametrize("size", [1, 64, 65, 5000])
def test_a_set_of_words_has_what_was_added_and_not_dropped(size: int) -> None:
    random, found = np.random.default_rng(6), np.zeros(size, bool)
    added, dropped = random.integers(0, size, size), random.integers(0, size, size // 2)
    change_set(new_word_set(size), added, dropped, found)
    assert np.flatnonzero(found).tolist() == sorted(set(added.tolist()) - set(dropped.tolist()))
