"""Schedule: solve the blocks of a closure, each after those that it leads to.

A *unit* is what is solved at a time: a group (`groups`), or a block alone (`blocks`). A group takes
all threads. Blocks that are solved alone share them.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from typing import NamedTuple

from tbgen.closures.blocks import SolvedBlocks
from tbgen.closures.groups import KeptPlanes, solve_group
from tbgen.closures.pace import TICK_SECONDS, SolvePace
from tbgen.closures.planned import PlannedBlock
from tbgen.material import Material
from tbgen.retro.drive.single import QUESTIONS_OF_A_BLOCK
from tbgen.system.process import threads_for

Unit = tuple[PlannedBlock, ...]
"""A group, or one block that is solved alone."""


class Concurrency(NamedTuple):
    """What memory has room for at a time."""

    blocks: int
    """Blocks that are solved alone."""
    questions: int
    """Cuts that such blocks are asked."""


class _StoppedError(Exception):
    """Ends the solving of a group, once the whole solve has been stopped."""


def solve_closure(solved: SolvedBlocks, threads: int, pace: SolvePace) -> None:
    """Solve the unsolved blocks of a closure, each after those that it leads to."""
    _ClosureSolve(solved, threads, pace).run()


class _ClosureSolve:
    """A closure that is being solved."""

    def __init__(self, solved: SolvedBlocks, threads: int, pace: SolvePace) -> None:
        self._solved = solved
        self._kept = KeptPlanes(solved)
        self._threads = threads
        self._pace = pace
        self._is_stopped = threading.Event()
        self._units = _units(solved)
        self._order = TopologicalSorter(_before(self._units))
        self._waiting_groups = list[int]()
        """Groups that wait until no block is at work."""
        self._running = dict[Future[None], int]()

    def run(self) -> None:
        """Solve unit after unit."""
        at_a_time = self._concurrency()
        self._solved.asking = threading.Semaphore(at_a_time.questions)
        pool = ThreadPoolExecutor(at_a_time.blocks)
        self._order.prepare()
        try:
            while self._order.is_active():
                self._begin(pool, self._order.get_ready())
                self._wait()
        finally:
            self._is_stopped.set()
            pool.shutdown(cancel_futures=True)

    def _concurrency(self) -> Concurrency:
        """How much to do at a time; each block that is at work may ask a question."""
        costs = [unit[0].cost for unit in self._units if not _is_group(unit)]
        block_bytes = max((cost.memory_bytes for cost in costs), default=1)
        question_bytes = max((cost.question_bytes for cost in costs), default=0)
        blocks = threads_for(block_bytes, self._threads)
        questions = threads_for(
            max(1, question_bytes),
            blocks * QUESTIONS_OF_A_BLOCK,
            beside=blocks * (block_bytes - question_bytes),
        )
        return Concurrency(blocks, max(blocks, questions))

    def _begin(self, pool: ThreadPoolExecutor, ready: Iterable[int]) -> None:
        """Begin with the blocks that are solved alone, or else with a group."""
        for number in ready:
            unit = self._units[number]
            if _is_group(unit):
                self._waiting_groups.append(number)
            else:
                self._running[pool.submit(self._solved.solve, unit[0])] = number
        if self._waiting_groups and not self._running:
            number = self._waiting_groups.pop()
            future = pool.submit(
                solve_group,
                self._units[number],
                self._solved,
                self._kept,
                self._threads,
                self._finish,
            )
            self._running[future] = number

    def _wait(self) -> None:
        """Wait until a unit is solved, or for a moment."""
        finished = wait(self._running, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED).done
        for future in finished:
            future.result()
            number = self._running.pop(future)
            self._order.done(number)
            unit = self._units[number]
            if not _is_group(unit):  # a group counts its blocks itself
                self._finish(unit[0].cost.cpu_seconds)
        if not finished:
            seconds = sum(self._seconds_at_work(number) for number in self._running.values())
            self._pace.tick(seconds)

    def _seconds_at_work(self, number: int) -> float:
        """The planned seconds of the blocks of a unit at which threads are at work."""
        unit = self._units[number]
        seconds = unit[0].cost.cpu_seconds
        return seconds * min(self._threads, len(unit))

    def _finish(self, seconds: float) -> None:
        """Count a solved block; an error once the solve has been stopped."""
        if self._is_stopped.is_set():
            raise _StoppedError
        self._pace.finish(seconds)


def _is_group(unit: Unit) -> bool:
    return unit[0].is_grouped


def _units(solved: SolvedBlocks) -> Sequence[Unit]:
    """The unsolved blocks, those of a group together."""
    groups = dict[Material, list[PlannedBlock]]()
    alone = list[Unit]()
    for block in solved.closure.blocks.values():
        if all(solved.has(block, bound) for bound in block.bounds):
            continue
        if block.is_grouped:
            groups.setdefault(block.node.material, []).append(block)
        else:
            alone.append((block,))
    return [*alone, *map(tuple, groups.values())]


def _before(units: Sequence[Unit]) -> Mapping[int, set[int]]:
    """[unit] -> the units that it leads to."""
    unit_of = dict[str, int]()
    for number, unit in enumerate(units):
        for block in unit:
            unit_of[block.key] = number
    before = dict[int, set[int]]()
    for number, unit in enumerate(units):
        before[number] = set()
        for block in unit:
            for edge in block.edges:
                child = unit_of.get(edge.source, number)
                if child != number:
                    before[number].add(child)
    return before
