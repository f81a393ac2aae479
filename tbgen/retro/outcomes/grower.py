"""Grower: what one side forces in a block, as sets that only grow; all arrays of one thread.

A better hold is harder to break, so whatever a forcer forces against a hold at one accrued code, it forces against the
hold at the next code as well. So a *middle* keeps a *journal*: what joined it, goal by goal. The next middle takes the
journal's bits as members without a search, and searches only what is new (docs/solving.md has the proof).

A cell of the forcer joins as soon as one move leads to a member; a cell of the defender yields as soon as all do, and
its reset, if it has one, is no way out. Order is free, since nobody counts plies, so some groups of words come to rest
before the next ones: what they touch stays in the caches.

A *goal* is an outcome as the forcer numbers it, 0 for its own mate, 255 for the other side's.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, SignedInts32, Word, Words
from tbgen.compiled.jit import by_address, inlined, inner, prefetch
from tbgen.index.kernels import GOALS, WORST_GOAL, byte_of_goal, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.patterns.histories import Interner, new_interner
from tbgen.retro.patterns.packing import label_from
from tbgen.retro.patterns.worker import (
    QUEUE_FULL,
    STATUS,
    Members,
    Room,
    leave_free,
    new_members,
    note_label,
)
from tbgen.retro.words.block import Block, BlockValues, number_of_reset
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.quiet import Neighbours, find_escapes, mark_predecessors, new_neighbours
from tbgen.retro.words.worklist import (
    FAR,
    Markable,
    Worklist,
    add_bits,
    list_range,
    new_worklist,
    take_bits,
)


@by_address
class Journal(NamedTuple):
    """Words and some bits of them, goal by goal; the words of a goal ascend."""

    word: SignedInts32
    """In middles those with Black to move stand behind all with White to move."""
    bits: Words
    first: Ints
    """[goal] its first entry; those of the next goal follow its last one."""


@by_address
class Exits(NamedTuple):
    """Cells with the forcer to move that were frozen with a broken hold: lists of (word, bits) by goal."""

    word: SignedInts32
    bits: Words
    goal: Bytes
    next: SignedInts32
    """[entry] the next one of its list, or -1."""
    head: Ints
    """[goal] the first entry of its list, or -1; the newest come first."""
    size: Ints
    """FRESH, LINKED, NOTED."""


FRESH, LINKED, NOTED = range(3)
"""Exits before LINKED are in lists, those from FRESH on with the code at hand; those up to NOTED wait to be linked."""


@by_address
class GrowingMiddle(NamedTuple):
    """What the forcer forces against the hold at the accrued code at hand. It begins with the sets of the class.

    A cell that joins by a search has the cells before it marked; members of the last middle are taken up without. So
    of the defender's cells that cannot yield yet those are remembered whose ways out all lead to such members: a way
    out in `never` marks them when it joins.
    """

    members: Members
    never: Words
    """[word] the forcer's cells that have not joined by a search, nor been in the middle at the code before, if any."""
    pending: Worklist
    """Cells of the defender, checked for this class or middle, that move to no cell in `never`; a reset may still be
    their way out. Empty after the middle."""
    joined: Worklist
    """The members of the goal at hand, numbered as in a journal."""
    even: Journal
    """The members of the middle at the last even code, and at the last odd one: one of them was the code before. Cells
    that are frozen with a broken hold are there at that code alone; later ones find them in `exits`."""
    odd: Journal


@by_address
class Grower(NamedTuple):
    """All that finding out what one side forces needs beside the block."""

    side: int
    forced: Members
    """The cells that have joined a class."""
    middle: GrowingMiddle
    ripe: Words
    """[word] undecided cells with the forcer to move whose own code is that of the middle at hand."""
    exits: Exits
    resets: Journal
    """Resets of the forcer's own moves, by their goal; those of decided cells may still be there."""
    joining: Worklist
    """The forcer's cells that join next."""
    checked: Worklist
    """The defender's cells still to be checked for escapes."""
    history: Ints32
    """[number] how the goal of an undecided cell changed from one accrued code to the next; empty if nobody asks."""
    interner: Interner
    neighbours: Neighbours
    men: Ints
    """[man] scratch space for the squares of a word's men."""
    bits_of_goal: Words
    """[goal] scratch space for the resets of a word; empty before and after."""
    state: Ints
    """STATUS, MEMO_LABEL, MEMO_BEFORE, MEMO_AFTER."""


