"""Run solver: a run of blocks from values that are at hand to what its cells hold, by any thread of any process."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.handover import Cells, Dictionary, Distances, Entries, Run
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.retro.drive.block_runs import BlockRun, solve_blocks
from tbgen.retro.drive.counts import nothing_found
from tbgen.retro.drive.statuses import check_status
from tbgen.retro.levels.forcer import SWEEPS
from tbgen.retro.levels.patterns import dictionary_of
from tbgen.retro.levels.worker import Worker, new_worker
from tbgen.retro.resets.family import NOT_HERE, EnPassant, Family
from tbgen.retro.words.geometry import geometry_of
from tbgen.score import Mobility

MOST_RUN_CELLS = 1 << 20

Blocks = tuple[int, int]
"""The first block of a run, and the one after its last."""


def most_run_blocks(layout: Layout) -> int:
    """How many blocks are solved as one run at most."""
    return max(1, MOST_RUN_CELLS // (layout.block_words * 128))


class SolvedRun(NamedTuple):
    """What a run of blocks came to."""

    run: Run
    dictionary: Dictionary
    cells: Cells
    sweeps: int


class RunSolver:
    """Solves runs of blocks of one table; each thread that does has arrays of its own, which are used again."""

    def __init__(self, layout: Layout, game: Mobility) -> None:
        self.material: Material = layout.material
        self.game = game
        self.geometry = geometry_of(layout)
        self.block_cells = layout.block_words * 128
        self.pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
        self.mirrors = np.array([layout.is_own_mirror(pawns) for pawns in layout.blocks])
        self._idle: list[Worker] = []

    def solve(self, family: Family, blocks: Blocks) -> SolvedRun:
        """Solve blocks for which the family has all that they ask for."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = new_worker(self.geometry, self.game)
        (first, end), before = blocks, _sweeps(worker)
        size, found = (end - first) * self.block_cells, nothing_found()
        cells = Cells(np.zeros(size, np.int8), np.zeros(size, np.uint16), np.zeros(size, np.uint32))
        status = solve_blocks(worker, family, BlockRun(self.pawns, self.mirrors, first, end), cells, found)
        check_status(self.material, int(status))
        dictionary = dictionary_of(worker.pairs, worker.white.interner, worker.black.interner, cells.pattern)
        sweeps = _sweeps(worker) - before
        self._idle.append(worker)
        start, rights = first * self.block_cells, en_passant_of(family.en_passant, blocks, self.block_cells)
        return SolvedRun(Run(start, start + size, len(dictionary.rows), found, rights), dictionary, cells, sweeps)


def _sweeps(worker: Worker) -> int:
    return int(worker.white.state[SWEEPS] + worker.black.state[SWEEPS])


def en_passant_of(values: EnPassant, blocks: Blocks, block_cells: int) -> tuple[Entries, Distances]:
    """The values of some blocks with a right to take en passant."""
    starts = values.start[slice(*blocks)]
    if (starts == NOT_HERE).all():
        return values.entry[:0], values.dtg[:0]
    here = slice(starts[starts != NOT_HERE].min(), starts.max() + block_cells // 2)
    return values.entry[here], values.dtg[here]
