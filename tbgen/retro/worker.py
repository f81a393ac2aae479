"""Worker: all that one thread needs to solve blocks, and a block from its first word to its last value."""

from __future__ import annotations

from typing import NamedTuple

from tbgen._jit import inlined, inner, kernel
from tbgen.index.words import NOTHING, square_bit
from tbgen.retro.block import Block, new_block
from tbgen.retro.en_passant import search_en_passant
from tbgen.retro.geometry import Geometry
from tbgen.retro.interning import EMPTY, Store, intern, new_store
from tbgen.retro.legality import find_legal
from tbgen.retro.levels import STORE_FULL, Forcer, advance, freeze, new_forcer, start_forcer
from tbgen.retro.mobility import find_moves
from tbgen.retro.movelist import Scratch, new_scratch

STORE_NODES = 1 << 22


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
def pair_histories(history, pairs, pattern):
    """Name the pair of histories of each cell of a block."""
    cells = history.shape[2]
    for side in range(2):
        for cell in range(cells):
            left, right = history[0, side, cell], history[1, side, cell]
            pattern[side * cells + cell] = EMPTY if left == EMPTY and right == EMPTY else intern(pairs, left, right)


@inlined
def _status(forcer):
    return STORE_FULL if forcer.store.state[2] else forcer.state[1]


@inner
def solve_block(geometry, worker, family, number, squares, pattern):
    """Solve one block whose children are all there; the status is 0 if all is well."""
    block = worker.block
    size = 128 * geometry.words
    entry, dtg = family.entry[number * size : (number + 1) * size], family.dtg[number * size : (number + 1) * size]
    enter_block(block, squares)
    find_legal(geometry, block, 0, geometry.words)
    status = find_moves(geometry, block, family, worker.scratch, 0, geometry.words)
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
    pair_histories(block.history, worker.pairs, pattern[number * size : (number + 1) * size])
    return _status(worker.white) or _status(worker.black) or (STORE_FULL if worker.pairs.state[2] else 0)


@kernel
def solve_blocks(geometry, worker, family, blocks, first, end, pattern):
    """Solve a run of independent blocks; `blocks` are their pawns."""
    for number in range(first, end):
        status = solve_block(geometry, worker, family, number, blocks[number], pattern)
        if status:
            return status
    return 0
