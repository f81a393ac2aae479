"""En passant: entry values of positions in which a pawn that has just stepped twice can be taken.

Such a right exists only right after the double step, which is a reset, so these positions are only
ever asked for their entry values. They have no cells: one ply of search in the solved block gives
the value, and it is kept beside the table until the blocks with that double step have been solved.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Word
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import GOALS, WORST_GOAL, byte_of_goal, goal_of_byte
from tbgen.index.squares import PAWN_ATTACKS
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.cells.worker import HISTORIES, JOURNAL, NO_BREAKS, AnyWorker
from tbgen.retro.patterns.histories import label_at_code
from tbgen.retro.patterns.packing import NO_LABEL, goal_of_label, label_from, plies_of_label
from tbgen.retro.resets.destinations import NOT_HERE, ChildTables
from tbgen.retro.resets.folding import fold_reset, fold_value, fold_word
from tbgen.retro.words.block import Best, Block, BlockValues, number_of_cell
from tbgen.retro.words.geometry import BLACK, WHITE, king_of
from tbgen.retro.words.moves import (
    NO_ROLE,
    Scratch,
    kings_after_move,
    note_move,
    note_moves,
    unpack_squares,
)
from tbgen.retro.words.quiet import list_neighbours


class Right(NamedTuple):
    """A right to take en passant: `side` may take pawn `taken` by a step to where it `passed`."""

    side: Int
    taken: Int
    passed: Int
    base: Int
    """Where the values of the block's cells with this right begin."""


class Inquiry(NamedTuple):
    """A block in which accrued scores have a value, and all that finding such a value takes."""

    worker: AnyWorker
    values: BlockValues
    children: ChildTables
    goal_of: Bytes
    """[side * cells + cell] in the mode JOURNAL: with which goal the side at hand breaks the hold
    at the code at hand, NEVER if it does not."""


NEVER = GOALS - 1
"""In place of a goal: this one, the other side's mate, breaks no hold."""


@inlined
def label_of_break(inquiry: Inquiry, breaker: Int, side: Int, cell: Int, code: Int) -> Int:
    """With which goal and plies, as a label, a side breaks the hold at an accrued code.

    It is NO_LABEL, or has a goal that breaks no hold, if it does not.
    """
    block = inquiry.worker.block
    searcher = inquiry.worker.white if breaker == WHITE else inquiry.worker.black
    if searcher.mode == HISTORIES:
        number = number_of_cell(block, side, cell >> 6, cell & 63)
        history = np.int64(searcher.history[number])
        return np.int64(label_at_code(searcher.interner, history, code))
    if searcher.mode == JOURNAL:
        goal = np.int64(inquiry.goal_of[side * block.code.shape[1] + cell])
        return label_from(goal, 0)
    return np.int64(NO_LABEL)


@inner
def value_with(inquiry: Inquiry, breaker: Int, side: Int, cell: Int, code: Int) -> tuple[Int, Int]:
    """The outcome byte and distance of a cell if the breaker's opponent has accrued `code`.

    On a tie the opponent keeps that score, the earlier one.
    """
    block = inquiry.worker.block
    values = inquiry.values
    own = side * block.code.shape[1] + cell
    byte = np.int64(values.entry[own])
    if byte and (block.code[side, cell] < code or abs(byte) - 1 < code):
        plies = np.int64(values.dtg[own]) if len(values.dtg) else np.int64(0)
        return byte, plies
    label = label_of_break(inquiry, breaker, side, cell, code)
    if goal_of_label(label) < WORST_GOAL - code:
        return np.int64(byte_of_goal(goal_of_label(label), breaker)), plies_of_label(label)
    return np.int64(byte_of_goal(code, 1 - breaker)), np.int64(0)


@inner
def fold_quiet_moves(inquiry: Inquiry, side: Int, word: Int, square: Int, code: Int) -> None:
    """Fold all quiet moves of a cell, whose own code is given, into the mover's best."""
    worker = inquiry.worker
    near = worker.white.neighbours
    block = worker.block
    scratch = worker.scratch
    size = list_neighbours(block, scratch.men, side, word, square_bit(square), near, None)
    for n in range(size):
        there = near.word[n]
        kings = near.bits[n] & block.legal[1 - side, there]
        while kings:
            king, kings = lowest_and_rest(kings)
            byte, plies = value_with(inquiry, side, 1 - side, there * 64 + king, code)
            fold_value(scratch.folded, side, square, byte, plies)


# A reset has been folded by what it is worth with nothing accrued. Where it does not forget, that
# takes the place of an accrued score only if its code is lower; and so does the best of all moves,
# as the order of outcomes stays the same.
@inlined
def fold_hold(best: Best, side: Int, square: Int, code: Int) -> None:
    """Put the score that the other side has accrued in place of a best outcome of no lower code."""
    if abs(np.int64(best.outcome[square])) - 1 >= code:
        best.outcome[square] = byte_of_goal(code, 1 - side)


