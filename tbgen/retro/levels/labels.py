"""Labels of the middle: which cells have one, and which cells are rechecked in which layer.

A cell's label is the layer (rank and plies) in which it joins, and obeys one law: a cell of the forcer has the least
label of its successors, a ply later, or its reset's if that is less; a cell of the defender has the greatest.
Labels from `limit_of(level)` on break no hold at this level, and count as none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined, inner, prefetch
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.levels.bucket_queue import PLIES, RECHECK, push
from tbgen.retro.levels.forcer import (
    BEGUN,
    QUEUE_FULL,
    STATUS,
    TOO_FAR,
    Forcer,
    drop_lock,
    label_cells,
    take_lock,
)
from tbgen.retro.levels.packing import NO_LABEL, limit_of, plies_of_label, rank_of_label, site_from
from tbgen.retro.words.block import MASK, Block, place_of_cell
from tbgen.retro.words.worklist import FAR, NEAR, Worklist, add_bits, add_word, contains_word, copy_words


class LabelRange(NamedTuple):
    """Labels from `low` to `high`, both included."""

    low: Int
    high: Int


@inlined
def label_of_cell(block: Block, forcer: Forcer, side: Int, word: Int, square: Int) -> np.int64:
    """The label of a cell that has a place."""
    return np.int64(forcer.label[place_of_cell(block, side, word, square)])


@inlined
def look_ahead(block: Block, forcer: Forcer, side: Int, worklist: Worklist, n: Int, end: Int) -> None:
    """Have fetched what the words that are listed soon after number n will be asked for."""
    if n + FAR < end:
        word = np.int64(worklist.words[n + FAR])
        prefetch(worklist.bits, (word,))
        prefetch(forcer.forced.free, (side, word))
        prefetch(forcer.middle.unlabelled, (side, word))
        prefetch(block.numbered, (side, word, MASK))
    if n + NEAR < end:
        word = np.int64(worklist.words[n + NEAR])
        place = place_of_cell(block, side, word, lowest_square(worklist.bits[np.uint64(word)]))
        prefetch(forcer.label, (place,))
        prefetch(forcer.history, (place,))


@inlined
def set_provisional_label(
    block: Block, forcer: Forcer, side: Int, word: Int, square: Int, label: Int, level: Int
) -> None:
    """Give a free or frozen cell a label that is to be confirmed in its layer, or none."""
    middle, bit = forcer.middle, square_bit(square)
    at = np.uint64(word)
    if label < limit_of(level):
        forcer.label[place_of_cell(block, side, word, square)] = label
        middle.unlabelled[side, at] &= ~bit
        middle.labelled[side, at] |= bit
        middle.worst[side, at] = max(np.int64(middle.worst[side, at]), rank_of_label(label))
        if side == forcer.side:
            middle.out[at] &= ~bit
    else:
        forcer.label[place_of_cell(block, side, word, square)] = NO_LABEL
        middle.unlabelled[side, at] |= bit
        middle.labelled[side, at] &= ~bit
        if side == forcer.side:
            middle.out[at] |= bit


@inlined
def schedule(forcer: Forcer, kind: Int, side: Int, word: Int, bits: Word, label: Int, level: Int) -> None:
    """Put cells on the agenda of the layer that their label names; beyond the level's limit there is none."""
    if label >= limit_of(level):
        return
    if plies_of_label(label) >= PLIES:
        forcer.state[STATUS] = TOO_FAR
        return
    take_lock(forcer)
    if not push(forcer.middle.agenda, label, site_from(kind, side, word), bits):
        forcer.state[STATUS] = QUEUE_FULL
    drop_lock(forcer)


@inlined
def labelled_within(block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, labels: LabelRange) -> Word:
    """Those of some cells of a word, all with a label, whose label is in a range."""
    found = NOTHING
    while bits:
        square = lowest_square(bits)
        bits &= bits - ONE
        if labels.low <= label_of_cell(block, forcer, side, word, square) <= labels.high:
            found |= square_bit(square)
    return found


