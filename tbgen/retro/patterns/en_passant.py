"""En passant: entry values of positions in which a pawn that has just stepped twice can be taken.

Such a right exists only right after the double step, which is a reset, so these positions are only ever
asked for their entry values. They have no cells: one ply of search in the solved block gives the value,
and it is kept beside the table until the blocks with that double step have been solved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined, inner
from tbgen.index.kernels import WORST_GOAL, byte_of_goal, goal_of_byte
from tbgen.index.squares import PAWN_ATTACKS
from tbgen.index.words import NOTHING, lowest_and_rest, square_bit
from tbgen.retro.patterns.histories import label_at_code
from tbgen.retro.patterns.packing import goal_of_label, plies_of_label
from tbgen.retro.patterns.worker import AnyWorker, has_histories
from tbgen.retro.resets.destinations import NOT_HERE, ChildTables
from tbgen.retro.resets.folding import fold_reset, fold_value
from tbgen.retro.words.block import Best, Block, BlockValues, number_of_reset, place_of_cell
from tbgen.retro.words.geometry import BLACK, WHITE, king_of
from tbgen.retro.words.moves import NO_ROLE, Scratch, kings_after_move, note_move, unpack_squares
from tbgen.retro.words.quiet import list_neighbours


class Right(NamedTuple):
    """A right to take en passant: `side` may take pawn number `taken` by stepping to the square it `passed`."""

    side: Int
    taken: Int
    passed: Int
    base: Int
    """Where the values of the block's cells with this right begin."""


@inner
def value_with(worker: AnyWorker, values: BlockValues, side: Int, cell: Int, code: Int) -> tuple[Int, Int]:
    """The outcome byte and distance of a cell of the solved block when the side to move has accrued `code`.

    Reached by a quiet move of the other side, so on a tie of codes the holder keeps its score.
    """
    block, own = worker.block, side * len(worker.block.occupied) * 64 + cell
    byte = np.int64(values.entry[own])
    if block.code[side, cell] < code or abs(byte) - 1 < code:
        return byte, np.int64(values.dtg[own])
    breaker = worker.black if side == WHITE else worker.white
    if has_histories(breaker):
        history = np.int64(breaker.history[place_of_cell(block, side, cell >> 6, cell & 63)])
        label = label_at_code(breaker.interner, history, code)
        if goal_of_label(label) < WORST_GOAL - code:
            return np.int64(byte_of_goal(goal_of_label(label), 1 - side)), plies_of_label(label)
    return np.int64(byte_of_goal(code, side)), np.int64(0)


@inner
def fold_quiet_moves(worker: AnyWorker, values: BlockValues, side: Int, word: Int, square: Int, code: Int) -> None:
    """Fold all quiet moves of a cell, whose own code is given, into the mover's best."""
    block, near, other = worker.block, worker.white.neighbours, 1 - side
    for n in range(list_neighbours(block, worker.scratch.men, side, word, square_bit(square), near)):
        kings = near.bits[n] & block.legal[other, near.word[n]]
        while kings:
            king, kings = lowest_and_rest(kings)
            byte, plies = value_with(worker, values, other, near.word[n] * 64 + king, code)
            fold_value(worker.scratch.folded, side, square, byte, plies)


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
    if block.geometry.pawn_color[taker] != side or not PAWN_ATTACKS[side, start] & square_bit(right.passed):
        return NOTHING
    gone = square_bit(start) | square_bit(pawns[right.taken])
    occupied = block.occupied[word] & ~gone | square_bit(right.passed)
    pawns[taker] = right.passed
    legal = kings_after_move(side, block, scratch.men, king_of(block.geometry, word), occupied, right.taken)
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
def fold_captures(block: Block, children: ChildTables, scratch: Scratch, right: Right, bit: Word) -> None:
    """Fold the noted captures of a cell into the mover's best."""
    for taker in range(len(block.geometry.pawn_color)):
        if scratch.captures[taker] & bit:
            scratch.noted[0] = 0
            note_move(scratch, bit, taker, right.passed, right.taken, NO_ROLE, 0)
            fold_reset(children, scratch, right.side, bit, scratch.moves[0])


@inlined
def recall_best(worker: AnyWorker, side: Int, word: Int, square: Int) -> None:
    """Begin with the best reset that a cell has without the right."""
    block, best = worker.block, worker.scratch.folded
    best.outcome[square] = 0
    if block.resets[side, word] & square_bit(square):
        at = number_of_reset(block, side, word, square)
        best.outcome[square] = block.best.outcome[at]
        best.shortest[square] = block.best.shortest[at]
        best.longest[square] = block.best.longest[at]


@inner
def search_word(
    worker: AnyWorker, children: ChildTables, values: BlockValues, right: Right, word: Int, anyone: Word
) -> None:
    """Find the values of those positions of a word in which the pawn can be taken."""
    block, scratch, side, best = worker.block, worker.scratch, right.side, worker.scratch.folded
    while anyone:
        square, anyone = lowest_and_rest(anyone)
        cell = word * 64 + square
        code = code_with(block, scratch, right, cell)
        recall_best(worker, side, word, square)
        fold_captures(block, children, scratch, right, square_bit(square))
        fold_quiet_moves(worker, values, side, word, square, code)
        if not has_histories(worker.white):
            fold_hold(best, side, square, code)
        goal, plies = goal_of_byte(np.int64(best.outcome[square]), side), np.int64(0)
        if goal < WORST_GOAL - code:
            plies = 1 + np.int64(best.shortest[square])
        elif goal > WORST_GOAL - code:
            plies = 1 + np.int64(best.longest[square])
        children.en_passant.entry[right.base + cell] = best.outcome[square]
        children.en_passant.dtg[right.base + cell] = plies


@inner
def search_en_passant(worker: AnyWorker, children: ChildTables, values: BlockValues) -> None:
    """After a block has been solved: the values of its positions with a right to take en passant."""
    block = worker.block
    for taken in range(len(block.geometry.pawn_color)):
        right = right_to_take(block, children, taken)
        if right.base != NOT_HERE:
            for word in range(block.geometry.words):
                search_word(worker, children, values, right, word, note_captures(block, worker.scratch, right, word))
