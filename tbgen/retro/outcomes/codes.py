"""One accrued code after another, for outcomes alone: freeze, class, middle (docs/solving.md).

At each accrued code the undecided cells whose own code it is are *frozen*. A hold that stands gives the code itself. A
hold that its middle broke has been frozen on the way, as the cell joined. Then each forcer finds its class, and the
middle at the next code.
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import WORST_GOAL, byte_of_goal
from tbgen.index.words import NOTHING, ONE, count, lowest_and_rest, square_bit
from tbgen.retro.outcomes.grower import (
    Grower,
    GrowingMiddle,
    Journal,
    Journals,
    breaks_holds,
    drop_decided,
    link_exits,
    sort_resets,
    use_mating_resets,
    write_outcome,
)
from tbgen.retro.outcomes.growing import Search, freeze_broken, grow
from tbgen.retro.patterns.worker import (
    FIRST_MIDDLE,
    FORCED_TWICE,
    QUEUE_FULL,
    STATUS,
    TOO_HIGH,
    TOP_CODE,
    Members,
    leave_free,
    open_words,
)
from tbgen.retro.words.block import Block, BlockValues, number_cells
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, Worklist, add_bits, list_words, take_bits
from tbgen.score import STALEMATE_CODE


@borrowing
def start_grower(block: Block, grower: Grower) -> None:
    """Begin with a block whose words are open: resets to mate are seeds."""
    grower.state[:] = 0
    grower.exits.head[:], grower.exits.fresh[:], grower.exits.size[:] = -1, -1, 0
    grower.resets.first[:], grower.resets.end[:] = 0, 0
    for word in range(len(block.occupied)):
        grower.ripe[word] = ripe_cells(block, grower.side, word, block.undecided[grower.side, word], 0)
    use_mating_resets(block, grower)


@borrowing
def start_goals(block: Block, grower: Grower, cells: int) -> None:
    """After the mates: the other resets of undecided cells are seeds, and there are no histories yet."""
    sort_resets(block, grower)
    if len(grower.history):
        grower.history[:cells] = 0


@inlined
def ripe_cells(block: Block, side: Int, word: Int, still: Word, code: Int) -> Word:
    """Those of the undecided cells of a word that have this own code; what the next higher one is, is noted."""
    if np.int64(block.next_code[side, word]) > code:
        return NOTHING
    ripe, next_code = NOTHING, np.int64(255)
    while still:
        square, still = lowest_and_rest(still)
        own = np.int64(block.code[side, word * 64 + square])
        if own == code:
            ripe |= square_bit(square)
        else:
            next_code = min(next_code, own)
    block.next_code[side, word] = next_code
    return ripe


@borrowing
def freeze_holds(
    block: Block, white: Grower, black: Grower, values: BlockValues, code: int, first: int, end: int
) -> int:
    """Freeze those cells of a range of words whose own hold stands at this code; how many are left undecided.

    Then find which cells have the next code. The range begins and ends with a group of 64 words, or with the block.
    """
    left = 0
    for side in range(2):
        mover, holder = (white, black) if side == WHITE else (black, white)
        for group in range(first, end, 64):
            live = NOTHING
            for word in range(group, min(group + 64, end)):
                still = block.undecided[side, word]
                block.frozen[side, word] = NOTHING
                if still == NOTHING:
                    continue
                ours, theirs = mover.forced.free[side, word], holder.forced.free[side, word]
                if still & ~ours & ~theirs:
                    mover.state[STATUS] = FORCED_TWICE
                still &= ours & theirs
                hold = mover.ripe[word] & still
                if hold:
                    if code > TOP_CODE:
                        mover.state[STATUS] = TOO_HIGH
                    block.frozen[side, word] = hold
                    byte = byte_of_goal(min(code, TOP_CODE), 1 - side)
                    write_outcome(values.entry, side * block.code.shape[1] + word * 64, hold, byte)
                    still &= ~hold
                block.undecided[side, word] = still
                mover.forced.free[side, word] = still
                holder.forced.free[side, word] = still
                mover.ripe[word] = ripe_cells(block, side, word, still, code + 1)
                if still:
                    live |= ONE << np.uint64(word & 63)
                    left += count(still)
            white.forced.live[side, group >> 6] = live
            black.forced.live[side, group >> 6] = live
    return left


@borrowing
def settle(block: Block, grower: Grower, code: int) -> None:
    """Between two codes: exits enter their lists, and now and then resets of decided cells leave theirs."""
    link_exits(grower.exits)
    if code % 4 == 1:
        drop_decided(grower.resets, block.undecided[grower.side])


@inner
def use_exits(block: Block, grower: Grower, other: Grower, goal: Int, fresh: bool) -> None:
    """Cells of the defender that were frozen with this outcome: what the forcer reaches them from joins."""
    members = grower.middle.members if fresh else grower.forced
    to_join = Markable(grower.joining, members.free[grower.side], members.live[grower.side])
    at = other.exits.fresh[WORST_GOAL - goal] if fresh else other.exits.head[WORST_GOAL - goal]
    while at >= 0:
        word, bits = np.int64(other.exits.word[at]), other.exits.bits[at]
        mark_predecessors(block, grower.men, grower.side, word, bits, to_join, grower.neighbours)
        at = np.int64(other.exits.next[at])


@inner
def find_class(block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int) -> None:
    """Find the cells from which the forcer gets this code of its own, whatever has accrued."""
    side, defender, members = grower.side, 1 - grower.side, grower.forced
    to_join = Markable(grower.joining, members.free[side], members.live[side])
    to_check = Markable(grower.checked, members.free[defender], members.live[defender])
    for held in range(len(block.occupied)):
        hold = block.frozen[defender, held]
        if hold:
            mark_predecessors(block, grower.men, side, held, hold, to_join, grower.neighbours)
    at = np.int64(grower.exits.head[code])
    while at >= 0:
        word, bits = np.int64(grower.exits.word[at]), grower.exits.bits[at]
        members.left[word] &= ~bits
        mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)
        at = np.int64(grower.exits.next[at])
    use_exits(block, grower, other, code, False)
    for n in range(grower.resets.first[code], grower.resets.end[code]):
        word = np.int64(grower.resets.word[n])
        add_bits(grower.joining, word, grower.resets.bits[n] & members.free[side, word])
    for n in range(other.resets.first[WORST_GOAL - code], other.resets.end[WORST_GOAL - code]):
        word = np.int64(other.resets.word[n])
        members.blocked[word] &= ~other.resets.bits[n]
        add_bits(grower.checked, word, other.resets.bits[n] & members.free[defender, word])
    defers = bool(code >= FIRST_MIDDLE) and breaks_holds(grower)
    grow(block, grower, members, values, Search(code, code, True, defers))


@inlined
def journals_at(middle: GrowingMiddle, code: Int) -> Journals:
    """Where the members of the middle at a code are."""
    return middle.odd if code & 1 else middle.even


@inlined
def copy_words(source: Words, target: Words) -> None:
    for n in range(len(source)):
        target[n] = source[n]


@inner
def copy_members(source: Members, target: Members) -> None:
    """A middle begins with what the classes have left."""
    for side in range(2):
        copy_words(source.free[side], target.free[side])
        copy_words(source.live[side], target.live[side])
    copy_words(source.left, target.left)
    copy_words(source.blocked, target.blocked)


@inlined
def rejoin(block: Block, grower: Grower, before: Journals, values: BlockValues, goal: Int) -> Int:
    """Let those join again that had this goal at the code before; in how many words the forcer's were."""
    side, middle, moved = grower.side, grower.middle, np.int64(0)
    members, own, others = middle.members, before.own, before.others
    for at in range(own.first[goal], own.end[goal]):
        word = np.int64(own.word[at])
        bits = own.bits[at] & members.free[side, word]
        if bits:
            leave_free(members, side, word, bits)
            members.left[word] &= ~bits
            add_bits(middle.joined, word, bits)
            freeze_broken(block, grower, values, word, bits, goal)
            moved += 1
    for at in range(others.first[goal], others.end[goal]):
        word = np.int64(others.word[at])
        bits = others.bits[at] & members.free[1 - side, word]
        if bits:
            leave_free(members, 1 - side, word, bits)
            middle.pending.bits[word] &= ~bits
            add_bits(middle.yielded, word, bits)
    return moved


