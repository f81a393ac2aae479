"""A table with pawns: many blocks, solved wave by wave.

Blocks of one wave are independent of each other and are given to threads in runs. What a run holds
depends on its blocks alone, so one that an earlier attempt left in the store is taken as it is.
"""

import itertools
import threading
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from tbgen.compiled.arrays import Ints, Word, Words
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import GOALS
from tbgen.index.layout import Layout
from tbgen.index.words import EVERYTHING
from tbgen.retro.cells.worker import HISTORIES, AnyWorker, Room
from tbgen.retro.drive.methods import new_worker
from tbgen.retro.drive.results import count_words, en_passant_of, name_patterns, nothing_found
from tbgen.retro.drive.runs import Kept
from tbgen.retro.drive.task import Task, WaveReader, check_status, with_growing_room
from tbgen.retro.outcomes.en_passant import NEVER, Inquiry, search_rights
from tbgen.retro.patterns.dictionaries import dictionary_of
from tbgen.retro.patterns.histories import OVERFLOWED, forget_nodes
from tbgen.retro.resets.folding import find_moves, find_other_resets
from tbgen.retro.status import INTERNER_FULL
from tbgen.retro.words.block import BlockValues, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of
from tbgen.table import Cells, Dictionary, Run

MOST_RUN_CELLS = 1 << 20
"""A run has no more cells than this, unless it is a single block."""

NO_PATTERNS = Dictionary(
    start=np.zeros(1, np.int64), rows=np.zeros(0, np.int64), often=np.zeros(0, np.int64)
)
"""The dictionary of a run whose cells have no histories."""

RUNS_PER_THREAD = 4
"""A wave is divided into at least so many runs for each thread, so that threads end together."""


