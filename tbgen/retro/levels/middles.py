"""Update: the labels of the middle at one accrued code from those at the code before, layer by layer.

A label is wrong only because something has happened since: cells were frozen, or a class has gained them. When a
position gets a lesser label, those to which the old one was the limit are marked, and asked in the layer after
(asking.py). All labels below the layer at hand are final. At the first level nobody has one, and resets begin it.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.outcome_kernels import WORST_RANK
from tbgen.index.words import ONE, lowest_square
from tbgen.retro.levels.bucket_queue import EXIT, PLIES, UNBLOCK
from tbgen.retro.levels.forcer import BEGUN, MEMO_LABEL, STATUS, SWEEPS, TOO_FAR
from tbgen.retro.levels.labels import LAST, begin_labels, end_of, fade, join, label_of, labelled_between, mark_near
from tbgen.retro.levels.middle import end_level
from tbgen.retro.levels.recheck import ask_other, ask_own, near_to
from tbgen.retro.words.quiet import mark
from tbgen.retro.words.worklist import Sparse, gather, put, take


@inlined
def mark_waiting(geometry, block, forcer, word, bits):
    """Mark those of the other side to which the labels of some positions of the forcer have been the limit."""
    other, middle = 1 - forcer.side, forcer.middle
    old = bits & middle.labelled[forcer.side, np.uint64(word)]
    fresh = bits & ~old
    if fresh:
        unlabelled = Sparse(middle.unlabelled[other], forcer.forced.live[other])
        mark(geometry, forcer.men, block.occupied[word], other, word, fresh, unlabelled, forcer.checked)
    while old:
        was = label_of(block, forcer, forcer.side, word, lowest_square(old))
        same = labelled_between(block, forcer, forcer.side, word, old, was, was)
        old &= ~same
        size = near_to(geometry, block, forcer, other, word, same)
        mark_near(block, forcer, other, size, False, was + 1, was + 1, forcer.checked)


@inlined
def mark_before(geometry, block, forcer, word, bits, label, marks):
    """Mark the forcer's positions that come to some of the other side's by a move, and have no less a label so far."""
    side = forcer.side
    if forcer.state[BEGUN]:
        size = near_to(geometry, block, forcer, side, word, bits)
        mark_near(block, forcer, side, size, True, label + 2, np.int64(LAST), marks)
    else:
        unlabelled = Sparse(forcer.middle.unlabelled[side], forcer.forced.live[side])
        mark(geometry, forcer.men, block.occupied[word], side, word, bits, unlabelled, marks)


@inner
def take_up(geometry, block, forcer, label, end, joining, joining_next):
    """What is on the agenda of a layer, and at the first level the resets."""
    rank, plies = label >> 16, label & 0xFFFF
    if not forcer.state[BEGUN]:
        node = forcer.seeds.head[rank, plies]
        while node >= 0:
            where = np.int64(forcer.seeds.where[node])
            put(forcer.checked if where >> 1 & 3 == UNBLOCK else joining, where >> 3, forcer.seeds.bits[node])
            node = forcer.seeds.next[node]
    agenda = forcer.middle.agenda
    node = agenda.head[rank, plies]
    while node >= 0:
        where, bits = np.int64(agenda.where[node]), agenda.bits[node]
        word, side = where >> 3, where & 1
        node = agenda.next[node]
        if where >> 1 & 3 == EXIT:
            mark_before(geometry, block, forcer, word, bits, label, joining_next)
        elif side != forcer.side:
            put(forcer.checked, word, bits)
        else:
            put(joining, word, ask_own(geometry, block, forcer, label, end, word, bits))


@inner
def update_layer(geometry, block, forcer, label, end, level, joining, joining_next):
    """All that joins in one layer."""
    side, checked, middle = forcer.side, forcer.checked, forcer.middle
    take_up(geometry, block, forcer, label, end, joining, joining_next)
    for n in range(gather(checked)):
        word = np.int64(checked.words[n])
        bits = take(checked, word)
        bits = ask_other(geometry, block, forcer, label, end, word, bits)
        if bits:
            join(block, forcer, 1 - side, word, bits, label, level)
            mark_before(geometry, block, forcer, word, bits, label, joining_next)
    for n in range(gather(joining)):
        word = np.int64(joining.words[n])
        at = np.uint64(word)
        bits, among = take(joining, word) & forcer.forced.free[side, at], middle.unlabelled[side, at]
        if forcer.state[BEGUN]:
            among |= middle.labelled[side, at]
        bits &= among
        if bits:
            mark_waiting(geometry, block, forcer, word, bits)
            join(block, forcer, side, word, bits, label, level)
    forcer.state[SWEEPS] += 1


@inlined
def first_plies(forcer, rank, plies):
    """The first distance from `plies` on at which something begins; PLIES if nothing does."""
    seeds, agenda, begun = forcer.seeds, forcer.middle.agenda, forcer.state[BEGUN]
    farthest = agenda.farthest[rank] if begun else max(agenda.farthest[rank], seeds.farthest[rank])
    while plies <= farthest:
        if agenda.head[rank, plies] >= 0 or (not begun and seeds.head[rank, plies] >= 0):
            return plies
        plies += 1
    return np.int64(PLIES)


@inner
def update_outcome(geometry, block, forcer, rank, end, level):
    """The layers of one outcome."""
    joining, joining_next, plies = forcer.joining, forcer.joining_next, np.int64(0)
    while True:
        if joining.size[0] + forcer.checked.size[0] == 0:
            plies = first_plies(forcer, rank, plies)
            if plies == PLIES:
                return
        if plies == PLIES:
            forcer.state[STATUS] = TOO_FAR
            return
        update_layer(geometry, block, forcer, rank << 16 | plies, end, level, joining, joining_next)
        joining, joining_next = joining_next, joining
        plies += 1


@inner
def leave_middle(geometry, block, forcer, side):
    """Positions that a class has gained since the last level are members from the start."""
    middle = forcer.middle
    for group in range(middle.stirred.shape[1]):
        words = middle.stirred[side, group]
        while words:
            word = group * 64 + lowest_square(words)
            words &= words - ONE
            bits = middle.gained[side, word]
            if side == forcer.side:
                mark_waiting(geometry, block, forcer, word, bits)
                middle.out[word] &= ~bits
            middle.unlabelled[side, word] &= ~bits
            middle.labelled[side, word] &= ~bits


@inner
def update_middle(geometry, block, forcer, level):
    """The middle at an accrued code."""
    end = end_of(level)
    forcer.state[MEMO_LABEL] = -1
    if forcer.state[BEGUN]:
        fade(block, forcer, end)
        for side in range(2):
            leave_middle(geometry, block, forcer, side)
    else:
        begin_labels(forcer)
    for rank in range(level, WORST_RANK - level):
        if forcer.checked.size[0] or first_plies(forcer, rank, np.int64(0)) < PLIES:
            update_outcome(geometry, block, forcer, np.int64(rank), end, level)
    forcer.state[BEGUN] = 1
    end_level(forcer.middle)
