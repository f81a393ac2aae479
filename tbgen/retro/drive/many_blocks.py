"""A table with pawns: many blocks, solved wave by wave.

Blocks of one wave are independent of each other and are given to threads in runs. What a run holds depends on its
blocks alone, so one that an earlier attempt left in the store is taken as it is.
"""

import itertools
import threading
from collections.abc import Iterator, Sequence

import numpy as np

from tbgen.compiled.arrays import Ints, Ints32, SignedBytes, Words
from tbgen.compiled.jit import borrowing
from tbgen.errors import FullError
from tbgen.index.handover import Cells, Distances, Entries, Run
from tbgen.index.kernels import GOALS
from tbgen.index.layout import Layout
from tbgen.index.words import ONE, lowest_and_rest
from tbgen.retro.drive.methods import new_worker
from tbgen.retro.drive.runs import Kept, count_words, nothing_found
from tbgen.retro.drive.task import Task, check_status
from tbgen.retro.patterns.en_passant import Inquiry, search_rights
from tbgen.retro.patterns.histories import (
    EMPTY,
    OVERFLOWED,
    Interner,
    dictionary_of,
    forget_nodes,
    intern,
)
from tbgen.retro.patterns.worker import INTERNER_FULL, AnyWorker, Room
from tbgen.retro.resets.destinations import NOT_HERE, AtHand, empty_child_tables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import FIRST, MASK, BlockValues, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of

MOST_RUN_CELLS = 1 << 20

Blocks = tuple[int, int]
"""The first block of a run, and the one after its last."""


class ManyBlocks:
    """A table with pawns on its way. Each thread that solves runs has arrays of its own, which are used again."""

    def __init__(self, task: Task) -> None:
        self.task, self.geometry = task, geometry_of(task.layout)
        self.child_reader = task.child_reader()
        self.children = empty_child_tables(self.child_reader.child_layouts)
        self.pawns = np.array(task.layout.blocks, np.int64).reshape(
            len(task.layout.blocks), task.layout.pawns
        )
        self.mirrors = np.array([task.layout.is_own_mirror(pawns) for pawns in task.layout.blocks])
        self.done = np.zeros(len(task.layout.blocks), bool)
        for run in task.store.runs():
            self._take_up(run)
        self._keeping = threading.Lock()
        self._idle: list[tuple[Room, AnyWorker]] = []
        self._room = Room(self.geometry.words)

    def solve(self) -> None:
        """Solve block after block, in waves."""
        with self.task.timer.phase("children"):
            self.children = self.child_reader.with_captures(self.children)
        for first, end in itertools.pairwise(self.task.layout.waves):
            open_blocks = (np.flatnonzero(~self.done[first:end]) + first).tolist()
            if open_blocks:
                with self.task.timer.phase("children"):
                    self.children = self.child_reader.with_wave(
                        self.children, open_blocks, self.task.store.values
                    )
                with self.task.timer.phase("blocks"):
                    list(self.task.pool.map(self._keep_run, self._runs(open_blocks)))

    def _keep_run(self, blocks: Blocks) -> None:
        """Solve a run, put it into the store, and say so."""
        task, solved = self.task, self._solve_run(blocks)
        task.store.put(*solved)
        with self._keeping:
            self._take_up(solved[0])
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

    def _solve_run(self, blocks: Blocks) -> Kept:
        """Solve blocks for which all that they ask of children is at hand."""
        while True:
            room, worker = self._worker()
            try:
                solved = self._solve_with(worker, blocks)
            except FullError as full:  # other threads may have filled as much room, and doubled it
                self._room = max(self._room, room.doubled(full))
            else:
                self._idle.append((room, worker))
                return solved

    def _worker(self) -> tuple[Room, AnyWorker]:
        """An idle worker or a new one, and its room."""
        try:
            return self._idle.pop()
        except IndexError:
            room = self._room
            return room, new_worker(self.task.method, self.geometry, self.task.mobility, room)

    def _solve_with(self, worker: AnyWorker, blocks: Blocks) -> Kept:
        """The same in the arrays of a worker."""
        (first, end), block_cells, children = blocks, self.task.block_cells, self.children
        size, found = (end - first) * block_cells, nothing_found()
        cells = Cells(np.zeros(size, np.int8), np.zeros(size, np.uint16), np.zeros(size, np.uint32))
        for interner in (worker.white.interner, worker.black.interner, worker.pairs):
            forget_nodes(interner)
        for number in range(first, end):
            at = (number - first) * block_cells
            values = BlockValues(
                cells.entry[at : at + block_cells], cells.dtg[at : at + block_cells]
            )
            inquiry = Inquiry(worker, values, children, np.zeros(0, np.uint8))
            status = open_block(inquiry, number, self.pawns[number])
            status = status or self.task.method.solve_codes(inquiry, None)
            status = status or close_block(inquiry, self.mirrors[number], at, cells, found)
            check_status(self.task.material, int(status))
        dictionary = dictionary_of(
            worker.pairs, worker.white.interner, worker.black.interner, cells.pattern
        )
        start, rights = first * block_cells, en_passant_of(children.en_passant, blocks, block_cells)
        return Run(start, start + size, len(dictionary.rows), found, rights), dictionary, cells


def most_run_blocks(layout: Layout) -> int:
    """How many blocks are solved as one run at most."""
    return max(1, MOST_RUN_CELLS // (layout.block_words * 128))


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
    numbered: Words,
    white: Ints32,
    black: Ints32,
    pairs: Interner,
    entry: SignedBytes,
    pattern: Ints32,
) -> None:
    """Number the pair of histories of each cell that has a value; `pattern` is empty before."""
    if len(white) == 0:  # no hold can be broken
        return
    for word in range(len(numbered)):
        kings, number = numbered[word, MASK], numbered[word, FIRST]
        while kings:
            square, kings = lowest_and_rest(kings)
            left, right, cell = np.int64(white[number]), np.int64(black[number]), word * 64 + square
            number += ONE
            if entry[cell] and (left != EMPTY or right != EMPTY):
                pattern[cell] = intern(pairs, left, right)


@borrowing
def open_block(inquiry: Inquiry, number: int, squares: Ints) -> int:
    """Begin with a block whose children are all there: its moves; the status is 0 if all is well."""
    block, scratch, words = (
        inquiry.worker.block,
        inquiry.worker.scratch,
        inquiry.worker.block.geometry.words,
    )
    enter_block(block, number, squares)
    find_legal(block, scratch.men, 0, words)
    return find_moves(block, inquiry.children, scratch, 0, words)


# Patterns are those of `worker.pairs`; `start` is the block's first cell in `cells`.
@borrowing
def close_block(inquiry: Inquiry, own_mirror: bool, start: int, cells: Cells, found: Ints) -> int:
    """What a solved block's cells hold: en passant, counts, names of patterns; the status is 0 if all is well."""
    worker, block, words = inquiry.worker, inquiry.worker.block, inquiry.worker.block.geometry.words
    search_rights(inquiry, 0, GOALS)
    count_words(
        block.geometry, inquiry.values, own_mirror, 0, words, start, worker.scratch.men, found
    )
    half = len(inquiry.values.entry) >> 1
    for side in range(2):
        here = start + side * half
        entry, pattern = cells.entry[here : here + half], cells.pattern[here : here + half]
        name_patterns(
            block.numbered[side],
            worker.white.history,
            worker.black.history,
            worker.pairs,
            entry,
            pattern,
        )
    return INTERNER_FULL if worker.pairs.state[OVERFLOWED] else 0
