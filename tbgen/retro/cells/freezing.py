"""Freezing: cells whose own code is the accrued one get their entry values."""

from collections.abc import Callable

import numpy as np

from tbgen.compiled.arrays import Int, Word
from tbgen.compiled.jit import inlined
from tbgen.index.words import NOTHING, count, lowest_and_rest, square_bit
from tbgen.retro.cells.worker import STATUS, S
from tbgen.retro.status import FORCED_TWICE
from tbgen.retro.words.block import NO_CODE, Block, BlockValues
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.worklist import drop_word
from tbgen.score import MOST_STORED_CODE

TOP_CODE = MOST_STORED_CODE
"""No outcome has a higher code: a side forces a lower one wherever a position's own is higher."""

FIRST_MIDDLE = 2
"""The accrued code of the first middle: mates and stalemates end the game."""


@inlined
def ripe_cells(block: Block, side: Int, word: Int, still: Word, code: Int) -> Word:
    """Those of the undecided cells of a word that have this own code; notes the next higher one."""
    if np.int64(block.next_code[side, word]) > code:
        return NOTHING
    ripe = NOTHING
    next_code = np.int64(NO_CODE)
    while still:
        square, still = lowest_and_rest(still)
        own = np.int64(block.code[side, word * 64 + square])
        if own == code:
            ripe |= square_bit(square)
        else:
            next_code = min(next_code, own)
    block.next_code[side, word] = next_code
    return ripe


# `freeze_word` is a solver's own: it writes entry values, and returns the cells that have one now.
@inlined
def freeze_cells(
    freeze_word: Callable[[Block, S, BlockValues, Int, Int, Int, Word], Word],
    block: Block,
    white: S,
    black: S,
    values: BlockValues,
    code: Int,
    first: Int,
    end: Int,
) -> int:
    """Freeze those undecided cells of a range of words that neither side has forced before.

    Returns how many are left.
    """
    left = 0
    for side in range(2):
        mover = white if side == WHITE else black
        for word in range(first, end):
            block.frozen[side, word] = NOTHING
            undecided = block.undecided[side, word]
            if undecided == NOTHING:
                continue
            not_white = white.forced.free[side, word]
            not_black = black.forced.free[side, word]
            if undecided & ~not_white & ~not_black:
                white.state[STATUS] = FORCED_TWICE
            still = undecided & not_white & not_black
            frozen = freeze_word(block, mover, values, code, side, word, still)
            block.frozen[side, word] = frozen
            still &= ~frozen
            block.undecided[side, word] = still
            for members in (white.forced, black.forced):
                members.free[side, word] = still
                if still == NOTHING:
                    drop_word(members.live[side], word)
            left += count(still)
    return left
