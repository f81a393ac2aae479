"""One threshold: where does a side, the *seeker*, get at least a score of its own? A bit a cell.

Each side has a set: the seeker's cells are worth the threshold whatever happens, the other side's
cells are not. Both grow from accrued code to accrued code, and no cell is ever in both. A cell that
neither has when its own code is the accrued one goes to the holder, the side that has just moved:
that hold stands. So sets need no outcomes, and a reset that is good for the mover joins its set at
once. Codes above the threshold's are never looked at, because there no hold is worth the threshold
any more (docs/solving.md).
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner
from tbgen.index.kernels import GOALS, byte_of_goal, goal_of_byte
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.cells.members import Members, leave_free, open_word
from tbgen.retro.cells.worker import THRESHOLD, Room
from tbgen.retro.outcomes.en_passant import Inquiry, search_rights
from tbgen.retro.outcomes.grower import Grower, new_grower
from tbgen.retro.outcomes.growth import Search, grow, write_outcome
from tbgen.retro.resets.destinations import ChildTables
from tbgen.retro.resets.folding import fold_word
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry
from tbgen.retro.words.moves import Scratch, count_moves, unpack_squares
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable, add_bits, new_word_set
from tbgen.table import Queries


@by_address
class Questions(NamedTuple):
    """[question] What is asked of a block, and the outcomes that answer it."""

    holder: Ints
    code: Ints
    """The accrued score."""
    cells: Ints
    """Where it is asked: cells with Black to move are behind those with White to move."""
    answers: SignedBytes


def questions_of(asked: Queries) -> Questions:
    """What is asked, as kernels read it, without answers yet."""
    return Questions(
        holder=np.array([score.holder for score, _ in asked], np.int64),
        code=np.array([score.code for score, _ in asked], np.int64),
        cells=np.array([cell for _, cell in asked], np.int64),
        answers=np.zeros(len(asked), np.int8),
    )


def new_sides(geometry: Geometry, good: Words) -> tuple[Grower, Grower]:
    """White's part and Black's. A cell that one side has is free for neither.

    No cell with a good reset yields.
    """
    white = new_grower(WHITE, geometry, Room(0), THRESHOLD)
    black = new_grower(BLACK, geometry, Room(0), THRESHOLD)
    words = geometry.words
    free = np.zeros((2, words), np.uint64)
    live = np.stack([new_word_set(words), new_word_set(words)])
    white_forced = Members(free, live, left=np.zeros(words, np.uint64), blocked=good[BLACK])
    black_forced = Members(free, live, left=np.zeros(words, np.uint64), blocked=good[WHITE])
    return white._replace(forced=white_forced), black._replace(forced=black_forced)


# goods[threshold, side, word]: cells whose best reset is worth the threshold, for the side that
# seeks it, or is not, for the other side. seeking[threshold]: who seeks it, and its code.
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
    """Numbers of moves and good resets of a side in a range of words.

    All legal words of the block must be there.
    """
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
    kings = scratch.with_reset[0]
    good = NOTHING
    while kings:
        square, kings = lowest_and_rest(kings)
        goal = goal_of_byte(np.int64(scratch.folded.outcome[square]), seeking)
        is_worth_it = goal <= code
        if is_worth_it == (side == seeking):
            good |= square_bit(square)
    return good


@inlined
def cells_that_may_end(block: Block, side: Int, word: Int, code: Int) -> Word:
    """At least the cells without a quiet move, which may yield before any cell is frozen.

    Beside those with resets these are cells without any move: mates, or stalemates too. The numbers
    of moves find them once a code is frozen, if anybody counts moves.
    """
    if block.counts.shape[2]:
        return block.resets[side, word]
    if code:
        return block.resets[side, word] | block.legal[side, word]
    return block.resets[side, word] | block.check[side, word]


@inner
def start(block: Block, white: Grower, black: Grower, good: Words, code: Int) -> None:
    """All legal cells are free.

    Good resets are about to join, and cells that may yield at once are to be checked.
    """
    for mover, other in ((white, black), (black, white)):
        side = mover.side
        members = mover.forced
        for word in range(len(block.occupied)):
            legal = block.legal[side, word]
            open_word(members, side, word, legal)
            members.left[word] = legal
            add_bits(mover.joining, word, good[side, word])
            ends = cells_that_may_end(block, side, word, code)
            add_bits(other.checked, word, ends & ~good[side, word])


@inner
def spread(block: Block, grower: Grower, values: BlockValues) -> None:
    """Let all cells join a side's set that can. Its mate stands for all that is as good."""
    grow(block, grower, grower.forced, values, Search(0, 0, True))


