"""A table without pawns: a single block, solved by all threads together.

Threads divide the words. At each code, each forcer has a thread. What `OneBlock.solve_codes` does here step by step, so
that threads can share each step, `solve_codes` (methods.py) does in one kernel for one thread.
"""

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tbgen.errors import FullError
from tbgen.index.handover import Cells, Run
from tbgen.retro.drive.many_blocks import name_patterns
from tbgen.retro.drive.methods import new_worker
from tbgen.retro.drive.runs import count_words, merged, nothing_found
from tbgen.retro.drive.task import Task, check_status
from tbgen.retro.patterns.histories import OVERFLOWED, Interner, dictionary_of, new_interner
from tbgen.retro.patterns.worker import INTERNER_FULL, STATUS, Room, open_words
from tbgen.retro.resets.destinations import empty_child_tables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import BlockValues, enter_block, find_legal, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE, geometry_of
from tbgen.retro.words.moves import new_scratch
from tbgen.score import STALEMATE_CODE

SPANS_PER_THREAD = 16
"""More ranges balance better but cost more: each call of a kernel unpacks about a hundred arrays first."""


def solve_one_block(task: Task) -> None:
    """Solve the only block of a table."""
    room = Room(task.layout.block_words)
    while True:
        try:
            solving = OneBlock(task, room)
            solving.find_moves()
            solving.solve_codes()
            return solving.hand_over()
        except FullError as full:
            room = room.doubled(full)


class OneBlock:
    """A block being solved. Each step frees the arrays that no later step needs."""

    def __init__(self, task: Task, room: Room) -> None:
        self.task, self.geometry = task, geometry_of(task.layout)
        words = self.geometry.words
        span = (
            -(-words // (64 * SPANS_PER_THREAD * task.threads)) * 64
        )  # begins with a group of 64 words
        self.spans = [(first, min(first + span, words)) for first in range(0, words, span)]
        self.method = task.method
        self.worker = new_worker(self.method, self.geometry, task.mobility, room)
        cells = task.layout.cells
        self.values = BlockValues(task.new(cells, np.int8), task.new(cells, np.uint16))

    @property
    def searchers(self) -> tuple[Any, Any]:
        return self.worker.white, self.worker.black

    def find_moves(self) -> None:
        """Legal words, while children are read; then codes and resets."""
        task, block, reader = self.task, self.worker.block, self.task.child_reader()
        enter_block(block, 0, np.zeros(0, np.int64))
        jobs = [(new_scratch(task.layout.others), span) for span in self.spans]
        with task.timer.phase("children"):
            legal = task.pool.map(lambda job: find_legal(block, job[0].men, *job[1]), jobs)
            children = reader.with_captures(empty_child_tables(reader.child_layouts))
            list(legal)
        task.progress("moves", None, 0.05, 0)
        with task.timer.phase("moves"):
            for status in task.pool.map(
                lambda job: find_moves(block, children, job[0], *job[1]), jobs
            ):
                check_status(task.material, int(status))

    def solve_codes(self) -> None:
        """The accrued codes in ascending order."""
        task, pool, spans = self.task, self.task.pool, self.spans
        with task.timer.phase("seeds"):
            members = self.worker.white.forced, self.worker.black.forced
            left = list(
                pool.map(lambda span: open_words(self.worker.block, *members, *span), spans)
            )
            nothing = np.zeros((2, 0), np.uint64)
            self.worker = self.worker._replace(
                block=self.worker.block._replace(legal=nothing, check=nothing)
            )
            list(
                pool.map(
                    lambda searcher: self.method.start(self.worker.block, searcher), self.searchers
                )
            )
        positions, code = sum(left), 0
        while any(left):
            with task.timer.phase("freeze"):
                step = partial(
                    self.method.freeze, self.worker.block, *self.searchers, self.values, code
                )
                left = list(pool.map(step, *zip(*spans, strict=True)))
            decided = positions - sum(left)
            task.progress("accrued", code, 0.1 + 0.85 * decided / positions, decided)
            with task.timer.phase("seeds"):
                cells = self._number_cells(left) if code == STALEMATE_CODE else 0
                blocks, codes, (white, black) = [self.worker.block] * 2, [code] * 2, self.searchers
                list(pool.map(self.method.prepare, blocks, (white, black), codes, [cells] * 2))
            with task.timer.phase("middles" if code else "mates"):
                values = [self.values] * 2
                list(
                    pool.map(
                        self.method.search, blocks, (white, black), (black, white), values, codes
                    )
                )
            check_status(task.material, int(white.state[STATUS] or black.state[STATUS]))
            code += 1

    def _number_cells(self, left: Sequence[int]) -> int:
        """Number the cells that mates leave open, and allocate the arrays that these numbers index."""
        task, block = self.task, self.worker.block
        *firsts, cells = itertools.accumulate(left, initial=0)
        list(
            task.pool.map(
                lambda span, first: number_cells(block, span[0], span[1], first), self.spans, firsts
            )
        )
        room = cells if task.mobility.forgets else 0  # otherwise there are no middles
        white, black = (
            searcher._replace(**{name: task.new(room, np.uint32) for name in self.method.by_number})
            for searcher in self.searchers
        )
        self.worker = self.worker._replace(white=white, black=black)
        return cells

    def hand_over(self) -> None:
        """Count and name what the cells hold, and put them into the store, each side to move as a run of its own."""
        task, interners = self.task, (self.worker.white.interner, self.worker.black.interner)
        with task.timer.phase("tallies"):
            jobs = [
                (*span, 0, np.zeros(task.layout.others, np.int64), nothing_found())
                for span in self.spans
            ]
            list(
                task.pool.map(
                    lambda job: count_words(self.geometry, self.values, False, *job), jobs
                )
            )
            found = merged((0, found) for *_, found in jobs)
        with task.timer.phase("patterns"):
            named = self._named_cells()

            def put(side: int) -> None:
                (cells, pairs), here = named[side], nothing_found()
                dictionary, half = (
                    dictionary_of(pairs, *interners, cells.pattern),
                    task.layout.cells // 2,
                )
                here[side] = found[side] - [
                    0,
                    0,
                    side * half,
                ]  # a run counts its cells from its own first
                nobody = np.zeros(0, np.int8), np.zeros(0, np.uint16)
                run = Run(side * half, (side + 1) * half, len(dictionary.rows), here, nobody)
                task.store.put(run, dictionary, cells)

            list(task.pool.map(put, (WHITE, BLACK)))

    def _named_cells(self) -> list[tuple[Cells, Interner]]:
        """The cells of each side to move, and the pairs that name their patterns; all other arrays leave memory."""
        numbered, most_pairs = self.worker.block.numbered, len(self.worker.pairs.before)
        histories = self.worker.white.history, self.worker.black.history
        del self.worker
        half = self.task.layout.cells // 2
        patterns = [self.task.new(half, np.uint32) for _ in (WHITE, BLACK)]

        def named(side: int) -> tuple[Cells, Interner]:
            here, pairs = slice(side * half, (side + 1) * half), new_interner(most_pairs)
            cells = Cells(self.values.entry[here], self.values.dtg[here], patterns[side])
            name_patterns(numbered[side], *histories, pairs, cells.entry, cells.pattern)
            check_status(self.task.material, INTERNER_FULL if pairs.state[OVERFLOWED] else 0)
            return cells, pairs

        return list(self.task.pool.map(named, (WHITE, BLACK)))
