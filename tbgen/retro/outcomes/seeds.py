"""Seeds: where a search of outcomes alone begins, by resets and by exits.

Resets of each side's own moves are sorted by goal. They let the forcer's cells join at once, and
keep the defender's from yielding until their goal is reached. *Exits* are cells that were frozen
with a broken hold: moves to them count by the outcome that broke it.
"""

import numpy as np

from tbgen.compiled.arrays import Int, Words
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import GOALS, WORST_GOAL, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.cells.members import Members
from tbgen.retro.cells.worker import STATUS
from tbgen.retro.outcomes.grower import FRESH, LINKED, NOTED, Exits, Grower
from tbgen.retro.status import QUEUE_FULL
from tbgen.retro.words.block import Block, number_of_reset
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, add_bits


@inlined
def bits_by_goal(block: Block, grower: Grower, word: Int, mates: bool) -> tuple[Int, Int]:
    """Sort the resets of the forcer's undecided cells in a word by goal, into `bits_of_goal`.

    Takes those to mate, or all others. Returns the least goal and the greatest.
    """
    side = grower.side
    kings = block.resets[side, word] & block.undecided[side, word]
    least = np.int64(GOALS)
    greatest = np.int64(-1)
    while kings:
        square, kings = lowest_and_rest(kings)
        number = number_of_reset(block, side, word, square)
        goal = np.int64(goal_of_byte(np.int64(block.best.outcome[number]), side))
        is_mate = goal in (0, WORST_GOAL)
        if is_mate == mates:
            grower.bits_of_goal[goal] |= square_bit(square)
            least = min(least, goal)
            greatest = max(greatest, goal)
    return least, greatest


@inlined
def goals_between(least: Int, greatest: Int, mates: bool) -> range:
    """The goals to look at in a word: the two mates are the first and the last of all goals."""
    return range(least, greatest + 1, WORST_GOAL if mates else 1)


@inner
def count_resets(block: Block, grower: Grower, mates: bool) -> None:
    """Count the entries of each goal, and let the goals follow each other in the journal."""
    first = grower.resets.first
    first[:] = 0
    for word in range(len(block.occupied)):
        least, greatest = bits_by_goal(block, grower, word, mates)
        for goal in goals_between(least, greatest, mates):
            if grower.bits_of_goal[goal]:
                first[goal + 1] += 1
                grower.bits_of_goal[goal] = NOTHING
    for goal in range(GOALS):
        first[goal + 1] += first[goal]


@inner
def write_resets(block: Block, grower: Grower, mates: bool) -> None:
    """Write the entries of each goal to their places."""
    resets = grower.resets
    for word in range(len(block.occupied)):
        least, greatest = bits_by_goal(block, grower, word, mates)
        for goal in goals_between(least, greatest, mates):
            if grower.bits_of_goal[goal]:
                entry = resets.first[goal]
                resets.word[entry] = word
                resets.bits[entry] = grower.bits_of_goal[goal]
                resets.first[goal] = entry + 1
                grower.bits_of_goal[goal] = NOTHING
    # Each goal now says where it ends, which is where the next one begins.
    for goal in range(GOALS, 0, -1):
        resets.first[goal] = resets.first[goal - 1]
    resets.first[0] = 0


@inner
def sort_resets(block: Block, grower: Grower, mates: bool) -> None:
    """List the resets of the forcer's undecided cells by goal, those to mate or all others."""
    count_resets(block, grower, mates)
    if grower.resets.first[GOALS] > len(grower.resets.word):
        grower.state[STATUS] = QUEUE_FULL
        grower.resets.first[:] = 0
        return
    write_resets(block, grower, mates)


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
