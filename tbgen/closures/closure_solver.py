"""Solve: the blocks of a closure, each after those that it leads to.

Materials are solved in the order in which tables are built, as a *group* or at cuts:

* The blocks of a material of which all outcomes are found are a group. The driver that builds
  tables solves it in waves, as if it were a table of some placements. A block of two kings and
  pawns has so few cells that anything done for it alone would take longer than solving it.
* The root of a position comes after its group, with patterns. They tell what any accrued score is
  worth in any of its cells.
* Large blocks are asked a few cuts, one by one. Threads share those that cannot lead to each other.
"""

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

from tbgen.closures.bounds import Bound, threshold_of
from tbgen.closures.children import NO_DISTANCES, ClosureReader
from tbgen.closures.closure import Closure, PlannedBlock
from tbgen.closures.costs import SolvePace
from tbgen.closures.reading import (
    ANSWERS,
    ENTRY,
    PATTERN,
    PATTERNS,
    PLIES,
    RIGHTS,
    SolvedBlocks,
    at_cut,
)
from tbgen.closures.store import BlockArrays, BlockStore
from tbgen.index.layout import partial_layout
from tbgen.material import build_key
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.methods import ENTRY_VALUES, OUTCOMES, Method
from tbgen.retro.drive.results import nothing_found
from tbgen.retro.drive.single import QUESTIONS_OF_A_BLOCK, SingleBlock
from tbgen.retro.drive.task import Task
from tbgen.retro.patterns.dictionaries import merge_patterns
from tbgen.retro.resets.destinations import ChildTables
from tbgen.score import Color
from tbgen.system.process import free_memory, threads_for
from tbgen.table import Cells, Dictionary, Distances, Entries, Run

TICK_SECONDS: Final = 0.5
"""The time between two looks at blocks that are being solved."""

NOTHING_FOUND: Final = nothing_found()


class ClosureSolver(SolvedBlocks):
    """The blocks of a closure, which are solved when they are not.

    Another process may remove a solved block, or the disk may damage it. It is solved again when it
    is read.
    """

    def __init__(self, closure: Closure, store: BlockStore) -> None:
        super().__init__(closure.tables, closure.blocks, store)
        self.asking: AbstractContextManager[Any] = threading.Semaphore(QUESTIONS_OF_A_BLOCK)
        """Held while a block is asked a cut, as the sets of a question take the most memory."""

    def solve_all(self, threads: int, pace: SolvePace) -> None:
        """Solve the blocks that are not solved."""
        unsolved = [block for block in self.blocks.values() if not self.is_solved(block)]
        for blocks in by_material(unsolved):
            if blocks[0].cuts:
                for wave in waves_of(blocks):
                    self._solve_beside_each_other(wave, threads, pace)
                continue
            group = [block for block in blocks if not block.keeps_patterns]
            if group:
                self._solve_group(group, threads, pace.finish)
            for root in blocks:
                if root.keeps_patterns:
                    self.solve(root)
                    pace.finish(root.cost.cpu_seconds)

    def is_solved(self, block: PlannedBlock) -> bool:
        """Whether a block is solved with all its bounds."""
        return all(self.store.has(block.name_with(bound)) for bound in block.bounds)

    def solve(self, block: PlannedBlock) -> None:
        """Solve a block alone with all its bounds, unless another process has done it."""
        if self.is_solved(block):
            return
        if not block.cuts and not block.keeps_patterns:
            self._solve_group([block])
            return
        for bound in block.bounds:
            if block.cuts:
                arrays = solve_at_cuts(block, self)
            else:
                arrays = solve_with_patterns(block, self, bound, OUTCOMES)
            self.store.put({block.name_with(bound): arrays})

    def _solve_group(
        self,
        blocks: Sequence[PlannedBlock],
        threads: int = 1,
        tell: Callable[[float], None] = lambda _: None,
    ) -> None:
        """Solve a group; `tell` receives the planned seconds of each solved block."""

        def keep(block: PlannedBlock, arrays_of: Mapping[Bound, BlockArrays]) -> None:
            for bound, arrays in arrays_of.items():
                self.store.put_later(block.name_with(bound), arrays)
            tell(block.cost.cpu_seconds)

        try:
            solve_group(blocks, self, keep, threads)
        finally:
            self.store.save()

    def _solve_beside_each_other(
        self, blocks: Sequence[PlannedBlock], threads: int, pace: SolvePace
    ) -> None:
        """Solve large blocks alone, as many at a time as memory has room for."""
        block_bytes = max(block.cost.memory_bytes for block in blocks)
        question_bytes = max(block.cost.question_bytes for block in blocks)
        at_a_time = threads_for(block_bytes, threads)
        questions = threads_for(
            max(1, question_bytes),
            at_a_time * QUESTIONS_OF_A_BLOCK,
            beside=at_a_time * (block_bytes - question_bytes),
        )
        self.asking = threading.Semaphore(max(at_a_time, questions))
        pool = ThreadPoolExecutor(at_a_time)
        try:
            running = {pool.submit(self.solve, block): block for block in blocks}
            while running:
                finished = wait(running, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED).done
                for future in finished:
                    future.result()
                    pace.finish(running.pop(future).cost.cpu_seconds)
                if not finished:
                    at_work = itertools.islice(running.values(), at_a_time)
                    pace.tick(sum(block.cost.cpu_seconds for block in at_work))
        finally:
            pool.shutdown(cancel_futures=True)


