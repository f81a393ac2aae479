"""Middles: the labels at one accrued code from those at the code before, step by step.

A label is wrong only because something has happened since: the cell, or a successor, was frozen or
joined a class. When a cell gets a smaller label, the cells to which the old one was the limit are
marked, and rechecked in the step after (labels.py). All labels below the step at hand are final.

`find_first_middle` has no labels to correct: resets begin its steps, and each cell joins once.
"""

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import WORST_GOAL
from tbgen.index.words import lowest_square
from tbgen.retro.cells.freezing import FIRST_MIDDLE
from tbgen.retro.distances.forcer import Forcer, end_code, next_step
from tbgen.retro.distances.labels import (
    LabelRange,
    begin_first_code,
    confirm_label,
    expire_labels,
    join_or_wait,
    label_of_cell,
    labelled_within,
    later_resets,
    mark_neighbours,
    prefetch_labels,
    recheck_defender_cells,
)
from tbgen.retro.distances.queues import (
    EXIT,
    LAST_LABEL,
    PLIES,
    BucketQueue,
    kind_of_site,
    side_of_site,
    word_of_site,
)
from tbgen.retro.patterns.packing import goal_of_label, label_from, limit_of, plies_of_label
from tbgen.retro.words.block import Block
from tbgen.retro.words.quiet import find_escapes, mark_predecessors
from tbgen.retro.words.worklist import Markable, Worklist, add_bits, list_words, take_bits


# A defender's cell has the greatest label of its successors, a ply later. So when a successor
# improves, only the cells whose own label is that successor's old one plus a ply can change; and
# where the successor had none, those that have none. Marking all predecessors instead made KRvKB
# recheck 1.4 million cells for 15,000 changes.
@inlined
def mark_limited(block: Block, forcer: Forcer, word: Int, bits: Word) -> None:
    """Mark the defender's cells that the old labels of some of the forcer's cells limited."""
    side = forcer.side
    defender = 1 - side
    checked = forcer.checked
    middle = forcer.middle
    old = bits & middle.labelled[side, np.uint64(word)]
    new = bits & ~old
    if new:
        live = forcer.forced.live[defender]
        unlabelled = Markable(checked, middle.unlabelled[defender], live)
        mark_predecessors(block, forcer.men, defender, word, new, unlabelled, forcer.neighbours)
    while old:
        was = label_of_cell(block, forcer, side, word, lowest_square(old))
        same = labelled_within(block, forcer, side, word, old, LabelRange(was, was))
        old &= ~same
        limited = LabelRange(was + 1, was + 1)
        mark_neighbours(block, forcer, defender, word, same, limited, False, checked)


# The forcer's cells that already have a label of a ply more, or a smaller one, lose nothing and
# gain nothing: only greater labels, from label + 2 on, and cells without one can improve.
@inlined
def mark_improved(
    block: Block, forcer: Forcer, word: Int, bits: Word, label: Int, into: Worklist
) -> None:
    """Mark the forcer's cells that come to some of the defender's, and have no smaller label."""
    greater = LabelRange(label + 2, np.int64(LAST_LABEL))
    mark_neighbours(block, forcer, forcer.side, word, bits, greater, True, into)


# Frozen cells are always the defender's (`push_frozen`). Their words are listed by `checked` alone,
# so their bits go into `yielding` without `add_bits`. They are also among the bits to be checked,
# but they are not free, and so drop out there.
@inner
def take_up(forcer: Forcer, queue: BucketQueue, label: Int, own: Worklist) -> None:
    """Let what a queue has for a step take effect; `own` is the worklist for the forcer's cells."""
    node = queue.head[goal_of_label(label), plies_of_label(label)]
    while node >= 0:
        site = np.int64(queue.site[node])
        bits = queue.bits[node]
        word = word_of_site(site)
        node = queue.next[node]
        if kind_of_site(site) == EXIT:
            forcer.yielding.bits[word] |= bits
        if side_of_site(site) == forcer.side:
            add_bits(own, word, bits)
        else:
            add_bits(forcer.checked, word, bits)


# Each of the three parts of a step reads labels of one side to move and writes those of the other:
# `recheck_cells` and `join_cells` write the forcer's, `check_cells` the defender's. So within a
# part it does not matter which word comes first.
@inner
def recheck_cells(
    block: Block, forcer: Forcer, rechecked: Worklist, joining: Worklist, label: Int, code: Int
) -> None:
    """Of the forcer's cells on the agenda, let those join that still can."""
    side = forcer.side
    labelled = forcer.middle.labelled[side]
    free = forcer.forced.free[side]
    for n in range(list_words(rechecked)):
        word = np.int64(rechecked.words[n])
        bits = take_bits(rechecked, word) & labelled[np.uint64(word)] & free[np.uint64(word)]
        bits = labelled_within(block, forcer, side, word, bits, LabelRange(label, label))
        if bits:
            joins = join_or_wait(block, forcer, side, word, bits, label, code)
            add_bits(joining, word, joins)


@inner
def check_cells(
    block: Block, forcer: Forcer, joining_next: Worklist, label: Int, code: Int
) -> None:
    """Confirm the defender's cells that join, and mark for the next step."""
    checked = forcer.checked
    yielding = forcer.yielding
    size = list_words(checked)
    for n in range(size):
        prefetch_labels(block, forcer, 1 - forcer.side, checked, n, size)
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word)
        bits = recheck_defender_cells(block, forcer, label, code, word, bits)
        if bits:
            confirm_label(block, forcer, 1 - forcer.side, word, bits, label, code)
        bits |= take_bits(yielding, word)
        if bits:
            mark_improved(block, forcer, word, bits, label, joining_next)


