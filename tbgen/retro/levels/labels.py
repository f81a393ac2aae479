"""Labels of the middle: who has which, who is near and has one in a range, and who is to be looked at when.

A position's label is the layer in which it joins, and so says all about its neighbours' labels: the forcer's position
has the least label of those that it can move to, a ply later, or its reset's if that is less; one of the other side has
the greatest. Labels from `end` on are no break of a hold, and none.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.outcome_kernels import WORST_RANK
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.levels.bucket_queue import PLIES, add_seed, seed_place
from tbgen.retro.levels.forcer import AGENDA_FULL, BEGUN, STATUS, TOO_FAR, label_cells
from tbgen.retro.words.block import NO_LABEL, place_of
from tbgen.retro.words.worklist import add_word, contains, copy, put

ASK = 0
"""The kind of what is on the agenda to be asked; an EXIT takes effect."""

LAST = 1 << 40
"""More than any label."""


@inlined
def end_of(level):
    """The first label that is no break of a hold at this level: from here on nobody has a label."""
    return np.int64(WORST_RANK - level) << 16


@inlined
def label_of(block, forcer, side, word, square):
    """The label of a cell."""
    return np.int64(forcer.label[place_of(block, side, word, square)])


@inlined
def relabel(block, forcer, side, word, square, label, end):
    """Give an open or frozen cell a label that is to be confirmed in its layer, or none."""
    middle, bit = forcer.middle, square_bit(square)
    at = np.uint64(word)
    if label < end:
        forcer.label[place_of(block, side, word, square)] = label
        middle.unlabelled[side, at] &= ~bit
        middle.labelled[side, at] |= bit
        middle.worst[side, at] = max(np.int64(middle.worst[side, at]), label >> 16)
        if side == forcer.side:
            middle.out[at] &= ~bit
    else:
        forcer.label[place_of(block, side, word, square)] = NO_LABEL
        middle.unlabelled[side, at] |= bit
        middle.labelled[side, at] &= ~bit
        if side == forcer.side:
            middle.out[at] |= bit


@inlined
def file_later(forcer, kind, side, word, bits, label, end):
    """Put positions on the agenda of a layer."""
    agenda = forcer.middle.agenda
    if label >= end:
        return
    if label & 0xFFFF >= PLIES:
        forcer.state[STATUS] = TOO_FAR
    elif agenda.used[0] == len(agenda.next):
        forcer.state[STATUS] = AGENDA_FULL
    else:
        add_seed(agenda, label, seed_place(kind, side, word), bits)


@inlined
def labelled_between(block, forcer, side, word, bits, low, high):
    """Those of some cells of a word, all with a label, whose label is neither below `low` nor above `high`."""
    found = NOTHING
    while bits:
        square = lowest_square(bits)
        bits &= bits - ONE
        if low <= label_of(block, forcer, side, word, square) <= high:
            found |= square_bit(square)
    return found


@inlined
def mark_near(block, forcer, side, size, unlabelled, low, high, marks):
    """Of the cells that are near, mark those without a label, if asked to, and those with a label in a range."""
    near, middle, live = forcer.near, forcer.middle, forcer.forced.live[side]
    for n in range(size):
        word = near.word[n]
        if contains(live, word):
            at = np.uint64(word)
            hit = middle.labelled[side, at] & near.bits[n]
            if hit:
                hit = labelled_between(block, forcer, side, word, hit, low, high)
            if unlabelled:
                hit |= middle.unlabelled[side, at] & near.bits[n]
            put(marks, word, hit)


@inner
def touch_near(block, forcer, side, size, low, high, end):
    """Have those of the near cells whose label lies in a range asked, each in its layer."""
    near, labelled, free = forcer.near, forcer.middle.labelled, forcer.forced.free
    for n in range(size):
        word = near.word[n]
        hit = labelled[side, np.uint64(word)] & near.bits[n] & free[side, np.uint64(word)]
        while hit:
            square = lowest_square(hit)
            hit &= hit - ONE
            label = label_of(block, forcer, side, word, square)
            if low <= label <= high:
                file_later(forcer, ASK, side, word, square_bit(square), label, end)


@inner
def begin_labels(forcer):
    """Nobody has a label yet."""
    middle, forced = forcer.middle, forcer.forced
    copy(middle.out, forced.left)
    for side in range(2):
        for word in range(len(forced.left)):
            middle.unlabelled[side, word] = forced.free[side, word]
            middle.labelled[side, word] = NOTHING
            middle.worst[side, word] = 0


@inlined
def fade_word(block, forcer, side, word, end):
    """Take the labels of a word that are no break of a hold any more from those that have them."""
    middle, worst = forcer.middle, np.int64(0)
    lanes = middle.labelled[side, word]
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        label = label_of(block, forcer, side, word, square)
        if label < end:
            worst = max(worst, label >> 16)
            continue
        bit = square_bit(square)
        middle.labelled[side, word] &= ~bit
        middle.unlabelled[side, word] |= bit
        if side == forcer.side:
            middle.out[word] |= bit
    middle.worst[side, word] = worst


@inner
def fade(block, forcer, end):
    """Begin a level: labels that are no break of a hold any more are none, and only open cells can get another."""
    middle = forcer.middle
    for side in range(2):
        for word in range(len(middle.out)):
            if np.int64(middle.worst[side, word]) >= end >> 16:
                fade_word(block, forcer, side, word, end)
            middle.unlabelled[side, word] &= forcer.forced.free[side, word]


@inlined
def join(block, forcer, side, word, bits, label, level):
    """Positions have the label of the layer at hand for good."""
    middle, at = forcer.middle, np.uint64(word)
    label_cells(block, forcer, side, word, bits, label, level)
    middle.unlabelled[side, at] &= ~bits
    if forcer.state[BEGUN]:
        middle.labelled[side, at] &= ~bits
        middle.fresh[side, at] |= bits
        add_word(middle.stirred[side], word)
    else:
        middle.labelled[side, at] |= bits
    middle.worst[side, at] = max(np.int64(middle.worst[side, at]), label >> 16)
    if side == forcer.side:
        middle.out[at] &= ~bits