def by_material(blocks: Iterable[PlannedBlock]) -> Iterator[list[PlannedBlock]]:
    """The blocks of each material, those first that others lead to.

    All blocks of a material have as many free men, so all of them are solved at cuts, or none is.
    """
    ordered = sorted(blocks, key=lambda block: build_key(block.node.material))
    for _, some in itertools.groupby(ordered, key=lambda block: block.node.material):
        yield list(some)


def waves_of(blocks: Sequence[PlannedBlock]) -> Iterator[Sequence[PlannedBlock]]:
    """The blocks of one material that cannot lead to each other, wave by wave."""
    block_of = {block.node.pawns: block for block in blocks}
    layout = partial_layout(blocks[0].node.material, list(block_of))
    for first, end in itertools.pairwise(layout.waves):
        yield [block_of[pawns] for pawns in layout.blocks[first:end]]


Keep = Callable[[PlannedBlock, Mapping[Bound, BlockArrays]], None]
"""Receives a solved block, with its values for each of its bounds."""


def solve_group(
    blocks: Sequence[PlannedBlock],
    solver: ClosureSolver,
    keep: Keep,
    threads: int = 1,
    method: Method[Any] = ENTRY_VALUES,
) -> None:
    """Solve blocks of one material with all bounds. All else that they lead to is solved."""
    bounds = [bound for bound in Bound if any(bound in block.bounds for block in blocks)]
    pool = ThreadPoolExecutor(threads)
    try:
        reader = ClosureReader(blocks, solver, bounds, do_all=pool.map)
        store = GroupStore(reader, blocks, solver, keep)
        task = Task(reader.layout, {}, store, threads, pool, method=method)
        ManyBlocks(task, reader, reader.shades).solve()
    finally:
        pool.shutdown(cancel_futures=True)


