"""Recheck: whether a cell joins in the layer at hand, by the labels of its successors.

A cell that does not join, though it has this label or was a candidate for a smaller one, at once takes the label that
its successors give it now. That one is provisional, to be confirmed when its layer comes, since they may change; the
predecessors that relied on the old one are scheduled to be rechecked.
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined, inner
from tbgen.index.squares import INVERSE, KING_ATTACKS, SYMMETRY
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.retro.levels.bucket_queue import EXIT, RECHECK
from tbgen.retro.levels.forcer import BEGUN, Forcer, reset_label
from tbgen.retro.levels.labels import (
    LabelRange,
    label_of_cell,
    labelled_within,
    schedule,
    schedule_neighbours,
    set_provisional_label,
)
from tbgen.retro.levels.packing import LAST_LABEL, limit_of
from tbgen.retro.words.block import Block
from tbgen.retro.words.quiet import KING_LANES, find_escapes, list_neighbours


@inlined
def list_neighbours_of(block: Block, forcer: Forcer, mover: Int, word: Int, bits: Word) -> int:
    """List in the forcer's scratch space the words that `mover` comes to from some cells of a word, or came from."""
    return list_neighbours(block, forcer.men, mover, word, bits, forcer.neighbours)


@inner
def schedule_predecessors(
    block: Block, forcer: Forcer, mover: Int, word: Int, bits: Word, labels: LabelRange, level: Int
) -> None:
    """Schedule the cells from which `mover` comes to some cells of a word, those with a label in a range."""
    size = list_neighbours_of(block, forcer, mover, word, bits)
    schedule_neighbours(block, forcer, mover, size, labels, level)


@inner
def label_frozen(block: Block, forcer: Forcer, word: Int, square: Int, label: Int, level: Int) -> None:
    """A cell of the defender has been frozen, and has this label from now on."""
    side, bit = 1 - forcer.side, square_bit(square)
    was = np.int64(LAST_LABEL)
    if forcer.middle.labelled[side, np.uint64(word)] & bit:
        was = label_of_cell(block, forcer, side, word, square)
    if was == label:
        return
    set_provisional_label(block, forcer, side, word, square, label, level)
    schedule(forcer, EXIT, side, word, bit, label, level)
    if label > was:
        schedule_predecessors(block, forcer, forcer.side, word, bit, LabelRange(was + 1, was + 1), level)


@inlined
def source_of(image: Int, square: Int) -> Word:
    """The cells, as bits, from which a move leads to a listed neighbour's cell."""
    if image == KING_LANES:
        source: Word = KING_ATTACKS[square]
        return source
    return square_bit(SYMMETRY[INVERSE[image], square])


@inlined
def begin_with_resets(block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, otherwise: Int) -> None:
    """Begin with the labels that resets bring, or another where there is none."""
    while bits:
        square = lowest_square(bits)
        bits &= bits - ONE
        forcer.latest[square] = otherwise
        if block.resets[side, word] & square_bit(square):
            forcer.latest[square] = reset_label(block, forcer, side, word, square)


# At the first level no successor has a label from before, and the layers come in order: resets are all there is to ask.
@inlined
def find_greatest(block: Block, forcer: Forcer, word: Int, bits: Word) -> None:
    """The label that the successors of some of the defender's cells give them now: the greatest."""
    side, labelled, latest, near = 1 - forcer.side, forcer.middle.labelled, forcer.latest, forcer.neighbours
    begin_with_resets(block, forcer, side, word, bits, np.int64(0))
    if not forcer.state[BEGUN]:
        return
    for n in range(list_neighbours_of(block, forcer, side, word, bits)):
        there = near.word[n]
        hit = labelled[forcer.side, np.uint64(there)] & near.bits[n]
        while hit:
            square = lowest_square(hit)
            hit &= hit - ONE
            label = 1 + label_of_cell(block, forcer, forcer.side, there, square)
            here = source_of(near.image[n], square) & bits
            while here:
                at = lowest_square(here)
                here &= here - ONE
                latest[at] = max(latest[at], label)


