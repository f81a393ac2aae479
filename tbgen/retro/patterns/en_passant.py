"""En passant: entry values of positions in which a pawn that has just stepped twice can be taken.

Such a right exists only right after the double step, which is a reset, so these positions are only ever
asked for their entry values. They have no cells: one ply of search in the solved block gives the value,
and it is kept beside the table until the blocks with that double step have been solved.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Word
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import WORST_GOAL, byte_of_goal, goal_of_byte
from tbgen.index.squares import PAWN_ATTACKS
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.patterns.histories import label_at_code
from tbgen.retro.patterns.packing import NO_LABEL, goal_of_label, label_from, plies_of_label
from tbgen.retro.patterns.worker import AnyWorker, has_histories
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
    """A right to take en passant: `side` may take pawn number `taken` by stepping to the square it `passed`."""

    side: Int
    taken: Int
    passed: Int
    base: Int
    """Where the values of the block's cells with this right begin."""


class Inquiry(NamedTuple):
    """A block of which it is asked what scores that have accrued are worth, and all that answers take."""

    worker: AnyWorker
    values: BlockValues
    children: ChildTables
    goal_of: Bytes
    """[side * cells + cell] with which goal the side at hand breaks the hold at the code at hand, NEVER if it does not;
    empty where histories say so, or nobody breaks a hold."""


NEVER = 255


@inlined
def label_of_break(inquiry: Inquiry, breaker: Int, side: Int, cell: Int, code: Int) -> Int:
    """With which goal and plies, as a label, a side breaks the hold at an accrued code, if it does."""
    searcher = inquiry.worker.white if breaker == WHITE else inquiry.worker.black
    if has_histories(searcher):
        number = number_of_cell(inquiry.worker.block, side, cell >> 6, cell & 63)
        return np.int64(label_at_code(searcher.interner, np.int64(searcher.history[number]), code))
    own = side * inquiry.worker.block.code.shape[1] + cell
    return (
        label_from(np.int64(inquiry.goal_of[own]), 0)
        if len(inquiry.goal_of)
        else np.int64(NO_LABEL)
    )


@inner
def value_with(inquiry: Inquiry, breaker: Int, side: Int, cell: Int, code: Int) -> tuple[Int, Int]:
    """The outcome byte and distance of a cell if the breaker's opponent has accrued `code`, which it keeps on a tie."""
    block, values = inquiry.worker.block, inquiry.values
    own = side * block.code.shape[1] + cell
    byte = np.int64(values.entry[own])
    if byte and (block.code[side, cell] < code or abs(byte) - 1 < code):
        return byte, np.int64(values.dtg[own]) if len(values.dtg) else np.int64(0)
    label = label_of_break(inquiry, breaker, side, cell, code)
    if goal_of_label(label) < WORST_GOAL - code:
        return np.int64(byte_of_goal(goal_of_label(label), breaker)), plies_of_label(label)
    return np.int64(byte_of_goal(code, 1 - breaker)), np.int64(0)


@inner
def fold_quiet_moves(inquiry: Inquiry, side: Int, word: Int, square: Int, code: Int) -> None:
    """Fold all quiet moves of a cell, whose own code is given, into the mover's best."""
    worker, near = inquiry.worker, inquiry.worker.white.neighbours
    block, scratch = worker.block, worker.scratch
    for n in range(list_neighbours(block, scratch.men, side, word, square_bit(square), near, None)):
        kings = near.bits[n] & block.legal[1 - side, near.word[n]]
        while kings:
            king, kings = lowest_and_rest(kings)
            byte, plies = value_with(inquiry, side, 1 - side, near.word[n] * 64 + king, code)
            fold_value(scratch.folded, side, square, byte, plies)


# A reset has been folded by what it is worth with nothing accrued. Where it does not forget, that takes the place of an
# accrued score only if its code is lower; and so does the best of all moves, as the order of outcomes stays the same.
@inlined
def fold_hold(best: Best, side: Int, square: Int, code: Int) -> None:
    """Put the score `code`, which the other side has accrued, in place of a best outcome of no lower code."""
    if abs(np.int64(best.outcome[square])) - 1 >= code:
        best.outcome[square] = byte_of_goal(code, 1 - side)


@inner
def kings_when_taking(block: Block, scratch: Scratch, right: Right, word: Int, taker: Int) -> Word:
    """Black king squares with which pawn `taker` may take the pawn that has just stepped twice."""
    side, pawns, start = right.side, block.pawns, block.pawns[taker]
    if block.geometry.pawn_color[taker] != side or not PAWN_ATTACKS[side, start] & square_bit(
        right.passed
    ):
        return NOTHING
    gone = square_bit(start) | square_bit(pawns[right.taken])
    occupied = block.occupied[word] & ~gone | square_bit(right.passed)
    pawns[taker] = right.passed
    legal = kings_after_move(
        side, block, scratch.men, king_of(block.geometry, word), occupied, right.taken
    )
    pawns[taker] = start
    return legal


@inlined
def right_to_take(block: Block, children: ChildTables, taken: Int) -> Right:
    """The right to take a pawn; its base is NOT_HERE if no pawn stands beside it, or it has made no double step."""
    side, square = 1 - block.geometry.pawn_color[taken], block.pawns[taken]
    base = children.en_passant.start[block.number[0], side, square & 7]
    if square >> 3 != (3 if side == BLACK else 4):
        base = np.int64(NOT_HERE)
    return Right(side, taken, square - 8 if side == BLACK else square + 8, base)


@inner
def note_captures(block: Block, scratch: Scratch, right: Right, word: Int) -> Word:
    """Black king squares with which each pawn may take, noted in the scratch space; those of all pawns together."""
    back = right.passed - block.pawns[right.taken]
    way = square_bit(right.passed) | square_bit(right.passed + back)
    kings, anyone = block.legal[right.side, word] & ~way, NOTHING
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


@inner
def search_position(inquiry: Inquiry, right: Right, word: Int, square: Int, code: Int) -> None:
    """Find the value of a position in which the pawn can be taken, its resets folded."""
    scratch, children, side, best = (
        inquiry.worker.scratch,
        inquiry.children,
        right.side,
        inquiry.worker.scratch.folded,
    )
    fold_captures(inquiry.worker.block, children, scratch, right, square_bit(square))
    fold_quiet_moves(inquiry, side, word, square, code)
    if not has_histories(inquiry.worker.white) and len(inquiry.goal_of) == 0:
        fold_hold(best, side, square, code)
    at = right.base + word * 64 + square
    children.en_passant.entry[at] = best.outcome[square]
    if len(children.en_passant.dtg):
        goal, plies = goal_of_byte(np.int64(best.outcome[square]), side), np.int64(0)
        if goal < WORST_GOAL - code:
            plies = 1 + np.int64(best.shortest[square])
        elif goal > WORST_GOAL - code:
            plies = 1 + np.int64(best.longest[square])
        children.en_passant.dtg[at] = plies


@inner
def search_right(inquiry: Inquiry, right: Right, least: Int, most: Int) -> None:
    """Find the values of positions with a right, if there is one, whose own codes are from `least` to `most`."""
    block, scratch = inquiry.worker.block, inquiry.worker.scratch
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
    for taken in range(len(inquiry.worker.block.geometry.pawn_color)):
        search_right(
            inquiry, right_to_take(inquiry.worker.block, inquiry.children, taken), least, most
        )