# `left` has lost the frozen cells and the members taken up, so pending cells may yield. Either all of them are checked,
# or only those from which the defender reaches what was lost: whichever are fewer.
@inner
def check_pending(block: Block, grower: Grower, goal: Int, moved: Int) -> None:
    """Have pending cells checked once `left` has lost some cells, in so many words."""
    defender, middle, checked = 1 - grower.side, grower.middle, grower.checked
    pending = middle.pending
    if pending.size[0] < 2 * moved:
        for n in range(list_words(pending)):
            word = np.int64(pending.words[n])
            add_bits(checked, word, take_bits(pending, word))
    elif moved:
        to_check = Markable(checked, pending.bits, pending.marked)
        at = grower.exits.head[goal]
        while at >= 0:
            word, bits = np.int64(grower.exits.word[at]), grower.exits.bits[at]
            mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)
            at = np.int64(grower.exits.next[at])
        for n in range(list_words(middle.joined)):
            word = np.int64(middle.joined.words[n])
            bits = take_bits(middle.joined, word)
            mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)
            add_bits(middle.joined, word, bits)


@inner
def write_journal(journal: Journal, members: Worklist, goal: Int) -> bool:
    """Note all members of a goal; False if there is no space."""
    at = journal.first[goal]
    for n in range(list_words(members)):
        if at == len(journal.word):
            return False
        word = np.int64(members.words[n])
        journal.word[at], journal.bits[at] = word, take_bits(members, word)
        at += 1
    journal.end[goal] = at
    journal.first[goal + 1] = at
    return True