# A successor whose label is final already, a fresh one, supports the cell as well as one whose label may still change.
# `find_greatest` need not look at fresh ones: they joined in an earlier layer, so they limit nothing in this one.
@inner
def find_least(block: Block, forcer: Forcer, word: Int, bits: Word, label: Int) -> None:
    """The label that the successors of some of the forcer's cells give them now: the least, and not below `label`."""
    defender, middle, latest, near = 1 - forcer.side, forcer.middle, forcer.latest, forcer.neighbours
    begin_with_resets(block, forcer, forcer.side, word, bits, np.int64(LAST_LABEL))
    for n in range(list_neighbours_of(block, forcer, forcer.side, word, bits)):
        there = near.word[n]
        hit = (middle.labelled[defender, np.uint64(there)] | middle.fresh[defender, there]) & near.bits[n]
        while hit:
            square = lowest_square(hit)
            hit &= hit - ONE
            after = 1 + label_of_cell(block, forcer, defender, there, square)
            here = source_of(near.image[n], square) & bits
            while here:
                at = lowest_square(here)
                here &= here - ONE
                if label <= after < latest[at]:
                    latest[at] = after


@inner
def recheck_forcer_cells(block: Block, forcer: Forcer, label: Int, level: Int, word: Int, bits: Word) -> Word:
    """Those of some of the forcer's cells that have this label and a successor, or a reset, that still supports it."""
    side, middle = forcer.side, forcer.middle
    bits &= middle.labelled[side, np.uint64(word)] & forcer.forced.free[side, np.uint64(word)]
    bits = labelled_within(block, forcer, side, word, bits, LabelRange(label, label))
    if bits == NOTHING:
        return NOTHING
    find_least(block, forcer, word, bits, label)
    still, lanes = NOTHING, bits
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        bit, later = square_bit(square), forcer.latest[square]
        if later <= label:
            still |= bit
            continue
        set_provisional_label(block, forcer, side, word, square, later, level)
        schedule(forcer, RECHECK, side, word, bit, later, level)
        schedule_predecessors(block, forcer, 1 - side, word, bit, LabelRange(label + 1, later), level)
    return still


@inner
def postpone_defender_cell(block: Block, forcer: Forcer, word: Int, square: Int, later: Int, level: Int) -> None:
    """A cell of the defender joins only after the last of its successors has."""
    side, bit, limit = 1 - forcer.side, square_bit(square), limit_of(level)
    was = limit
    if forcer.middle.labelled[side, np.uint64(word)] & bit:
        was = label_of_cell(block, forcer, side, word, square)
    later = min(later, limit)
    if later != was:
        set_provisional_label(block, forcer, side, word, square, later, level)
        schedule(forcer, RECHECK, side, word, bit, later, level)
    if later > was:
        schedule_predecessors(block, forcer, forcer.side, word, bit, LabelRange(was + 1, later), level)


# The marked cells are those to which a changed label was the limit; whether they join is decided here alone, by the
# moves themselves, so it does not matter if a cell is marked twice or in vain. Escapes are looked for first: one word
# of `out` answers for 64 cells, while labels have to be read cell by cell.
@inlined
def recheck_defender_cells(block: Block, forcer: Forcer, label: Int, level: Int, word: Int, bits: Word) -> Word:
    """Those of some of the defender's cells that have no escape any more, and join."""
    side, middle, at, old = 1 - forcer.side, forcer.middle, np.uint64(word), NOTHING
    bits &= forcer.forced.free[side, at]
    if forcer.state[BEGUN]:
        old = bits & middle.labelled[side, at]
        old = labelled_within(block, forcer, side, word, old, LabelRange(label, np.int64(LAST_LABEL)))
    bits = old | bits & middle.unlabelled[side, at]
    if bits == NOTHING:
        return NOTHING
    out = find_escapes(block, forcer.men, side, word, bits, middle.out)
    bits &= ~out
    out &= old
    while out:
        square = lowest_square(out)
        out &= out - ONE
        postpone_defender_cell(block, forcer, word, square, np.int64(LAST_LABEL), level)
    if bits == NOTHING:
        return NOTHING
    find_greatest(block, forcer, word, bits)
    joins, lanes = NOTHING, bits
    while lanes:
        square = lowest_square(lanes)
        lanes &= lanes - ONE
        later = forcer.latest[square]
        if later <= label:
            joins |= square_bit(square)
        elif forcer.state[BEGUN]:
            postpone_defender_cell(block, forcer, word, square, later, level)
    return joins
