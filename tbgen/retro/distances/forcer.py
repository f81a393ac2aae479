"""Forcer: what one side forces in a block, outcomes and plies; all arrays of one thread."""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner
from tbgen.index.kernels import WORST_GOAL, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.cells.members import Members, new_members
from tbgen.retro.cells.worker import STATUS, Room, has_middles
from tbgen.retro.distances.queues import (
    MEMBER,
    PLIES,
    UNBLOCK,
    BucketQueue,
    clear_queue,
    first_plies,
    new_bucket_queue,
    push,
    site_from,
)
from tbgen.retro.patterns.histories import Interner, new_interner
from tbgen.retro.patterns.packing import NO_LABEL, label_from, plies_of_label
from tbgen.retro.status import QUEUE_FULL, TOO_FAR
from tbgen.retro.words.block import Block, number_of_reset
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.quiet import Neighbours, new_neighbours
from tbgen.retro.words.worklist import Worklist, new_worklist
from tbgen.score import MOST_STORED_CODE, STALEMATE_CODE


@by_address
class Middle(NamedTuple):
    """What one forcer can bring about at the accrued code at hand, beside the labels themselves.

    From `begin_next_code` to the end of a code the sets have these equations. F is the forcer's
    side, and `forced` has the sets of the class:

        unlabelled, labelled and fresh have no cell in common
        forced.free lies in their union
        out = forced.left - labelled - fresh, of F's cells

    `labelled` may have more: frozen cells, and the defender's that have joined a class. Before
    `begin_next_code` frozen cells and new members of the class are still in the sets. Between two
    codes `fresh` is empty.

    `let_have_label` and `let_lose_label` (labels.py), `begin_first_code`, `begin_next_code` and
    `end_code` alone write the sets. tests/retro/distances/test_middles.py looks at the equations
    after every step.
    """

    unlabelled: Words
    """[side, word] free cells without a label."""
    labelled: Words
    """[side, word] cells with a label from the code before, or a provisional one.

    Frozen cells are among them.
    """
    fresh: Words
    """[side, word] cells whose label has been confirmed at this code."""
    out: Words
    """[word] the forcer's cells without a label and not in its class: ways out.

    Frozen cells and those of the other side's classes are among them.
    """
    worst: Bytes
    """[side, word] no label of the word has a higher goal: most words need no look at expiry."""
    agenda: BucketQueue
    """Cells to be rechecked in a later step, and frozen cells that take effect in it."""


@inner
def end_code(middle: Middle) -> None:
    """The labels of this code become those from before, and nothing is left to be looked at."""
    for side in range(2):
        for word in range(len(middle.out)):
            if middle.fresh[side, word]:
                middle.labelled[side, word] |= middle.fresh[side, word]
                middle.fresh[side, word] = NOTHING
    clear_queue(middle.agenda)


@by_address
class Forcer(NamedTuple):
    """All that finding out what one side forces needs beside the block."""

    side: int
    mode: int
    """HISTORIES or NO_BREAKS, see cells/worker.py."""
    forced: Members
    middle: Middle
    label: Ints32
    """[number] the label of a cell in `labelled` or `fresh`.

    Other undecided cells have NO_LABEL, or a label that breaks no hold.
    """
    history: Ints32
    """[number] how the label changed from one accrued code to the next."""
    seeds: BucketQueue
    joining: Worklist
    """The forcer's cells that join in the step at hand."""
    joining_next: Worklist
    """The forcer's cells that join in the next one."""
    yielding: Worklist
    """The defender's cells that join in the step at hand; in middles frozen ones of `checked`."""
    checked: Worklist
    """The defender's cells still to be checked for escapes."""
    interner: Interner
    neighbours: Neighbours
    latest: Ints
    """[square] scratch space for labels."""
    men: Ints
    """[man] scratch space for the squares of a word's men."""
    state: Ints
    """STATUS, MEMO_LABEL, MEMO_BEFORE, MEMO_AFTER."""


