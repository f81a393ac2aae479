"""Questions: what accrued scores are worth in a block that is solved alone, answered on the way.

No histories are kept there. Each question is answered once the middle of its accrued code has been
found: the breaker's journal says which cells break the hold, and with which outcome. There are two
kinds. Accrued scores can be asked of any cells. And a position with a right to take en passant has
its own code, the captures counted, and one ply of search leads to cells of the block.
"""

from typing import Final, NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes
from tbgen.compiled.jit import by_address, inner
from tbgen.index.kernels import GOALS, WORST_GOAL
from tbgen.index.words import lowest_and_rest
from tbgen.retro.cells.freezing import FIRST_MIDDLE
from tbgen.retro.outcomes.en_passant import NEVER, Inquiry, right_to_take, search_right, value_with
from tbgen.retro.outcomes.grower import Journal, journal_at
from tbgen.retro.resets.destinations import NOT_HERE


@by_address
class Questions(NamedTuple):
    """[question] What is asked of a block, and the outcomes that answer it."""

    holder: Ints
    code: Ints
    """The accrued score."""
    cells: Ints
    """Where it is asked: cells with Black to move are behind those with White to move."""
    answers: SignedBytes


NO_QUESTIONS: Final = Questions(
    holder=np.zeros(0, np.int64),
    code=np.zeros(0, np.int64),
    cells=np.zeros(0, np.int64),
    answers=np.zeros(0, np.int8),
)


@inner
def note_goals(inquiry: Inquiry, journal: Journal, code: Int) -> None:
    """Write down the members of a middle, cell by cell; above all codes there are none."""
    inquiry.goal_of[:] = NEVER
    for goal in range(code, WORST_GOAL - code):
        for at in range(journal.first[goal], journal.first[goal + 1]):
            first = np.int64(journal.word[at]) * 64
            bits = journal.bits[at]
            while bits:
                square, bits = lowest_and_rest(bits)
                inquiry.goal_of[first + square] = goal


@inner
def answer_from_journals(inquiry: Inquiry, asked: Questions, code: Int, is_over: bool) -> None:
    """Answer all questions at an accrued code, whose middles have just been found.

    Once all cells are decided, it answers those at higher codes, and at codes without a middle.
    """
    block = inquiry.worker.block
    half = block.code.shape[1]
    least = code + 1 if is_over else code
    most = np.int64(GOALS) if is_over else code
    for breaker in (inquiry.worker.white, inquiry.worker.black):
        journal = journal_at(breaker.middle, code)
        are_noted = False
        for n in range(len(asked.cells)):
            accrued = asked.code[n]
            cell = asked.cells[n]
            has_no_middle = is_over and accrued < FIRST_MIDDLE
            is_due = has_no_middle or least <= accrued <= most
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
