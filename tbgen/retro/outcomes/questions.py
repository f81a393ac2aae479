"""Questions: what cells of a block are worth with a score accrued, answered on the way, since no histories are kept.

A question is answered once the middle of its accrued code has been found: the breaker's journal says which cells break
the hold, and with which outcome. There are two kinds. A position with a right to take en passant has its own code, the
captures counted, and one ply of search leads to cells of the block. And one accrued score can be asked of any cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, SignedBytes
from tbgen.compiled.jit import by_address, inlined, inner
from tbgen.index.kernels import GOALS, WORST_GOAL, byte_of_goal
from tbgen.index.words import lowest_and_rest, square_bit
from tbgen.retro.outcomes.codes import journals_at
from tbgen.retro.outcomes.grower import Grower, Journal
from tbgen.retro.patterns.en_passant import (
    Right,
    code_with,
    fold_captures,
    note_captures,
    right_to_take,
)
from tbgen.retro.resets.destinations import NOT_HERE, ChildTables
from tbgen.retro.resets.folding import fold_value, fold_word
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.moves import Scratch, note_moves
from tbgen.retro.words.quiet import Neighbours, list_neighbours


@by_address
class Questions(NamedTuple):
    """What is asked of a block."""

    holder: int
    code: int
    """The accrued score."""
    cells: Ints
    """[question] a cell, those with Black to move behind those with White to move."""
    answers: SignedBytes
    """[question] its outcome."""
    goal_of: Bytes
    """[cell] with which goal the breaker breaks the hold at the code at hand, NEVER if it does not."""


class Inquiry(NamedTuple):
    """A block that is being solved, what is asked of it, and all that answers take."""

    block: Block
    values: BlockValues
    children: ChildTables
    scratch: Scratch
    asked: Questions


NEVER = 255


@inner
def note_goals(journal: Journal, code: Int, goal_of: Bytes) -> None:
    """Write down the members of a middle, cell by cell."""
    goal_of[:] = NEVER
    for goal in range(code, WORST_GOAL - code):
        for at in range(journal.first[goal], journal.end[goal]):
            first, bits = np.int64(journal.word[at]) * 64, journal.bits[at]
            while bits:
                square, bits = lowest_and_rest(bits)
                goal_of[first + square] = goal


@inlined
def outcome_with(inquiry: Inquiry, breaker: Int, side: Int, cell: Int, code: Int) -> Int:
    """The outcome of a cell when the breaker's opponent has accrued `code`; on a tie it keeps that score."""
    block = inquiry.block
    byte = np.int64(inquiry.values.entry[side * block.code.shape[1] + cell])
    if byte and (block.code[side, cell] < code or abs(byte) - 1 < code):
        return byte
    goal = np.int64(inquiry.asked.goal_of[cell])
    return np.int64(byte_of_goal(goal, breaker) if goal < WORST_GOAL - code else byte_of_goal(code, 1 - breaker))


@inner
def answer(inquiry: Inquiry, breaker: Grower, has_middle: bool) -> None:
    """What the accrued score is worth in the cells asked, its middle just found; or there is none at its code."""
    block, asked = inquiry.block, inquiry.asked
    half = block.code.shape[1]
    for side in range(2):
        journals = journals_at(breaker.middle, asked.code)
        asked.goal_of[:] = NEVER
        if has_middle:
            note_goals(journals.own if side == breaker.side else journals.others, asked.code, asked.goal_of)
        for n in range(len(asked.cells)):
            if asked.cells[n] // half == side:
                cell = asked.cells[n] % half
                asked.answers[n] = outcome_with(inquiry, breaker.side, side, cell, asked.code)


@inner
def search_with_right(inquiry: Inquiry, near: Neighbours, right: Right, word: Int, square: Int, code: Int) -> Int:
    """The best outcome of a position with a right to take en passant: its resets, its captures, its quiet moves."""
    block, scratch, side, bit = inquiry.block, inquiry.scratch, right.side, square_bit(square)
    best = scratch.folded
    fold_captures(block, inquiry.children, scratch, right, bit)
    for n in range(list_neighbours(block, scratch.men, side, word, bit, near)):
        kings = near.bits[n] & block.legal[1 - side, near.word[n]]
        while kings:
            king, kings = lowest_and_rest(kings)
            cell = near.word[n] * 64 + king
            fold_value(best, side, square, outcome_with(inquiry, side, 1 - side, cell, code), 0)
    return np.int64(best.outcome[square])


@inner
def answer_rights(inquiry: Inquiry, near: Neighbours, right: Right, least: Int, most: Int) -> None:
    """Search the positions with a right whose codes are from `least` to `most`; the goals at hand are theirs."""
    block, children, scratch = inquiry.block, inquiry.children, inquiry.scratch
    for word in range(len(block.occupied)):
        anyone = note_captures(block, scratch, right, word)
        if anyone:
            note_moves(block, scratch, word, right.side)
            fold_word(block, children, scratch, right.side, word)
        while anyone:
            square, anyone = lowest_and_rest(anyone)
            cell = word * 64 + square
            code = code_with(block, scratch, right, cell)
            if least <= code <= most:
                best = search_with_right(inquiry, near, right, word, square, code)
                children.en_passant.entry[right.base + cell] = best


@inner
def answer_at(inquiry: Inquiry, white: Grower, black: Grower, code: Int) -> None:
    """All questions at an accrued code, its middles just found."""
    block, children, asked = inquiry.block, inquiry.children, inquiry.asked
    for breaker in (white, black):
        if asked.code == code and len(asked.cells) and breaker.side != asked.holder:
            answer(inquiry, breaker, True)
    for taken in range(len(block.geometry.pawn_color)):
        right = right_to_take(block, children, taken)
        if right.base != NOT_HERE:
            grower = white if right.side == white.side else black
            note_goals(journals_at(grower.middle, code).others, code, asked.goal_of)
            answer_rights(inquiry, grower.neighbours, right, code, code)


@inner
def answer_above(inquiry: Inquiry, white: Grower, black: Grower, code: Int) -> None:
    """All questions at codes above this one, once all cells are decided: entry values answer them."""
    block, children, asked = inquiry.block, inquiry.children, inquiry.asked
    asked.goal_of[:] = NEVER
    for breaker in (white, black):
        if (asked.code > code or asked.code < 2) and len(asked.cells) and breaker.side != asked.holder:
            answer(inquiry, breaker, False)
    for taken in range(len(block.geometry.pawn_color)):
        right = right_to_take(block, children, taken)
        if right.base != NOT_HERE:
            asked.goal_of[:] = NEVER
            grower = white if right.side == white.side else black
            answer_rights(inquiry, grower.neighbours, right, code + 1, GOALS)
