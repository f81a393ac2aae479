"""A table with pawns: many blocks, solved wave by wave.

Blocks of one wave are independent of each other and handed out in runs, to the threads of this process and to those of
others that help. What a run holds depends on its blocks alone, so one that is found in the store from an earlier
attempt is taken as it is, and so is one that another process has solved.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import numpy as np

from tbgen.handover import Distances, Entries, Run
from tbgen.retro.drive.hand_out import HandOut, Needed
from tbgen.retro.drive.run_solver import Blocks, RunSolver, SolvedRun, en_passant_of, most_run_blocks
from tbgen.retro.drive.task import Task
from tbgen.retro.resets.children import wanted_planes
from tbgen.retro.resets.family import Family, empty_family


class ManyBlocks:
    """A table with pawns on its way; `Shared` for processes that help."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.family: Family = empty_family(task.kinship)
        self.supply = task.supply()
        self.solver = RunSolver(task.layout, task.game)
        self.done = np.zeros(len(task.layout.blocks), bool)
        for run in task.store.runs():
            self._take_up(run)
        self._hand_out = HandOut()
        self._keeping = threading.Lock()

    def solve(self) -> None:
        """Solve block after block, in waves."""
        with self.task.timer.phase("children"):
            self.family = self.supply.with_captures(self.family)
        with self._solvers():
            for first, end in itertools.pairwise(self.task.layout.waves):
                open_blocks = (np.flatnonzero(~self.done[first:end]) + first).tolist()
                if open_blocks:
                    with self.task.timer.phase("children"):
                        self.family = self.supply.with_wave(self.family, open_blocks, self.task.store)
                    with self.task.timer.phase("blocks"):
                        self._hand_out.solve_all(self._runs(open_blocks))

    def take(self) -> Needed | None:
        """The next run, with what another process needs for it."""
        blocks = self._hand_out.take()
        if blocks is None:
            return None
        try:
            return self._needed(blocks)
        except BaseException:
            self._hand_out.give_back(blocks)
            raise

    def keep(self, solved: SolvedRun, cpu_seconds: float) -> None:
        """Keep a run that another process has solved; nothing happens if it has come before."""
        blocks = self._blocks_of(solved.run)
        if self._hand_out.is_out(blocks):
            self.task.timer.elsewhere += cpu_seconds
            try:
                self._keep(blocks, solved)
            except BaseException as error:
                self._hand_out.fail(error)

    def give_back(self, blocks: Blocks) -> None:
        """Let somebody else solve a run."""
        self._hand_out.give_back(blocks)

    @contextmanager
    def _solvers(self) -> Iterator[None]:
        """All threads that solve runs, here and elsewhere."""
        threads, helpers = self.task.threads, self.task.helpers
        with ThreadPoolExecutor(threads) as pool, helpers.at_work(self) if helpers else nullcontext():
            for _ in range(threads):
                pool.submit(self._solve_runs)
            try:
                yield
            finally:
                self._hand_out.close()

    def _solve_runs(self) -> None:
        """What a thread of this process does."""
        try:
            while (blocks := self._hand_out.take()) is not None:
                self._keep(blocks, self._solve_run(blocks))
        except BaseException as error:
            self._hand_out.fail(error)

    def _solve_run(self, blocks: Blocks) -> SolvedRun:
        return self.solver.solve(self.family, blocks)

    def _keep(self, blocks: Blocks, solved: SolvedRun) -> None:
        """Put a run into the store, and say so."""
        task = self.task
        task.store.put(*solved[:3])
        with self._keeping:
            task.sweeps += solved.sweeps
            self._take_up(solved.run)
            done = int(self.done.sum())
            task.progress("blocks", None, done / len(self.done), done * task.block_cells)
        self._hand_out.done(blocks)

    def _take_up(self, run: Run) -> None:
        """Go on from a run that is in the store."""
        blocks = self._blocks_of(run)
        self.done[slice(*blocks)] = True
        here = self._en_passant(blocks)
        here[0][:], here[1][:] = run.en_passant

    def _blocks_of(self, run: Run) -> Blocks:
        return run.first // self.task.block_cells, run.end // self.task.block_cells

    def _en_passant(self, blocks: Blocks) -> tuple[Entries, Distances]:
        return en_passant_of(self.family.en_passant, blocks, self.task.block_cells)

    def _needed(self, blocks: Blocks) -> Needed:
        """What a run needs of blocks that were solved before; all of it is at hand for the wave."""
        planes, half = self.family.planes, self.task.block_cells // 2
        wanted = wanted_planes(self.supply.own, range(*blocks))
        values = [slice(start, start + half) for start in planes.start[wanted].tolist()]
        rights = [self._en_passant((block, block + 1)) for block in sorted({plane >> 1 for plane in wanted})]
        return Needed(
            blocks,
            np.array(wanted, np.int64),
            np.concatenate([planes.entry[:0], *[planes.entry[here] for here in values]]),
            np.concatenate([planes.dtg[:0], *[planes.dtg[here] for here in values]]),
            (
                np.concatenate([planes.entry[:0], *[entry for entry, _ in rights]]),
                np.concatenate([planes.dtg[:0], *[dtg for _, dtg in rights]]),
            ),
        )

    def _runs(self, blocks: Sequence[int]) -> Iterator[Blocks]:
        """Blocks that follow each other, a few at a time."""
        most = min(most_run_blocks(self.task.layout), -(-len(blocks) // (4 * self.task.all_threads)))
        start = 0
        for n in range(1, len(blocks) + 1):
            if n == len(blocks) or n - start == most or blocks[n] != blocks[n - 1] + 1:
                yield blocks[start], blocks[n - 1] + 1
                start = n