def new_journal(entries: int) -> Journal:
    return Journal(
        np.empty(entries, np.int32), np.empty(entries, np.uint64), np.zeros(GOALS + 2, np.int64)
    )


def new_grower(
    side: int, geometry: Geometry, room: Room, middles: bool, histories: bool = True
) -> Grower:
    """The arrays of a grower for blocks of this geometry; memory for entries is touched as they come."""
    words, entries = geometry.words, room.entries
    in_middles = words if middles else 0
    pending, joined = new_worklist(in_middles), new_worklist(2 * in_middles)
    even, odd = (new_journal(2 * entries) for _ in range(2))
    exits = Exits(
        word=np.empty(entries, np.int32),
        bits=np.empty(entries, np.uint64),
        goal=np.empty(entries, np.uint8),
        next=np.empty(entries, np.int32),
        head=np.full(GOALS, -1, np.int64),
        size=np.zeros(3, np.int64),
    )
    return Grower(
        side=side,
        forced=new_members(words),
        middle=GrowingMiddle(
            new_members(in_middles), np.zeros(in_middles, np.uint64), pending, joined, even, odd
        ),
        ripe=np.zeros(words, np.uint64),
        exits=exits,
        resets=new_journal(entries),
        joining=new_worklist(words),
        checked=new_worklist(words),
        history=np.empty(in_middles * 128 if histories else 0, np.uint32),
        interner=new_interner(room.nodes if histories else 1),
        neighbours=new_neighbours(),
        men=np.zeros(len(geometry.color), np.int64),
        bits_of_goal=np.zeros(GOALS, np.uint64),
        state=np.zeros(4, np.int64),
    )


@inner
def link_exits(exits: Exits) -> None:
    """Put what has been noted into its lists. No thread may read them meanwhile."""
    for at in range(exits.size[LINKED], exits.size[NOTED]):
        goal = np.int64(exits.goal[at])
        exits.next[at], exits.head[goal] = exits.head[goal], at
    exits.size[FRESH], exits.size[LINKED] = exits.size[LINKED], exits.size[NOTED]


@inner
def sort_resets(block: Block, grower: Grower, mates: bool) -> None:
    """List the resets of undecided cells with the forcer to move, those to mate or the others: count, then write.

    Until a goal is written, its first entry stands one index further on.
    """
    side, resets, bits_of_goal = grower.side, grower.resets, grower.bits_of_goal
    resets.first[:] = 0
    for is_written in range(2):
        for word in range(len(block.occupied)):
            kings = block.resets[side, word] & block.undecided[side, word]
            lowest, highest = np.int64(GOALS), np.int64(-1)
            while kings:
                square, kings = lowest_and_rest(kings)
                at = number_of_reset(block, side, word, square)
                goal = np.int64(goal_of_byte(np.int64(block.best.outcome[at]), side))
                if (goal == 0 or goal == WORST_GOAL) == mates:
                    bits_of_goal[goal] |= square_bit(square)
                    lowest, highest = min(lowest, goal), max(highest, goal)
            for found in range(lowest, highest + 1, WORST_GOAL if mates else 1):
                if bits_of_goal[found]:
                    if is_written:
                        entry = resets.first[found + 1]
                        resets.word[entry], resets.bits[entry] = word, bits_of_goal[found]
                    resets.first[found + 2 - is_written] += 1
                    bits_of_goal[found] = NOTHING
        if not is_written:
            for each in range(GOALS):
                resets.first[each + 2] += resets.first[each + 1]
            if resets.first[GOALS + 1] > len(resets.word):
                grower.state[STATUS], resets.first[:] = QUEUE_FULL, 0
                return


