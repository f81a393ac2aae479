"""Grower: what one side forces in a block, as sets that only grow; all arrays of one thread.

A better hold is harder to break, so whatever a forcer forces against a hold at one accrued code, it
forces against the hold at the next code as well. So a *middle* keeps a *journal*: what joined it,
goal by goal. The next middle takes the journal's bits as members without a search, and searches
only what is new (docs/solving.md has the proof).

A *goal* is an outcome as the forcer numbers it, 0 for its own mate, 255 for the other side's.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, SignedInts32, Words
from tbgen.compiled.jit import by_address, inlined
from tbgen.index.kernels import GOALS
from tbgen.retro.cells.members import Members, new_members
from tbgen.retro.cells.worker import HISTORIES, THRESHOLD, Room, has_middles
from tbgen.retro.patterns.histories import Interner, new_interner
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.quiet import Neighbours, new_neighbours
from tbgen.retro.words.worklist import Worklist, new_worklist


@by_address
class Journal(NamedTuple):
    """Words and some bits of them, goal by goal; the words of a goal ascend."""

    word: SignedInts32
    """In middles those with Black to move stand behind all with White to move."""
    bits: Words
    first: Ints
    """[goal] its first entry; those of the next goal follow its last one."""


@by_address
class Listed(NamedTuple):
    """Words and some bits of them with a goal, in any order."""

    word: SignedInts32
    bits: Words
    goal: Bytes


@by_address
class Exits(NamedTuple):
    """Cells with the forcer to move that were frozen with a broken hold, by goal."""

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
"""Exits below FRESH were frozen at earlier codes, those from FRESH on at the code at hand.

Those below LINKED are in lists. Those from LINKED up to NOTED wait to be linked.
"""


@by_address
class GrowingMiddle(NamedTuple):
    """What the forcer forces against the hold at the accrued code at hand.

    It begins with the sets of the class. A cell that joins by a search has the cells before it
    marked; members of the middle before are taken up without. So of the defender's cells that
    cannot yield yet those are remembered whose ways out all lead to such members: a way out in
    `never` marks them when it joins.

    Between two goals, when nothing is left to be looked at, the sets have these equations. F is the
    forcer's side and D the defender's, `forced` has the sets of the class, and J[s] are the cells
    of side s in this middle's journal, which has the members of all goals so far:

        members.free[s] = free cells of the class at the middle's beginning - J[s]
        members.free[F] lies in members.left,  and so does `never`
        members.left - never = cells of F that were in the middle at the code before, not yet in J
        members.free[D] = its cells that are blocked, or have a move into members.left
        pending lies in members.free[D], and has no cell with a move into `never`

    `join` (growth.py), `rejoin` and `take_exits` alone take cells out of `free` and `left`.
    `join_forcer_cells` takes cells out of `never`, and `find_middle` writes it anew at its end.
    `let_defender_yield` lets cells wait in `pending`; it, `rejoin` and `check_pending` take them
    out. tests/retro/outcomes/test_growing_sets.py looks at all of this after every goal.
    """

    members: Members
    never: Words
    """[word] the forcer's cells that have not joined by a search nor been in the last middle."""
    pending: Worklist
    """Cells of the defender, checked for this class or middle, that move to no cell in `never`; a
    reset may still be their way out. Empty after the middle."""
    joined: Worklist
    """The members of the goal at hand, numbered as in a journal."""
    even: Journal
    """The members of the middle at the last even code; `odd` has those at the last odd one.

    One of both is the code before. A cell that is frozen with a broken hold is there at that code
    alone; later codes find it in `exits`.
    """
    odd: Journal


@by_address
class Grower(NamedTuple):
    """All that finding out what one side forces needs beside the block."""

    side: int
    mode: int
    """See cells/worker.py."""
    forced: Members
    """The cells that have joined a class."""
    middle: GrowingMiddle
    ripe: Words
    """[word] undecided cells with the forcer to move that have the own code of the middle."""
    exits: Exits
    resets: Journal
    """Resets of the forcer's own moves, by their goal; some cells may be decided since."""
    listed: Listed
    """Scratch space for the same before they are sorted."""
    joining: Worklist
    """The forcer's cells that join next."""
    checked: Worklist
    """The defender's cells still to be checked for escapes."""
    history: Ints32
    """[number] how the goal of an undecided cell changed from one accrued code to the next."""
    interner: Interner
    neighbours: Neighbours
    men: Ints
    """[man] scratch space for the squares of a word's men."""
    bits_of_goal: Words
    """[goal] scratch space for the resets of a word; empty before and after."""
    state: Ints
    """STATUS, MEMO_LABEL, MEMO_BEFORE, MEMO_AFTER."""


def new_journal(entries: int) -> Journal:
    word = np.empty(entries, np.int32)
    bits = np.empty(entries, np.uint64)
    return Journal(word, bits, np.zeros(GOALS + 1, np.int64))


def new_grower(side: int, geometry: Geometry, room: Room, mode: int) -> Grower:
    """The arrays of a grower for blocks of this geometry.

    Memory for entries is touched as they come.
    """
    words = geometry.words
    entries = room.entries
    in_classes = words if mode != THRESHOLD else 0  # both sides of a threshold share theirs
    in_middles = words if has_middles(mode) else 0
    in_histories = words * 128 if mode == HISTORIES else 0
    middle = GrowingMiddle(
        members=new_members(in_middles),
        never=np.zeros(in_middles, np.uint64),
        pending=new_worklist(in_middles),
        joined=new_worklist(2 * in_middles),
        even=new_journal(2 * entries),
        odd=new_journal(2 * entries),
    )
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
        mode=mode,
        forced=new_members(in_classes),
        middle=middle,
        ripe=np.zeros(in_classes, np.uint64),
        exits=exits,
        resets=new_journal(entries),
        listed=Listed(
            word=np.empty(entries, np.int32),
            bits=np.empty(entries, np.uint64),
            goal=np.empty(entries, np.uint8),
        ),
        joining=new_worklist(words),
        checked=new_worklist(words),
        history=np.empty(in_histories, np.uint32),
        interner=new_interner(room.nodes if mode == HISTORIES else 1),
        neighbours=new_neighbours(),
        men=np.zeros(len(geometry.color), np.int64),
        bits_of_goal=np.zeros(GOALS, np.uint64),
        state=np.zeros(4, np.int64),
    )


@inlined
def journal_at(middle: GrowingMiddle, code: Int) -> Journal:
    """Where the members of the middle at a code are."""
    return middle.odd if code & 1 else middle.even
