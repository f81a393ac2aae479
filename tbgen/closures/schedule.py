"""Schedule: the blocks of a closure in an order in which each comes after those it leads to.

Blocks of one material that have all outcomes are solved together, as a table (`tables`). The block
of the position itself and blocks at cuts are solved alone.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter

from tbgen.closures.blocks import SolvedBlocks
from tbgen.closures.closure import PlannedBlock
from tbgen.closures.pace import TICK_SECONDS, SolvePace
from tbgen.closures.tables import solve_table
from tbgen.material import Material
from tbgen.retro.drive.single import QUESTIONS_OF_A_BLOCK
from tbgen.system.process import threads_for

Unit = tuple[PlannedBlock, ...]
"""Blocks that are solved together, or one that is solved alone."""


class _StoppedError(Exception):
    """Ends a table whose solve has been stopped."""


def solve_closure(solved: SolvedBlocks, threads: int, pace: SolvePace) -> None:
    """Solve the unsolved blocks of a closure, each after those that it leads to.

    A solve that takes too long ends after the blocks at which threads are at work.
    """
    _ClosureSolve(solved, threads, pace).run()


class _ClosureSolve:
    """A closure that is being solved."""

    def __init__(self, solved: SolvedBlocks, threads: int, pace: SolvePace) -> None:
        self._solved = solved
        self._threads = threads
        self._pace = pace
        self._telling = threading.Lock()
        self._is_stopped = threading.Event()
        self._units = _units(solved)
        self._order = TopologicalSorter(_before(self._units))
        self._tables = list[int]()
        """Tables that wait until no block is at work, as a table takes all threads."""
        self._running = dict[Future[None], int]()

    def run(self) -> None:
        """Solve unit after unit."""
        pool = ThreadPoolExecutor(self._threads_alone())
        self._order.prepare()
        try:
            while self._order.is_active():
                self._begin(pool, self._order.get_ready())
                self._wait()
        finally:
            self._is_stopped.set()
            pool.shutdown(cancel_futures=True)

    def _threads_alone(self) -> int:
        """How many blocks memory allows to be solved alone at a time; it limits questions, too."""
        costs = [unit[0].cost for unit in self._units if not _is_table(unit)]
        block_bytes = max((cost.memory_bytes for cost in costs), default=1)
        question_bytes = max((cost.question_bytes for cost in costs), default=0)
        threads = threads_for(block_bytes, self._threads)
        questions = threads_for(
            max(1, question_bytes),
            threads * QUESTIONS_OF_A_BLOCK,
            beside=threads * (block_bytes - question_bytes),
        )
        self._solved.asking = threading.Semaphore(max(threads, questions))
        return threads

    def _begin(self, pool: ThreadPoolExecutor, ready: Iterable[int]) -> None:
        """Begin with the blocks that are solved alone, or else with a table."""
        for number in ready:
            unit = self._units[number]
            if _is_table(unit):
                self._tables.append(number)
            else:
                self._running[pool.submit(self._solved.solve, unit[0])] = number
        if self._tables and not self._running:
            number = self._tables.pop()
            future = pool.submit(
                solve_table, self._units[number], self._solved, self._threads, self._finish
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
            if not _is_table(unit):
                self._finish(unit[0].cost.cpu_seconds)
        if not finished:
            with self._telling:
                self._pace.tick(sum(map(self._seconds_at_work, self._running.values())))

    def _seconds_at_work(self, number: int) -> float:
        """The planned seconds of the blocks of a unit at which threads are at work."""
        unit = self._units[number]
        seconds = unit[0].cost.cpu_seconds
        return seconds * min(self._threads, len(unit))

    def _finish(self, seconds: float) -> None:
        """Count a solved block; an error once the solve has been stopped."""
        if self._is_stopped.is_set():
            raise _StoppedError
        with self._telling:
            self._pace.finish(seconds)


def _is_table(unit: Unit) -> bool:
    """Whether the blocks of a unit are solved as a table."""
    return unit[0].is_of_table


def _units(solved: SolvedBlocks) -> Sequence[Unit]:
    """The unsolved blocks, those of a table together."""
    tables = dict[Material, list[PlannedBlock]]()
    units = list[Unit]()
    for block in solved.closure.blocks.values():
        if all(solved.has(block, bound) for bound in block.bounds):
            continue
        if block.is_of_table:
            tables.setdefault(block.node.material, []).append(block)
        else:
            units.append((block,))
    return [*units, *map(tuple, tables.values())]


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
                child = unit_of.get(edge.digest, number)
                if child != number:
                    before[number].add(child)
    return before
