"""One threshold: where does a side, the *seeker*, get at least a score of its own? A bit a cell, and no outcomes.

Each side has a set: the seeker's cells are worth the threshold whatever happens, the other side's cells are not. Both
grow from accrued code to accrued code, and no cell is ever in both. A cell that neither has when its own code is the
accrued one goes to the holder, the side that has just moved: that hold stands. So sets need no outcomes, and a reset
that is good for the mover joins its set at once. Codes above the threshold's are never looked at, because there no hold
is worth the threshold any more (docs/solving.md).
"""

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import GOALS, byte_of_goal, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.outcomes.codes import Questions
from tbgen.retro.outcomes.grower import Grower, Search, grow, new_grower, write_outcome
from tbgen.retro.patterns.en_passant import Inquiry, search_rights
from tbgen.retro.patterns.worker import Room, leave_free, open_word
from tbgen.retro.resets.destinations import ChildTables
from tbgen.retro.resets.folding import fold_word
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry
from tbgen.retro.words.moves import Scratch, count_moves, unpack_squares
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, add_bits


def new_sides(geometry: Geometry, good: Words) -> tuple[Grower, Grower]:
    """White's part and Black's. A cell that one side has is free for neither, and no good reset yields."""
    white, black = (
        new_grower(side, geometry, Room(0), middles=False, histories=False)
        for side in (WHITE, BLACK)
    )
    shared = white.forced._replace(blocked=good[BLACK])
    black_forced = shared._replace(left=black.forced.left, blocked=good[WHITE])
    return white._replace(forced=shared), black._replace(forced=black_forced)


# goods[threshold, side, word]: cells whose best reset is worth the threshold, for the side that seeks it, or is not,
# for the other side. seeking[threshold]: who seeks it, and its code.
@borrowing
def find_goods(
    block: Block,
    children: ChildTables,
    scratch: Scratch,
    seeking: Ints,
    goods: Words,
    side: int,
    first: int,
    end: int,
) -> int:
    """Numbers of moves and good resets of a side in a range of words; all legal words of the block must be there."""
    for word in range(first, end):
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        count_moves(block, scratch, side, word)
        fold_word(block, children, scratch, side, word)
        for n in range(len(seeking)):
            goods[n, side, word] = good_resets(scratch, side, seeking[n, 0], seeking[n, 1])
        block.resets[side, word] = scratch.with_reset[0]
    return int(scratch.status[0])


@inlined
def good_resets(scratch: Scratch, side: Int, seeking: Int, code: Int) -> Word:
    """The cells of a folded word whose best reset is good for the mover."""
    kings, good = scratch.with_reset[0], NOTHING
    while kings:
        square, kings = lowest_and_rest(kings)
        if (goal_of_byte(np.int64(scratch.folded.outcome[square]), seeking) <= code) == (
            side == seeking
        ):
            good |= square_bit(square)
    return good


@inner
def start(block: Block, white: Grower, black: Grower, good: Words, code: Int) -> None:
    """All legal cells are free; good resets are about to join, and cells with other resets alone may yield."""
    ends = (
        block.resets if block.counts.shape[2] else block.legal if code else block.check
    )  # or with no move at all
    for mover, other in ((white, black), (black, white)):
        members, side = mover.forced, mover.side
        for word in range(len(block.occupied)):
            open_word(members, side, word, block.legal[side, word])
            members.left[word] = block.legal[side, word]
            add_bits(mover.joining, word, good[side, word])
            add_bits(
                other.checked,
                word,
                (block.resets[side, word] | ends[side, word]) & ~good[side, word],
            )


@inner
def spread(block: Block, grower: Grower, values: BlockValues) -> None:
    """Let all cells join a side's set that can. Its mate stands for all that is as good."""
    grow(block, grower, grower.forced, values, Search(0, 0, True))