@inner
def check_first_cells(block: Block, forcer: Forcer, joining_next: Worklist, label: Int) -> None:
    """`check_cells` in the first middle, where no label changes.

    Cells join that have no way out, and no later reset.
    """
    side = forcer.side
    defender = 1 - forcer.side
    checked = forcer.checked
    middle = forcer.middle
    unlabelled = Markable(joining_next, middle.unlabelled[side], forcer.forced.live[side])
    size = list_words(checked)
    for n in range(size):
        prefetch_labels(block, forcer, defender, checked, n, size)
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & middle.unlabelled[defender, np.uint64(word)]
        if bits:
            bits &= ~find_escapes(block, forcer.men, defender, word, bits, middle.out)
            bits &= ~later_resets(block, forcer, word, bits, label)
            confirm_label(block, forcer, defender, word, bits, label, FIRST_MIDDLE)
        bits |= take_bits(forcer.yielding, word)
        if bits:
            mark_predecessors(block, forcer.men, side, word, bits, unlabelled, forcer.neighbours)


@inner
def join_cells(block: Block, forcer: Forcer, joining: Worklist, label: Int, code: Int) -> None:
    """Confirm the forcer's cells that join, and mark for the next step."""
    side = forcer.side
    middle = forcer.middle
    size = list_words(joining)
    for n in range(size):
        prefetch_labels(block, forcer, side, joining, n, size)
        word = np.int64(joining.words[n])
        at = np.uint64(word)
        bits = take_bits(joining, word) & forcer.forced.free[side, at]
        bits &= middle.unlabelled[side, at] | middle.labelled[side, at]
        if bits:
            mark_limited(block, forcer, word, bits)
            confirm_label(block, forcer, side, word, bits, label, code)


@inner
def find_step(
    block: Block, forcer: Forcer, joining: Worklist, joining_next: Worklist, label: Int
) -> None:
    """A step of the first middle."""
    take_up(forcer, forcer.seeds, label, joining)
    check_first_cells(block, forcer, joining_next, label)
    join_cells(block, forcer, joining, label, FIRST_MIDDLE)


@inner
def update_step(
    block: Block, forcer: Forcer, joining: Worklist, joining_next: Worklist, label: Int, code: Int
) -> None:
    """A step of a later middle."""
    rechecked = joining_next  # empty so far, and again once the marks for the next step come
    take_up(forcer, forcer.middle.agenda, label, rechecked)
    recheck_cells(block, forcer, rechecked, joining, label, code)
    check_cells(block, forcer, joining_next, label, code)
    join_cells(block, forcer, joining, label, code)


# With each code the range of outcomes that break a hold shrinks by one goal at its end: those
# labels expire. Each word keeps the worst goal of its labels, so that only words with something to
# expire are looked into. Cells that have been frozen, or have joined a class, get no label from a
# search: once a code `unlabelled` is cut down to free cells.
#
# What a class has gained is better than anything in question here, so it is no way out any more,
# and predecessors that were held up by it are marked before the first step. Those of the defender's
# cells that are in a class may keep their labels, which are asked of nobody: the cells before them
# are in that class, too.
@inner
def begin_next_code(block: Block, forcer: Forcer, code: Int) -> None:
    """Drop labels that break no hold any more, and the forcer's cells that have joined a class."""
    side = forcer.side
    middle = forcer.middle
    for mover in (1 - side, side):
        for word in range(len(middle.out)):
            if np.int64(middle.worst[mover, word]) >= goal_of_label(limit_of(code)):
                expire_labels(block, forcer, mover, word, code)
            middle.unlabelled[mover, word] &= forcer.forced.free[mover, word]
    for word in range(len(middle.out)):
        gained = (middle.out[word] | middle.labelled[side, word]) & ~forcer.forced.left[word]
        if gained:
            mark_limited(block, forcer, word, gained)
            middle.out[word] &= ~gained
            middle.labelled[side, word] &= ~gained


@inner
def find_first_middle(block: Block, forcer: Forcer) -> None:
    """All labels at the first code with a middle."""
    begin_first_code(forcer)
    joining = forcer.joining
    joining_next = forcer.joining_next
    for goal in range(FIRST_MIDDLE, WORST_GOAL - FIRST_MIDDLE):
        plies = next_step(forcer, forcer.seeds, joining, goal, np.int64(0))
        while plies < PLIES:
            find_step(block, forcer, joining, joining_next, label_from(goal, plies))
            joining, joining_next = joining_next, joining
            plies = next_step(forcer, forcer.seeds, joining, goal, plies + 1)
    end_code(forcer.middle)


@inner
def update_middle(block: Block, forcer: Forcer, code: Int) -> None:
    """All labels at a later code, from those at the code before."""
    begin_next_code(block, forcer, code)
    joining = forcer.joining
    joining_next = forcer.joining_next
    for goal in range(code, WORST_GOAL - code):
        plies = next_step(forcer, forcer.middle.agenda, joining, goal, np.int64(0))
        while plies < PLIES:
            update_step(block, forcer, joining, joining_next, label_from(goal, plies), code)
            joining, joining_next = joining_next, joining
            plies = next_step(forcer, forcer.middle.agenda, joining, goal, plies + 1)
    end_code(forcer.middle)