class GroupStore:
    """Hands over the runs of blocks that the driver has solved, as blocks of a closure."""

    def __init__(
        self,
        reader: ClosureReader,
        blocks: Sequence[PlannedBlock],
        solver: ClosureSolver,
        keep: Keep,
    ) -> None:
        self._reader = reader
        self._solver = solver
        self._keep = keep
        self._cells = reader.cells
        self._lacking = {reader.number_of(block.node): block for block in blocks}

    def runs(self) -> Sequence[Run]:
        """The blocks of the layout that are solved already, each as a run."""
        runs = list[Run]()
        for number in range(len(self._reader.layout.blocks)):
            if number in self._lacking:
                continue
            for round_number in range(len(self._reader.bounds)):
                self._read_rights(number, round_number)
            first = number * self._cells
            rights = self._rights(number, 0)
            end = first + self._cells
            runs.append(Run(first, end, 0, NOTHING_FOUND, (rights, NO_DISTANCES)))
        return runs

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Hand over the blocks of a run, each with its bounds."""
        for first in range(run.first, run.end, self._cells):
            number = first // self._cells
            block = self._lacking[number]
            rounds = self._reader.rounds_of(number)
            arrays_of = dict[Bound, BlockArrays]()
            for round_number, bound in enumerate(self._reader.bounds):
                if round_number not in rounds:
                    self._read_rights(number, round_number)
                    continue
                start = round_number * (run.end - run.first) + first - run.first
                arrays_of[bound] = {
                    ENTRY: cells.entry[start : start + self._cells],
                    RIGHTS: self._rights(number, round_number).copy(),
                    **_patterns_of(cells, dictionary),
                }
            self._keep(block, arrays_of)

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        """Never asked: the reader reads planes itself."""
        raise NotImplementedError

    def _read_rights(self, number: int, round_number: int) -> None:
        """Bring values of a solved block with a right to take en passant to hand, for a round."""
        rights = self._rights(number, round_number)
        if len(rights):
            block = self._solver.blocks[self._reader.node_of(number)]
            rights[:] = self._solver.rights(block, self._reader.bounds[round_number])

    def _rights(self, number: int, round_number: int) -> Entries:
        """Where the values of a block with a right to take en passant are at hand, for a round."""
        return self._reader.rights_in(self._reader.readings[round_number], number)


def _patterns_of(cells: Cells, dictionary: Dictionary) -> BlockArrays:
    """The patterns of a block that is a run of its own; nothing if the driver has found none."""
    if not len(cells.pattern):
        return {}
    patterns, (numbers,) = merge_patterns([dictionary], len(dictionary.rows))
    arrays = {part: getattr(patterns, part) for part in PATTERNS}
    return {PATTERN: numbers[cells.pattern], PLIES: cells.dtg, **arrays}


def solve_with_patterns(
    block: PlannedBlock, solver: ClosureSolver, bound: Bound, method: Method[Any]
) -> BlockArrays:
    """A block alone with a bound, with patterns that tell what accrued scores are worth."""
    free_memory()  # glibc would touch all of the arrays for histories, if it had kept the last ones
    found = dict[Bound, BlockArrays]()

    def keep(_: PlannedBlock, arrays_of: Mapping[Bound, BlockArrays]) -> None:
        found.update(arrays_of)

    solve_group([replace(block, bounds=[bound])], solver, keep, method=method)
    return found[bound]


def solve_at_cuts(block: PlannedBlock, solver: ClosureSolver) -> BlockArrays:
    """The bits of a block at its cuts, from values of all that it leads to."""
    free_memory()
    (bound,) = block.bounds
    new = solver.store.zeros
    reader = ClosureReader([block], solver, [bound], new, new)
    own_number = reader.number_of(block.node)

    def children(sides: Sequence[Color]) -> ChildTables:
        """The values of all that moves of some sides lead to."""
        (tables,) = reader.read([own_number], sides)
        for number in range(len(reader.layout.blocks)):
            rights = reader.rights_in(tables, number)
            if number != own_number and len(rights):
                rights[:] = solver.rights(solver.blocks[reader.node_of(number)], bound)
        return tables

    shades = reader.shades[own_number]
    single = SingleBlock(reader.child_layouts, own_number, shades, new, solver.asking)
    thresholds = [threshold_of(cut)[0] for cut in block.cuts]
    arrays = dict[str, Any]()
    solved = single.solve_thresholds(children, thresholds, block.queries)
    for cut, bits in zip(block.cuts, solved, strict=True):
        arrays[at_cut(ENTRY, cut)] = bits.met
        arrays[at_cut(RIGHTS, cut)] = bits.en_passant
        arrays[at_cut(ANSWERS, cut)] = bits.answers
    return arrays
