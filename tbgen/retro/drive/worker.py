"""Worker: all that one thread needs to solve blocks, and a block from its first word to its last value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import borrowing, inlined, inner
from tbgen.index.words import ONE, lowest_square
from tbgen.retro.drive.counts import count_words
from tbgen.retro.levels.en_passant import search_en_passant
from tbgen.retro.levels.forcer import STATUS, STORE_FULL, Forcer, new_forcer, open_words, start_forcer, start_middles
from tbgen.retro.levels.histories import EMPTY, OVERFLOWED, Store, forget, intern, new_store
from tbgen.retro.levels.stages import NO_LIMIT, STALEMATE, advance_middle, freeze, spread_class
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import MASK, Block, BlockValues, enter_block, new_block, number_cells, place_of
from tbgen.retro.words.geometry import Geometry
from tbgen.retro.words.legality import find_legal
from tbgen.retro.words.movelist import Scratch, new_scratch

STORE_NODES = 1 << 26
"""Histories of one run; memory for them is taken as they come."""


class Worker(NamedTuple):
    """A thread's own arrays."""

    block: Block
    scratch: Scratch
    white: Forcer
    black: Forcer
    pairs: Store


def new_worker(geometry: Geometry) -> Worker:
    """A worker for blocks of this geometry."""
    return Worker(
        new_block(geometry),
        new_scratch(len(geometry.role)),
        new_forcer(0, geometry, STORE_NODES),
        new_forcer(1, geometry, STORE_NODES),
        new_store(STORE_NODES),
    )


@borrowing
def name_patterns(block, white, black, side, entry, pairs, pattern):
    """Name the pair of histories of each cell, with this side to move, that has a value; `pattern` is empty before."""
    for word in range(len(block.occupied)):
        lanes = block.numbered[side, word, MASK]
        while lanes:
            square = lowest_square(lanes)
            lanes &= lanes - ONE
            place, cell = place_of(block, side, word, square), word * 64 + square
            left, right = np.int64(white.history[place]), np.int64(black.history[place])
            if entry[cell] and (left != EMPTY or right != EMPTY):
                pattern[cell] = intern(pairs, left, right)


@inlined
def status_of(forcer):
    """What has gone wrong for a forcer, 0 for nothing."""
    return STORE_FULL if forcer.store.state[OVERFLOWED] else forcer.state[STATUS]


@inner
def solve_levels(geometry, block, white, black, values):
    """All levels of a block whose moves are known; the status is 0 if all is well."""
    open_words(block, white, black, 0, geometry.words)
    start_forcer(block, white)
    start_forcer(block, black)
    left, k = 1, 0
    while left and not status_of(white) and not status_of(black):
        left = freeze(block, white, black, values, k, 0, geometry.words)
        if k == STALEMATE:
            places = number_cells(block, 0, geometry.words, 0)
            start_middles(block, white, places)
            start_middles(block, black, places)
        for forcer in (white, black):
            spread_class(geometry, block, forcer, values, k, NO_LIMIT)
            advance_middle(geometry, block, forcer, k)
        k += 1
    return status_of(white) or status_of(black)


@inner
def solve_block(geometry, worker, family, number, squares, values):
    """Solve one block whose children are all there; the status is 0 if all is well."""
    block, scratch = worker.block, worker.scratch
    enter_block(block, squares)
    find_legal(geometry, block, scratch.men, 0, geometry.words)
    status = find_moves(geometry, block, family, scratch, number, 0, geometry.words)
    if status:
        return status
    status = solve_levels(geometry, block, worker.white, worker.black, values)
    if status:
        return status
    search_en_passant(geometry, worker, family, values, number)
    return status_of(worker.white) or status_of(worker.black)


@borrowing
def solve_blocks(geometry, worker, family, blocks, own_mirror, first, end, cells, found):
    """Solve a run of independent blocks, and count and name what their cells hold.

    `blocks` are the pawns of all blocks, `own_mirror` says whether they equal their mirror image; the run's
    `cells` are (entry, dtg, pattern), its patterns are those of `worker.pairs`.
    """
    words, size = geometry.words, 128 * geometry.words
    for store in (worker.white.store, worker.black.store, worker.pairs):
        forget(store)
    for number in range(first, end):
        start = (number - first) * size
        values = BlockValues(cells.entry[start : start + size], cells.dtg[start : start + size])
        status = solve_block(geometry, worker, family, number, blocks[number], values)
        if status:
            return status
        count_words(geometry, values, own_mirror[number], worker.scratch.men, 0, words, start, found)
        for side in range(2):
            here = start + side * (size >> 1)
            entry, pattern = cells.entry[here : here + (size >> 1)], cells.pattern[here : here + (size >> 1)]
            name_patterns(worker.block, worker.white, worker.black, side, entry, worker.pairs, pattern)
        if worker.pairs.state[OVERFLOWED]:
            return STORE_FULL
    return 0
