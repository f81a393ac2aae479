"""One accrued code after another: the game solved from the entry values that each code leads to.

At each accrued code the undecided cells whose own code it is are *frozen*: their entry values become known. Then, for
each forcer, the outcome "the forcer holds this code" is spread to all cells from which it can be forced (the class:
final, whatever the accrued score; classes.py), and the holds of the other side at the next code are broken where they
can be (the middle; middles.py).

The loop over codes stands twice: `solve_distances` (drive/methods.py) is one kernel for one thread,
`OneBlock.solve_codes` (drive/one_block.py) calls the kernels below from Python, so that each forcer has a thread.
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import WORST_GOAL, byte_of_goal, goal_of_byte
from tbgen.index.words import NOTHING, ONE, count, lowest_and_rest, square_bit
from tbgen.retro.distances.classes import spread_outcome
from tbgen.retro.distances.forcer import Forcer, has_middles
from tbgen.retro.distances.labels import change_label
from tbgen.retro.distances.middles import update_middle
from tbgen.retro.distances.queues import EXIT, push, site_from
from tbgen.retro.patterns.packing import goal_of_label, label_from, plies_of_label
from tbgen.retro.patterns.worker import FORCED_TWICE, QUEUE_FULL, STATUS, TOO_HIGH, TOP_CODE
from tbgen.retro.words.block import Block, BlockValues, place_of_cell
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.worklist import add_bits
from tbgen.score import STALEMATE_CODE


@inlined
def entry_label(block: Block, breaker: Forcer, code: Int, side: Int, word: Int, square: Int) -> tuple[Int, Int]:
    """The entry value of an undecided cell of this own code: its goal and plies for the side that has just moved."""
    code = min(code, TOP_CODE + 1)
    if code > STALEMATE_CODE and has_middles(breaker):
        broken = np.int64(breaker.label[place_of_cell(block, side, word, square)])
        if goal_of_label(broken) < WORST_GOAL - code:
            return WORST_GOAL - goal_of_label(broken), plies_of_label(broken)
    return np.int64(code), np.int64(0)


@inner
def freeze_word(block: Block, breaker: Forcer, values: BlockValues, code: Int, side: Int, word: Int) -> Word:
    """Freeze the undecided cells of a word that have this own code."""
    kings, freezing, next_code = block.undecided[side, word], NOTHING, np.int64(255)
    first = side * block.code.shape[1] + word * 64
    while kings:
        square, kings = lowest_and_rest(kings)
        own = np.int64(block.code[side, word * 64 + square])
        if own != code:
            next_code = min(next_code, own)
            continue
        freezing |= square_bit(square)
        goal, plies = entry_label(block, breaker, code, side, word, square)
        if TOP_CODE < goal < WORST_GOAL - TOP_CODE:
            breaker.state[STATUS] = TOO_HIGH
        values.entry[first + square] = byte_of_goal(goal, 1 - side)
        values.dtg[first + square] = plies
    block.next_code[side, word] = next_code
    return freezing


# A cell of this own code has that very score accrued, so its value rests on entry values of lower codes and on the
# middle at this accrued code, which has been found at the code before. It is also here that a class's members leave
# `undecided`, so that each word is read once a code; `next_code` lets a word with no cell of this code be passed by.
# The label read here needs no mask: where a cell has none, its array holds NO_LABEL, or one that has expired.
@borrowing
def freeze(block: Block, white: Forcer, black: Forcer, values: BlockValues, code: Int, first: int, end: int) -> int:
    """Freeze the undecided cells of a range of words that have this own code, with entry values; how many are left.

    The range begins and ends with a group of 64 words, or with the block: `live` has a bit for each word of a group.
    """
    left = 0
    for side in range(2):
        breaker = white if side == WHITE else black
        for group in range(first, end, 64):
            live = NOTHING
            for word in range(group, min(group + 64, end)):
                still = block.undecided[side, word]
                block.frozen[side, word] = NOTHING
                if still == NOTHING:
                    continue
                ours, theirs = white.forced.free[side, word], black.forced.free[side, word]
                if still & ~ours & ~theirs:
                    breaker.state[STATUS] = FORCED_TWICE
                still &= ours & theirs
                block.undecided[side, word] = still
                if still and block.next_code[side, word] <= code:
                    freezing = freeze_word(block, breaker, values, code, side, word)
                    block.frozen[side, word] = freezing
                    still &= ~freezing
                    block.undecided[side, word] = still
                white.forced.free[side, word] = still
                black.forced.free[side, word] = still
                if still:
                    live |= ONE << np.uint64(word & 63)
                    left += count(still)
            white.forced.live[side, group >> 6] = live
            black.forced.live[side, group >> 6] = live
    return left


# An outcome better than the forcer's own hold is in a class already, and one worse than the defender's breaks no hold.
@inlined
def push_exit(block: Block, forcer: Forcer, code: Int, side: Int, word: Int, square: Int, label: Int) -> None:
    """Make a frozen cell's entry value, as a label of this forcer, a seed where it can matter."""
    if label == label_from(code, 0):
        add_bits(forcer.yielding, word, square_bit(square))
    elif code <= goal_of_label(label) < WORST_GOAL - code:
        if not push(forcer.seeds, label, site_from(EXIT, side, word), square_bit(square)):
            forcer.state[STATUS] = QUEUE_FULL
        if side != forcer.side:
            change_label(block, forcer, EXIT, side, word, square, label, code + 1)


@inner
def push_frozen(block: Block, forcer: Forcer, values: BlockValues, code: Int) -> None:
    """Make the cells that have just been frozen seeds; holds of this forcer begin its class at once."""
    for side in range(2):
        for word in range(len(block.occupied)):
            kings = block.frozen[side, word]
            cell = side * block.code.shape[1] + word * 64
            while kings:
                square, kings = lowest_and_rest(kings)
                goal = goal_of_byte(np.int64(values.entry[cell + square]), forcer.side)
                label = label_from(goal, np.int64(values.dtg[cell + square]))
                push_exit(block, forcer, code, side, word, square, label)


@borrowing
def search_code(block: Block, forcer: Forcer, values: BlockValues, code: int) -> None:
    """The class of one forcer's own outcome at an accrued code, then its middle at the next, if there are any."""
    if code > TOP_CODE:
        return
    push_frozen(block, forcer, values, code)
    spread_outcome(block, forcer, values, code)
    if code > 0 and has_middles(forcer):
        update_middle(block, forcer, code + 1)
