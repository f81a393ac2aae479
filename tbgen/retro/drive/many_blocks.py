"""A table with pawns: many blocks, solved wave by wave.

Blocks of one wave are independent of each other and are given to threads in runs. What a run holds depends on its
blocks alone, so one that an earlier attempt left in the store is taken as it is.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tbgen.compiled.arrays import Ints, Ints32, SignedBytes, Words
from tbgen.compiled.jit import borrowing
from tbgen.index.handover import Cells, Dictionary, Distances, Entries, Run
from tbgen.index.layout import Layout
from tbgen.index.words import ONE, lowest_and_rest
from tbgen.retro.drive.methods import Method, new_worker
from tbgen.retro.drive.runs import count_words, nothing_found
from tbgen.retro.drive.task import FullError, Task, check_status
from tbgen.retro.patterns.en_passant import search_en_passant
from tbgen.retro.patterns.histories import EMPTY, OVERFLOWED, Interner, dictionary_of, forget_nodes, intern
from tbgen.retro.patterns.worker import INTERNER_FULL, AnyWorker, Room
from tbgen.retro.resets.destinations import NOT_HERE, AtHand, ChildTables, empty_child_tables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import FIRST, MASK, BlockValues, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of
from tbgen.score import Mobility

MOST_RUN_CELLS = 1 << 20

Blocks = tuple[int, int]
"""The first block of a run, and the one after its last."""


class ManyBlocks:
    """A table with pawns on its way."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.child_reader = task.child_reader()
        self.children = empty_child_tables(self.child_reader.child_layouts)
        self.solver = RunSolver(task.layout, task.method, task.game)
        self.done = np.zeros(len(task.layout.blocks), bool)
        for run in task.store.runs():
            self._take_up(run)
        self._keeping = threading.Lock()

    def solve(self) -> None:
        """Solve block after block, in waves."""
        with self.task.timer.phase("children"):
            self.children = self.child_reader.with_captures(self.children)
        for first, end in itertools.pairwise(self.task.layout.waves):
            open_blocks = (np.flatnonzero(~self.done[first:end]) + first).tolist()
            if open_blocks:
                with self.task.timer.phase("children"):
                    self.children = self.child_reader.with_wave(self.children, open_blocks, self.task.store)
                with self.task.timer.phase("blocks"):
                    list(self.task.pool.map(self._solve_run, self._runs(open_blocks)))

    def _solve_run(self, blocks: Blocks) -> None:
        """Solve a run, put it into the store, and say so."""
        task, solved = self.task, self.solver.solve(self.children, blocks)
        task.store.put(*solved)
        with self._keeping:
            self._take_up(solved.run)
            done = int(self.done.sum())
            task.progress("blocks", None, done / len(self.done), done * task.block_cells)

    def _take_up(self, run: Run) -> None:
        """Go on from a run that is in the store."""
        blocks = run.first // self.task.block_cells, run.end // self.task.block_cells
        self.done[slice(*blocks)] = True
        here = en_passant_of(self.children.en_passant, blocks, self.task.block_cells)
        here[0][:], here[1][:] = run.en_passant

    def _runs(self, blocks: Sequence[int]) -> Iterator[Blocks]:
        """Blocks that follow each other, a few at a time."""
        most = min(most_run_blocks(self.task.layout), -(-len(blocks) // (4 * self.task.threads)))
        start = 0
        for n in range(1, len(blocks) + 1):
            if n == len(blocks) or n - start == most or blocks[n] != blocks[n - 1] + 1:
                yield blocks[start], blocks[n - 1] + 1
                start = n


def most_run_blocks(layout: Layout) -> int:
    """How many blocks are solved as one run at most."""
    return max(1, MOST_RUN_CELLS // (layout.block_words * 128))


class SolvedRun(NamedTuple):
    """What a run of blocks came to."""

    run: Run
    dictionary: Dictionary
    cells: Cells


class RunSolver:
    """Solves runs of blocks of one table; each thread that does has arrays of its own, which are used again."""

    def __init__(self, layout: Layout, method: Method[Any], game: Mobility) -> None:
        self.layout, self.method, self.game, self.geometry = layout, method, game, geometry_of(layout)
        self.pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
        self.mirrors = np.array([layout.is_own_mirror(pawns) for pawns in layout.blocks])
        self._idle: list[tuple[Room, AnyWorker]] = []
        self._room = Room(self.geometry.words)

    def solve(self, children: ChildTables, blocks: Blocks) -> SolvedRun:
        """Solve blocks for which all that they ask of children is at hand."""
        while True:
            room, worker = self._worker()
            try:
                solved = self._solve(worker, children, blocks)
            except FullError as full:  # other threads may have filled as much room, and doubled it
                self._room = max(self._room, room.doubled(full.error))
            else:
                self._idle.append((room, worker))
                return solved

    def _worker(self) -> tuple[Room, AnyWorker]:
        """An idle worker or a new one, and its room."""
        try:
            return self._idle.pop()
        except IndexError:
            room = self._room
            return room, new_worker(self.method, self.geometry, self.game, room)

    def _solve(self, worker: AnyWorker, children: ChildTables, blocks: Blocks) -> SolvedRun:
        (first, end), block_cells = blocks, self.layout.block_words * 128
        size, found = (end - first) * block_cells, nothing_found()
        cells = Cells(np.zeros(size, np.int8), np.zeros(size, np.uint16), np.zeros(size, np.uint32))
        for interner in (worker.white.interner, worker.black.interner, worker.pairs):
            forget_nodes(interner)
        for number in range(first, end):
            at = (number - first) * block_cells
            values = BlockValues(cells.entry[at : at + block_cells], cells.dtg[at : at + block_cells])
            status = open_block(worker, children, number, self.pawns[number])
            status = status or self.method.solve_codes(worker, values)
            status = status or close_block(worker, children, values, self.mirrors[number], at, cells, found)
            check_status(self.layout.material, int(status))
        dictionary = dictionary_of(worker.pairs, worker.white.interner, worker.black.interner, cells.pattern)
        start, rights = first * block_cells, en_passant_of(children.en_passant, blocks, block_cells)
        return SolvedRun(Run(start, start + size, len(dictionary.rows), found, rights), dictionary, cells)


def en_passant_of(values: AtHand, blocks: Blocks, block_cells: int) -> tuple[Entries, Distances]:
    """The values of some blocks with a right to take en passant."""
    starts = values.start[slice(*blocks)]
    if (starts == NOT_HERE).all():
        return values.entry[:0], values.dtg[:0]
    here = slice(starts[starts != NOT_HERE].min(), starts.max() + block_cells // 2)
    return values.entry[here], values.dtg[here]


# numbered[word, MASK or FIRST], as in Block, of the side to move whose cells these are
@borrowing
def name_patterns(
    numbered: Words, white: Ints32, black: Ints32, pairs: Interner, entry: SignedBytes, pattern: Ints32
) -> None:
    """Number the pair of histories of each cell that has a value; `pattern` is empty before."""
    if len(white) == 0:  # no hold can be broken
        return
    for word in range(len(numbered)):
        kings, place = numbered[word, MASK], numbered[word, FIRST]
        while kings:
            square, kings = lowest_and_rest(kings)
            left, right, cell = np.int64(white[place]), np.int64(black[place]), word * 64 + square
            place += ONE
            if entry[cell] and (left != EMPTY or right != EMPTY):
                pattern[cell] = intern(pairs, left, right)


@borrowing
def open_block(worker: AnyWorker, children: ChildTables, number: int, squares: Ints) -> int:
    """Begin with a block whose children are all there: its moves; the status is 0 if all is well."""
    block, scratch, words = worker.block, worker.scratch, worker.block.geometry.words
    enter_block(block, number, squares)
    find_legal(block, scratch.men, 0, words)
    return find_moves(block, children, scratch, 0, words)


# Patterns are those of `worker.pairs`; `start` is the block's first cell in `cells`.
@borrowing
def close_block(
    worker: AnyWorker,
    children: ChildTables,
    values: BlockValues,
    own_mirror: bool,
    start: int,
    cells: Cells,
    found: Ints,
) -> int:
    """What a solved block's cells hold: en passant, counts, names of patterns; the status is 0 if all is well."""
    block, words = worker.block, worker.block.geometry.words
    search_en_passant(worker, children, values)
    count_words(block.geometry, values, own_mirror, 0, words, start, worker.scratch.men, found)
    half = len(values.entry) >> 1
    for side in range(2):
        here = start + side * half
        entry, pattern = cells.entry[here : here + half], cells.pattern[here : here + half]
        name_patterns(block.numbered[side], worker.white.history, worker.black.history, worker.pairs, entry, pattern)
    return INTERNER_FULL if worker.pairs.state[OVERFLOWED] else 0