class ManyBlocks:
    """A table with pawns on its way. Each thread that solves runs has arrays of its own."""

    def __init__(
        self, task: Task, reader: WaveReader | None = None, shades: Words | None = None
    ) -> None:
        """`reader` brings other values to hand than those of the task's children.

        `shades` says for each block which shades of its bishops are solved, if not all are.
        """
        self.task = task
        layout = task.layout
        self.geometry = geometry_of(layout)
        self.child_reader: WaveReader = reader or task.child_reader()
        self.pawns = np.array(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)
        self.mirrors = np.array([layout.is_own_mirror(pawns) for pawns in layout.blocks])
        self.shades = np.full(len(layout.blocks), EVERYTHING) if shades is None else shades
        self.done = np.zeros(len(layout.blocks), bool)
        for run in task.store.runs():
            self._take_up(run)
        self._keeping = threading.Lock()
        self._idle = list[tuple[Room, AnyWorker]]()
        """Workers whose thread is done with a run, to be used again, and the room of each."""
        self._room = Room(self.geometry.words)
        """The room that has sufficed so far."""

    def solve(self) -> None:
        """Solve block after block, in waves."""
        task = self.task
        with task.phase("children"):
            self.child_reader.read_captures()
        for first, end in itertools.pairwise(task.layout.waves):
            open_blocks = (np.flatnonzero(~self.done[first:end]) + first).tolist()
            if open_blocks:
                with task.phase("children"):
                    self.child_reader.read_wave(open_blocks, task.store.values)
                with task.phase("blocks"):
                    list(task.pool.map(self._keep_run, self._runs(open_blocks)))

    def _keep_run(self, blocks: range) -> None:
        """Solve a run, put it into the store, and say so."""
        task = self.task
        run, dictionary, cells = with_growing_room(self._room, partial(self._solve_run, blocks))
        task.store.put(run, dictionary, cells)
        with self._keeping:
            self._take_up(run)
            done = int(self.done.sum())
            task.progress("blocks", None, done / len(self.done), done * task.block_cells)

    def _take_up(self, run: Run) -> None:
        """Go on from a run that is in the store."""
        block_cells = self.task.block_cells
        blocks = range(run.first // block_cells, run.end // block_cells)
        self.done[blocks.start : blocks.stop] = True
        rights = self.child_reader.readings[0].en_passant
        entry, dtg = en_passant_of(rights, blocks, block_cells)
        entry[:] = run.en_passant[0]
        dtg[:] = run.en_passant[1]

    def _runs(self, blocks: Sequence[int]) -> Iterator[range]:
        """Blocks that follow each other, a few at a time."""
        share = -(-len(blocks) // (RUNS_PER_THREAD * self.task.threads))
        most = min(most_run_blocks(self.task.layout), share)
        start = 0
        for n in range(1, len(blocks) + 1):
            is_last = n == len(blocks)
            is_full = n - start == most
            if is_last or is_full or blocks[n] != blocks[n - 1] + 1:
                yield range(blocks[start], blocks[n - 1] + 1)
                start = n

    def _solve_run(self, blocks: range, room: Room) -> Kept:
        """Solve blocks for which all that they ask of children is at hand."""
        self._room = max(
            self._room, room
        )  # other threads need not find out that less is too little
        room, worker = self._worker(room)
        kept = self._solve_with(worker, blocks)
        self._idle.append((room, worker))
        return kept

    def _worker(self, room: Room) -> tuple[Room, AnyWorker]:
        """A worker with at least this room, and its room: an idle one, or else a new one."""
        with self._keeping:
            while self._idle:
                its_room, worker = self._idle.pop()
                if its_room >= room:
                    return its_room, worker
        return room, new_worker(self.task.method, self.geometry, self.task.mobility, room)

    def _solve_with(self, worker: AnyWorker, blocks: range) -> Kept:
        """Solve blocks in the arrays of a worker.

        The cells of a round follow those of the round before.
        """
        method = self.task.method
        block_cells = self.task.block_cells
        readings = self.child_reader.readings
        size = len(blocks) * block_cells
        found = nothing_found()
        # Without histories nothing is left to close: no patterns, and no rights.
        is_closed = method.keeps_histories
        closed_size = size if is_closed else 0
        cells = Cells(
            entry=np.zeros(len(readings) * size, np.int8),
            dtg=np.zeros(closed_size, np.uint16),
            pattern=np.zeros(closed_size, np.uint32),
        )
        goal_of = np.full(0 if is_closed else block_cells, NEVER, np.uint8)
        for interner in (worker.white.interner, worker.black.interner, worker.pairs):
            forget_nodes(interner)
        for n, number in enumerate(blocks):
            first = n * block_cells
            is_open = False
            for round_number in self.child_reader.rounds_of(number):
                here = slice(round_number * size + first, round_number * size + first + block_cells)
                values = BlockValues(cells.entry[here], cells.dtg[here])
                inquiry = Inquiry(worker, values, readings[round_number], goal_of)
                status = self._solve_block(inquiry, number, is_open=is_open)
                is_open = True
                if not status and is_closed:
                    status = close_block(inquiry, self.mirrors[number], first, cells, found)
                check_status(self.task.material, int(status))
        dictionary = NO_PATTERNS
        if is_closed:
            dictionary = dictionary_of(
                worker.pairs, worker.white.interner, worker.black.interner, cells.pattern
            )
        rights = en_passant_of(readings[0].en_passant, blocks, block_cells)
        start = blocks.start * block_cells
        run = Run(start, start + size, len(dictionary.rows), found, rights)
        return run, dictionary, cells

    def _solve_block(self, inquiry: Inquiry, number: int, *, is_open: bool) -> int:
        """Solve a block in one round, which opens it if it is the first; returns the status."""
        method = self.task.method
        if is_open:
            status = reopen_block(inquiry)
        else:
            status = open_block(inquiry, number, self.pawns[number], self.shades[number])
        return status or method.solve_codes(inquiry)


def most_run_blocks(layout: Layout) -> int:
    return max(1, MOST_RUN_CELLS // (layout.block_words * 128))


@borrowing
def open_block(inquiry: Inquiry, number: int, squares: Ints, shades: Word) -> int:
    """Begin with a block whose children are all there: its moves; returns the status."""
    block = inquiry.worker.block
    scratch = inquiry.worker.scratch
    words = block.geometry.words
    enter_block(block, number, squares)
    block.shades[0] = shades
    find_legal(block, scratch.men, 0, words)
    return find_moves(block, inquiry.children, scratch, 0, words)


@borrowing
def reopen_block(inquiry: Inquiry) -> int:
    """Begin once more with the block that is open, whose moves lead to other values now."""
    block = inquiry.worker.block
    words = block.geometry.words
    return find_other_resets(block, inquiry.children, inquiry.worker.scratch, 0, words)


# Patterns are those of `worker.pairs`; `start` is the block's first cell in `cells`.
@borrowing
def close_block(inquiry: Inquiry, own_mirror: bool, start: int, cells: Cells, found: Ints) -> int:
    """What a solved block's cells hold: en passant, counts, patterns; returns the status."""
    worker = inquiry.worker
    block = worker.block
    values = inquiry.values
    words = block.geometry.words
    search_rights(inquiry, 0, GOALS)
    if worker.scratch.status[0]:
        return int(worker.scratch.status[0])
    count_words(block.geometry, values, own_mirror, 0, words, start, worker.scratch.men, found)
    if worker.white.mode != HISTORIES:  # no hold can be broken, so all patterns are empty
        return 0
    half = len(values.entry) >> 1
    for side in range(2):
        first = start + side * half
        entry = cells.entry[first : first + half]
        pattern = cells.pattern[first : first + half]
        whites = worker.white.history
        blacks = worker.black.history
        name_patterns(block.numbered[side], whites, blacks, worker.pairs, entry, pattern)
    return INTERNER_FULL if worker.pairs.state[OVERFLOWED] else 0