@inner
def kings_when_taking(block: Block, scratch: Scratch, right: Right, word: Int, taker: Int) -> Word:
    """Black king squares with which pawn `taker` may take the pawn that has just stepped twice."""
    side = right.side
    pawns = block.pawns
    start = pawns[taker]
    is_mover = block.geometry.pawn_color[taker] == side
    if not is_mover or not PAWN_ATTACKS[side, start] & square_bit(right.passed):
        return NOTHING
    king = king_of(block.geometry, word)
    gone = square_bit(start) | square_bit(pawns[right.taken])
    occupied = (block.occupied[word] & ~gone) | square_bit(right.passed)
    pawns[taker] = right.passed
    legal = kings_after_move(side, block, scratch.men, king, occupied, right.taken)
    pawns[taker] = start
    return legal


@inlined
def right_to_take(block: Block, children: ChildTables, taken: Int) -> Right:
    """The right to take a pawn.

    Its base is NOT_HERE if no pawn stands beside it, or it has made no double step.
    """
    side = 1 - block.geometry.pawn_color[taken]
    square = block.pawns[taken]
    base = children.en_passant.start[block.number[0], side, square & 7]
    if side == BLACK:
        rank = 3
        passed = square - 8
    else:
        rank = 4
        passed = square + 8
    if square >> 3 != rank:
        base = np.int64(NOT_HERE)
    return Right(side, taken, passed, base)


@inner
def note_captures(block: Block, scratch: Scratch, right: Right, word: Int) -> Word:
    """Note in the scratch space with which black kings each pawn may take; those of all pawns."""
    back = right.passed - block.pawns[right.taken]
    way = square_bit(right.passed) | square_bit(right.passed + back)
    kings = block.legal[right.side, word] & ~way
    anyone = NOTHING
    if kings and not block.occupied[word] & way:
        unpack_squares(block, scratch, word)
        for taker in range(len(block.geometry.pawn_color)):
            scratch.captures[taker] = kings & kings_when_taking(block, scratch, right, word, taker)
            anyone |= scratch.captures[taker]
    return anyone


@inlined
def code_with(block: Block, scratch: Scratch, right: Right, cell: Int) -> Int:
    """The own code of a cell with the right, its noted captures counted."""
    code = np.int64(block.code[right.side, cell])
    for taker in range(len(block.geometry.pawn_color)):
        if scratch.captures[taker] & square_bit(cell & 63):
            code += 2
    return code


@inlined
def fold_captures(
    block: Block, children: ChildTables, scratch: Scratch, right: Right, bit: Word
) -> None:
    """Fold the noted captures of a cell into the mover's best."""
    for taker in range(len(block.geometry.pawn_color)):
        if scratch.captures[taker] & bit:
            scratch.noted[0] = 0
            note_move(scratch, bit, taker, right.passed, right.taken, NO_ROLE, 0)
            fold_reset(children, scratch, right.side, bit, scratch.moves[0])


@inlined
def plies_to_best(best: Best, side: Int, square: Int, code: Int) -> Int:
    """The distance of the mover's best outcome from a cell of this own code.

    A side hurries to an outcome that is better for it than the accrued one, and delays a worse one.
    """
    goal = goal_of_byte(np.int64(best.outcome[square]), side)
    if goal < WORST_GOAL - code:
        return 1 + np.int64(best.shortest[square])
    if goal > WORST_GOAL - code:
        return 1 + np.int64(best.longest[square])
    return np.int64(0)


@inner
def search_position(inquiry: Inquiry, right: Right, word: Int, square: Int, code: Int) -> None:
    """Find the value of a position in which the pawn can be taken, its resets folded."""
    worker = inquiry.worker
    best = worker.scratch.folded
    side = right.side
    fold_captures(worker.block, inquiry.children, worker.scratch, right, square_bit(square))
    fold_quiet_moves(inquiry, side, word, square, code)
    if worker.white.mode == NO_BREAKS:
        fold_hold(best, side, square, code)
    at = right.base + word * 64 + square
    rights = inquiry.children.en_passant
    rights.entry[at] = best.outcome[square]
    if len(rights.dtg):
        rights.dtg[at] = plies_to_best(best, side, square, code)


@inner
def search_right(inquiry: Inquiry, right: Right, least: Int, most: Int) -> None:
    """Find the values of positions with a right whose own codes are from `least` to `most`."""
    block = inquiry.worker.block
    scratch = inquiry.worker.scratch
    if right.base == NOT_HERE:
        return
    for word in range(len(block.occupied)):
        anyone = note_captures(block, scratch, right, word)
        if anyone:
            note_moves(block, scratch, word, right.side, True)
            fold_word(block, inquiry.children, scratch, right.side, word)
        while anyone:
            square, anyone = lowest_and_rest(anyone)
            code = code_with(block, scratch, right, word * 64 + square)
            if least <= code <= most:
                search_position(inquiry, right, word, square, code)


@inner
def search_rights(inquiry: Inquiry, least: Int, most: Int) -> None:
    """The same of all rights to take en passant in a block."""
    block = inquiry.worker.block
    for taken in range(len(block.geometry.pawn_color)):
        right = right_to_take(block, inquiry.children, taken)
        search_right(inquiry, right, least, most)
