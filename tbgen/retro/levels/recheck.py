"""Asking: whether a position joins in the layer at hand, by the labels of those that it can move to.

One that does not, though it has this label or might have got a lesser one, takes the label that its neighbours give it
now. It is to be confirmed when its layer comes, for they may still change; whoever relied on the old one is *touched*.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.squares import INVERSE, KING_ATTACKS, SYMMETRY
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.levels.bucket_queue import EXIT
from tbgen.retro.levels.forcer import BEGUN, reset_label
from tbgen.retro.levels.labels import ASK, LAST, file_later, label_of, labelled_between, relabel, touch_near
from tbgen.retro.words.quiet import KING_LANES, escapes, find_near


@inlined
def near_to(geometry, block, forcer, mover, word, bits):
    """List the words that `mover` comes to by a quiet move from some positions of a word, or came from."""
    return find_near(geometry, forcer.men, block.occupied[word], mover, word, bits, forcer.near)


@inner
def touch(geometry, block, forcer, side, word, bits, low, high, end):
    """Have those asked, if their label is in a range, that come to some positions of a word."""
    size = near_to(geometry, block, forcer, side, word, bits)
    touch_near(block, forcer, side, size, low, high, end)


@inner
def fix_exit(geometry, block, forcer, word, square, label, end):
    """A cell of the other side has been frozen, and has this label from now on."""
    side, bit = 1 - forcer.side, square_bit(square)
    was = np.int64(LAST)
    if forcer.middle.labelled[side, np.uint64(word)] & bit:
        was = label_of(block, forcer, side, word, square)
    if was == label:
        return
    relabel(block, forcer, side, word, square, label, end)
    file_later(forcer, EXIT, side, word, bit, label, end)
    if label > was:
        touch(geometry, block, forcer, forcer.side, word, bit, was + 1, was + 1, end)


@inlined
def source_of(image, square):
    """The cells, as bits, from which a move leads to a cell that is near."""
    if image == KING_LANES:
        return KING_ATTACKS[square]
    return square_bit(SYMMETRY[INVERSE[image], square])


@inlined
def set_resets(block, forcer, side, word, bits, otherwise):
    """Begin with the labels that resets bring, or another where there is none."""
    while bits:
        square = lowest_square(bits)
        bits &= bits - ONE
        forcer.latest[square] = otherwise
        if block.resets[side, word] & square_bit(square):
            forcer.latest[square] = reset_label(block, forcer, side, word * 64 + square)


@inlined
def find_latest(geometry, block, forcer, word, bits):
    """The label that the neighbours of the other side's positions give them now: the greatest."""
    side, labelled, latest, near = 1 - forcer.side, forcer.middle.labelled, forcer.latest, forcer.near
    set_resets(block, forcer, side, word, bits, np.int64(0))
    if not forcer.state[BEGUN]:
        return
    for n in range(near_to(geometry, block, forcer, side, word, bits)):
        there = near.word[n]
        hit = labelled[forcer.side, np.uint64(there)] & near.bits[n]
        while hit:
            square = lowest_square(hit)
            hit &= hit - ONE
            label = 1 + label_of(block, forcer, forcer.side, there, square)
            here = source_of(near.image[n], square) & bits
            while here:
                at = lowest_square(here)
                here &= here - ONE
                latest[at] = max(latest[at], label)


@inner
def find_earliest(geometry, block, forcer, word, bits, label):
    """The label that the neighbours of the forcer's positions give them now: the least, and not less than `label`."""
    other, middle, latest, near = 1 - forcer.side, forcer.middle, forcer.latest, forcer.near
    set_resets(block, forcer, forcer.side, word, bits, np.int64(LAST))
    for n in range(near_to(geometry, block, forcer, forcer.side, word, bits)):
        there = near.word[n]
        hit = (middle.labelled[other, np.uint64(there)] | middle.fresh[other, there]) & near.bits[n]
        while hit:
            square = lowest_square(hit)
            hit &= hit - ONE
            after = 1 + label_of(block, forcer, other, there, square)
            here = source_of(near.image[n], square) & bits
            while here:
                at = lowest_square(here)
                here &= here - ONE
                if label <= after < latest[at]:
                    latest[at] = after


@inner
def ask_own(geometry, block, forcer, label, end, word, bits):
    """Whether the forcer's positions that have a label still have what it is from."""
    side, middle = forcer.side, forcer.middle
    bits &= middle.labelled[side, np.uint64(word)] & forcer.forced.free[side, np.uint64(word)]
    bits = labelled_between(block, forcer, side, word, bits, label, label)
    if bits == NOTHING:
        return NOTHING
    find_earliest(geometry, block, forcer, word, bits, label)
    still, lanes = NOTHING, bits
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        bit, later = square_bit(square), forcer.latest[square]
        if later <= label:
            still |= bit
            continue
        relabel(block, forcer, side, word, square, later, end)
        file_later(forcer, ASK, side, word, bit, later, end)
        touch(geometry, block, forcer, 1 - side, word, bit, label + 1, later, end)
    return still


@inner
def postpone(geometry, block, forcer, end, word, square, later):
    """A position of the other side does not join yet, but when the last of its neighbours has."""
    side, bit, was = 1 - forcer.side, square_bit(square), end
    if forcer.middle.labelled[side, np.uint64(word)] & bit:
        was = label_of(block, forcer, side, word, square)
    later = min(later, end)
    if later != was:
        relabel(block, forcer, side, word, square, later, end)
        file_later(forcer, ASK, side, word, bit, later, end)
    if later > was:
        touch(geometry, block, forcer, forcer.side, word, bit, was + 1, later, end)


@inlined
def ask_other(geometry, block, forcer, label, end, word, bits):
    """Those of some positions of the other side that have no way out any more and join."""
    side, middle, at, old = 1 - forcer.side, forcer.middle, np.uint64(word), NOTHING
    bits &= forcer.forced.free[side, at]
    if forcer.state[BEGUN]:
        old = bits & middle.labelled[side, at]
        old = labelled_between(block, forcer, side, word, old, label, np.int64(LAST))
    bits = old | bits & middle.unlabelled[side, at]
    if bits == NOTHING:
        return NOTHING
    out = escapes(geometry, forcer.men, block.occupied[word], side, word, bits, middle.out)
    bits &= ~out
    out &= old
    while out:
        square = lowest_square(out)
        out &= out - ONE
        postpone(geometry, block, forcer, end, word, square, np.int64(LAST))
    if bits == NOTHING:
        return NOTHING
    find_latest(geometry, block, forcer, word, bits)
    joins, lanes = NOTHING, bits
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        later = forcer.latest[square]
        if later <= label:
            joins |= square_bit(square)
        elif forcer.state[BEGUN]:
            postpone(geometry, block, forcer, end, word, square, later)
    return joins
