"""One accrued code after another, for outcomes alone: freeze, class, middle (docs/solving.md).

At each accrued code the undecided cells whose own code it is are *frozen*. A hold that stands gives the code itself. A
hold that its middle broke has been frozen on the way, as the cell joined. Then each forcer finds its class, and the
middle at the next code.

Where no histories are kept, questions are answered on the way, each once the middle of its accrued code has been found:
the breaker's journal says which cells break the hold, and with which outcome. There are two kinds. A position with a
right to take en passant has its own code, the captures counted, and one ply of search leads to cells of the block. And
accrued scores can be asked of any cells.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner
from tbgen.index.kernels import GOALS, WORST_GOAL, byte_of_goal
from tbgen.index.words import lowest_and_rest
from tbgen.retro.outcomes.grower import (
    FRESH,
    Exits,
    Grower,
    GrowingMiddle,
    Journal,
    Search,
    breaks_holds,
    freeze_broken,
    grow,
    link_exits,
    sort_resets,
    write_outcome,
)
from tbgen.retro.patterns.en_passant import NEVER, Inquiry, right_to_take, search_right, value_with
from tbgen.retro.patterns.worker import (
    FIRST_MIDDLE,
    MEMO_LABEL,
    NO_MEMO,
    QUEUE_FULL,
    STATUS,
    TOO_HIGH,
    TOP_CODE,
    Members,
    freeze_cells,
    leave_free,
    ripe_cells,
)
from tbgen.retro.resets.destinations import NOT_HERE
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, add_bits, list_words, take_bits
from tbgen.score import STALEMATE_CODE


@borrowing
def start_grower(block: Block, grower: Grower) -> None:
    """Begin with a block whose words are open: resets to mate are listed."""
    grower.state[:] = 0
    grower.exits.head[:], grower.exits.size[:] = -1, 0
    for word in range(len(block.occupied)):
        grower.ripe[word] = ripe_cells(
            block, grower.side, word, block.undecided[grower.side, word], 0
        )
    sort_resets(block, grower, True)


@borrowing
def prepare_code(block: Block, grower: Grower, code: int, cells: int) -> None:
    """Once a code is frozen: exits enter their lists, and now and then resets of decided cells leave theirs.

    After the mates `cells` are undecided, whose histories begin, and the other resets take the place of those to mate.
    """
    link_exits(grower.exits)
    if code % 4 == STALEMATE_CODE:
        sort_resets(block, grower, False)
    grower.history[:cells] = 0


@inlined
def freeze_word(
    block: Block, mover: Grower, values: BlockValues, code: Int, side: Int, word: Int, still: Word
) -> Word:
    """Those undecided cells of a word whose own hold stands at this code; which ones have the next code is found."""
    hold = mover.ripe[word] & still
    if hold:
        if code > TOP_CODE:
            mover.state[STATUS] = TOO_HIGH
        byte = byte_of_goal(min(code, TOP_CODE), 1 - side)
        write_outcome(block, values, side, word, hold, byte)
    mover.ripe[word] = ripe_cells(block, side, word, still & ~hold, code + 1)
    return hold


@borrowing
def freeze_holds(
    block: Block, white: Grower, black: Grower, values: BlockValues, code: int, first: int, end: int
) -> int:
    """Freeze those cells of a range of words whose own hold stands at this code; how many are left undecided."""
    return freeze_cells(freeze_word, block, white, black, values, code, first, end)


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
    block: Block,
    grower: Grower,
    mover: Int,
    exits: Exits,
    goal: Int,
    first: Int,
    markable: Markable,
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
    for at in range(grower.resets.first[goal], grower.resets.first[goal + 1]):
        word = np.int64(grower.resets.word[at])
        add_bits(grower.joining, word, grower.resets.bits[at] & members.free[grower.side, word])


@inlined
def unblock(grower: Grower, other: Grower, members: Members, goal: Int, among: Words) -> None:
    """Resets of this goal keep the defender in no longer; some of its cells are checked."""
    theirs = WORST_GOAL - goal
    for at in range(other.resets.first[theirs], other.resets.first[theirs + 1]):
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
    grow(block, grower, members, values, Search(code, code, True))


@inlined
def journal_at(middle: GrowingMiddle, code: Int) -> Journal:
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
def rejoin(block: Block, grower: Grower, before: Journal, values: BlockValues, goal: Int) -> Int:
    """Let those join again that had this goal at the code before; in how many words the forcer's were."""
    middle, members, words, moved = (
        grower.middle,
        grower.middle.members,
        len(block.occupied),
        np.int64(0),
    )
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
                moved += 1
            else:
                middle.pending.bits[word] &= ~bits
    return moved