@inlined
def breaks_holds(grower: Grower) -> bool:
    """Whether a hold can be broken, for resets forget what has accrued; under whole-game mobility they do not."""
    return len(grower.ripe) == len(grower.middle.never)


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
    side, exits, broken = grower.side, grower.exits, bits & grower.ripe[word]
    if broken == NOTHING:
        return
    grower.forced.free[side, word] &= ~broken
    write_outcome(block, values, side, word, broken, byte_of_goal(goal, side))
    at = exits.size[NOTED]
    if at == len(exits.word):
        grower.state[STATUS] = QUEUE_FULL
        return
    exits.word[at], exits.bits[at], exits.goal[at] = word, broken, goal
    exits.size[NOTED] = at + 1


GROUPS_AT_ONCE = 64
"""Top groups of words (4,096 each) that come to rest together."""


class Search(NamedTuple):
    """What is searched: the cells that reach a goal, in a class or against the hold at an accrued code."""

    goal: Int
    code: Int
    in_class: bool


@inlined
def has_words(worklist: Worklist, first: Int, end: Int) -> bool:
    """Whether some top groups have words."""
    found = NOTHING
    for top in range(first, end):
        found |= worklist.summary[top]
    return found != NOTHING


@inlined
def look_ahead(
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
    """Some cells of a word join. In a middle their histories note it, if anybody asks for these."""
    leave_free(members, side, word, bits)
    if search.in_class:
        write_outcome(block, values, side, word, bits, byte_of_goal(search.goal, grower.side))
        return
    add_bits(grower.middle.joined, side * len(block.occupied) + word, bits)
    if len(grower.history):
        note_label(block, grower, None, side, word, bits, label_from(search.goal, 0), search.code)


@inner
def check_defender_cells(
    block: Block,
    grower: Grower,
    members: Members,
    values: BlockValues,
    search: Search,
    first: Int,
    end: Int,
) -> None:
    """Let those of the defender's cells yield that have no way out any more."""
    side, defender, checked, middle = grower.side, 1 - grower.side, grower.checked, grower.middle
    free, to_join = (
        members.free[defender],
        Markable(grower.joining, members.free[side], members.live[side]),
    )
    defers, size = (
        breaks_holds(grower),
        list_range(checked, first, end),
    )  # a later goal, or middle, asks again
    for n in range(size):
        look_ahead(block, checked, free, members.left, n, size)
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & free[np.uint64(word)]
        yielding = bits & ~members.blocked[word]
        if yielding:
            yielding &= ~find_escapes(block, grower.men, defender, word, yielding, members.left)
        if yielding != bits and defers:
            later = bits & ~yielding
            later &= ~find_escapes(block, grower.men, defender, word, later, middle.never)
            add_bits(middle.pending, word, later)
        if yielding:
            if defers:
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
    side, defender, joining = grower.side, 1 - grower.side, grower.joining
    free, to_check = (
        members.free[side],
        Markable(grower.checked, members.free[defender], members.live[defender]),
    )
    size = list_range(joining, first, end)
    for n in range(size):
        look_ahead(block, joining, free, members.left, n, size)
        word = np.int64(joining.words[n])
        bits = take_bits(joining, word) & free[np.uint64(word)]
        if bits:
            members.left[word] &= ~bits
            join(block, grower, members, values, search, side, word, bits)
            if not search.in_class:
                freeze_broken(block, grower, values, word, bits, search.goal)
            if len(grower.middle.never):
                grower.middle.never[word] &= ~bits
            mark_predecessors(block, grower.men, defender, word, bits, to_check, grower.neighbours)


@inner
def grow(
    block: Block, grower: Grower, members: Members, values: BlockValues, search: Search
) -> None:
    """Let all cells join that can, until nothing is left to be looked at."""
    joining, checked = grower.joining, grower.checked
    while joining.size[0] or checked.size[0]:
        joining.size[0], checked.size[0] = 0, 0
        for first in range(0, len(joining.summary), GROUPS_AT_ONCE):
            end = min(first + GROUPS_AT_ONCE, len(joining.summary))
            while has_words(joining, first, end) or has_words(checked, first, end):
                check_defender_cells(block, grower, members, values, search, first, end)
                join_forcer_cells(block, grower, members, values, search, first, end)
