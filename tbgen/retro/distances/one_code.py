"""One accrued code after another: the game solved from the entry values that each code leads to.

At each accrued code the undecided cells whose own code it is are *frozen*: their entry values
become known. Then, for each forcer, the outcome "the forcer holds this code" is spread to all cells
from which it can be forced (the class: final, whatever the accrued score), and the holds of the
other side at the next code are broken where they can be (the middle; middles.py).

In a class plies are taken from the fewest upwards, and all cells join that can: a cell of the
forcer as soon as one move leads to a member, a cell of the defender as soon as all do. Seeds begin
it: resets and frozen cells.

The loop over codes stands twice: `solve_codes` (drive/methods.py) is one kernel for one thread,
`OneBlock.solve_codes` (drive/one_block.py) calls the kernels below from Python, so that each forcer
has a thread.
"""

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import borrowing, inlined, inner, prefetch
from tbgen.index.kernels import WORST_GOAL, byte_of_goal, goal_of_byte
from tbgen.index.words import lowest_and_rest, square_bit
from tbgen.retro.cells.freezing import FIRST_MIDDLE, TOP_CODE, freeze_cells, ripe_cells
from tbgen.retro.cells.members import leave_free
from tbgen.retro.cells.worker import MEMO_LABEL, NO_MEMO, STATUS, has_middles
from tbgen.retro.distances.forcer import Forcer, next_step, schedule
from tbgen.retro.distances.labels import give_frozen_label
from tbgen.retro.distances.middles import find_first_middle, update_middle
from tbgen.retro.distances.queues import (
    EXIT,
    PLIES,
    UNBLOCK,
    kind_of_site,
    side_of_site,
    word_of_site,
)
from tbgen.retro.patterns.packing import goal_of_label, label_from, plies_of_label
from tbgen.retro.status import TOO_HIGH
from tbgen.retro.words.block import Block, BlockValues, number_of_cell
from tbgen.retro.words.quiet import find_escapes, mark_predecessors
from tbgen.retro.words.worklist import FAR, Markable, Worklist, add_bits, list_words, take_bits
from tbgen.score import STALEMATE_CODE


@inlined
def entry_label(
    block: Block, breaker: Forcer, code: Int, side: Int, word: Int, square: Int
) -> tuple[Int, Int]:
    """The entry value of an undecided cell of this own code: its goal for the breaker, and plies.

    The breaker is the side to move. The other side has just moved, and holds the code.
    """
    code = min(code, TOP_CODE + 1)
    hold = WORST_GOAL - code
    if code > STALEMATE_CODE and has_middles(breaker.mode):
        label = np.int64(breaker.label[number_of_cell(block, side, word, square)])
        if goal_of_label(label) < hold:
            return goal_of_label(label), plies_of_label(label)
    return np.int64(hold), np.int64(0)


# A cell of this own code has that very score accrued, so its value rests on entry values of lower
# codes and on the middle at this accrued code, which has been found at the code before. The label
# read here needs no mask: where a cell has none, its array holds NO_LABEL, or one that has expired.
@inlined
def freeze_word(
    block: Block, breaker: Forcer, values: BlockValues, code: Int, side: Int, word: Int, still: Word
) -> Word:
    """Those undecided cells of a word that have this own code; their entry values are written."""
    frozen = ripe_cells(block, side, word, still, code)
    first = side * block.code.shape[1] + word * 64
    kings = frozen
    while kings:
        square, kings = lowest_and_rest(kings)
        goal, plies = entry_label(block, breaker, code, side, word, square)
        if TOP_CODE < goal < WORST_GOAL - TOP_CODE:
            breaker.state[STATUS] = TOO_HIGH
        values.entry[first + square] = byte_of_goal(goal, side)
        values.dtg[first + square] = plies
    return frozen


@borrowing
def freeze(
    block: Block, white: Forcer, black: Forcer, values: BlockValues, code: int, first: int, end: int
) -> int:
    """Freeze the undecided cells of a range of words that have this own code.

    Returns how many are left undecided.
    """
    return freeze_cells(freeze_word, block, white, black, values, code, first, end)


