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
from tbgen.index.words import NOTHING
from tbgen.retro.outcomes.grower import (
    FRESH,
    Exits,
    Grower,
    GrowingMiddle,
    Journal,
    Journals,
    breaks_holds,
    drop_decided,
    link_exits,
    sort_resets,
    write_outcome,
)
from tbgen.retro.outcomes.growing import Search, freeze_broken, grow
from tbgen.retro.patterns.worker import (
    FIRST_MIDDLE,
    MEMO_LABEL,
    NO_MEMO,
    QUEUE_FULL,
    STATUS,
    TOO_HIGH,
    TOP_CODE,
    Members,
    keep_undecided,
    leave_free,
    ripe_cells,
    unforced_cells,
)
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, Worklist, add_bits, list_words, take_bits


@borrowing
def start_grower(block: Block, grower: Grower) -> None:
    """Begin with a block whose words are open: resets to mate are listed."""
    grower.state[:] = 0
    grower.exits.head[:], grower.exits.size[:] = -1, 0
    for word in range(len(block.occupied)):
        grower.ripe[word] = ripe_cells(block, grower.side, word, block.undecided[grower.side, word], 0)
    sort_resets(block, grower, True)


@borrowing
def start_goals(block: Block, grower: Grower, cells: int) -> None:
    """After the mates: the other resets of undecided cells are listed, and there are no histories yet."""
    sort_resets(block, grower, False)
    grower.history[:cells] = 0


@inlined
def freeze_word(block: Block, mover: Grower, values: BlockValues, code: Int, side: Int, word: Int, still: Word) -> Word:
    """Those undecided cells of a word whose own hold stands at this code; which ones have the next code is found."""
    hold = mover.ripe[word] & still
    if hold:
        if code > TOP_CODE:
            mover.state[STATUS] = TOO_HIGH
        byte = byte_of_goal(min(code, TOP_CODE), 1 - side)
        write_outcome(values.entry, side * block.code.shape[1] + word * 64, hold, byte)
    mover.ripe[word] = ripe_cells(block, side, word, still & ~hold, code + 1)
    return hold


@borrowing
def freeze_holds(
    block: Block, white: Grower, black: Grower, values: BlockValues, code: int, first: int, end: int
) -> int:
    """Freeze those cells of a range of words whose own hold stands at this code; how many are left undecided."""
    left = 0
    for side in range(2):
        mover = white if side == WHITE else black
        for word in range(first, end):
            block.frozen[side, word] = NOTHING
            if block.undecided[side, word]:
                still = unforced_cells(block, white, black, side, word)
                frozen = freeze_word(block, mover, values, code, side, word, still)
                left += keep_undecided(block, white, black, side, word, frozen, still & ~frozen)
    return left


@borrowing
def settle(block: Block, grower: Grower, code: int) -> None:
    """Between two codes: exits enter their lists, and now and then resets of decided cells leave theirs."""
    link_exits(grower.exits)
    if code % 4 == 1:
        drop_decided(grower.resets, block.undecided[grower.side])


@inlined
def take_exits(grower: Grower, members: Members, goal: Int) -> Int:
    """The forcer's cells that were frozen with this outcome are members, too; in how many words they are."""
    exits, size = grower.exits, np.int64(0)
    at = exits.head[goal]
    while at >= 0:
        members.left[exits.word[at]] &= ~exits.bits[at]
        size += 1
        at = np.int64(exits.next[at])
    return size


@inlined
def mark_before_exits(
    block: Block, grower: Grower, mover: Int, exits: Exits, goal: Int, first: Int, markable: Markable
) -> None:
    """Mark the cells from which `mover` comes to exits of a goal; `first` is the first of these entries."""
    at = exits.head[goal]
    while at >= first:
        word, bits = np.int64(exits.word[at]), exits.bits[at]
        mark_predecessors(block, grower.men, mover, word, bits, markable, grower.neighbours)
        at = np.int64(exits.next[at])


@inlined
def join_by_resets(grower: Grower, members: Members, goal: Int) -> None:
    """The forcer's cells join that have a reset of this goal."""
    for at in range(grower.resets.first[goal], grower.resets.end[goal]):
        word = np.int64(grower.resets.word[at])
        add_bits(grower.joining, word, grower.resets.bits[at] & members.free[grower.side, word])


@inlined
def unblock(grower: Grower, other: Grower, members: Members, goal: Int, among: Words) -> None:
    """Resets of this goal keep the defender in no longer; some of its cells are checked."""
    for at in range(other.resets.first[WORST_GOAL - goal], other.resets.end[WORST_GOAL - goal]):
        word, bits = np.int64(other.resets.word[at]), other.resets.bits[at]
        members.blocked[word] &= ~bits
        add_bits(grower.checked, word, bits & among[word])


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
    take_exits(grower, members, code)
    mark_before_exits(block, grower, defender, grower.exits, code, 0, to_check)
    mark_before_exits(block, grower, side, other.exits, WORST_GOAL - code, 0, to_join)
    join_by_resets(grower, members, code)
    unblock(grower, other, members, code, members.free[defender])
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
        mark_before_exits(block, grower, defender, grower.exits, goal, 0, to_check)
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
    side, middle, members = grower.side, grower.middle, grower.middle.members
    to_join = Markable(grower.joining, members.free[side], members.live[side])
    moved = take_exits(grower, members, goal)
    mark_before_exits(block, grower, side, other.exits, WORST_GOAL - goal, other.exits.size[FRESH], to_join)
    if code == FIRST_MIDDLE:
        join_by_resets(grower, members, goal)
        unblock(grower, other, members, goal, members.free[1 - side])
    else:
        unblock(grower, other, members, goal, middle.pending.bits)
        moved += rejoin(block, grower, journals_at(middle, code - 1), values, goal)
        if middle.pending.size[0]:
            check_pending(block, grower, goal, moved)


@inner
def find_middle(block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int) -> None:
    """Find what the forcer gets against the other side's hold at this code, from its best goal on."""
    middle = grower.middle
    new = journals_at(middle, code)
    grower.state[MEMO_LABEL] = NO_MEMO
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