@inlined
def cells_with_code(block: Block, side: Int, word: Int, cells: Word, code: Int) -> Word:
    """Those of some cells with this own code: twice the moves, and one more if not in check."""
    moves = code >> 1
    ripe = cells
    for plane in range(block.counts.shape[2]):
        bits = block.counts[side, word, plane]
        ripe &= bits if (moves >> plane) & 1 else ~bits
    check = block.check[side, word]
    return ripe & (~check if code & 1 else check)


@inlined
def least_code(block: Block, side: Int, word: Int, cells: Word) -> Int:
    """The least own code of some cells, or a lower one: it goes by the fewest moves of any."""
    fewest = 0
    for plane in range(block.counts.shape[2] - 1, -1, -1):
        fewer = cells & ~block.counts[side, word, plane]
        if fewer:
            cells = fewer
        else:
            fewest |= 1 << plane
    if cells & block.check[side, word]:
        return 2 * fewest
    return 2 * fewest + 1


@inlined
def ripe_at(block: Block, side: Int, word: Int, cells: Word, code: Int) -> Word:
    """Those of some cells that have this own code; the next code of the others is noted."""
    if np.int64(block.next_code[side, word]) > code:
        return NOTHING
    ripe = cells_with_code(block, side, word, cells, code)
    block.next_code[side, word] = least_code(block, side, word, cells & ~ripe)
    return ripe


@inner
def freeze_free_cells(
    block: Block, white: Grower, black: Grower, values: BlockValues, code: Int
) -> bool:
    """Free cells with this own code go to the holder; whether any cells are still free."""
    is_free = False
    members = white.forced
    for holder in (black, white):
        side = 1 - holder.side
        to_join = Markable(holder.joining, members.free[holder.side], members.live[holder.side])
        near = holder.neighbours
        for group in range(members.live.shape[1]):
            live = members.live[side, group]
            while live:
                lowest, live = lowest_and_rest(live)
                word = group * 64 + lowest
                ripe = ripe_at(block, side, word, members.free[side, word], code)
                if ripe:
                    leave_free(members, side, word, ripe)
                    write_outcome(block, values, side, word, ripe, byte_of_goal(0, holder.side))
                    mark_predecessors(block, holder.men, holder.side, word, ripe, to_join, near)
            is_free |= members.live[side, group] != NOTHING
    return is_free


@inner
def answer_from_sets(inquiry: Inquiry, asked: Questions, least: Int, most: Int) -> None:
    """Answer all questions at accrued codes from `least` to `most`, for which the sets hold."""
    white = inquiry.worker.white
    black = inquiry.worker.black
    half = len(inquiry.worker.block.occupied) * 64
    for n in range(len(asked.cells)):
        accrued = asked.code[n]
        if not least <= accrued <= most:
            continue
        side = asked.cells[n] // half
        cell = asked.cells[n] % half
        word = cell >> 6
        bit = square_bit(cell & 63)
        mover = white if side == WHITE else black
        if mover.forced.free[side, word] & bit:
            asked.answers[n] = byte_of_goal(accrued, asked.holder[n])
        elif mover.forced.left[word] & bit:
            asked.answers[n] = byte_of_goal(0, 1 - side)
        else:
            asked.answers[n] = byte_of_goal(0, side)
    search_rights(inquiry, least, most)


# met[side, word]: before, good resets of this threshold, from this source; then all cells from
# which it is met. Without a score accrued nobody holds, and a threshold of mate needs no more than
# the last spreading.
@borrowing
def solve_threshold(
    inquiry: Inquiry, asked: Questions, seeking: int, code: int, met: Words
) -> None:
    """Find in which cells a side gets at least its score of this code. Codes must be known.

    Answers and values with a right have mates in place of all that is as good.
    """
    block = inquiry.worker.block
    white = inquiry.worker.white
    black = inquiry.worker.black
    values = inquiry.values
    start(block, white, black, met, code)
    accrued = 0
    is_free = block.counts.shape[2] > 0
    while is_free and accrued <= code:
        if accrued:
            spread(block, white, values)
            spread(block, black, values)
        answer_from_sets(inquiry, asked, accrued, accrued)
        is_free = freeze_free_cells(block, white, black, values, accrued)
        accrued += 1
    spread(block, white if seeking == WHITE else black, values)
    answer_from_sets(inquiry, asked, accrued, GOALS)
    for mover in (white, black):
        side = mover.side
        for word in range(len(block.occupied)):
            left = mover.forced.left[word]
            if side == seeking:
                met[side, word] = block.legal[side, word] & ~left
            else:
                met[side, word] = left & ~mover.forced.free[side, word]
