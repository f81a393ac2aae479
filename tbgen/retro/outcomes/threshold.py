"""One threshold: where does a side, the *seeker*, get at least a score of its own? A bit a cell, and no outcomes.

Each side has a set: the seeker's cells are worth the threshold whatever happens, the other side's cells are not. Both
grow from accrued code to accrued code, and no cell is ever in both. A cell that neither has when its own code is the
accrued one goes to the holder, the side that has just moved: that hold stands. So sets need no outcomes, and a reset
that is good for the mover joins its set at once. Codes above the threshold's are never looked at, because there no hold
is worth the threshold any more (docs/solving.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner
from tbgen.index.kernels import GOALS, byte_of_goal, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, lowest_square, square_bit
from tbgen.retro.outcomes.codes import ripe_cells
from tbgen.retro.outcomes.grower import write_outcome
from tbgen.retro.outcomes.growing import SLAB, has_words, look_ahead
from tbgen.retro.outcomes.questions import Inquiry, Questions, answer_rights
from tbgen.retro.patterns.en_passant import right_to_take
from tbgen.retro.resets.destinations import NOT_HERE, ChildTables
from tbgen.retro.resets.folding import fold_word
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.moves import Scratch, add_move, note_moves, unpack_squares, write_codes
from tbgen.retro.words.quiet import Neighbours, find_escapes, mark_predecessors, new_neighbours
from tbgen.retro.words.worklist import (
    GROUP,
    Markable,
    Worklist,
    add_bits,
    drop_word,
    list_range,
    list_words,
    new_word_set,
    new_worklist,
    take_bits,
)


@by_address
class Sets(NamedTuple):
    """Which cells each side has."""

    open: Words
    """[side, word] cells that neither side has."""
    live: Words
    """[side, word >> 6] the words that have any."""
    left: Words
    """[side, word] legal cells that the side to move does not have: the other side may escape to them."""


@by_address
class Seeker(NamedTuple):
    """What one side is about to get."""

    side: int
    joining: Worklist
    """Cells with this side to move that join its set next."""
    checked: Worklist
    """Cells with the other side to move, still to be checked for escapes."""
    men: Ints
    """[man] scratch space for the squares of a word's men."""
    neighbours: Neighbours


def new_sets(words: int) -> Sets:
    """Sets for blocks of so many words."""
    live = np.stack([new_word_set(words), new_word_set(words)])
    return Sets(np.zeros((2, words), np.uint64), live, np.zeros((2, words), np.uint64))


def new_seeker(side: int, geometry: Geometry) -> Seeker:
    """One side's worklists."""
    joining, checked = new_worklist(geometry.words), new_worklist(geometry.words)
    return Seeker(side, joining, checked, np.zeros(len(geometry.color), np.int64), new_neighbours())


@inlined
def close(sets: Sets, side: Int, word: Int, bits: Word) -> None:
    """Some cells of a word are open no longer."""
    rest = sets.open[side, word] & ~bits
    sets.open[side, word] = rest
    if rest == NOTHING:
        drop_word(sets.live[side], word)


# goods[source, threshold, side, word]: cells whose best reset is worth the threshold, for the side that seeks it, or
# is not, for the other side. There are one or two sources of what resets lead to.
@borrowing
def find_goods(
    block: Block, one: ChildTables, two: ChildTables, scratch: Scratch, seeking: Ints, codes: Ints, goods: Words,
    first: int, end: int,
) -> int:  # fmt: skip
    """Own codes and good resets of a range of words; legal words must be there for the whole block."""
    for word in range(first, end):
        for side in range(2):
            block.resets[side, word], block.next_code[side, word] = NOTHING, 255
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        for side in range(2):
            note_moves(block, scratch, word, side)
            scratch.planes[:] = 0
            for n in range(scratch.noted[0]):
                add_move(scratch.planes, scratch.kings[n])
            write_codes(block, scratch, side, word)
            for source in range(len(goods)):
                fold_word(block, two if source else one, scratch, side, word)
                block.resets[side, word] = scratch.with_reset[0]
                for n in range(len(codes)):
                    goods[source, n, side, word] = good_resets(scratch, side, seeking[n], codes[n])
    status: int = scratch.status[0]
    return status