# The set of live words stays in the cache and is asked first: most neighbours lie in words that have no free cell left.
@inlined
def mark_neighbours(
    block: Block, forcer: Forcer, side: Int, size: Int, unlabelled: bool, labels: LabelRange, worklist: Worklist
) -> None:
    """Of the listed neighbours, mark those with a label in a range, and, if told to, those without one."""
    near, middle, live = forcer.neighbours, forcer.middle, forcer.forced.live[side]
    for n in range(size):
        word = near.word[n]
        if contains_word(live, word):
            at = np.uint64(word)
            hit = middle.labelled[side, at] & near.bits[n]
            if hit:
                hit = labelled_within(block, forcer, side, word, hit, labels)
            if unlabelled:
                hit |= middle.unlabelled[side, at] & near.bits[n]
            add_bits(worklist, word, hit)


@inlined
def schedule_neighbours(block: Block, forcer: Forcer, side: Int, size: Int, labels: LabelRange, level: Int) -> None:
    """Of the listed neighbours, schedule those with a label in a range to be rechecked, each in its own layer."""
    near, labelled, free = forcer.neighbours, forcer.middle.labelled, forcer.forced.free
    for n in range(size):
        word = near.word[n]
        hit = labelled[side, np.uint64(word)] & near.bits[n] & free[side, np.uint64(word)]
        while hit:
            square = lowest_square(hit)
            hit &= hit - ONE
            label = label_of_cell(block, forcer, side, word, square)
            if labels.low <= label <= labels.high:
                schedule(forcer, RECHECK, side, word, square_bit(square), label, level)


@inner
def clear_labels(forcer: Forcer) -> None:
    """No cell has a label yet."""
    middle, forced = forcer.middle, forcer.forced
    copy_words(middle.out, forced.left)
    for side in range(2):
        for word in range(len(forced.left)):
            middle.unlabelled[side, word] = forced.free[side, word]
            middle.labelled[side, word] = NOTHING
            middle.worst[side, word] = 0


@inlined
def expire_labels_of_word(block: Block, forcer: Forcer, side: Int, word: Int, level: Int) -> None:
    """Take away those labels of a word that break no hold any more."""
    middle = forcer.middle
    worst: Int = np.int64(0)
    lanes = middle.labelled[side, word]
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        label = label_of_cell(block, forcer, side, word, square)
        if label < limit_of(level):
            worst = max(worst, rank_of_label(label))
            continue
        bit = square_bit(square)
        middle.labelled[side, word] &= ~bit
        middle.unlabelled[side, word] |= bit
        if side == forcer.side:
            middle.out[word] |= bit
    middle.worst[side, word] = worst


# With each level the range of outcomes that break a hold shrinks by one rank at its end: those labels expire. Each word
# keeps the worst rank of its labels, so that only words with something to expire are looked into. Cells that have been
# frozen, or have joined a class, get no label from a search: once a level `unlabelled` is cut down to free cells.
@inner
def expire_labels(block: Block, forcer: Forcer, level: Int) -> None:
    """Begin a level: labels that break no hold any more are none, and only free cells can get another."""
    middle = forcer.middle
    for side in range(2):
        for word in range(len(middle.out)):
            if np.int64(middle.worst[side, word]) >= rank_of_label(limit_of(level)):
                expire_labels_of_word(block, forcer, side, word, level)
            middle.unlabelled[side, word] &= forcer.forced.free[side, word]


# Until the level's end confirmed labels are kept apart, in `fresh`: they are final, whereas what is still `labelled`
# may change in a later layer of this level.
@inlined
def confirm_label(block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, label: Int, level: Int) -> None:
    """Cells have the label of the layer at hand, and this is final at this level."""
    middle, at = forcer.middle, np.uint64(word)
    label_cells(block, forcer, side, word, bits, label, level)
    middle.unlabelled[side, at] &= ~bits
    if forcer.state[BEGUN]:
        middle.labelled[side, at] &= ~bits
        middle.fresh[side, at] |= bits
        add_word(middle.touched[side], word)
    else:
        middle.labelled[side, at] |= bits
    middle.worst[side, at] = max(np.int64(middle.worst[side, at]), rank_of_label(label))
    if side == forcer.side:
        middle.out[at] &= ~bits
