"""The search for a class: take the plies of an outcome from the fewest upwards, and let all join that can.

A position of the forcer joins as soon as one move leads to a member, one of the other side as soon as all do. What
begins it are *seeds*: resets and frozen cells, filed by rank and plies.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.outcome_kernels import byte_of_rank
from tbgen.index.words import ONE, lowest_square
from tbgen.retro.levels.bucket_queue import EXIT, PLIES, UNBLOCK
from tbgen.retro.levels.forcer import BEGUN, LAYER, STATUS, SWEEPS, TOO_FAR, leave_free
from tbgen.retro.words.quiet import escapes, mark
from tbgen.retro.words.worklist import Sparse, add_word, gather, put, take


@inner
def plant(forcer, rank, plies):
    """Let the seeds of one rank and distance take effect."""
    side, seeds, members, joining = forcer.side, forcer.seeds, forcer.forced, forcer.joining
    node = seeds.head[rank, plies]
    while node >= 0:
        where = np.int64(seeds.where[node])
        word, kind, mover = where >> 3, where >> 1 & 3, where & 1
        bits = seeds.bits[node]
        node = seeds.next[node]
        if kind == UNBLOCK:
            members.blocked[word] &= ~bits
            put(forcer.checked, word, bits & members.free[mover, word])
        elif mover != side:
            put(forcer.yielding, word, bits)
        elif kind == EXIT:
            put(joining, word, bits & members.left[word])
        else:
            put(joining, word, bits & members.free[mover, word])


@inner
def check(geometry, block, forcer, first, end):
    """Of the other side's marked positions, in some of the words gathered, let those join that have no way out."""
    other, checked, members = 1 - forcer.side, forcer.checked, forcer.forced
    for n in range(first, end):
        word = np.int64(checked.words[n])
        bits = take(checked, word) & members.free[other, word] & ~members.blocked[word]
        if bits:
            bits &= ~escapes(geometry, forcer.men, block.occupied[word], other, word, bits, members.left)
            put(forcer.yielding, word, bits)


@inlined
def write_values(block, values, side, word, bits, byte, plies):
    """Write the final values of some cells of a word."""
    first = side * block.code.shape[1] + word * 64
    while bits:
        cell = first + lowest_square(bits)
        bits &= bits - ONE
        values.entry[cell] = byte
        values.dtg[cell] = plies


@inner
def join_class(block, forcer, values, side, marks, first, end, label):
    """Make the marked positions of some of the words gathered members of the class: their entry values are final."""
    members, middle = forcer.forced, forcer.middle
    byte = byte_of_rank(label >> 16, forcer.side)
    for n in range(first, end):
        word = np.int64(marks.words[n])
        bits = marks.bits[word]
        write_values(block, values, side, word, bits & members.free[side, word], byte, label & 0xFFFF)
        leave_free(members, side, word, bits)
        if side == forcer.side:
            members.left[word] &= ~bits
        if forcer.state[BEGUN]:
            middle.gained[side, word] |= bits
            add_word(middle.stirred[side], word)


@inner
def expand(geometry, block, forcer, side, marks, first, end, target):
    """Mark the positions from which the side not to move came to some of those gathered, and unmark these."""
    members = forcer.forced
    free = Sparse(members.free[1 - side], members.live[1 - side])
    for n in range(first, end):
        word = np.int64(marks.words[n])
        bits = take(marks, word)
        mark(geometry, forcer.men, block.occupied[word], 1 - side, word, bits, free, target)


@inner
def marked_words(forcer):
    """In how many words a layer has something to do; one that has marks of several kinds counts for each."""
    return forcer.joining.size[0] + forcer.checked.size[0] + forcer.yielding.size[0]


@inner
def begin_layer(forcer, rank):
    """Go on to the next layer that has something to do, and let its seeds take effect; False if there is none."""
    state, seeds, farthest = forcer.state, forcer.seeds, forcer.seeds.farthest[rank]
    plies, pending = state[LAYER], marked_words(forcer) > 0
    while not pending and plies <= farthest and seeds.head[rank, plies] < 0:
        plies += 1
    state[LAYER] = plies
    if plies >= PLIES:
        state[STATUS] = TOO_FAR
        return False
    if plies > farthest:
        return pending
    if seeds.head[rank, plies] >= 0:
        plant(forcer, rank, plies)
    return True


@inner
def finish_layer(geometry, block, forcer, values, rank):
    """Let all join that a layer has marked, and mark for the next one."""
    side, label = forcer.side, rank << 16 | forcer.state[LAYER]
    checked, yielding, joining = forcer.checked, forcer.yielding, forcer.joining
    check(geometry, block, forcer, 0, gather(checked))
    others, own = gather(yielding), gather(joining)
    join_class(block, forcer, values, 1 - side, yielding, 0, others, label)
    join_class(block, forcer, values, side, joining, 0, own, label)
    expand(geometry, block, forcer, side, joining, 0, own, checked)
    expand(geometry, block, forcer, 1 - side, yielding, 0, others, joining)
    forcer.state[LAYER] += 1
    forcer.state[SWEEPS] += 1


@inner
def spread_outcome(geometry, block, forcer, values, rank, most):
    """Let all join from which the forcer forces the outcome of this rank, whatever the accrued score.

    It goes on from the layer in `state[LAYER]`. True when it is done; a layer of more than `most` words is begun, and
    left to who shares it (sharing.py).
    """
    while begin_layer(forcer, rank):
        if marked_words(forcer) > most:
            return False
        finish_layer(geometry, block, forcer, values, rank)
    return True
