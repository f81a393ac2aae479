"""Growing: all cells join that can, in any order, since nobody counts plies.

A cell of the forcer joins as soon as one move leads to a member; a cell of the defender yields as soon as all do, and
its reset, if it has one, is no way out. Order is free, so a *slab* of words is brought to rest before the next one:
what it touches stays in the caches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import inlined, inner, prefetch
from tbgen.index.kernels import byte_of_goal
from tbgen.index.words import NOTHING
from tbgen.retro.outcomes.grower import Grower, note_exit, write_outcome
from tbgen.retro.patterns.packing import label_from
from tbgen.retro.patterns.worker import Members, leave_free, note_label
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import find_escapes, mark_predecessors
from tbgen.retro.words.worklist import FAR, Markable, Worklist, add_bits, list_range, take_bits

SLAB = 64
"""Top groups of words (4,096 each) that come to rest together."""


class Search(NamedTuple):
    """What is searched: the cells that reach a goal, in a class or against the hold at an accrued code."""

    goal: Int
    code: Int
    in_class: bool
    defers: bool
    """Whether a later goal, or the next middle, asks again for the defender's cells that cannot yield yet."""


@inlined
def has_words(worklist: Worklist, first: Int, end: Int) -> bool:
    """Whether some top groups have words."""
    found = NOTHING
    for top in range(first, end):
        found |= worklist.summary[top]
    return found != NOTHING


@inlined
def look_ahead(block: Block, worklist: Worklist, allowed: Words, left: Words, n: Int, size: Int) -> None:
    """Prefetch what word number n + FAR of those listed will be asked for."""
    if n + FAR < size:
        word = np.int64(worklist.words[n + FAR])
        prefetch(worklist.bits, (word,))
        prefetch(block.occupied, (word,))
        prefetch(allowed, (word,))
        prefetch(left, (word,))


@inlined
def note_goal(block: Block, grower: Grower, side: Int, word: Int, bits: Word, search: Search) -> None:
    """Note in their histories, if anybody asks for these, that cells have joined with this goal at this code."""
    if len(grower.history):
        note_label(block, grower, None, side, word, bits, label_from(search.goal, 0), search.code)


@inlined
def join_middle(block: Block, grower: Grower, values: BlockValues, word: Int, bits: Word, search: Search) -> None:
    """The forcer's cells join a middle. Where the hold is that of the cell itself, it is frozen with this outcome."""
    add_bits(grower.middle.joined, word, bits)
    note_goal(block, grower, grower.side, word, bits, search)
    freeze_broken(block, grower, values, word, bits, search.goal)


@inlined
def freeze_broken(block: Block, grower: Grower, values: BlockValues, word: Int, bits: Word, goal: Int) -> None:
    """Of cells that break the hold at the next code, freeze those that have this very code."""
    side = grower.side
    broken = bits & grower.ripe[word]
    if broken:
        grower.forced.free[side, word] &= ~broken
        write_outcome(values.entry, side * block.code.shape[1] + word * 64, broken, byte_of_goal(goal, side))
        note_exit(grower, word, broken, goal)


@inner
def check_defender_cells(
    block: Block, grower: Grower, members: Members, values: BlockValues, search: Search, first: Int, end: Int
) -> None:
    """Let those of the defender's cells yield that have no way out any more."""
    side, defender, checked, middle = grower.side, 1 - grower.side, grower.checked, grower.middle
    free, to_join = members.free[defender], Markable(grower.joining, members.free[side], members.live[side])
    size = list_range(checked, first, end)
    for n in range(size):
        look_ahead(block, checked, free, members.left, n, size)
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & free[np.uint64(word)]
        yielding = bits & ~members.blocked[word]
        if yielding:
            yielding &= ~find_escapes(block, grower.men, defender, word, yielding, members.left)
        if yielding != bits and search.defers:
            later = bits & ~yielding
            later &= ~find_escapes(block, grower.men, defender, word, later, middle.never)
            add_bits(middle.pending, word, later)
        if yielding == NOTHING:
            continue
        leave_free(members, defender, word, yielding)
        if search.defers:
            middle.pending.bits[word] &= ~yielding
        if search.in_class:
            first_cell, byte = defender * block.code.shape[1] + word * 64, byte_of_goal(search.goal, side)
            write_outcome(values.entry, first_cell, yielding, byte)
        else:
            add_bits(middle.yielded, word, yielding)
            note_goal(block, grower, defender, word, yielding, search)
        mark_predecessors(block, grower.men, side, word, yielding, to_join, grower.neighbours)


@inner
def join_forcer_cells(
    block: Block, grower: Grower, members: Members, values: BlockValues, search: Search, first: Int, end: Int
) -> None:
    """Let the forcer's cells join that have a move to a member."""
    side, defender, joining = grower.side, 1 - grower.side, grower.joining
    free, to_check = members.free[side], Markable(grower.checked, members.free[defender], members.live[defender])
    size = list_range(joining, first, end)
    for n in range(size):
        look_ahead(block, joining, free, members.left, n, size)
        word = np.int64(joining.words[n])
        bits = take_bits(joining, word) & free[np.uint64(word)]
        if bits == NOTHING:
            continue
        leave_free(members, side, word, bits)
        members.left[word] &= ~bits
        if search.in_class:
            first_cell, byte = side * block.code.shape[1] + word * 64, byte_of_goal(search.goal, side)
            write_outcome(values.entry, first_cell, bits, byte)
        else:
            join_middle(block, grower, values, word, bits, search)
        if len(grower.middle.never):
            grower.middle.never[word] &= ~bits
        mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)


@inner
def grow(block: Block, grower: Grower, members: Members, values: BlockValues, search: Search) -> None:
    """Let all cells join that can, until nothing is left to be looked at."""
    joining, checked = grower.joining, grower.checked
    while joining.size[0] or checked.size[0]:
        joining.size[0], checked.size[0] = 0, 0
        for first in range(0, len(joining.summary), SLAB):
            end = min(first + SLAB, len(joining.summary))
            while has_words(joining, first, end) or has_words(checked, first, end):
                check_defender_cells(block, grower, members, values, search, first, end)
                join_forcer_cells(block, grower, members, values, search, first, end)
