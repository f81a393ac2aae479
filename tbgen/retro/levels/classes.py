"""Classes: the cells from which a forcer forces its own outcome at one accrued code, whatever the accrued score.

Plies are taken from the fewest upwards, and all cells join that can: a cell of the forcer as soon as one move leads to
a member, a cell of the defender as soon as all do. Seeds begin it: resets and frozen cells, by rank and plies. What
`finish_layer` does here for one thread, `SharedLayers.finish_class_layer` does for several (drive/shared_layers.py).
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined, inner, prefetch
from tbgen.index.kernels import byte_of_rank
from tbgen.index.words import ONE, lowest_square
from tbgen.retro.levels.forcer import BEGUN, LAYER, MOST, STATUS, SWEEPS, TOO_FAR, Forcer, leave_free
from tbgen.retro.levels.packing import (
    EXIT,
    PLIES,
    UNBLOCK,
    kind_of_site,
    label_from,
    plies_of_label,
    rank_of_label,
    side_of_site,
    word_of_site,
)
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import find_escapes, mark_predecessors
from tbgen.retro.words.worklist import FAR, Markable, Span, Worklist, add_bits, add_word, list_words, take_bits


@inner
def use_seeds(forcer: Forcer, rank: Int, plies: Int) -> None:
    """Let the seeds of one rank and distance take effect."""
    side, seeds, members, joining = forcer.side, forcer.seeds, forcer.forced, forcer.joining
    node = seeds.head[rank, plies]
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
def check_defender_cells(block: Block, forcer: Forcer, span: Span) -> None:
    """Of the defender's cells to be checked, in some of the words listed, let those yield that have no escape."""
    defender, checked, members = 1 - forcer.side, forcer.checked, forcer.forced
    for n in range(span.first, span.end):
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
        cell = first + lowest_square(bits)
        bits &= bits - ONE
        values.entry[cell] = byte
        values.dtg[cell] = plies


@inner
def join_class(
    block: Block, forcer: Forcer, values: BlockValues, side: Int, worklist: Worklist, span: Span, label: Int
) -> None:
    """Make the marked cells of some of the words listed members of the class: their entry values are final."""
    members, middle = forcer.forced, forcer.middle
    byte = byte_of_rank(rank_of_label(label), forcer.side)
    for n in range(span.first, span.end):
        word = np.int64(worklist.words[n])
        bits = worklist.bits[word]
        write_values(block, values, side, word, bits & members.free[side, word], byte, plies_of_label(label))
        leave_free(members, side, word, bits)
        if side == forcer.side:
            members.left[word] &= ~bits
        if forcer.state[BEGUN]:
            middle.gained[side, word] |= bits
            add_word(middle.touched[side], word)


# The predecessors are marked only after all cells of the layer have joined: `free` must not hold any of them any more.
@inner
def mark_before_members(
    block: Block, forcer: Forcer, side: Int, worklist: Worklist, span: Span, target: Worklist
) -> None:
    """Mark the predecessors of the cells in some of the words listed, and empty these words."""
    members = forcer.forced
    markable = Markable(target, members.free[1 - side], members.live[1 - side])
    for n in range(span.first, span.end):
        if n + FAR < span.end:
            word = np.int64(worklist.words[n + FAR])
            prefetch(worklist.bits, (word,))
            prefetch(block.occupied, (word,))
        word = np.int64(worklist.words[n])
        bits = take_bits(worklist, word)
        mark_predecessors(block, forcer.men, 1 - side, word, bits, markable, forcer.neighbours)


@inner
def count_marked_words(forcer: Forcer) -> int:
    """In how many words a layer has something to do; one that is on several worklists counts for each."""
    return forcer.joining.size[0] + forcer.checked.size[0] + forcer.yielding.size[0]


@inner
def begin_layer(forcer: Forcer, rank: Int) -> bool:
    """Go on to the next layer that has something to do, and let its seeds take effect; False if there is none."""
    state, seeds, farthest = forcer.state, forcer.seeds, forcer.seeds.farthest[rank]
    plies, pending = state[LAYER], count_marked_words(forcer) > 0
    while not pending and plies <= farthest and seeds.head[rank, plies] < 0:
        plies += 1
    state[LAYER] = plies
    if plies >= PLIES:
        state[STATUS] = TOO_FAR
        return False
    if plies > farthest:
        return pending
    if seeds.head[rank, plies] >= 0:
        use_seeds(forcer, rank, plies)
    return True


@inner
def finish_layer(block: Block, forcer: Forcer, values: BlockValues, rank: Int) -> None:
    """Let all marked cells of a layer join that can, and mark their predecessors for the next one."""
    side, label = forcer.side, label_from(rank, forcer.state[LAYER])
    checked, yielding, joining = forcer.checked, forcer.yielding, forcer.joining
    check_defender_cells(block, forcer, Span(0, list_words(checked)))
    others, own = Span(0, list_words(yielding)), Span(0, list_words(joining))
    join_class(block, forcer, values, 1 - side, yielding, others, label)
    join_class(block, forcer, values, side, joining, own, label)
    mark_before_members(block, forcer, side, joining, own, checked)
    mark_before_members(block, forcer, 1 - side, yielding, others, joining)
    forcer.state[LAYER] += 1
    forcer.state[SWEEPS] += 1


@inner
def spread_outcome(block: Block, forcer: Forcer, values: BlockValues, rank: Int) -> bool:
    """Let all cells join from which the forcer forces the outcome of this rank, whatever the accrued score.

    It goes on from the layer in `state[LAYER]`. True when it is done; a layer of more than `state[MOST]` words is
    begun, and left to the threads that share it (drive/shared_layers.py).
    """
    while begin_layer(forcer, rank):
        if count_marked_words(forcer) > forcer.state[MOST]:
            return False
        finish_layer(block, forcer, values, rank)
    return True