# `left` has lost the frozen cells and the members taken up, so pending cells may yield. Either all of them are checked,
# or only those from which the defender reaches what was lost: whichever are fewer.
@inner
def check_pending(block: Block, grower: Grower, before: Journal, goal: Int, moved: Int) -> None:
    """Have pending cells checked once `left` has lost some cells, in so many words."""
    side, defender, checked, pending = (
        grower.side,
        1 - grower.side,
        grower.checked,
        grower.middle.pending,
    )
    if pending.size[0] < 2 * moved:
        for n in range(list_words(pending)):
            word = np.int64(pending.words[n])
            add_bits(checked, word, take_bits(pending, word))
    elif moved:
        to_check, own = Markable(checked, pending.bits, pending.marked), side * len(block.occupied)
        mark_before_exits(block, grower, defender, grower.exits, goal, 0, to_check)
        for at in range(before.first[goal], before.first[goal + 1]):
            word = np.int64(before.word[at]) - own
            if 0 <= word < len(block.occupied):
                mark_predecessors(
                    block, grower.men, defender, word, before.bits[at], to_check, grower.neighbours
                )


@inner
def write_journal(grower: Grower, journal: Journal, goal: Int) -> None:
    """Note all members of a goal."""
    at, members = journal.first[goal], grower.middle.joined
    for n in range(list_words(members)):
        if at == len(journal.word):
            grower.state[STATUS] = QUEUE_FULL
            return
        word = np.int64(members.words[n])
        journal.word[at], journal.bits[at] = word, take_bits(members, word)
        at += 1
    journal.first[goal + 1] = at


@inner
def begin_goal(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int, goal: Int
) -> None:
    """What is a member of a goal without a search, and what is to be searched."""
    side, middle, members = grower.side, grower.middle, grower.middle.members
    to_join = Markable(grower.joining, members.free[side], members.live[side])
    moved = take_exits(grower, members, goal)
    mark_before_exits(
        block, grower, side, other.exits, WORST_GOAL - goal, other.exits.size[FRESH], to_join
    )
    if code == FIRST_MIDDLE:
        join_by_resets(grower, members, goal)
        unblock(grower, other, members, goal, members.free[1 - side])
    else:
        unblock(grower, other, members, goal, middle.pending.bits)
        before = journal_at(middle, code - 1)
        moved += rejoin(block, grower, before, values, goal)
        if middle.pending.size[0]:
            check_pending(block, grower, before, goal, moved)


@inner
def find_middle(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int
) -> None:
    """Find what the forcer gets against the other side's hold at this code, from its best goal on."""
    middle = grower.middle
    new = journal_at(middle, code)
    grower.state[MEMO_LABEL] = NO_MEMO
    copy_members(grower.forced, middle.members)
    new.first[code] = 0
    for goal in range(code, WORST_GOAL - code):
        begin_goal(block, grower, other, values, code, goal)
        grow(block, grower, middle.members, values, Search(goal, code, False))
        write_journal(grower, new, goal)
    for n in range(list_words(middle.pending)):
        take_bits(middle.pending, np.int64(middle.pending.words[n]))
    copy_words(middle.members.left, middle.never)


@borrowing
def search_outcomes(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: int
) -> None:
    """The class of one forcer's own outcome at an accrued code, then its middle at the next, if there are any."""
    if code > TOP_CODE:
        return
    find_class(block, grower, other, values, code)
    if code and breaks_holds(grower):
        find_middle(block, grower, other, values, code + 1)


@by_address
class Questions(NamedTuple):
    """[question] What is asked of a block, and the outcomes that answer it."""

    holder: Ints
    code: Ints
    """The accrued score."""
    cells: Ints
    """Where it is asked: cells with Black to move are behind those with White to move."""
    answers: SignedBytes


@inner
def note_goals(inquiry: Inquiry, journal: Journal, code: Int) -> None:
    """Write down the members of a middle, cell by cell; there are none once all cells are decided."""
    inquiry.goal_of[:] = NEVER
    for goal in range(code, WORST_GOAL - code):
        for at in range(journal.first[goal], journal.first[goal + 1]):
            first, bits = np.int64(journal.word[at]) * 64, journal.bits[at]
            while bits:
                square, bits = lowest_and_rest(bits)
                inquiry.goal_of[first + square] = goal


@inner
def answer(inquiry: Inquiry, asked: Questions, code: Int, is_over: bool) -> None:
    """All questions at an accrued code, its middles just found, or above it once all cells are decided."""
    block, half = inquiry.worker.block, inquiry.worker.block.code.shape[1]
    least, most = (code + 1, np.int64(GOALS)) if is_over else (code, code)
    for breaker in (inquiry.worker.white, inquiry.worker.black):
        journal, are_noted = journal_at(breaker.middle, code), False
        for n in range(len(asked.cells)):
            accrued, cell = asked.code[n], asked.cells[n]
            is_due = least <= accrued <= most or (is_over and accrued < FIRST_MIDDLE)
            if is_due and asked.holder[n] != breaker.side:
                if not are_noted:
                    note_goals(inquiry, journal, code)
                are_noted = True
                byte, _ = value_with(inquiry, breaker.side, cell // half, cell % half, accrued)
                asked.answers[n] = byte
        for taken in range(len(block.geometry.pawn_color)):
            right = right_to_take(block, inquiry.children, taken)
            if right.base != NOT_HERE and right.side == breaker.side:
                note_goals(inquiry, journal, code)
                search_right(inquiry, right, least, most)