@inlined
def good_resets(scratch: Scratch, side: Int, seeking: Int, code: Int) -> Word:
    """The cells of a folded word whose best reset is good for the mover."""
    kings, good = scratch.with_reset[0], NOTHING
    while kings:
        square, kings = lowest_and_rest(kings)
        if (goal_of_byte(np.int64(scratch.folded.outcome[square]), seeking) <= code) == (side == seeking):
            good |= square_bit(square)
    return good


@inner
def get(block: Block, seeker: Seeker, sets: Sets, word: Int, bits: Word) -> None:
    """Cells of a word, with the seeker to move, join its set."""
    side = seeker.side
    close(sets, side, word, bits)
    sets.left[side, word] &= ~bits
    to_check = Markable(seeker.checked, sets.open[1 - side], sets.live[1 - side])
    mark_predecessors(block, seeker.men, 1 - side, word, bits, to_check, seeker.neighbours)


@inner
def yield_to(block: Block, seeker: Seeker, sets: Sets, word: Int, bits: Word) -> None:
    """Cells of a word, with the other side to move, join the seeker's set."""
    side = seeker.side
    close(sets, 1 - side, word, bits)
    to_join = Markable(seeker.joining, sets.open[side], sets.live[side])
    mark_predecessors(block, seeker.men, side, word, bits, to_join, seeker.neighbours)


@inner
def start(block: Block, white: Seeker, black: Seeker, sets: Sets, good: Words) -> None:
    """Open all legal cells; good resets join, and cells with other resets alone may yield."""
    sets.live[:] = NOTHING
    for side in range(2):
        for word in range(len(block.occupied)):
            legal = block.legal[side, word]
            sets.open[side, word], sets.left[side, word] = legal, legal
            if legal:
                sets.live[side, np.uint64(word) >> GROUP] |= square_bit(word & 63)
    for mover, other in ((white, black), (black, white)):
        for word in range(len(block.occupied)):
            if good[mover.side, word]:
                get(block, mover, sets, word, good[mover.side, word])
            add_bits(other.checked, word, block.resets[mover.side, word] & ~good[mover.side, word])


@inner
def check_others(block: Block, seeker: Seeker, sets: Sets, first: Int, end: Int) -> None:
    """Let those of the other side's cells yield that have no way out any more."""
    other, checked = 1 - seeker.side, seeker.checked
    still, left = sets.open[other], sets.left[seeker.side]
    size = list_range(checked, first, end)
    for n in range(size):
        look_ahead(block, checked, still, left, n, size)
        word = np.int64(checked.words[n])
        bits = take_bits(checked, word) & still[np.uint64(word)]
        if bits:
            bits &= ~find_escapes(block, seeker.men, other, word, bits, left)
        if bits:
            yield_to(block, seeker, sets, word, bits)


@inner
def join_own(block: Block, seeker: Seeker, sets: Sets, first: Int, end: Int) -> None:
    """Let the seeker's cells join that have a move to a cell of its set."""
    joining, still, left = seeker.joining, sets.open[seeker.side], sets.left[seeker.side]
    size = list_range(joining, first, end)
    for n in range(size):
        look_ahead(block, joining, still, left, n, size)
        word = np.int64(joining.words[n])
        bits = take_bits(joining, word) & still[np.uint64(word)]
        if bits:
            get(block, seeker, sets, word, bits)


@inner
def spread(block: Block, seeker: Seeker, sets: Sets) -> None:
    """Let all cells join a set that can, slab by slab (growing.py)."""
    joining, checked = seeker.joining, seeker.checked
    while joining.size[0] or checked.size[0]:
        joining.size[0], checked.size[0] = 0, 0
        for first in range(0, len(joining.summary), SLAB):
            end = min(first + SLAB, len(joining.summary))
            while has_words(joining, first, end) or has_words(checked, first, end):
                check_others(block, seeker, sets, first, end)
                join_own(block, seeker, sets, first, end)


