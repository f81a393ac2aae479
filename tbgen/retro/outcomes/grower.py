"""Grower: what one side forces in a block, as sets that only grow; all arrays of one thread.

A better hold is harder to break, so whatever a forcer forces against a hold at one accrued code, it forces against the
hold at the next code as well. So a *middle* keeps a *journal*: what joined it, goal by goal. The next middle takes the
journal's bits as members without a search, and searches only what is new (docs/solving.md has the proof).

A *goal* is an outcome as the forcer ranks it, 0 for its own mate, 255 for the other side's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, SignedBytes, SignedInts32, Word, Words
from tbgen.compiled.jit import by_address, inlined, inner
from tbgen.index.kernels import GOALS, WORST_GOAL, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.patterns.histories import Interner, new_interner
from tbgen.retro.patterns.worker import QUEUE_FULL, STATUS, Members, Room, new_members
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.quiet import Neighbours, new_neighbours
from tbgen.retro.words.worklist import Worklist, new_worklist


@by_address
class Journal(NamedTuple):
    """Words and some bits of them, goal by goal; the words of a goal ascend."""

    word: SignedInts32
    bits: Words
    first: Ints
    """[goal] its first entry, and the one after its last."""
    end: Ints


@by_address
class Journals(NamedTuple):
    """The members of a middle."""

    own: Journal
    """With the forcer to move."""
    others: Journal
    """With the defender to move."""


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
"""From the first of these entries on, some were linked last; from the second on, they are noted and not linked yet."""


@by_address
class GrowingMiddle(NamedTuple):
    """What the forcer forces against the hold at the accrued code at hand. It begins with the sets of the class.

    A cell that joins by a search has the cells before it marked; members of the last middle are taken up without. So
    of the defender's cells that cannot yield yet those are remembered whose ways out all lead to such members: a way
    out in `never` marks them when it joins.
    """

    members: Members
    never: Words
    """[word] the forcer's cells that have not joined by a search, nor been in the middle at the code before."""
    pending: Worklist
    """Cells of the defender, checked at this code, that move to no cell in `never`; empty between codes."""
    joined: Worklist
    """The forcer's members of the goal at hand, and the defender's."""
    yielded: Worklist
    even: Journals
    """The members of the middle at the last even code, and at the last odd one: one of them was the code before."""
    odd: Journals


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
        np.empty(entries, np.int32), np.empty(entries, np.uint64), np.zeros(GOALS, np.int64), np.zeros(GOALS, np.int64)
    )


def new_exits(entries: int) -> Exits:
    word, following = (np.empty(entries, np.int32) for _ in range(2))
    bits, goal = np.empty(entries, np.uint64), np.empty(entries, np.uint8)
    return Exits(word, bits, goal, following, np.full(GOALS, -1, np.int64), np.zeros(3, np.int64))


MOST_ENTRIES = 1 << 27
"""A cell has one entry in a list at most, and neighbours share one: large blocks have far fewer than this. Memory for
entries is touched as they come."""


def new_grower(side: int, geometry: Geometry, room: Room, middles: bool, histories: bool = True) -> Grower:
    """The arrays of a grower for blocks of this geometry."""
    words = geometry.words
    in_middles = words if middles else 0
    entries = min(64 * in_middles, room.entries, MOST_ENTRIES)
    pending, joined, yielded = (new_worklist(in_middles) for _ in range(3))
    even, odd = (Journals(*(new_journal(entries) for _ in range(2))) for _ in range(2))
    return Grower(
        side=side,
        forced=new_members(words),
        middle=GrowingMiddle(
            new_members(in_middles), np.zeros(in_middles, np.uint64), pending, joined, yielded, even, odd
        ),
        ripe=np.zeros(words, np.uint64),
        exits=new_exits(entries),
        resets=new_journal(min(64 * words, room.entries, MOST_ENTRIES)),
        joining=new_worklist(words),
        checked=new_worklist(words),
        history=np.empty(in_middles * 128 if histories else 0, np.uint32),
        interner=new_interner(room.nodes if histories else 1),
        neighbours=new_neighbours(),
        men=np.zeros(len(geometry.color), np.int64),
        bits_of_goal=np.zeros(GOALS, np.uint64),
        state=np.zeros(4, np.int64),
    )


@inlined
def breaks_holds(grower: Grower) -> bool:
    """Whether a hold can be broken, for resets forget what has accrued; under whole-game mobility they do not."""
    return len(grower.ripe) == len(grower.middle.never)


@inlined
def write_outcome(entry: SignedBytes, first: Int, bits: Word, byte: Int) -> None:
    """Write an outcome for some cells of a word whose first cell is given, if anybody asks for outcomes."""
    while bits and len(entry):
        square, bits = lowest_and_rest(bits)
        entry[first + square] = byte


@inlined
def note_exit(grower: Grower, word: Int, bits: Word, goal: Int) -> None:
    """Note cells whose broken hold has frozen them; `link_exits` puts them into their lists."""
    exits = grower.exits
    at = exits.size[NOTED]
    if at == len(exits.word):
        grower.state[STATUS] = QUEUE_FULL
        return
    exits.word[at], exits.bits[at], exits.goal[at] = word, bits, goal
    exits.size[NOTED] = at + 1


@inner
def link_exits(exits: Exits) -> None:
    """Put what has been noted into its lists. No thread may read them meanwhile."""
    for at in range(exits.size[LINKED], exits.size[NOTED]):
        goal = np.int64(exits.goal[at])
        exits.next[at], exits.head[goal] = exits.head[goal], at
    exits.size[FRESH], exits.size[LINKED] = exits.size[LINKED], exits.size[NOTED]


@inner
def sort_resets(block: Block, grower: Grower, mates: bool) -> None:
    """List the resets of undecided cells with the forcer to move, those to mate or the others: count, then write."""
    side, resets, bits_of_goal = grower.side, grower.resets, grower.bits_of_goal
    resets.end[:] = 0
    for is_written in range(2):
        for word in range(len(block.occupied)):
            kings, at = block.resets[side, word], np.int64(block.first_reset[side, word])
            lowest, highest = np.int64(GOALS), np.int64(-1)
            while kings:
                square, kings = lowest_and_rest(kings)
                bit, goal = square_bit(square), np.int64(goal_of_byte(np.int64(block.best.outcome[at]), side))
                if block.undecided[side, word] & bit and (goal == 0 or goal == WORST_GOAL) == mates:
                    bits_of_goal[goal] |= bit
                    lowest, highest = min(lowest, goal), max(highest, goal)
                at += 1
            for found in range(lowest, highest + 1, WORST_GOAL if mates else 1):
                if bits_of_goal[found]:
                    entry = resets.end[found]
                    if is_written:
                        resets.word[entry], resets.bits[entry] = word, bits_of_goal[found]
                    resets.end[found] = entry + 1
                    bits_of_goal[found] = NOTHING
        if not is_written:
            entries = np.int64(0)
            for each in range(GOALS):
                resets.first[each] = entries
                entries += resets.end[each]
                resets.end[each] = resets.first[each]
            if entries > len(resets.word):
                grower.state[STATUS] = QUEUE_FULL
                return


@inner
def drop_decided(resets: Journal, undecided: Words) -> None:
    """Drop the resets of cells that are decided: each middle would go through them again."""
    for goal in range(GOALS):
        to = resets.first[goal]
        for at in range(resets.first[goal], resets.end[goal]):
            bits = resets.bits[at] & undecided[resets.word[at]]
            if bits:
                resets.word[to], resets.bits[to] = resets.word[at], bits
                to += 1
        resets.end[goal] = to
