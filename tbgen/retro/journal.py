"""Journal: what joined at the last level, layer by layer, as a queue.

Writing appends while reading consumes, so one queue holds the rest of the last level and the beginning of this one. It
lies in pages that are used again once they have been read: memory is touched only as far as it is needed.
A layer is a header (a negative word, and the layer's key as bits) and its entries: words in ascending order with bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inlined, inner

PAGE = 1 << 10
"""Entries of a page."""

HEADER = -1
END = (1 << 62) - 1
"""The key of what comes after the last layer."""

READ, WRITE, KEY, SPARE, FRESH, WRITTEN, LEVEL, FULL = range(8)
"""State: where to read and write; the key of the layer being read; the first page to be used again, and the first one
never used; the key of the layer being written; the level in the journal, 0 for none; whether it is full."""


class Journal(NamedTuple):
    """A queue of words and bits."""

    word: npt.NDArray[np.int32]
    bits: npt.NDArray[np.uint64]
    next: npt.NDArray[np.int32]
    """[page] -> the page after it, among those in use or among those to be used again."""
    state: npt.NDArray[np.int64]


def new_journal(entries: int) -> Journal:
    """An empty journal with room for so many entries, rounded up."""
    pages = max(-(-entries // PAGE), 2)
    return Journal(
        np.empty(pages * PAGE, np.int32),
        np.empty(pages * PAGE, np.uint64),
        np.empty(pages, np.int32),
        np.zeros(8, np.int64),
    )


@inlined
def layer_key(label, own):
    """The key of the part of a layer that the other side's positions make, or the forcer's own, which comes after."""
    return np.int64(label) * 2 + (1 if own else 0)


@inner
def clear_journal(journal):
    """Forget everything: no level is in the journal."""
    state = journal.state
    state[READ], state[WRITE], state[SPARE], state[FRESH] = 0, 0, -1, 1
    state[KEY], state[WRITTEN], state[LEVEL], state[FULL] = END, END, 0, 0


@inner
def _new_page(journal):
    """A page to write on, or -1."""
    state = journal.state
    page = state[SPARE]
    if page >= 0:
        state[SPARE] = journal.next[page]
    elif state[FRESH] < len(journal.next):
        page = state[FRESH]
        state[FRESH] = page + 1
    return page


@inlined
def _append(journal, word, bits):
    """Add an entry or a header, and have a page ready for the next; what does not fit is lost and FULL is set."""
    state = journal.state
    if state[FULL]:
        return
    at = state[WRITE]
    journal.word[np.uint64(at)] = word
    journal.bits[np.uint64(at)] = bits
    at += 1
    if at % PAGE == 0:
        page = _new_page(journal)
        if page < 0:
            state[FULL] = 1
            return
        journal.next[at // PAGE - 1] = page
        at = page * PAGE
    state[WRITE] = at


@inlined
def write_entry(journal, key, word, bits):
    """Add an entry to the layer of a key, which becomes the last layer if it is not."""
    if journal.state[WRITTEN] != key:
        journal.state[WRITTEN] = key
        _append(journal, np.int32(HEADER), np.uint64(key))
    _append(journal, np.int32(word), bits)


@inlined
def _advance(journal):
    """Go on to the next entry; a page that has been read can be used again."""
    state, place = journal.state, journal.state[READ]
    at = entry_after(journal, place)
    if (place + 1) % PAGE == 0:
        page = place // PAGE
        journal.next[page] = state[SPARE]
        state[SPARE] = page
    state[READ] = at


@inlined
def entry_after(journal, place):
    """Where the entry after one that has been written is."""
    at = place + 1
    return at if at % PAGE else np.int64(journal.next[place // PAGE]) * PAGE


@inlined
def next_word(journal, key):
    """The word of the next entry of the layer of a key, or -1 at the layer's end."""
    if journal.state[KEY] != key:
        return np.int64(HEADER)
    word = np.int64(journal.word[np.uint64(journal.state[READ])])
    if word == HEADER:
        journal.state[KEY] = np.int64(journal.bits[journal.state[READ]])
        _advance(journal)
    return word


@inlined
def take_bits(journal):
    """The bits of the entry that `next_word` has shown."""
    bits = journal.bits[np.uint64(journal.state[READ])]
    _advance(journal)
    return bits


@inner
def skip_before(journal, key):
    """Skip the layers before a key; the key of the layer to read next."""
    while journal.state[KEY] < key:
        if next_word(journal, journal.state[KEY]) != HEADER:
            take_bits(journal)
    return journal.state[KEY]


@inner
def begin_level(journal):
    """Begin to read what has been written."""
    state = journal.state
    state[KEY] = np.int64(journal.bits[state[READ]])
    _advance(journal)
    state[WRITTEN] = END


@inner
def end_level(journal, level):
    """Mark the end of what is written; what did not fit in leaves no journal."""
    _append(journal, np.int32(HEADER), np.uint64(END))
    full = journal.state[FULL]
    if full:
        clear_journal(journal)
    else:
        journal.state[LEVEL] = level
