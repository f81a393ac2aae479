"""A table with pawns: many blocks, solved wave by wave.

Blocks of one wave are independent of each other and shared out among the threads in runs. What a run holds
depends on its blocks alone, so one that is found in the store from an earlier attempt is taken as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from tbgen.handover import Cells, Distances, Entries, Run
from tbgen.index.layout import Layout
from tbgen.retro.drive.block_runs import BlockRun, solve_blocks
from tbgen.retro.drive.counts import nothing_found
from tbgen.retro.drive.statuses import check_status
from tbgen.retro.drive.task import Task
from tbgen.retro.levels.forcer import SWEEPS
from tbgen.retro.levels.patterns import dictionary_of
from tbgen.retro.levels.worker import Worker, new_worker
from tbgen.retro.resets.family import NOT_HERE, EnPassant, Family, empty_family

MOST_RUN_CELLS = 1 << 20

Blocks = tuple[int, int]
"""The first block of a run, and the one after its last."""


def most_run_blocks(layout: Layout) -> int:
    """How many blocks are solved as one run at most."""
    return max(1, MOST_RUN_CELLS // (layout.block_words * 128))


class ManyBlocks:
    """A table with pawns on its way."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.family: Family = empty_family(task.kinship)
        self.mirrors = np.array([task.layout.is_own_mirror(pawns) for pawns in task.layout.blocks])
        self.done = np.zeros(len(task.layout.blocks), bool)
        for run in task.store.runs():
            self._take_up(run)
        self.workers: list[Worker] = []

    def solve(self) -> None:
        """Solve block after block, in waves."""
        with self.task.timer.phase("children"):
            supply = self.task.supply()
            self.family = supply.with_captures(self.family)
        for first, end in itertools.pairwise(self.task.layout.waves):
            open_blocks = (np.flatnonzero(~self.done[first:end]) + first).tolist()
            if open_blocks:
                with self.task.timer.phase("children"):
                    self.family = supply.with_wave(self.family, open_blocks)
                with self.task.timer.phase("blocks"):
                    self._solve_wave(self._runs(open_blocks))
        self.task.sweeps = sum(int(each.white.state[SWEEPS] + each.black.state[SWEEPS]) for each in self.workers)

    def _take_up(self, run: Run) -> None:
        """Go on from a run that is in the store."""
        blocks = run.first // self.task.block_cells, run.end // self.task.block_cells
        self.done[slice(*blocks)] = True
        here = self._en_passant(*blocks)
        here[0][:], here[1][:] = run.en_passant

    def _en_passant(self, first: int, end: int) -> tuple[Entries, Distances]:
        """The values of a run of blocks with a right to take en passant."""
        values: EnPassant = self.family.en_passant
        starts = values.start[first:end]
        if (starts == NOT_HERE).all():
            return values.entry[:0], values.dtg[:0]
        here = slice(starts[starts != NOT_HERE].min(), starts.max() + self.task.block_cells // 2)
        return values.entry[here], values.dtg[here]

    def _runs(self, blocks: Sequence[int]) -> Iterator[Blocks]:
        """Blocks that follow each other, a few at a time."""
        most = min(most_run_blocks(self.task.layout), -(-len(blocks) // (4 * self.task.threads)))
        start = 0
        for n in range(1, len(blocks) + 1):
            if n == len(blocks) or n - start == most or blocks[n] != blocks[n - 1] + 1:
                yield blocks[start], blocks[n - 1] + 1
                start = n

    def _solve_wave(self, runs: Iterator[Blocks]) -> None:
        """Solve some runs on all threads."""
        total = len(self.done)
        for first, end in self.task.pool.map(self._solve_run, runs):
            self.done[first:end] = True
            done = int(self.done.sum())
            self.task.progress("blocks", None, done / total, done * self.task.block_cells)

    def _solve_run(self, blocks: Blocks) -> Blocks:
        """Solve a run and put it into the store."""
        task, (first, end) = self.task, blocks
        try:
            worker = self.workers.pop()
        except IndexError:
            worker = new_worker(task.geometry, task.game)
        size, found = (end - first) * task.block_cells, nothing_found()
        cells = Cells(np.zeros(size, np.int8), np.zeros(size, np.uint16), np.zeros(size, np.uint32))
        run_of_blocks = BlockRun(task.pawns, self.mirrors, first, end)
        status = solve_blocks(worker, self.family, run_of_blocks, cells, found)
        check_status(task.material, int(status))
        dictionary = dictionary_of(worker.pairs, worker.white.interner, worker.black.interner, cells.pattern)
        self.workers.append(worker)
        start = first * task.block_cells
        run = Run(start, start + size, len(dictionary.rows), found, self._en_passant(first, end))
        task.store.put(run, dictionary, cells)
        return blocks
