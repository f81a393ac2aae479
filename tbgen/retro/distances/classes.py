"""Classes: the cells from which a forcer forces its own outcome at one accrued code, whatever the accrued score.

Plies are taken from the fewest upwards, and all cells join that can: a cell of the forcer as soon as one move leads to
a member, a cell of the defender as soon as all do. Seeds begin it: resets and frozen cells, by goal and plies.
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined, inner, prefetch
from tbgen.index.kernels import byte_of_goal
from tbgen.index.words import lowest_and_rest
from tbgen.retro.distances.forcer import Forcer, has_middles
from tbgen.retro.distances.queues import EXIT, PLIES, UNBLOCK, first_plies, kind_of_site, side_of_site, word_of_site
from tbgen.retro.patterns.packing import goal_of_label, label_from, plies_of_label
from tbgen.retro.patterns.worker import STATUS, TOO_FAR, leave_free
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import find_escapes, mark_predecessors
from tbgen.retro.words.worklist import FAR, Markable, Worklist, add_bits, add_word, list_words, take_bits


@inner
def use_seeds(forcer: Forcer, label: Int) -> None:
    """Let the seeds of one goal and distance take effect."""
    side, seeds, members, joining = forcer.side, forcer.seeds, forcer.forced, forcer.joining
    node = seeds.head[goal_of_label(label), plies_of_label(label)]
    while node >= 0:
        site = np.int64(seeds.site[node])
        word, kind, mover = word_of_site(site), kind_of_site(site), side_of_site(site)
        bits = seeds.bits[node]
        node = seeds.next[node]
        if kind == UNBLOCK:
            members.blocked[word] &= ~bits
            add_bits(forcer.checked, word, bits & members.free[mover, word])
        elif mover != side:
            add_bits(forcer.yielding, word, bits)
        elif kind == EXIT:
            add_bits(joining, word, bits & members.left[word])
        else:
            add_bits(joining, word, bits & members.free[mover, word])


@inner
def check_defender_cells(block: Block, forcer: Forcer) -> None:
    """Of the defender's cells to be checked, let those yield that have no escape."""
    defender, checked, members = 1 - forcer.side, forcer.checked, forcer.forced
    for n in range(list_words(checked)):
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & members.free[defender, word] & ~members.blocked[word]
        if bits:
            bits &= ~find_escapes(block, forcer.men, defender, word, bits, members.left)
            add_bits(forcer.yielding, word, bits)


@inlined
def write_values(block: Block, values: BlockValues, side: Int, word: Int, bits: Word, byte: Int, plies: Int) -> None:
    """Write the final values of some cells of a word."""
    first = side * block.code.shape[1] + word * 64
    while bits:
        square, bits = lowest_and_rest(bits)
        values.entry[first + square] = byte
        values.dtg[first + square] = plies


@inner
def join_class(block: Block, forcer: Forcer, values: BlockValues, side: Int, worklist: Worklist, label: Int) -> int:
    """Make the marked cells members of the class: their entry values are final; in how many words they are."""
    members, middle = forcer.forced, forcer.middle
    byte = byte_of_goal(goal_of_label(label), forcer.side)
    size = list_words(worklist)
    for n in range(size):
        word = np.int64(worklist.words[n])
        bits = worklist.bits[word]
        write_values(block, values, side, word, bits & members.free[side, word], byte, plies_of_label(label))
        leave_free(members, side, word, bits)
        if side == forcer.side:
            members.left[word] &= ~bits
        if has_middles(forcer):
            middle.gained[side, word] |= bits
            add_word(middle.touched[side], word)
    return size


# The predecessors are marked only after all cells of the step have joined: `free` must not hold any of them any more.
@inner
def mark_before_members(
    block: Block, forcer: Forcer, side: Int, worklist: Worklist, size: Int, target: Worklist
) -> None:
    """Mark the predecessors of the cells in the words listed, and empty these words."""
    members = forcer.forced
    markable = Markable(target, members.free[1 - side], members.live[1 - side])
    for n in range(size):
        if n + FAR < size:
            word = np.int64(worklist.words[n + FAR])
            prefetch(worklist.bits, (word,))
            prefetch(block.occupied, (word,))
        word = np.int64(worklist.words[n])
        bits = take_bits(worklist, word)
        mark_predecessors(block, forcer.men, 1 - side, word, bits, markable, forcer.neighbours)


@inner
def next_step(forcer: Forcer, goal: Int, plies: Int) -> Int:
    """The next step, from `plies` on, that has something to do; PLIES if there is none."""
    if forcer.joining.size[0] + forcer.checked.size[0] + forcer.yielding.size[0] == 0:
        return first_plies(forcer.seeds, goal, plies)
    if plies == PLIES:
        forcer.state[STATUS] = TOO_FAR
    return plies


@inner
def spread_outcome(block: Block, forcer: Forcer, values: BlockValues, goal: Int) -> None:
    """Let all cells join from which the forcer forces the outcome of this goal, whatever the accrued score."""
    side, yielding, joining = forcer.side, forcer.yielding, forcer.joining
    plies = next_step(forcer, goal, np.int64(0))
    while plies < PLIES:
        label = label_from(goal, plies)
        use_seeds(forcer, label)
        check_defender_cells(block, forcer)
        others = join_class(block, forcer, values, 1 - side, yielding, label)
        own = join_class(block, forcer, values, side, joining, label)
        mark_before_members(block, forcer, side, joining, own, forcer.checked)
        mark_before_members(block, forcer, 1 - side, yielding, others, joining)
        plies = next_step(forcer, goal, plies + 1)