@inner
def use_seeds(forcer: Forcer, label: Int) -> None:
    """Let the seeds of one goal and distance take effect."""
    side = forcer.side
    seeds = forcer.seeds
    members = forcer.forced
    joining = forcer.joining
    node = seeds.head[goal_of_label(label), plies_of_label(label)]
    while node >= 0:
        site = np.int64(seeds.site[node])
        word = word_of_site(site)
        kind = kind_of_site(site)
        mover = side_of_site(site)
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
    defender = 1 - forcer.side
    checked = forcer.checked
    members = forcer.forced
    for n in range(list_words(checked)):
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & members.free[defender, word] & ~members.blocked[word]
        if bits:
            bits &= ~find_escapes(block, forcer.men, defender, word, bits, members.left)
            add_bits(forcer.yielding, word, bits)


@inlined
def write_values(
    block: Block, values: BlockValues, side: Int, word: Int, bits: Word, byte: Int, plies: Int
) -> None:
    """Write the final values of some cells of a word."""
    first = side * block.code.shape[1] + word * 64
    while bits:
        square, bits = lowest_and_rest(bits)
        values.entry[first + square] = byte
        values.dtg[first + square] = plies


@inner
def join_class(
    block: Block, forcer: Forcer, values: BlockValues, side: Int, worklist: Worklist, label: Int
) -> int:
    """Make the marked cells members of the class: their entry values are final.

    Returns in how many words they are.
    """
    members = forcer.forced
    byte = byte_of_goal(goal_of_label(label), forcer.side)
    plies = plies_of_label(label)
    size = list_words(worklist)
    for n in range(size):
        word = np.int64(worklist.words[n])
        bits = worklist.bits[word]
        free = bits & members.free[side, word]
        write_values(block, values, side, word, free, byte, plies)
        leave_free(members, side, word, bits)
        if side == forcer.side:
            members.left[word] &= ~bits
    return size


# The predecessors are marked only after all cells of the step have joined: `free` must not hold any
# of them any more.
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
def spread_outcome(block: Block, forcer: Forcer, values: BlockValues, goal: Int) -> None:
    """Let all cells join from which the forcer forces this goal, whatever has accrued."""
    side = forcer.side
    yielding = forcer.yielding
    joining = forcer.joining
    plies = next_step(forcer, forcer.seeds, joining, goal, np.int64(0))
    while plies < PLIES:
        label = label_from(goal, plies)
        use_seeds(forcer, label)
        check_defender_cells(block, forcer)
        others = join_class(block, forcer, values, 1 - side, yielding, label)
        own = join_class(block, forcer, values, side, joining, label)
        mark_before_members(block, forcer, side, joining, own, forcer.checked)
        mark_before_members(block, forcer, 1 - side, yielding, others, joining)
        plies = next_step(forcer, forcer.seeds, joining, goal, plies + 1)


# An outcome better than the forcer's own hold is in a class already, and one worse than the
# defender's breaks no hold. If the value is the forcer's own hold, the forcer has just moved, so
# the cell is the defender's. A cell of the forcer that breaks a hold has this very label already.
@inner
def push_frozen(block: Block, forcer: Forcer, values: BlockValues, code: Int) -> None:
    """Make the cells that have just been frozen seeds, where they can matter.

    Holds of this forcer begin its class.
    """
    own_hold = label_from(code, 0)
    for side in range(2):
        for word in range(len(block.occupied)):
            kings = block.frozen[side, word]
            first = side * block.code.shape[1] + word * 64
            while kings:
                square, kings = lowest_and_rest(kings)
                goal = goal_of_byte(np.int64(values.entry[first + square]), forcer.side)
                label = label_from(goal, np.int64(values.dtg[first + square]))
                bit = square_bit(square)
                if label == own_hold:
                    add_bits(forcer.yielding, word, bit)
                elif code <= goal < WORST_GOAL - code:
                    schedule(forcer, forcer.seeds, EXIT, side, word, bit, label)
                    if side != forcer.side:
                        give_frozen_label(block, forcer, side, word, square, label, code + 1)


@borrowing
def search_code(block: Block, forcer: Forcer, _: Forcer, values: BlockValues, code: int) -> None:
    """One forcer's class at an accrued code, then its middle at the next one, if there are any."""
    if code > TOP_CODE:
        return
    push_frozen(block, forcer, values, code)
    spread_outcome(block, forcer, values, code)
    if code + 1 >= FIRST_MIDDLE and has_middles(forcer.mode):
        forcer.state[MEMO_LABEL] = NO_MEMO
        if code + 1 == FIRST_MIDDLE:
            find_first_middle(block, forcer)
        else:
            update_middle(block, forcer, code + 1)
