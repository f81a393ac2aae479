"""Growth: cells join a class, a middle or a threshold's set, until none can any more.

A cell of the forcer joins as soon as one move leads to a member; a cell of the defender yields as
soon as all do, and its reset, if it has one, is no way out. Order is free, since nobody counts
plies, so some groups of words come to rest before the next ones: what they touch stays in the
caches.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import inlined, inner, prefetch
from tbgen.index.kernels import byte_of_goal
from tbgen.index.words import NOTHING, lowest_and_rest
from tbgen.retro.cells.members import Members, leave_free
from tbgen.retro.cells.worker import HISTORIES, STATUS, has_middles, note_label
from tbgen.retro.outcomes.grower import NOTED, Grower
from tbgen.retro.patterns.packing import label_from
from tbgen.retro.status import QUEUE_FULL
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import find_escapes, mark_predecessors
from tbgen.retro.words.worklist import (
    FAR,
    Markable,
    Worklist,
    add_bits,
    list_range,
    take_bits,
)

GROUPS_AT_ONCE = 64
"""Top groups of words (4,096 each) that come to rest together."""


class Search(NamedTuple):
    """What is searched: the cells that reach a goal, in a class or against a hold."""

    goal: Int
    code: Int
    """The accrued code."""
    in_class: bool


@inlined
def write_outcome(
    block: Block, values: BlockValues, side: Int, word: Int, bits: Word, byte: Int
) -> None:
    """Write an outcome for some cells of a word, if anybody asks for outcomes."""
    first = side * block.code.shape[1] + word * 64
    while bits and len(values.entry):
        square, bits = lowest_and_rest(bits)
        values.entry[first + square] = byte


@inlined
def freeze_broken(
    block: Block, grower: Grower, values: BlockValues, word: Int, bits: Word, goal: Int
) -> None:
    """Of cells that break the hold at the next code, freeze those that have this very code.

    They are noted as exits; `link_exits` puts them into their lists.
    """
    side = grower.side
    exits = grower.exits
    broken = bits & grower.ripe[word]
    if broken == NOTHING:
        return
    grower.forced.free[side, word] &= ~broken
    write_outcome(block, values, side, word, broken, byte_of_goal(goal, side))
    at = exits.size[NOTED]
    if at == len(exits.word):
        grower.state[STATUS] = QUEUE_FULL
        return
    exits.word[at] = word
    exits.bits[at] = broken
    exits.goal[at] = goal
    exits.size[NOTED] = at + 1


@inlined
def has_words(worklist: Worklist, first: Int, end: Int) -> bool:
    """Whether some top groups have words."""
    groups = NOTHING
    for top in range(first, end):
        groups |= worklist.summary[top]
    return groups != NOTHING


@inlined
def prefetch_word(
    block: Block, worklist: Worklist, allowed: Words, left: Words, n: Int, size: Int
) -> None:
    """Prefetch what word number n + FAR of those listed will be asked for."""
    if n + FAR < size:
        word = np.int64(worklist.words[n + FAR])
        prefetch(worklist.bits, (word,))
        prefetch(block.occupied, (word,))
        prefetch(allowed, (word,))
        prefetch(left, (word,))


@inlined
def join(
    block: Block,
    grower: Grower,
    members: Members,
    values: BlockValues,
    search: Search,
    side: Int,
    word: Int,
    bits: Word,
) -> None:
    """Some cells of a word join. In a middle their histories note it, if there are any."""
    leave_free(members, side, word, bits)
    if side == grower.side:
        members.left[word] &= ~bits
    if search.in_class:
        write_outcome(block, values, side, word, bits, byte_of_goal(search.goal, grower.side))
        return
    add_bits(grower.middle.joined, side * len(block.occupied) + word, bits)
    if grower.mode == HISTORIES:
        note_label(block, grower, None, side, word, bits, label_from(search.goal, 0), search.code)


# A cell that does not yield waits for a later goal, or for the middle after this class.
@inner
def let_defender_yield(
    block: Block,
    grower: Grower,
    members: Members,
    values: BlockValues,
    search: Search,
    first: Int,
    end: Int,
) -> None:
    """Let those of the defender's cells to be checked yield that have no way out any more."""
    side = grower.side
    defender = 1 - side
    checked = grower.checked
    middle = grower.middle
    free = members.free[defender]
    to_join = Markable(grower.joining, members.free[side], members.live[side])
    may_wait = has_middles(grower.mode)
    size = list_range(checked, first, end)
    for n in range(size):
        prefetch_word(block, checked, free, members.left, n, size)
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & free[np.uint64(word)]
        yielding = bits & ~members.blocked[np.uint64(word)]
        if yielding:
            yielding &= ~find_escapes(block, grower.men, defender, word, yielding, members.left)
        if may_wait and yielding != bits:
            waiting = bits & ~yielding
            waiting &= ~find_escapes(block, grower.men, defender, word, waiting, middle.never)
            add_bits(middle.pending, word, waiting)
        if yielding:
            if may_wait:
                middle.pending.bits[word] &= ~yielding
            join(block, grower, members, values, search, defender, word, yielding)
            mark_predecessors(block, grower.men, side, word, yielding, to_join, grower.neighbours)


@inner
def join_forcer_cells(
    block: Block,
    grower: Grower,
    members: Members,
    values: BlockValues,
    search: Search,
    first: Int,
    end: Int,
) -> None:
    """Let the forcer's cells join that have a move to a member."""
    side = grower.side
    defender = 1 - side
    joining = grower.joining
    free = members.free[side]
    to_check = Markable(grower.checked, members.free[defender], members.live[defender])
    size = list_range(joining, first, end)
    for n in range(size):
        prefetch_word(block, joining, free, members.left, n, size)
        word = np.int64(joining.words[n])
        bits = take_bits(joining, word) & free[np.uint64(word)]
        if bits:
            join(block, grower, members, values, search, side, word, bits)
            if not search.in_class:
                freeze_broken(block, grower, values, word, bits, search.goal)
            if has_middles(grower.mode):
                grower.middle.never[word] &= ~bits
            mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)


@inner
def grow(
    block: Block, grower: Grower, members: Members, values: BlockValues, search: Search
) -> None:
    """Let all cells join that can, until nothing is left to be looked at."""
    joining = grower.joining
    checked = grower.checked
    while joining.size[0] or checked.size[0]:
        joining.size[0] = 0
        checked.size[0] = 0
        for first in range(0, len(joining.summary), GROUPS_AT_ONCE):
            end = min(first + GROUPS_AT_ONCE, len(joining.summary))
            while has_words(joining, first, end) or has_words(checked, first, end):
                let_defender_yield(block, grower, members, values, search, first, end)
                join_forcer_cells(block, grower, members, values, search, first, end)
