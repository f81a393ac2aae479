"""One accrued code after another, for outcomes alone: freeze, class, middle (docs/solving.md).

At each accrued code the undecided cells whose own code it is are *frozen*. A hold that stands gives
the code itself. A hold that its middle broke has been frozen on the way, as the cell joined. Then
each forcer finds its class, and the middle at the next code.
"""

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import WORST_GOAL, byte_of_goal
from tbgen.retro.cells.freezing import FIRST_MIDDLE, TOP_CODE, freeze_cells, ripe_cells
from tbgen.retro.cells.worker import HISTORIES, STATUS, has_middles
from tbgen.retro.outcomes.grower import Grower
from tbgen.retro.outcomes.growth import Search, grow, write_outcome
from tbgen.retro.outcomes.middles import find_middle
from tbgen.retro.outcomes.seeds import (
    forget_exits,
    join_by_resets,
    link_exits,
    mark_before_exits,
    sort_resets,
    take_exits,
    unblock,
)
from tbgen.retro.status import TOO_HIGH
from tbgen.retro.words.block import Block, BlockValues
from tbgen.retro.words.quiet import mark_predecessors
from tbgen.retro.words.worklist import Markable
from tbgen.score import STALEMATE_CODE

CODES_PER_SORTING = 4
"""Resets are sorted anew after so many codes, without those of cells decided since."""


@borrowing
def start_grower(block: Block, grower: Grower) -> None:
    """Begin with a block whose words are open, and list the resets to mate."""
    side = grower.side
    grower.state[:] = 0
    forget_exits(grower.exits)
    for word in range(len(block.occupied)):
        grower.ripe[word] = ripe_cells(block, side, word, block.undecided[side, word], 0)
        if has_middles(grower.mode):
            grower.middle.never[word] = grower.forced.left[word]
    sort_resets(block, grower, True)


@borrowing
def prepare_code(block: Block, grower: Grower, code: int, cells: int) -> None:
    """Once a code is frozen, link its exits, and sometimes sort the resets anew.

    After the mates `cells` are left undecided, and their histories begin. At other codes it is 0.
    """
    link_exits(grower.exits)
    # Until stalemate is frozen, the resets to mate are listed. From then on it is all others.
    if code % CODES_PER_SORTING == STALEMATE_CODE:
        sort_resets(block, grower, False)
    if grower.mode == HISTORIES:
        grower.history[:cells] = 0


@inlined
def freeze_holds_of_word(
    block: Block, mover: Grower, values: BlockValues, code: Int, side: Int, word: Int, still: Word
) -> Word:
    """Freeze the undecided cells of a word whose own hold stands at this code; return which.

    It also notes which cells are ripe for the next code.
    """
    hold = mover.ripe[word] & still
    if hold:
        if code > TOP_CODE:
            mover.state[STATUS] = TOO_HIGH
        byte = byte_of_goal(min(code, TOP_CODE), 1 - side)
        write_outcome(block, values, side, word, hold, byte)
    mover.ripe[word] = ripe_cells(block, side, word, still & ~hold, code + 1)
    return hold


@borrowing
def freeze_holds(
    block: Block, white: Grower, black: Grower, values: BlockValues, code: int, first: int, end: int
) -> int:
    """Freeze those cells of a range of words whose own hold stands at this code.

    Returns how many are left undecided.
    """
    return freeze_cells(freeze_holds_of_word, block, white, black, values, code, first, end)


@inner
def find_class(block: Block, grower: Grower, other: Grower, values: BlockValues, code: Int) -> None:
    """Find the cells from which the forcer gets this code of its own, whatever has accrued."""
    side = grower.side
    defender = 1 - side
    members = grower.forced
    to_join = Markable(grower.joining, members.free[side], members.live[side])
    to_check = Markable(grower.checked, members.free[defender], members.live[defender])
    for word in range(len(block.occupied)):
        held = block.frozen[defender, word]
        if held:
            mark_predecessors(block, grower.men, side, word, held, to_join, grower.neighbours)
    take_exits(grower, members, code)
    mark_before_exits(block, grower, defender, grower.exits, code, 0, to_check)
    mark_before_exits(block, grower, side, other.exits, WORST_GOAL - code, 0, to_join)
    join_by_resets(grower, members, code)
    unblock(grower, other, members, code, members.free[defender])
    grow(block, grower, members, values, Search(code, code, True))


@borrowing
def search_outcomes(
    block: Block, grower: Grower, other: Grower, values: BlockValues, code: int
) -> None:
    """One forcer's class at an accrued code, then its middle at the next one, if there are any."""
    if code > TOP_CODE:
        return
    find_class(block, grower, other, values, code)
    if code + 1 >= FIRST_MIDDLE and has_middles(grower.mode):
        find_middle(block, grower, other, values, code + 1)
