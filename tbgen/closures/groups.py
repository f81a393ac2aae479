"""Groups: the blocks of one material that have all outcomes, solved together.

The driver that builds tables solves a group in waves, as if it were a table of some placements. A
block of kings and pawns has so few cells that anything done for it alone would take longer than
solving it.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tbgen.closures.blocks import ENTRY, RIGHTS, SolvedBlocks
from tbgen.closures.children import (
    ALL_CELLS,
    NO_DISTANCES,
    ClosureReader,
    SomeCells,
)
from tbgen.closures.cuts import Bound
from tbgen.closures.nodes import Node
from tbgen.closures.planned import PlannedBlock
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.methods import ENTRY_VALUES
from tbgen.retro.drive.results import nothing_found
from tbgen.retro.drive.task import Task
from tbgen.table import Cells, Dictionary, Distances, Entries, Run

NOTHING_FOUND: Final = nothing_found()

MOST_KEPT_BYTES: Final = 1 << 27
"""Planes that the groups of a closure keep at hand."""

LARGEST_KEPT: Final = 1 << 18
"""The cells of the largest plane that is kept: one with three free men."""

TellSeconds = Callable[[float], None]
"""Receives the planned seconds of each solved block."""

PlaneName = tuple[Node, int, Bound]
"""A node, the side to move, and the bound of unsolved promotions."""


class KeptPlanes:
    """Reads planes, and keeps small ones, because several blocks lead to each.

    Arguments:
        solved: Has the planes.
    """

    def __init__(self, solved: SolvedBlocks) -> None:
        self._solved = solved
        self._planes = dict[PlaneName, Entries]()
        """Those that were asked last stand behind the others."""
        self._bytes = 0
        self._lock = threading.Lock()

    def plane(
        self, node: Node, side: int, bound: Bound, needed: SomeCells, room: Entries
    ) -> Entries:
        """A plane, as `SolvedBlocks.plane` reads it; several threads may ask."""
        if node.cells // 2 > LARGEST_KEPT:
            return self._solved.plane(node, side, bound, needed, room)
        name = (node, side, Bound.LOWER if self._solved.is_exact(node) else bound)
        plane = self._get(name)
        if plane is None:
            values = self._solved.plane(node, side, bound, ALL_CELLS, room)
            plane = values.copy()  # they may lie in a large array
            self._put(name, plane)
        return plane

    def is_exact(self, node: Node) -> bool:
        """Whether both bounds give all cells of a node the same values."""
        return self._solved.is_exact(node)

    def _get(self, name: PlaneName) -> Entries | None:
        with self._lock:
            plane = self._planes.pop(name, None)
            if plane is not None:
                self._planes[name] = plane
            return plane

    def _put(self, name: PlaneName, plane: Entries) -> None:
        """Keep a plane, in place of those that were not asked for the longest time."""
        with self._lock:
            if name in self._planes:  # another thread has read it, too
                return
            self._planes[name] = plane
            self._bytes += plane.nbytes
            while self._bytes > MOST_KEPT_BYTES:
                oldest = next(iter(self._planes))
                self._bytes -= self._planes.pop(oldest).nbytes


def solve_group(
    blocks: Sequence[PlannedBlock],
    solved: SolvedBlocks,
    kept: KeptPlanes,
    threads: int,
    tell: TellSeconds,
) -> None:
    """Solve a group with all bounds. All that it leads to in other groups is solved."""
    bounds = [bound for bound in Bound if any(bound in block.bounds for block in blocks)]
    try:
        with ThreadPoolExecutor(threads) as pool:
            reader = ClosureReader(blocks, kept, bounds, do_all=pool.map)
            store = GroupStore(reader, blocks, solved, tell)
            task = Task(reader.layout, {}, store, threads, pool, method=ENTRY_VALUES)
            ManyBlocks(task, reader, reader.shades).solve()
    finally:
        solved.save()


class GroupStore:
    """Keeps the runs of blocks that the driver has solved, as blocks of a closure."""

    def __init__(
        self,
        reader: ClosureReader,
        blocks: Sequence[PlannedBlock],
        solved: SolvedBlocks,
        tell: TellSeconds,
    ) -> None:
        self._reader = reader
        self._solved = solved
        self._tell = tell
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
            end = first + self._cells
            rights = self._rights(number, 0)
            runs.append(Run(first, end, 0, NOTHING_FOUND, (rights, NO_DISTANCES)))
        return runs

    def put(self, run: Run, _dictionary: Dictionary, cells: Cells) -> None:
        """Keep the blocks of a run, each with its bounds. No accrued scores are asked of them."""
        for first in range(run.first, run.end, self._cells):
            number = first // self._cells
            block = self._lacking[number]
            rounds = self._reader.rounds_of(number)
            for round_number in rounds:
                start = round_number * (run.end - run.first) + first - run.first
                arrays = {
                    ENTRY: cells.entry[start : start + self._cells],
                    RIGHTS: self._rights(number, round_number).copy(),
                }
                self._solved.keep(block, self._reader.bounds[round_number], arrays)
            for round_number in range(len(self._reader.bounds)):
                if round_number not in rounds:
                    self._read_rights(number, round_number)
            self._tell(block.cost.cpu_seconds)

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        """Never asked: the reader reads planes itself."""
        raise NotImplementedError

    def _read_rights(self, number: int, round_number: int) -> None:
        """Bring values of a solved block with a right to take en passant to hand, for a round."""
        rights = self._rights(number, round_number)
        if len(rights):
            block = self._solved.closure.blocks[self._reader.node_of(number)]
            self._solved.read_rights(block, self._reader.bounds[round_number], rights)

    def _rights(self, number: int, round_number: int) -> Entries:
        """Where the values of a block with a right to take en passant are at hand, for a round."""
        return self._reader.rights_in(self._reader.readings[round_number], number)
