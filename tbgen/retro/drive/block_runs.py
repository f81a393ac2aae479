"""One block from its first word to its last value, and a run of blocks, as one kernel for one thread.

`solve_levels` does what `OneBlock.solve_levels` (one_block.py) does with all threads; tests hold the two against each
other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bools, Int, Ints, Ints32, SignedBytes
from tbgen.compiled.jit import borrowing, by_address, inlined, inner
from tbgen.handover import Cells
from tbgen.index.words import ONE, lowest_square
from tbgen.retro.drive.counts import count_words
from tbgen.retro.levels.en_passant import search_en_passant
from tbgen.retro.levels.forcer import (
    INTERNER_FULL,
    STATUS,
    Forcer,
    has_middles,
    open_words,
    start_forcer,
    start_middles,
)
from tbgen.retro.levels.histories import EMPTY, OVERFLOWED, forget_nodes, intern
from tbgen.retro.levels.stages import STALEMATE, advance_middle, freeze, spread_class
from tbgen.retro.levels.worker import Worker
from tbgen.retro.resets.family import Family
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import MASK, Block, BlockValues, enter_block, number_cells, place_of_cell
from tbgen.retro.words.legality import find_legal
from tbgen.retro.words.worklist import Span


@by_address
class BlockRun(NamedTuple):
    """Independent blocks that follow each other."""

    pawns: Ints
    """[block, pawn] -> square, of all blocks of the table."""
    own_mirror: Bools
    """[block] whether it equals its mirror image."""
    first: int
    end: int


@borrowing
def name_patterns(worker: Worker, side: Int, entry: SignedBytes, pattern: Ints32) -> None:
    """Number the pair of histories of each cell that has a value, for one side to move; `pattern` is empty before."""
    block, white, black = worker.block, worker.white, worker.black
    if not has_middles(white):
        return
    for word in range(len(block.occupied)):
        lanes = block.numbered[side, word, MASK]
        while lanes:
            square = lowest_square(lanes)
            lanes &= lanes - ONE
            place, cell = place_of_cell(block, side, word, square), word * 64 + square
            left, right = np.int64(white.history[place]), np.int64(black.history[place])
            if entry[cell] and (left != EMPTY or right != EMPTY):
                pattern[cell] = intern(worker.pairs, left, right)


@inlined
def status_of(forcer: Forcer) -> int:
    """What has gone wrong for a forcer, 0 for nothing."""
    status: int = INTERNER_FULL if forcer.interner.state[OVERFLOWED] else forcer.state[STATUS]
    return status


@inner
def solve_levels(block: Block, white: Forcer, black: Forcer, values: BlockValues) -> int:
    """All levels of a block whose moves are known; the status is 0 if all is well."""
    words = block.geometry.words
    open_words(block, white, black, 0, words)
    start_forcer(block, white)
    start_forcer(block, black)
    left, k = 1, 0
    while left and not status_of(white) and not status_of(black):
        left = freeze(block, white, black, values, k, 0, words)
        if k == STALEMATE:
            places = number_cells(block, 0, words, 0)
            start_middles(block, white, places)
            start_middles(block, black, places)
        for forcer in (white, black):
            spread_class(block, forcer, values, k)
            advance_middle(block, forcer, k)
        k += 1
    return status_of(white) or status_of(black)


@inner
def solve_block(worker: Worker, family: Family, number: Int, squares: Ints, values: BlockValues) -> int:
    """Solve one block whose children are all there; the status is 0 if all is well."""
    block, scratch = worker.block, worker.scratch
    words = block.geometry.words
    enter_block(block, number, squares)
    find_legal(block, scratch.men, 0, words)
    status = find_moves(block, family, scratch, 0, words)
    if status:
        return status
    status = solve_levels(block, worker.white, worker.black, values)
    if status:
        return status
    search_en_passant(worker, family, values)
    return status_of(worker.white) or status_of(worker.black)


@borrowing
def solve_blocks(worker: Worker, family: Family, run: BlockRun, cells: Cells, found: Ints) -> int:
    """Solve a run of blocks, and count and name what their cells hold.

    The run's `cells` are (entry, dtg, pattern), its patterns are those of `worker.pairs`.
    """
    geometry = worker.block.geometry
    words, size = geometry.words, 128 * geometry.words
    for interner in (worker.white.interner, worker.black.interner, worker.pairs):
        forget_nodes(interner)
    for number in range(run.first, run.end):
        start = (number - run.first) * size
        values = BlockValues(cells.entry[start : start + size], cells.dtg[start : start + size])
        status = solve_block(worker, family, number, run.pawns[number], values)
        if status:
            return status
        count_words(geometry, values, run.own_mirror[number], Span(0, words), start, worker.scratch.men, found)
        for side in range(2):
            here = start + side * (size >> 1)
            entry, pattern = cells.entry[here : here + (size >> 1)], cells.pattern[here : here + (size >> 1)]
            name_patterns(worker, side, entry, pattern)
        if worker.pairs.state[OVERFLOWED]:
            return INTERNER_FULL
    return 0
