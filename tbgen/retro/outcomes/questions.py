"""All accrued codes of a block, and questions that are answered on the way where no histories are kept.

A question is answered once the middle of its accrued code has been found: the breaker's journal says which cells break
the hold, and with which outcome. There are two kinds. A position with a right to take en passant has its own code, the
captures counted, and one ply of search leads to cells of the block. And one accrued score can be asked of any cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.index.kernels import GOALS, WORST_GOAL
from tbgen.index.words import lowest_and_rest
from tbgen.retro.outcomes.codes import freeze_holds, journals_at, search_outcomes, settle, start_goals, start_grower
from tbgen.retro.outcomes.grower import Journal
from tbgen.retro.patterns.en_passant import NEVER, Inquiry, right_to_take, search_right, value_with
from tbgen.retro.patterns.worker import FIRST_MIDDLE, STATUS, open_words
from tbgen.retro.resets.destinations import NOT_HERE
from tbgen.retro.words.block import number_cells
from tbgen.score import STALEMATE_CODE


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


@inner
def note_goals(inquiry: Inquiry, journal: Journal, code: Int, is_over: bool) -> None:
    """Write down the members of a middle, cell by cell; there are none once all cells are decided."""
    inquiry.goal_of[:] = NEVER
    for goal in range(0 if is_over else code, 0 if is_over else WORST_GOAL - code):
        for at in range(journal.first[goal], journal.end[goal]):
            first, bits = np.int64(journal.word[at]) * 64, journal.bits[at]
            while bits:
                square, bits = lowest_and_rest(bits)
                inquiry.goal_of[first + square] = goal


@inner
def answer(inquiry: Inquiry, asked: Questions, code: Int, is_over: bool) -> None:
    """All questions at an accrued code, its middles just found, or above it once all cells are decided."""
    block, half = inquiry.worker.block, inquiry.worker.block.code.shape[1]
    least, most = (code + 1, np.int64(GOALS)) if is_over else (code, code)
    is_asked = least <= asked.code <= most or (is_over and asked.code < FIRST_MIDDLE)
    for breaker in (inquiry.worker.white, inquiry.worker.black):
        journals = journals_at(breaker.middle, code)
        for side in range(2 if is_asked and len(asked.cells) and breaker.side != asked.holder else 0):
            note_goals(inquiry, journals.own if side == breaker.side else journals.others, code, is_over)
            for n in range(len(asked.cells)):
                if asked.cells[n] // half == side:
                    byte, _ = value_with(inquiry, breaker.side, side, asked.cells[n] % half, asked.code)
                    asked.answers[n] = byte
        for taken in range(len(block.geometry.pawn_color)):
            right = right_to_take(block, inquiry.children, taken)
            if right.base != NOT_HERE and right.side == breaker.side:
                note_goals(inquiry, journals.others, code, is_over)
                search_right(inquiry, right, least, most)


@borrowing
def solve_outcomes(inquiry: Inquiry, asked: Questions | None) -> int:
    """Solve a block whose moves are known, until something goes wrong; the status is 0 if all is well.

    Without histories something is asked, if only of positions with a right to take en passant.
    """
    block, white, black, values = inquiry.worker.block, inquiry.worker.white, inquiry.worker.black, inquiry.values
    words, left, code = len(block.occupied), 1, 0
    open_words(block, white.forced, black.forced, 0, words)
    start_grower(block, white)
    start_grower(block, black)
    while left and not white.state[STATUS] and not black.state[STATUS]:
        settle(block, white, code)
        settle(block, black, code)
        left = freeze_holds(block, white, black, values, code, 0, words)
        if code == STALEMATE_CODE:
            cells = number_cells(block, 0, words, 0) if len(white.history) else 0
            start_goals(block, white, cells)
            start_goals(block, black, cells)
        search_outcomes(block, white, black, values, code)
        search_outcomes(block, black, white, values, code)
        code += 1
        if asked is not None and code >= FIRST_MIDDLE:
            answer(inquiry, asked, code, False)
    if asked is not None:
        answer(inquiry, asked, code, True)
    return int(white.state[STATUS] or black.state[STATUS])
