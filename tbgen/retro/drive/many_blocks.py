"""A table with pawns: many blocks, solved wave by wave.

Blocks of one wave are independent of each other and are given to threads in runs. What a run holds depends on its
blocks alone, so one that an earlier attempt left in the store is taken as it is.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence

import numpy as np

from tbgen.handover import Run
from tbgen.retro.drive.run_solver import Blocks, RunSolver, en_passant_of, most_run_blocks
from tbgen.retro.drive.task import Task
from tbgen.retro.resets.family import Family, empty_family


class ManyBlocks:
    """A table with pawns on its way."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.family: Family = empty_family(task.kinship)
        self.supply = task.supply()
        self.solver = RunSolver(task.layout, task.game)
        self.done = np.zeros(len(task.layout.blocks), bool)
        for run in task.store.runs():
            self._take_up(run)
        self._keeping = threading.Lock()

    def solve(self) -> None:
        """Solve block after block, in waves."""
        with self.task.timer.phase("children"):
            self.family = self.supply.with_captures(self.family)
        for first, end in itertools.pairwise(self.task.layout.waves):
            open_blocks = (np.flatnonzero(~self.done[first:end]) + first).tolist()
            if open_blocks:
                with self.task.timer.phase("children"):
                    self.family = self.supply.with_wave(self.family, open_blocks, self.task.store)
                with self.task.timer.phase("blocks"):
                    list(self.task.pool.map(self._solve_run, self._runs(open_blocks)))

    def _solve_run(self, blocks: Blocks) -> None:
        """Solve a run, put it into the store, and say so."""
        task, solved = self.task, self.solver.solve(self.family, blocks)
        task.store.put(*solved[:3])
        with self._keeping:
            task.sweeps += solved.sweeps
            self._take_up(solved.run)
            done = int(self.done.sum())
            task.progress("blocks", None, done / len(self.done), done * task.block_cells)

    def _take_up(self, run: Run) -> None:
        """Go on from a run that is in the store."""
        blocks = run.first // self.task.block_cells, run.end // self.task.block_cells
        self.done[slice(*blocks)] = True
        here = en_passant_of(self.family.en_passant, blocks, self.task.block_cells)
        here[0][:], here[1][:] = run.en_passant

    def _runs(self, blocks: Sequence[int]) -> Iterator[Blocks]:
        """Blocks that follow each other, a few at a time."""
        most = min(most_run_blocks(self.task.layout), -(-len(blocks) // (4 * self.task.threads)))
        start = 0
        for n in range(1, len(blocks) + 1):
            if n == len(blocks) or n - start == most or blocks[n] != blocks[n - 1] + 1:
                yield blocks[start], blocks[n - 1] + 1
                start = n
