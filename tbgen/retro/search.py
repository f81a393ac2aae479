"""The search for a class: take the plies of an outcome from the fewest upwards, and let all join that can.

A position of the forcer joins as soon as one move leads to a member, one of the other side as soon as all do. What
begins it are *seeds*: resets and frozen cells, filed by rank and plies.
"""

from __future__ import annotations

import numpy as np

from tbgen._jit import inlined, inner
from tbgen.index.words import ONE, lowest_square
from tbgen.retro.block import byte_of_rank
from tbgen.retro.forcer import BEGUN, STATUS, SWEEPS, TOO_FAR, leave_free
from tbgen.retro.marks import Sparse, add_word, gather, put, take
from tbgen.retro.seeds import EXIT, PLIES, UNBLOCK
from tbgen.retro.spread import escapes, mark


@inner
def plant(forcer, members, joining, rank, plies):
    """Let the seeds of one rank and distance take effect."""
    side, seeds = forcer.side, forcer.seeds
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
def check(geometry, block, forcer, members):
    """Of the other side's marked positions, let those join that have no way out."""
    other, checked = 1 - forcer.side, forcer.checked
    for n in range(gather(checked)):
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
def join_class(block, forcer, values, side, marks, size, label):
    """Make the marked positions members of the class: their entry values are final."""
    members, middle = forcer.forced, forcer.middle
    byte = byte_of_rank(label >> 16, forcer.side)
    for n in range(size):
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
def expand(geometry, block, forcer, members, side, marks, size, target):
    """Mark the positions from which the side not to move came to the marked ones, and unmark these."""
    free = Sparse(members.free[1 - side], members.live[1 - side])
    for n in range(size):
        word = np.int64(marks.words[n])
        bits = take(marks, word)
        mark(geometry, forcer.men, block.occupied[word], 1 - side, word, bits, free, target)


@inner
def spread_outcome(geometry, block, forcer, values, rank):
    """Let all join from which the forcer forces the outcome of this rank, whatever the accrued score."""
    side, farthest = forcer.side, forcer.seeds.farthest[rank]
    members = forcer.forced
    joining, joining_next, yielding = forcer.joining, forcer.joining_next, forcer.yielding
    plies = 0
    while True:
        pending = joining.size[0] + forcer.checked.size[0] + yielding.size[0] > 0
        while not pending and plies <= farthest and forcer.seeds.head[rank, plies] < 0:
            plies += 1
        if plies >= PLIES:
            forcer.state[STATUS] = TOO_FAR
        if plies >= PLIES or (not pending and plies > farthest):
            break
        if plies <= farthest and forcer.seeds.head[rank, plies] >= 0:
            plant(forcer, members, joining, rank, plies)
        check(geometry, block, forcer, members)
        label = np.int64(rank << 16 | plies)
        others, own = gather(yielding), gather(joining)
        join_class(block, forcer, values, 1 - side, yielding, others, label)
        join_class(block, forcer, values, side, joining, own, label)
        expand(geometry, block, forcer, members, 1 - side, yielding, others, joining_next)
        expand(geometry, block, forcer, members, side, joining, own, forcer.checked)
        joining, joining_next = joining_next, joining
        plies += 1
        forcer.state[SWEEPS] += 1
