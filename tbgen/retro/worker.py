"""Worker: all that one thread needs to solve blocks, and a block from its first word to its last value."""

from __future__ import annotations

from typing import NamedTuple

from tbgen._jit import inlined, inner, kernel
from tbgen.index.words import NOTHING, square_bit
from tbgen.retro.block import Block, new_block
from tbgen.retro.en_passant import search_en_passant
from tbgen.retro.geometry import Geometry
from tbgen.retro.interning import EMPTY, Store, forget, intern, new_store
from tbgen.retro.legality import find_legal
from tbgen.retro.levels import STORE_FULL, Forcer, advance, freeze, new_forcer, start_forcer
from tbgen.retro.mobility import find_moves
from tbgen.retro.movelist import Scratch, new_scratch
from tbgen.retro.tally import count_words

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


@kernel
def enter_block(block, squares):
    """Begin with another placement of the pawns."""
    block.pawn_set[0] = NOTHING
    for n in range(len(squares)):
        block.pawns[n] = squares[n]
        block.pawn_set[0] |= square_bit(squares[n])


@kernel
def name_patterns(history, entry, pairs, first, end, pattern):
    """Name the pair of histories of each cell with a value in a range of words of a block."""
    cells = history.shape[2]
    for side in range(2):
        for cell in range(first * 64, end * 64):
            place = side * cells + cell
            left, right = history[0, side, cell], history[1, side, cell]
            empty = entry[place] == 0 or (left == EMPTY and right == EMPTY)
            pattern[place] = EMPTY if empty else intern(pairs, left, right)


@inlined
def _status(forcer):
    return STORE_FULL if forcer.store.state[2] else forcer.state[1]


@inner
def solve_block(geometry, worker, family, number, squares, entry, dtg):
    """Solve one block whose children are all there; the status is 0 if all is well."""
    block = worker.block
    enter_block(block, squares)
    find_legal(geometry, block, 0, geometry.words)
    status = find_moves(geometry, block, family, worker.scratch, number, 0, geometry.words)
    if status:
        return status
    start_forcer(block, worker.white)
    start_forcer(block, worker.black)
    more, k = True, 0
    while more and not _status(worker.white) and not _status(worker.black):
        more = freeze(block, worker.white, worker.black, k, entry, dtg)
        advance(geometry, block, worker.white, k)
        advance(geometry, block, worker.black, k)
        k += 1
    search_en_passant(geometry, worker, family, entry, dtg, number)
    return _status(worker.white) or _status(worker.black)


@kernel
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
        entry, dtg = cells.entry[start : start + size], cells.dtg[start : start + size]
        status = solve_block(geometry, worker, family, number, blocks[number], entry, dtg)
        if status:
            return status
        count_words(geometry, entry, dtg, own_mirror[number], 0, words, start, found)
        name_patterns(worker.block.history, entry, worker.pairs, 0, words, cells.pattern[start : start + size])
        if worker.pairs.state[2]:
            return STORE_FULL
    return 0
