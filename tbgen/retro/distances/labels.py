"""Labels of the middle: which cells have one, which keep theirs, and which are rechecked when.

A cell's label is the step (goal and plies) in which it joins, and obeys one law: a cell of the
forcer has the least label of its successors, a ply later, or its reset's if that is less; a cell of
the defender has the greatest. A label of `limit_of(code)` or more breaks no hold at this code, and
counts as none.

Whether a cell joins, or keeps its label, is decided by the labels of its successors alone.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import inlined, inner, prefetch
from tbgen.index.squares import INVERSE, KING_ATTACKS, SYMMETRY
from tbgen.index.words import NOTHING, lowest_and_rest, lowest_square, square_bit
from tbgen.retro.cells.worker import note_label
from tbgen.retro.distances.forcer import Forcer, reset_label, schedule
from tbgen.retro.distances.queues import EXIT, LAST_LABEL, RECHECK
from tbgen.retro.patterns.packing import NO_LABEL, goal_of_label, limit_of
from tbgen.retro.words.block import MASK, Block, number_of_cell
from tbgen.retro.words.quiet import BLACK_KING_STEPS, find_escapes, list_neighbours
from tbgen.retro.words.worklist import FAR, NEAR, Worklist, add_bits, contains_word


class LabelRange(NamedTuple):
    """Labels from `low` to `high`, both included."""

    low: Int
    high: Int


@inlined
def label_of_cell(block: Block, forcer: Forcer, side: Int, word: Int, square: Int) -> np.int64:
    return np.int64(forcer.label[number_of_cell(block, side, word, square)])


@inlined
def prefetch_labels(
    block: Block, forcer: Forcer, side: Int, worklist: Worklist, n: Int, end: Int
) -> None:
    """Prefetch the data of the words listed shortly after number n."""
    if n + FAR < end:
        word = np.int64(worklist.words[n + FAR])
        prefetch(worklist.bits, (word,))
        prefetch(forcer.forced.free, (side, word))
        prefetch(forcer.middle.unlabelled, (side, word))
        prefetch(block.numbered, (side, word, MASK))
    if n + NEAR < end:
        word = np.int64(worklist.words[n + NEAR])
        number = number_of_cell(block, side, word, lowest_square(worklist.bits[np.uint64(word)]))
        prefetch(forcer.label, (number,))
        prefetch(forcer.history, (number,))


# These two, with `begin_first_code`, `begin_next_code` and `end_code`, alone change a middle's
# sets.
@inlined
def let_have_label(
    forcer: Forcer, group: Words, side: Int, word: Int, bits: Word, label: Int
) -> None:
    """Move some cells of a word into `group`: the middle's `labelled` or `fresh`."""
    middle = forcer.middle
    at = np.uint64(word)
    middle.unlabelled[side, at] &= ~bits
    middle.labelled[side, at] &= ~bits
    group[side, at] |= bits
    middle.worst[side, at] = max(np.int64(middle.worst[side, at]), goal_of_label(label))
    if side == forcer.side:
        middle.out[at] &= ~bits


@inlined
def let_lose_label(forcer: Forcer, side: Int, word: Int, bits: Word) -> None:
    """Move some cells of a word into `unlabelled`."""
    middle = forcer.middle
    at = np.uint64(word)
    middle.labelled[side, at] &= ~bits
    middle.unlabelled[side, at] |= bits
    if side == forcer.side:
        middle.out[at] |= bits


@inlined
def labelled_within(
    block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, labels: LabelRange
) -> Word:
    """The cells of `bits` whose label is in a range. All must have labels."""
    within = NOTHING
    while bits:
        square, bits = lowest_and_rest(bits)
        if labels.low <= label_of_cell(block, forcer, side, word, square) <= labels.high:
            within |= square_bit(square)
    return within


# The set of live words stays in the cache and is asked first: most neighbours lie in words that
# have no free cell left.
@inlined
def mark_neighbours(
    block: Block,
    forcer: Forcer,
    side: Int,
    word: Int,
    bits: Word,
    labels: LabelRange,
    unlabelled: bool,
    into: Worklist,
) -> None:
    """Mark predecessors whose label is in a range; with `unlabelled`, also those without one."""
    near = forcer.neighbours
    middle = forcer.middle
    live = forcer.forced.live[side]
    for n in range(list_neighbours(block, forcer.men, side, word, bits, near, None)):
        there = near.word[n]
        if contains_word(live, there):
            at = np.uint64(there)
            hit = middle.labelled[side, at] & near.bits[n]
            if hit:
                hit = labelled_within(block, forcer, side, there, hit, labels)
            if unlabelled:
                hit |= middle.unlabelled[side, at] & near.bits[n]
            add_bits(into, there, hit)


