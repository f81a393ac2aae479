"""Seeds: where a search of outcomes alone begins, by resets and by exits.

Resets of each side's own moves are sorted by goal. They let the forcer's cells join at once, and
keep the defender's from yielding until their goal is reached. *Exits* are cells that were frozen
with a broken hold: moves to them count by the outcome that broke it.
"""

import numpy as np

from tbgen.compiled.arrays import Int, Words
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import GOALS, WORST_GOAL, goal_of_byte
from tbgen.index.words import NOTHING, count, lowest_and_rest, square_bit
from tbgen.retro.cells.members import Members
from tbgen.retro.cells.worker import STATUS
from tbgen.retro.outcomes.grower import FRESH, LINKED, NOTED, Exits, Grower
from tbgen.retro.status import QUEUE_FULL
from tbgen.retro.words.block import Block, number_of_reset
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, add_bits


@inner
def list_resets(block: Block, grower: Grower, mates: bool) -> np.int64:
    """List the resets of the forcer's undecided cells, those to mate or all others, word by word.

    A word has an entry for each of its goals. Returns how many there are, or more than there is
    room for.
    """
    side = grower.side
    listed = grower.listed
    bits_of_goal = grower.bits_of_goal
    size = np.int64(0)
    for word in range(len(block.occupied)):
        kings = block.resets[side, word] & block.undecided[side, word]
        if size + count(kings) > len(listed.word):
            return np.int64(len(listed.word) + 1)
        first = size
        while kings:
            square, kings = lowest_and_rest(kings)
            number = number_of_reset(block, side, word, square)
            goal = np.int64(goal_of_byte(np.int64(block.best.outcome[number]), side))
            is_mate = goal in (0, WORST_GOAL)
            if is_mate == mates:
                if bits_of_goal[goal] == NOTHING:
                    listed.goal[size] = goal
                    size += 1
                bits_of_goal[goal] |= square_bit(square)
        for entry in range(first, size):
            goal = np.int64(listed.goal[entry])
            listed.word[entry] = word
            listed.bits[entry] = bits_of_goal[goal]
            bits_of_goal[goal] = NOTHING
    return size


@inner
def sort_listed(grower: Grower, size: Int) -> None:
    """Sort so many listed resets by goal, into `resets`."""
    listed = grower.listed
    resets = grower.resets
    resets.first[:] = 0
    for entry in range(size):
        resets.first[np.int64(listed.goal[entry]) + 1] += 1
    for goal in range(GOALS):
        resets.first[goal + 1] += resets.first[goal]
    for entry in range(size):
        its_goal = np.int64(listed.goal[entry])
        at = resets.first[its_goal]
        resets.word[at] = listed.word[entry]
        resets.bits[at] = listed.bits[entry]
        resets.first[its_goal] = at + 1
    # Each goal now says where it ends, which is where the next one begins.
    for goal in range(GOALS, 0, -1):
        resets.first[goal] = resets.first[goal - 1]
    resets.first[0] = 0


@inner
def sort_resets(block: Block, grower: Grower, mates: bool) -> None:
    """List the resets of the forcer's undecided cells by goal, those to mate or all others."""
    size = list_resets(block, grower, mates)
    if size > len(grower.listed.word):
        grower.state[STATUS] = QUEUE_FULL
        size = np.int64(0)
    sort_listed(grower, size)


@inlined
def join_by_resets(grower: Grower, members: Members, goal: Int) -> None:
    """The forcer's cells join that have a reset of this goal."""
    resets = grower.resets
    for at in range(resets.first[goal], resets.first[goal + 1]):
        word = np.int64(resets.word[at])
        add_bits(grower.joining, word, resets.bits[at] & members.free[grower.side, word])


@inlined
def unblock(grower: Grower, other: Grower, members: Members, goal: Int, among: Words) -> None:
    """Resets of this goal block the defender's cells no longer; those `among` some are checked."""
    resets = other.resets
    theirs = WORST_GOAL - goal
    for at in range(resets.first[theirs], resets.first[theirs + 1]):
        word = np.int64(resets.word[at])
        bits = resets.bits[at]
        members.blocked[word] &= ~bits
        add_bits(grower.checked, word, bits & among[word])


@inner
def forget_exits(exits: Exits) -> None:
    """Begin with a block in which no cell is frozen."""
    exits.head[:] = -1
    exits.size[:] = 0


@inner
def link_exits(exits: Exits) -> None:
    """Put what has been noted into its lists. No thread may read them meanwhile."""
    for at in range(exits.size[LINKED], exits.size[NOTED]):
        goal = np.int64(exits.goal[at])
        exits.next[at] = exits.head[goal]
        exits.head[goal] = at
    exits.size[FRESH] = exits.size[LINKED]
    exits.size[LINKED] = exits.size[NOTED]


@inlined
def take_exits(grower: Grower, members: Members, goal: Int) -> Int:
    """The forcer's cells that were frozen with this outcome are members, too.

    Returns in how many words they are.
    """
    exits = grower.exits
    words = np.int64(0)
    at = exits.head[goal]
    while at >= 0:
        members.left[exits.word[at]] &= ~exits.bits[at]
        words += 1
        at = np.int64(exits.next[at])
    return words


@inlined
def mark_before_exits(
    block: Block,
    grower: Grower,
    mover: Int,
    exits: Exits,
    goal: Int,
    first: Int,
    markable: Markable,
) -> None:
    """Mark the cells from which `mover` comes to exits of a goal that are not before `first`."""
    at = exits.head[goal]
    while at >= first:
        word = np.int64(exits.word[at])
        bits = exits.bits[at]
        mark_predecessors(block, grower.men, mover, word, bits, markable, grower.neighbours)
        at = np.int64(exits.next[at])