@inner
def begin_goal(block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int, goal: Int) -> None:
    """What is a member of a goal without a search, and what is to be searched."""
    side, defender, middle, members = grower.side, 1 - grower.side, grower.middle, grower.middle.members
    is_first, moved = code == FIRST_MIDDLE, np.int64(0)
    at = grower.exits.head[goal]
    while at >= 0:
        members.left[grower.exits.word[at]] &= ~grower.exits.bits[at]
        moved += 1
        at = np.int64(grower.exits.next[at])
    use_exits(block, grower, other, goal, True)
    if is_first:
        for at in range(grower.resets.first[goal], grower.resets.end[goal]):
            word = np.int64(grower.resets.word[at])
            add_bits(grower.joining, word, grower.resets.bits[at] & members.free[side, word])
    for at in range(other.resets.first[WORST_GOAL - goal], other.resets.end[WORST_GOAL - goal]):
        word, bits = np.int64(other.resets.word[at]), other.resets.bits[at]
        members.blocked[word] &= ~bits
        among = members.free[defender, word] if is_first else middle.pending.bits[word]
        add_bits(grower.checked, word, bits & among)
    if not is_first:
        moved += rejoin(block, grower, journals_at(middle, code - 1), values, goal)
        if middle.pending.size[0]:
            check_pending(block, grower, goal, moved)


@inner
def find_middle(block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int) -> None:
    """Find what the forcer gets against the other side's hold at this code, from its best goal on."""
    middle = grower.middle
    new = journals_at(middle, code)
    copy_members(grower.forced, middle.members)
    new.own.first[code], new.others.first[code] = 0, 0
    for goal in range(code, WORST_GOAL - code):
        begin_goal(block, grower, other, values, code, goal)
        grow(block, grower, middle.members, values, Search(goal, code, False, bool(code > FIRST_MIDDLE)))
        if not write_journal(new.own, middle.joined, goal):
            grower.state[STATUS] = QUEUE_FULL
        if not write_journal(new.others, middle.yielded, goal):
            grower.state[STATUS] = QUEUE_FULL
    for n in range(list_words(middle.pending)):
        take_bits(middle.pending, np.int64(middle.pending.words[n]))
    copy_words(middle.members.left, middle.never)


@borrowing
def search_outcomes(block: Block, grower: Grower, other: Grower, values: BlockValues, code: int) -> None:
    """The class of one forcer's own outcome at an accrued code, then its middle at the next, if there are any."""
    if code > TOP_CODE:
        return
    find_class(block, grower, other, values, code)
    if code and breaks_holds(grower):
        find_middle(block, grower, other, values, code + 1)


@inner
def start_block(block: Block, white: Grower, black: Grower) -> None:
    """Begin with a block whose moves are known."""
    open_words(block, white.forced, black.forced, 0, len(block.occupied))
    start_grower(block, white)
    start_grower(block, black)


@inner
def solve_code(block: Block, white: Grower, black: Grower, values: BlockValues, code: int) -> int:
    """One accrued code of a block, by one thread; how many cells are left undecided."""
    words = len(block.occupied)
    settle(block, white, code)
    settle(block, black, code)
    left = freeze_holds(block, white, black, values, code, 0, words)
    if code == STALEMATE_CODE:
        cells = number_cells(block, 0, words, 0) if len(white.history) else 0
        start_goals(block, white, cells)
        start_goals(block, black, cells)
    search_outcomes(block, white, black, values, code)
    search_outcomes(block, black, white, values, code)
    return left