@inner
def begin_first_code(forcer: Forcer) -> None:
    """No cell has a label yet."""
    middle = forcer.middle
    forced = forcer.forced
    for word in range(len(forced.left)):
        middle.out[word] = forced.left[word]
        for side in range(2):
            middle.unlabelled[side, word] = forced.free[side, word]
            middle.labelled[side, word] = NOTHING
            middle.worst[side, word] = 0


@inlined
def expire_labels(block: Block, forcer: Forcer, side: Int, word: Int, code: Int) -> None:
    """Take away those labels of a word that break no hold any more."""
    middle = forcer.middle
    worst = np.int64(0)
    kings = middle.labelled[side, word]
    while kings:
        square, kings = lowest_and_rest(kings)
        label = label_of_cell(block, forcer, side, word, square)
        if label < limit_of(code):
            worst = max(worst, np.int64(goal_of_label(label)))
        else:
            let_lose_label(forcer, side, word, square_bit(square))
    middle.worst[side, word] = worst


# Until the code's end confirmed labels are kept apart, in `fresh`: they are final, whereas what is
# still `labelled` may change in a later step of this code.
@inlined
def confirm_label(
    block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, label: Int, code: Int
) -> None:
    """Give cells the label of the current step. It is final at this code."""
    note_label(block, forcer, forcer.label, side, word, bits, label, code)
    let_have_label(forcer, forcer.middle.fresh, side, word, bits, label)


@inner
def schedule_predecessors(
    block: Block, forcer: Forcer, mover: Int, word: Int, bits: Word, labels: LabelRange, code: Int
) -> None:
    """Schedule predecessors whose labels are in a range, each for its own step."""
    near = forcer.neighbours
    middle = forcer.middle
    free = forcer.forced.free
    limit = limit_of(code)
    for n in range(list_neighbours(block, forcer.men, mover, word, bits, near, None)):
        there = near.word[n]
        at = np.uint64(there)
        hit = middle.labelled[mover, at] & near.bits[n] & free[mover, at]
        while hit:
            square, hit = lowest_and_rest(hit)
            label = label_of_cell(block, forcer, mover, there, square)
            if labels.low <= label <= labels.high and label < limit:
                bit = square_bit(square)
                schedule(forcer, middle.agenda, RECHECK, mover, there, bit, label)


@inner
def change_label(
    block: Block,
    forcer: Forcer,
    kind: Int,
    side: Int,
    word: Int,
    square: Int,
    label: Int,
    code: Int,
) -> None:
    """Give a free or frozen cell another label, for its step, or none beyond the code's limit.

    If its label grows, cells that relied on the old one are rechecked. A defender's cell with a
    greater label keeps it: it still has no way out. A forcer's cell relied on the old label only if
    its own is one ply more.
    """
    number = number_of_cell(block, side, word, square)
    bit = square_bit(square)
    limit = limit_of(code)
    label = min(label, limit)
    was = limit
    if forcer.middle.labelled[side, np.uint64(word)] & bit:
        was = np.int64(forcer.label[number])
    if label == was:
        return
    if label < limit:
        forcer.label[number] = label
        let_have_label(forcer, forcer.middle.labelled, side, word, bit, label)
        schedule(forcer, forcer.middle.agenda, kind, side, word, bit, label)
    else:
        forcer.label[number] = NO_LABEL
        let_lose_label(forcer, side, word, bit)
    if label > was:
        schedule_predecessors(block, forcer, 1 - side, word, bit, LabelRange(was + 1, label), code)


@inlined
def give_provisional_label(
    block: Block, forcer: Forcer, side: Int, word: Int, square: Int, label: Int, code: Int
) -> None:
    """Give a free cell a label that is to be rechecked in its step."""
    change_label(block, forcer, RECHECK, side, word, square, label, code)


