"""A forcer's middle at an accrued code, for outcomes alone: from the journal of the code before.

Goals are taken from the best on. The members that the journal of the code before has of a goal join
again without a search, and only what is new is searched (grower.py has the sets and their
equations).
"""

import numpy as np

from tbgen.compiled.arrays import Int, Words
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import WORST_GOAL
from tbgen.retro.cells.freezing import FIRST_MIDDLE
from tbgen.retro.cells.members import Members, leave_free
from tbgen.retro.cells.worker import MEMO_LABEL, NO_MEMO, STATUS
from tbgen.retro.outcomes.grower import FRESH, Grower, Journal, journal_at
from tbgen.retro.outcomes.growth import Search, freeze_broken, grow
from tbgen.retro.outcomes.seeds import join_by_resets, mark_before_exits, take_exits, unblock
from tbgen.retro.status import QUEUE_FULL
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, add_bits, list_words, take_bits

CHECKS_PER_WALK = 2
"""Checking so many pending words costs as much as walking back from a word of lost members.

Less or more of either takes longer (docs/design/solver.md).
"""


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
def rejoin(block: Block, grower: Grower, before: Journal, values: BlockValues, goal: Int) -> Int:
    """Let those join again that had this goal at the code before.

    Returns in how many words the forcer's cells among them are.
    """
    middle = grower.middle
    members = middle.members
    words = len(block.occupied)
    lost = np.int64(0)
    for at in range(before.first[goal], before.first[goal + 1]):
        index = np.int64(before.word[at])
        side = np.int64(index >= words)
        word = index - side * words
        bits = before.bits[at] & members.free[side, word]
        if bits:
            leave_free(members, side, word, bits)
            add_bits(middle.joined, index, bits)
            if side == grower.side:
                members.left[word] &= ~bits
                freeze_broken(block, grower, values, word, bits, goal)
                lost += 1
            else:
                middle.pending.bits[word] &= ~bits
    return lost


# Pending cells may yield once `left` has lost the exits of a goal and the members taken up again.
# Either all pending cells are checked, or only those from which the defender reaches what was lost:
# whichever costs less. (`pending.size` counts words, some of them twice.)
@inner
def check_pending(block: Block, grower: Grower, before: Journal, goal: Int, lost: Int) -> None:
    """Have pending cells checked once `left` has lost some cells, in so many words."""
    checked = grower.checked
    pending = grower.middle.pending
    if pending.size[0] < CHECKS_PER_WALK * lost:
        for n in range(list_words(pending)):
            word = np.int64(pending.words[n])
            add_bits(checked, word, take_bits(pending, word))
    elif lost:
        mark_pending_before(block, grower, before, goal)


@inlined
def mark_pending_before(block: Block, grower: Grower, before: Journal, goal: Int) -> None:
    """Mark the pending cells from which the defender comes to exits, or to members taken up."""
    defender = 1 - grower.side
    pending = grower.middle.pending
    to_check = Markable(grower.checked, pending.bits, pending.marked)
    mark_before_exits(block, grower, defender, grower.exits, goal, 0, to_check)
    first_index = grower.side * len(block.occupied)
    for at in range(before.first[goal], before.first[goal + 1]):
        word = np.int64(before.word[at]) - first_index
        if 0 <= word < len(block.occupied):
            bits = before.bits[at]
            mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)


@inner
def write_journal(grower: Grower, journal: Journal, goal: Int) -> None:
    at = journal.first[goal]
    members = grower.middle.joined
    for n in range(list_words(members)):
        if at == len(journal.word):
            grower.state[STATUS] = QUEUE_FULL
            return
        word = np.int64(members.words[n])
        journal.word[at] = word
        journal.bits[at] = take_bits(members, word)
        at += 1
    journal.first[goal + 1] = at


@inner
def begin_goal(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int, goal: Int
) -> None:
    """Take up the members of a goal that need no search, and list what is to be searched."""
    side = grower.side
    middle = grower.middle
    members = middle.members
    to_join = Markable(grower.joining, members.free[side], members.live[side])
    lost = take_exits(grower, members, goal)
    theirs = WORST_GOAL - goal
    fresh = other.exits.size[FRESH]
    mark_before_exits(block, grower, side, other.exits, theirs, fresh, to_join)
    if code == FIRST_MIDDLE:
        join_by_resets(grower, members, goal)
        unblock(grower, other, members, goal, members.free[1 - side])
    else:
        unblock(grower, other, members, goal, middle.pending.bits)
        before = journal_at(middle, code - 1)
        lost += rejoin(block, grower, before, values, goal)
        if middle.pending.size[0]:
            check_pending(block, grower, before, goal, lost)


@inner
def begin_middle(grower: Grower, code: Int) -> None:
    """Begin with the sets of the class, and an empty journal."""
    grower.state[MEMO_LABEL] = NO_MEMO
    copy_members(grower.forced, grower.middle.members)
    journal_at(grower.middle, code).first[code] = 0


@inner
def end_middle(grower: Grower) -> None:
    """Nobody waits any more, and the cells that are left are those that never joined."""
    middle = grower.middle
    for n in range(list_words(middle.pending)):
        take_bits(middle.pending, np.int64(middle.pending.words[n]))
    copy_words(middle.members.left, middle.never)


@inlined
def may_have_members(grower: Grower, other: Grower, code: Int, goal: Int) -> bool:
    """Whether anything is listed for a goal. Most goals have nothing, and so no members."""
    theirs = WORST_GOAL - goal
    if grower.exits.head[goal] >= 0 or other.exits.head[theirs] >= other.exits.size[FRESH]:
        return True
    if other.resets.first[theirs] < other.resets.first[theirs + 1]:
        return True
    listed = grower.resets if code == FIRST_MIDDLE else journal_at(grower.middle, code - 1)
    return bool(listed.first[goal] < listed.first[goal + 1])


@inner
def find_middle(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int
) -> None:
    """Find what the forcer gets against the other side's hold at this code, best goals first."""
    begin_middle(grower, code)
    journal = journal_at(grower.middle, code)
    for goal in range(code, WORST_GOAL - code):
        if may_have_members(grower, other, code, goal):
            begin_goal(block, grower, other, values, code, goal)
            grow(block, grower, grower.middle.members, values, Search(goal, code, False))
            write_journal(grower, journal, goal)
        else:
            journal.first[goal + 1] = journal.first[goal]
    end_middle(grower)