@inlined
def ripe_at(block: Block, side: Int, word: Int, cells: Word, code: Int) -> Word:
    """Those of some cells with this own code, twice the moves and one more if not in check; the next one is noted."""
    if np.int64(block.next_code[side, word]) > code:
        return NOTHING
    check, ripe, planes = block.check[side, word], cells, block.counts.shape[2]
    for plane in range(planes):
        bits = block.counts[side, word, plane]
        ripe &= bits if code >> plane + 1 & 1 else ~bits
    ripe &= ~check if code & 1 else check
    rest, fewest = cells & ~ripe, 0
    for plane in range(planes - 1, -1, -1):
        fewer = rest & ~block.counts[side, word, plane]
        if fewer:
            rest = fewer
        else:
            fewest |= 1 << plane
    block.next_code[side, word] = 2 * fewest + (0 if rest & check else 1)
    return ripe


@inner
def freeze(block: Block, white: Grower, black: Grower, values: BlockValues, code: Int) -> bool:
    """Free cells with this own code go to the holder; whether any cells are still free."""
    is_free, members = False, white.forced
    for holder in (black, white):
        side = 1 - holder.side
        to_join = Markable(holder.joining, members.free[holder.side], members.live[holder.side])
        for group in range(members.live.shape[1]):
            live = members.live[side, group]
            while live:
                lowest, live = lowest_and_rest(live)
                word = group * 64 + lowest
                ripe = ripe_at(block, side, word, members.free[side, word], code)
                if ripe:
                    leave_free(members, side, word, ripe)
                    write_outcome(block, values, side, word, ripe, byte_of_goal(0, holder.side))
                    mark_predecessors(
                        block, holder.men, holder.side, word, ripe, to_join, holder.neighbours
                    )
            is_free |= members.live[side, group] != NOTHING
    return is_free


@inner
def answer(inquiry: Inquiry, asked: Questions, least: Int, most: Int) -> None:
    """All questions at accrued codes from `least` to `most`, for which the sets at hand hold."""
    white, black = inquiry.worker.white, inquiry.worker.black
    half = len(inquiry.worker.block.occupied) * 64
    for n in range(len(asked.cells)):
        if not least <= asked.code[n] <= most:
            continue
        side, cell = asked.cells[n] // half, asked.cells[n] % half
        mover, bit = white if side == WHITE else black, square_bit(cell & 63)
        if mover.forced.free[side, cell >> 6] & bit:
            asked.answers[n] = byte_of_goal(asked.code[n], asked.holder[n])
        else:
            asked.answers[n] = byte_of_goal(
                0, 1 - side if mover.forced.left[cell >> 6] & bit else side
            )
    search_rights(inquiry, least, most)


# found[side, word]: before, good resets of this threshold, from this source; then all cells from which it is met
@borrowing
def solve_threshold(
    inquiry: Inquiry, asked: Questions, seeking: int, code: int, found: Words
) -> None:
    """Find in which cells a side gets at least its score of this code, in a block whose codes are known.

    Answers and values with a right have mates in place of all that is as good.
    """
    block, white, black, values = (
        inquiry.worker.block,
        inquiry.worker.white,
        inquiry.worker.black,
        inquiry.values,
    )
    start(block, white, black, found, code)
    accrued, is_free = 0, block.counts.shape[2] > 0
    while is_free and accrued <= code:
        if accrued:  # without one accrued nobody holds, and all that a threshold of mate needs is found at the end
            spread(block, white, values)
            spread(block, black, values)
        answer(inquiry, asked, accrued, accrued)
        is_free = freeze(block, white, black, values, accrued)
        accrued += 1
    spread(block, white if seeking == WHITE else black, values)
    answer(inquiry, asked, accrued, GOALS)
    for mover in (white, black):
        for word in range(len(block.occupied)):
            side, left, free = (
                mover.side,
                mover.forced.left[word],
                mover.forced.free[mover.side, word],
            )
            found[side, word] = block.legal[side, word] & ~left if side == seeking else left & ~free