@inlined
def give_frozen_label(
    block: Block, forcer: Forcer, side: Int, word: Int, square: Int, label: Int, code: Int
) -> None:
    """Give a frozen cell the label of its entry value, which takes effect in its step."""
    change_label(block, forcer, EXIT, side, word, square, label, code)


@inlined
def source_of(image: Int, square: Int) -> Word:
    """The cells, as bits, from which a move leads to a listed neighbour's cell."""
    if image == BLACK_KING_STEPS:
        return KING_ATTACKS[square]
    return square_bit(SYMMETRY[INVERSE[image], square])


@inlined
def later_resets(block: Block, forcer: Forcer, word: Int, bits: Word, label: Int) -> Word:
    """Those of some of the defender's cells whose reset comes in a later step."""
    defender = 1 - forcer.side
    later = NOTHING
    kings = bits & block.resets[defender, word]
    while kings:
        square, kings = lowest_and_rest(kings)
        if reset_label(block, forcer, defender, word, square) > label:
            later |= square_bit(square)
    return later


# A successor whose label is final already, a fresh one, supports a cell of the forcer as well as
# one whose label may still change. For a cell of the defender fresh ones count for nothing: they
# joined in an earlier step.
@inlined
def find_labels(block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, label: Int) -> None:
    """Write into `latest` what successors give each cell.

    A defender gets the greatest label, a forcer the least of those from `label` on.
    """
    middle = forcer.middle
    latest = forcer.latest
    near = forcer.neighbours
    other = 1 - side
    delays = side != forcer.side
    kings = bits
    resets = block.resets[side, word]
    while kings:
        square, kings = lowest_and_rest(kings)
        latest[square] = 0 if delays else LAST_LABEL
        if resets & square_bit(square):
            latest[square] = reset_label(block, forcer, side, word, square)
    for n in range(list_neighbours(block, forcer.men, side, word, bits, near, None)):
        there = np.uint64(near.word[n])
        hit = middle.labelled[other, there] & near.bits[n]
        if not delays:
            hit |= middle.fresh[other, there] & near.bits[n]
        while hit:
            square, hit = lowest_and_rest(hit)
            after = 1 + label_of_cell(block, forcer, other, near.word[n], square)
            here = source_of(near.image[n], square) & bits
            while here:
                at, here = lowest_and_rest(here)
                is_greatest = delays and after > latest[at]
                is_least = not delays and label <= after < latest[at]
                if is_greatest or is_least:
                    latest[at] = after


@inner
def join_or_wait(
    block: Block, forcer: Forcer, side: Int, word: Int, bits: Word, label: Int, code: Int
) -> Word:
    """Those of some cells whose successors let them join now.

    The others get labels that are rechecked later.
    """
    find_labels(block, forcer, side, word, bits, label)
    joins = NOTHING
    kings = bits
    while kings:
        square, kings = lowest_and_rest(kings)
        if forcer.latest[square] <= label:
            joins |= square_bit(square)
        else:
            latest = forcer.latest[square]
            give_provisional_label(block, forcer, side, word, square, latest, code)
    return joins


# A changed label limited the marked cells. Only this function decides whether they join, so marking
# twice does no harm. Escapes come first: one word of `out` answers for 64 cells, while labels have
# to be read cell by cell.
@inlined
def recheck_defender_cells(
    block: Block, forcer: Forcer, label: Int, code: Int, word: Int, bits: Word
) -> Word:
    """Those of some of the defender's cells that have no escape any more, and join."""
    side = 1 - forcer.side
    middle = forcer.middle
    at = np.uint64(word)
    bits &= forcer.forced.free[side, at]
    old = bits & middle.labelled[side, at]
    old = labelled_within(block, forcer, side, word, old, LabelRange(label, np.int64(LAST_LABEL)))
    bits = old | (bits & middle.unlabelled[side, at])
    if bits == NOTHING:
        return NOTHING
    out = find_escapes(block, forcer.men, side, word, bits, middle.out)
    bits &= ~out
    out &= old
    while out:
        square, out = lowest_and_rest(out)
        give_provisional_label(block, forcer, side, word, square, limit_of(code), code)
    if bits == NOTHING:
        return NOTHING
    return join_or_wait(block, forcer, side, word, bits, label, code)
