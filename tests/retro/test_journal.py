"""The journal against lists: what is written at one level is read at the next, and pages are used again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tbgen._jit import kernel
from tbgen.retro.journal import (
    END,
    FRESH,
    FULL,
    LEVEL,
    PAGE,
    Journal,
    begin_level,
    clear_journal,
    end_level,
    new_journal,
    next_word,
    skip_before,
    take_bits,
    write_entry,
)

Layer = tuple[int, list[tuple[int, int]]]
"""A key, and words with bits."""


@kernel
def write_level(journal, keys, words, bits, level):
    for n in range(len(keys)):
        write_entry(journal, keys[n], words[n], bits[n])
    end_level(journal, level)


@kernel
def read_and_write(journal, sought, words, bits, new_keys, new_words, new_bits, level):
    """Read the layers sought, and meanwhile write a new level; returns how many entries were read."""
    begin_level(journal)
    count, written = 0, 0
    for key in sought:
        skip_before(journal, key)
        word = next_word(journal, key)
        while word >= 0:
            words[count], bits[count] = word, take_bits(journal)
            count += 1
            if written < len(new_keys):
                write_entry(journal, new_keys[written], new_words[written], new_bits[written])
                written += 1
            word = next_word(journal, key)
    for n in range(written, len(new_keys)):
        write_entry(journal, new_keys[n], new_words[n], new_bits[n])
    skip_before(journal, np.int64(END))
    end_level(journal, level)
    return count


@kernel
def forget_all(journal):
    clear_journal(journal)


def layers(random: np.random.Generator, wanted: int, most: int) -> list[Layer]:
    """Layers with ascending keys and words."""
    keys = np.sort(random.choice(10 * wanted, wanted, replace=False)).tolist()
    return [
        (key, [(word, int(random.integers(1, 1 << 62))) for word in sorted(random.choice(most, size, replace=False))])
        for key, size in zip(keys, random.integers(1, most // 2, wanted).tolist(), strict=True)
    ]


def columns(level: list[Layer]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keys, words and bits, entry by entry."""
    rows = [(key, word, bits) for key, entries in level for word, bits in entries]
    keys, words, bits = zip(*rows, strict=True)
    return np.array(keys, np.int64), np.array(words, np.int64), np.array(bits, np.uint64)


def empty_journal(entries: int) -> Journal:
    journal = new_journal(entries)
    forget_all(journal)
    return journal


def read(journal: Journal, sought: list[int], level: list[Layer], number: int) -> list[tuple[int, int]]:
    """What some layers of the journal hold, while another level is written."""
    words, bits = np.zeros(1 << 20, np.int64), np.zeros(1 << 20, np.uint64)
    count = read_and_write(journal, np.array(sought, np.int64), words, bits, *columns(level), number)
    return list(zip(words[:count].tolist(), bits[:count].tolist(), strict=True))


def test_a_level_is_read_as_it_was_written_while_the_next_is_written() -> None:
    random = np.random.default_rng(1)
    levels = [layers(random, 20, 400) for _ in range(6)]
    journal = empty_journal(1 << 16)
    write_level(journal, *columns(levels[0]), 2)
    for number, (old, new) in enumerate(pairwise(levels), 3):
        found = read(journal, [key for key, _ in old], new, number)
        assert found == [entry for _, entries in old for entry in entries]
        assert journal.state[LEVEL] == number


def test_layers_that_are_not_sought_are_skipped() -> None:
    level = layers(np.random.default_rng(2), 30, 300)
    journal = empty_journal(1 << 16)
    write_level(journal, *columns(level), 2)
    sought = [key for key, _ in level[5:25:3]]
    found = read(journal, sorted([*sought, sought[2] + 1, 10**6]), level, 3)
    assert found == [entry for key, entries in level if key in (*sought, sought[2] + 1) for entry in entries]


def test_pages_that_have_been_read_are_used_again() -> None:
    random = np.random.default_rng(3)
    journal, level = empty_journal(1 << 18), layers(random, 40, 500)
    write_level(journal, *columns(level), 2)
    for number in range(3, 30):
        read(journal, [key for key, _ in level], level, number)
    entries = sum(len(entries) + 1 for _, entries in level)
    assert entries > 4 * PAGE
    assert journal.state[FRESH] <= entries // PAGE + 4


@pytest.mark.parametrize("entries", [1, 2 * PAGE, 3 * PAGE])
def test_a_journal_without_room_says_so_and_holds_no_level(entries: int) -> None:
    level = layers(np.random.default_rng(4), 40, 500)
    journal = empty_journal(entries)
    write_level(journal, *columns(level), 2)
    assert journal.state[LEVEL] == 0
    assert journal.state[FULL] == 0
    write_level(journal, *columns(level[:1]), 3)
    assert journal.state[LEVEL] == 3


def test_an_empty_level_is_a_level() -> None:
    journal, level = empty_journal(1 << 12), layers(np.random.default_rng(5), 3, 20)
    nothing = np.zeros(0, np.int64)
    write_level(journal, nothing, nothing, nothing.astype(np.uint64), 2)
    assert read(journal, [7], level, 3) == []
    assert read(journal, [key for key, _ in level], level, 4) == [entry for _, entries in level for entry in entries]