@inner
def freeze(block: Block, white: Seeker, black: Seeker, sets: Sets, code: Int) -> bool:
    """Open cells with this own code go to the holder; whether any cells are still open."""
    is_open = False
    for holder in (black, white):
        side = 1 - holder.side
        for group in range(sets.live.shape[1]):
            live = sets.live[side, group]
            while live:
                word = group * 64 + lowest_square(live)
                _, live = lowest_and_rest(live)
                ripe = ripe_cells(block, side, word, sets.open[side, word], code)
                if ripe:
                    yield_to(block, holder, sets, word, ripe)
            is_open |= sets.live[side, group] != NOTHING
    return is_open


@inlined
def outcome_in(block: Block, sets: Sets, side: Int, word: Int, bit: Word) -> Int:
    """The mate of the side that has a cell, in place of all that is as good; 0 if neither has it."""
    if sets.open[side, word] & bit or not block.legal[side, word] & bit:
        return np.int64(0)
    return np.int64(byte_of_goal(0, 1 - side if sets.left[side, word] & bit else side))


@inner
def answer_cells(block: Block, sets: Sets, asked: Questions) -> None:
    """What the accrued score is worth in the cells asked; each answer stands for all that is as good."""
    half = len(block.occupied) * 64
    for n in range(len(asked.cells)):
        side, cell = asked.cells[n] // half, asked.cells[n] % half
        byte = outcome_in(block, sets, side, cell >> 6, square_bit(cell & 63))
        asked.answers[n] = byte if byte else byte_of_goal(asked.code, asked.holder)


@inner
def write_sets(block: Block, sets: Sets, values: BlockValues) -> None:
    """Write for every cell the mate of the side that has it, 0 where neither has."""
    for side in range(2):
        for word in range(len(block.occupied)):
            theirs = block.legal[side, word] & ~sets.open[side, word] & sets.left[side, word]
            first = (side * len(block.occupied) + word) * 64
            write_outcome(values.entry, first, block.legal[side, word], 0)
            write_outcome(values.entry, first, theirs, byte_of_goal(0, 1 - side))
            write_outcome(values.entry, first, block.legal[side, word] & ~sets.left[side, word], byte_of_goal(0, side))


@inner
def answer_between(inquiry: Inquiry, near: Neighbours, sets: Sets, least: Int, most: Int) -> None:
    """All questions at accrued codes from `least` to `most`, for which the sets at hand hold."""
    block = inquiry.block
    if least <= inquiry.asked.code <= most:
        answer_cells(block, sets, inquiry.asked)
    is_written = False
    for taken in range(len(block.geometry.pawn_color)):
        right = right_to_take(block, inquiry.children, taken)
        if right.base != NOT_HERE:
            if not is_written:
                write_sets(block, sets, inquiry.values)
                is_written = True
            answer_rights(inquiry, near, right, least, most)


@inner
def forget(worklist: Worklist) -> None:
    """Empty a worklist."""
    for n in range(list_words(worklist)):
        take_bits(worklist, np.int64(worklist.words[n]))


# good[side, word]: of this threshold, from this source; met[side, word] may be the same array
@borrowing
def solve_threshold(
    inquiry: Inquiry, white: Seeker, black: Seeker, sets: Sets, seeking: int, code: int, good: Words, met: Words
) -> None:
    """Find in which cells `met` a side gets at least its score of this code, in a block whose codes are known.

    `block.next_code` is used up. Answers and values with a right have mates in place of all that is as good.
    """
    block = inquiry.block
    start(block, white, black, sets, good)
    seeker, other = (white, black) if seeking == white.side else (black, white)
    level, is_open = 0, True
    while is_open and level <= code:
        if level:  # without one accrued nobody holds, and all that a threshold of mate needs is found at the end
            spread(block, white, sets)
            spread(block, black, sets)
        answer_between(inquiry, white.neighbours, sets, level, level)
        is_open = freeze(block, white, black, sets, level)
        level += 1
    spread(block, seeker, sets)
    forget(other.joining)
    forget(other.checked)
    answer_between(inquiry, white.neighbours, sets, level, GOALS)

    for side in range(2):
        for word in range(len(block.occupied)):
            legal, left = block.legal[side, word], sets.left[side, word]
            met[side, word] = legal & ~left if side == seeking else left & ~sets.open[side, word]