def new_forcer(side: int, geometry: Geometry, room: Room, mode: int) -> Forcer:
    """The arrays of a forcer for blocks of this geometry.

    Memory that depends on the work is touched as it is needed.
    """
    words = geometry.words
    in_middles = words if has_middles(mode) else 0
    middle = Middle(
        unlabelled=np.zeros((2, in_middles), np.uint64),
        labelled=np.zeros((2, in_middles), np.uint64),
        fresh=np.zeros((2, in_middles), np.uint64),
        out=np.zeros(in_middles, np.uint64),
        worst=np.zeros((2, in_middles), np.uint8),
        agenda=new_bucket_queue(room.entries if has_middles(mode) else 0),
    )
    return Forcer(
        side=side,
        mode=mode,
        forced=new_members(words),
        middle=middle,
        label=np.empty(in_middles * 128, np.uint32),
        history=np.empty(in_middles * 128, np.uint32),
        seeds=new_bucket_queue(room.entries),
        joining=new_worklist(words),
        joining_next=new_worklist(words),
        yielding=new_worklist(words),
        checked=new_worklist(words),
        interner=new_interner(room.nodes if has_middles(mode) else 1),
        neighbours=new_neighbours(),
        latest=np.zeros(64, np.int64),
        men=np.zeros(len(geometry.color), np.int64),
        state=np.zeros(4, np.int64),
    )


# The forcer hurries, so its reset counts by the shortest way; the defender delays, so its reset
# counts by the longest.
@inlined
def reset_label(block: Block, forcer: Forcer, side: Int, word: Int, square: Int) -> Int:
    """The goal and plies, as a label of this forcer, that the best reset of a cell brings."""
    number = number_of_reset(block, side, word, square)
    goal = goal_of_byte(np.int64(block.best.outcome[number]), forcer.side)
    way = block.best.shortest if side == forcer.side else block.best.longest
    return label_from(goal, 1 + np.int64(way[number]))


@inlined
def schedule(
    forcer: Forcer, queue: BucketQueue, kind: Int, side: Int, word: Int, bits: Word, label: Int
) -> None:
    """Put cells of a word into a queue, for the step that a label names."""
    if plies_of_label(label) >= PLIES:
        forcer.state[STATUS] = TOO_FAR
    elif not push(queue, label, site_from(kind, side, word), bits):
        forcer.state[STATUS] = QUEUE_FULL


@inner
def push_resets(block: Block, forcer: Forcer, first: Int, end: Int) -> None:
    """Replace the seeds by resets of undecided cells, with goals from `first` to before `end`."""
    clear_queue(forcer.seeds)
    for side in range(2):
        for word in range(len(forcer.forced.left)):
            kings = block.undecided[side, word] & block.resets[side, word]
            kind = MEMBER if side == forcer.side else UNBLOCK
            while kings:
                square, kings = lowest_and_rest(kings)
                number = number_of_reset(block, side, word, square)
                goal = goal_of_byte(np.int64(block.best.outcome[number]), forcer.side)
                if first <= goal < end:
                    label = reset_label(block, forcer, side, word, square)
                    schedule(forcer, forcer.seeds, kind, side, word, square_bit(square), label)


@borrowing
def start_forcer(block: Block, forcer: Forcer) -> None:
    """Begin with a block whose words are open: resets to mate are seeds."""
    end_code(forcer.middle)
    forcer.state[STATUS] = 0
    push_resets(block, forcer, 0, 1)


# Before mates are known the other resets would be pushed for all cells; afterwards only for
# numbered ones. Without middles there are classes alone, and so only outcomes that are the forcer's
# own.
@borrowing
def start_middles(block: Block, forcer: Forcer, code: int, cells: int) -> None:
    """After the mates the other resets of the numbered cells are seeds, and no cell has a label."""
    if code != STALEMATE_CODE:
        return
    if has_middles(forcer.mode):
        forcer.label[:cells] = NO_LABEL
        forcer.history[:cells] = 0
        push_resets(block, forcer, 1, WORST_GOAL)
    else:
        push_resets(block, forcer, 1, MOST_STORED_CODE + 1)


@inner
def next_step(forcer: Forcer, queue: BucketQueue, joining: Worklist, goal: Int, plies: Int) -> Int:
    """The next step of an outcome, from `plies` on, that has something to do.

    It is PLIES if there is none.
    """
    if joining.size[0] + forcer.checked.size[0] + forcer.yielding.size[0] == 0:
        return first_plies(queue, goal, plies)
    if plies == PLIES:
        forcer.state[STATUS] = TOO_FAR
    return plies
