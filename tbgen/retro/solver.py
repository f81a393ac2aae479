"""The solver: a material's table from its children's.

Blocks are solved in waves; those of one wave are independent and shared out among the threads. A table
without pawns is a single block, and its threads share out words and, level by level, the two forcers.
Values do not depend on how the work is shared.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tbgen._jit import is_compiled
from tbgen.errors import BuildError, RepresentationError
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.family import EntryValues, Family, family_of
from tbgen.retro.geometry import geometry_of
from tbgen.retro.interning import EMPTY
from tbgen.retro.legality import find_legal
from tbgen.retro.levels import FORCED_TWICE, STORE_FULL, TOO_FAR, TOO_HIGH, advance, freeze, start_forcer
from tbgen.retro.mobility import find_moves
from tbgen.retro.movelist import new_scratch
from tbgen.retro.patterns import merge_patterns
from tbgen.retro.tally import count_table
from tbgen.retro.worker import Worker, enter_block, new_worker, pair_histories, solve_blocks
from tbgen.table import Figures, Patterns, Table

Progress = Callable[[str, int | None, float, int], None]
"""Called with the phase, the level if there is one, the part done, and how many cells are decided."""


def peak_bytes() -> int:
    """The most memory this process has had so far; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@dataclass
class Clock:
    """Seconds by phase."""

    phases: dict[str, float] = field(default_factory=dict)
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a phase."""
        start = time.perf_counter()
        yield
        self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - start

    def figures(self, sweeps: int, threads: int) -> Figures:
        """All that was measured."""
        peak = peak_bytes()
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return Figures({k: round(v, 3) for k, v in self.phases.items()}, wall, cpu, peak, sweeps, threads)


def quiet(phase: str, level: int | None, done: float, decided: int) -> None:
    """No progress."""


class Solving:
    """One material on its way from children to table."""

    def __init__(
        self, material: Material, children: Mapping[Material, EntryValues], threads: int, progress: Progress
    ) -> None:
        self.clock = Clock()
        self.layout: Layout = layout_of(material)
        self.geometry = geometry_of(self.layout)
        self.progress = progress
        self.threads = min(threads, len(self.layout.blocks)) if len(self.layout.blocks) > 1 else threads
        with self.clock.phase("children"):
            self.family: Family = family_of(self.layout, children)
        self.workers = [new_worker(self.geometry) for _ in range(min(threads, len(self.layout.blocks)))]
        self.pattern = np.zeros(self.layout.cells, np.int32)
        self.worker_of = np.zeros(len(self.layout.blocks), np.int64)
        pawns = np.array(self.layout.blocks, np.int64)
        self.squares = pawns.reshape(len(self.layout.blocks), self.layout.pawns)

    def check(self, status: int) -> None:
        """Raise what a kernel's status means."""
        material = str(self.layout.material)
        if status == TOO_FAR:
            raise RepresentationError(f"a distance of {material}", "the solver's lists of distances")
        if status == STORE_FULL:
            raise RepresentationError(f"the number of patterns of {material}", "the solver's dictionary")
        if status == TOO_HIGH:
            raise RepresentationError(f"an outcome of {material}", "the signed byte of a stored table")
        if status == FORCED_TWICE:
            raise BuildError(material, "both sides force a position: the solver contradicts itself, please report it")
        if status:
            raise BuildError(material, "a child table has no value for a position that a capture or promotion leads to")

    def check_worker(self, worker: Worker) -> None:
        """Raise what went wrong in a worker."""
        stores = (worker.white.store, worker.black.store, worker.pairs)
        self.check(STORE_FULL if any(store.state[2] for store in stores) else 0)
        self.check(int(worker.white.state[1] or worker.black.state[1]))

    def solve_waves(self, pool: ThreadPoolExecutor) -> None:
        """Solve block after block, in waves."""
        waves, idle = self.layout.waves, list(range(len(self.workers)))
        for start, end in itertools.pairwise(waves):
            size = max(1, -(-(end - start) // (4 * self.threads)))
            parts = range(start, end, size)

            def run(first: int, last: int = end, size: int = size) -> int:
                number = idle.pop()
                stop, worker = min(first + size, last), self.workers[number]
                self.worker_of[first:stop] = number
                status = solve_blocks(self.geometry, worker, self.family, self.squares, first, stop, self.pattern)
                idle.append(number)
                return int(status)

            with self.clock.phase("blocks"):
                for first, status in zip(parts, pool.map(run, parts), strict=True):
                    self.check(status)
                    done = min(first + size, end)
                    self.progress("blocks", None, done / waves[-1], done * self.layout.block_words * 128)

    def solve_alone(self, pool: ThreadPoolExecutor) -> None:
        """Solve a single block with all threads."""
        geometry, worker, family = self.geometry, self.workers[0], self.family
        block, words = worker.block, geometry.words
        size = max(10, words // (16 * self.threads))
        parts = [(first, min(first + size, words)) for first in range(0, words, size)]
        entry, dtg = family.entry[: self.layout.cells], family.dtg[: self.layout.cells]
        enter_block(block, self.squares[0])
        with self.clock.phase("legal"):
            list(pool.map(lambda part: find_legal(geometry, block, *part), parts))
        self.progress("moves", None, 0.05, 0)
        with self.clock.phase("moves"):
            scratches = [new_scratch(self.layout.others) for _ in parts]
            jobs = zip(scratches, parts, strict=True)
            for status in pool.map(lambda job: find_moves(geometry, block, family, job[0], *job[1]), jobs):
                self.check(int(status))
        forcers = (worker.white, worker.black)
        with self.clock.phase("seeds"):
            list(pool.map(lambda forcer: start_forcer(block, forcer), forcers))
        positions, more, k = int(np.bitwise_count(block.legal).sum()), True, 0
        while more:
            with self.clock.phase("freeze"):
                more = freeze(block, *forcers, k, entry, dtg)
            decided = int(block.frozen.sum())
            self.progress("levels", k, 0.1 + 0.85 * decided / positions, decided)
            with self.clock.phase("spread"):
                list(pool.map(lambda forcer, level=k: advance(geometry, block, forcer, level), forcers))
            self.check_worker(worker)
            k += 1
        with self.clock.phase("patterns"):
            pair_histories(block.history, worker.pairs, self.pattern)
        self.check_worker(worker)

    def merge(self, entry: npt.NDArray[np.int8]) -> tuple[Patterns, npt.NDArray[np.uint32]]:
        """One dictionary of patterns, and each cell's number in it."""
        size = self.layout.block_words * 128
        self.pattern[entry == 0] = EMPTY
        blocks = self.pattern.reshape(-1, size)
        counts = [np.zeros(int(worker.pairs.state[0]), np.int64) for worker in self.workers]
        for number, worker in enumerate(self.worker_of.tolist()):
            counts[worker] += np.bincount(blocks[number], minlength=len(counts[worker]))
        stores = [(worker.pairs, worker.white.store, worker.black.store) for worker in self.workers]
        patterns, maps = merge_patterns(stores, counts)
        renamed = self.pattern.view(np.uint32).reshape(-1, size)
        for number, worker in enumerate(self.worker_of.tolist()):
            renamed[number] = maps[worker][blocks[number]]
        return patterns, renamed.reshape(-1)

    def run(self) -> Table:
        """Solve, count, and hand over the table."""
        with ThreadPoolExecutor(self.threads) as pool:
            if len(self.layout.blocks) > 1:
                self.solve_waves(pool)
            else:
                self.solve_alone(pool)
        entry, dtg = self.family.entry[: self.layout.cells].copy(), self.family.dtg[: self.layout.cells].copy()
        with self.clock.phase("tallies"):
            tallies = count_table(self.layout, entry, dtg)
        with self.clock.phase("patterns"):
            patterns, pattern = self.merge(entry)
        sweeps = sum(int(forcer.state[2]) for worker in self.workers for forcer in (worker.white, worker.black))
        figures = self.clock.figures(sweeps, self.threads)
        return Table(self.layout.material, entry, dtg, pattern, patterns, tallies, figures)


def needs_compiling(material: Material) -> bool:
    """Whether solving this material will compile kernels first, which takes about half a minute."""
    return not is_compiled("solve_blocks" if len(layout_of(material).blocks) > 1 else "advance")


def solve(
    material: Material,
    children: Mapping[Material, EntryValues],
    threads: int = 2,
    progress: Progress = quiet,
) -> Table:
    """The table of a canonical material whose children are solved."""
    return Solving(material, children, threads, progress).run()
