"""Tables of a closure: all blocks of a material that have all outcomes, solved in waves.

The driver that builds tables solves them. A block of kings and pawns has so few cells that anything
done for it alone would take longer than solving it.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tbgen.closures.blocks import ENTRY, RIGHTS, SolvedBlocks
from tbgen.closures.children import NO_DISTANCES, ClosureReader
from tbgen.closures.closure import PlannedBlock
from tbgen.closures.cuts import Bound
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.methods import DISTANCES, OUTCOMES
from tbgen.retro.drive.results import en_passant_of, nothing_found
from tbgen.retro.drive.task import Task
from tbgen.retro.patterns.dictionaries import merge_patterns
from tbgen.score import Score
from tbgen.system.watching import tell_nobody
from tbgen.table import Cells, Dictionary, Distances, Entries, Run

NOTHING_FOUND: Final = nothing_found()

TellSeconds = Callable[[float], None]
"""Receives the planned seconds of each solved block."""


def solve_table(
    blocks: Sequence[PlannedBlock], solved: SolvedBlocks, threads: int, tell: TellSeconds
) -> None:
    """Solve some blocks of one material with each bound; all others that they lead to are there."""
    try:
        for bound in Bound:
            lacking = [
                block for block in blocks if bound in block.bounds and not solved.has(block, bound)
            ]
            if lacking:
                _solve_with(bound, lacking, solved, threads, tell)
    finally:
        solved.save(str(blocks[0].node.material))


def _solve_with(
    bound: Bound,
    blocks: Sequence[PlannedBlock],
    solved: SolvedBlocks,
    threads: int,
    tell: TellSeconds,
) -> None:
    """Solve some blocks of one material with one bound."""
    with ThreadPoolExecutor(threads) as pool:
        reader = ClosureReader(blocks, solved.plane, bound, do_all=pool.map)
        store = TableStore(reader, blocks, solved, bound, tell)
        task = Task(reader.layout, {}, store, threads, pool, method=OUTCOMES)
        ManyBlocks(task, reader).solve()


class TableStore:
    """Keeps the runs of a table as blocks of a closure."""

    def __init__(
        self,
        reader: ClosureReader,
        blocks: Sequence[PlannedBlock],
        solved: SolvedBlocks,
        bound: Bound,
        tell: TellSeconds,
    ) -> None:
        self._reader = reader
        self._solved = solved
        self._bound = bound
        self._tell = tell
        self._cells = reader.layout.block_words * 128
        self._lacking = {reader.number_of(block.node): block for block in blocks}

    def runs(self) -> Sequence[Run]:
        """The blocks of the layout that were solved before, each as a run."""
        runs = list[Run]()
        for number in range(len(self._reader.layout.blocks)):
            if number in self._lacking:
                continue
            rights = self._rights(number)
            if len(rights):
                rights = self._solved.read(self._block(number), RIGHTS, self._bound)
            first = number * self._cells
            end = first + self._cells
            runs.append(Run(first, end, 0, NOTHING_FOUND, (rights, NO_DISTANCES)))
        return runs

    def put(self, run: Run, _dictionary: Dictionary, cells: Cells) -> None:
        """Keep the blocks of a run. No other accrued scores are asked of them."""
        for first in range(run.first, run.end, self._cells):
            number = first // self._cells
            block = self._lacking[number]
            start = first - run.first
            arrays = {
                ENTRY: cells.entry[start : start + self._cells],
                RIGHTS: self._rights(number).copy(),
            }
            self._solved.keep(block, self._bound, arrays)
            if self._bound is block.bounds[-1]:
                self._tell(block.cost.cpu_seconds)

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        """The entry values of cells of one block, without distances."""
        number = first // self._cells
        start = number * self._cells
        block = self._block(number)
        entry = self._solved.read(block, ENTRY, self._bound, first - start, end - start)
        return entry, NO_DISTANCES

    def _block(self, number: int) -> PlannedBlock:
        return self._solved.closure.blocks[self._reader.node_of(number)]

    def _rights(self, number: int) -> Entries:
        """Where the values of a block with a right to take en passant are at hand."""
        rights = self._reader.tables.en_passant
        entry, _ = en_passant_of(rights, range(number, number + 1), self._cells)
        return entry


class BlockWithDistances:
    """A block with distances to the next capture or pawn move, or to the final score.

    It is solved from the outcomes of what it leads to, with a bound.
    """

    def __init__(self, block: PlannedBlock, solved: SolvedBlocks, bound: Bound) -> None:
        reader = ClosureReader([block], solved.plane, bound)
        store = _OneBlockStore(reader, [block], solved, bound, tell_nobody)
        with ThreadPoolExecutor(1) as pool:
            task = Task(reader.layout, {}, store, 1, pool, method=DISTANCES)
            ManyBlocks(task, reader).solve()
        self._cells = store.cells
        self._patterns, (self._numbers,) = merge_patterns(
            [store.dictionary], len(store.dictionary.rows)
        )

    def value(self, cell: int, accrued: Score, own: Score) -> tuple[Score, int]:
        """The outcome and distance of a cell with an accrued score, the own score counted."""
        entry = Score.from_signed(int(self._cells.entry[cell]))
        if own.code < accrued.code or own == accrued or entry.code < accrued.code:
            return entry, int(self._cells.dtg[cell])
        pattern = int(self._numbers[self._cells.pattern[cell]])
        return self._patterns.held(pattern, accrued)


class _OneBlockStore(TableStore):
    """Takes what is solved of one block, with its distances and patterns."""

    dictionary: Dictionary
    cells: Cells

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        self.dictionary = dictionary
        self.cells = cells
