"""Rights: values with a right to take en passant, in blocks whose cells keep no histories.

A position with a right has its own code, the captures counted, and one ply of search leads to cells
of the block. It is answered once the middle of its accrued code has been found: the breaker's
journal says which cells break the hold, and with which outcome.
"""

import numpy as np

from tbgen.compiled.arrays import Int
from tbgen.compiled.jit import inner
from tbgen.index.kernels import GOALS, WORST_GOAL
from tbgen.index.words import lowest_and_rest
from tbgen.retro.outcomes.en_passant import NEVER, Inquiry, right_to_take, search_right
from tbgen.retro.outcomes.grower import Journal, journal_at
from tbgen.retro.resets.destinations import NOT_HERE


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
def find_rights(inquiry: Inquiry, code: Int, is_over: bool) -> None:
    """Find the values with a right at an accrued code, whose middles have just been found.

    Once all cells are decided, it finds those at higher codes.
    """
    block = inquiry.worker.block
    least = code + 1 if is_over else code
    most = np.int64(GOALS) if is_over else code
    for breaker in (inquiry.worker.white, inquiry.worker.black):
        journal = journal_at(breaker.middle, code)
        for taken in range(len(block.geometry.pawn_color)):
            right = right_to_take(block, inquiry.children, taken)
            if right.base != NOT_HERE and right.side == breaker.side:
                note_goals(inquiry, journal, code)
                search_right(inquiry, right, least, most)
