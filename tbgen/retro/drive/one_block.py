"""A table without pawns: a single block, solved by all threads together.

They share out words and, code by code, the two forcers.
What `OneBlock.solve_codes` does here step by step, so that threads can share each step, `solve_codes`
(many_blocks.py) does in one kernel for one thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import numpy as np

from tbgen.compiled.arrays import Ints32
from tbgen.retro.drive.many_blocks import name_patterns
from tbgen.retro.drive.runs import Found, count_words, merged, nothing_found
from tbgen.retro.drive.task import Task, check_status, check_worker
from tbgen.retro.levels.forcer import (
    INTERNER_FULL,
    Forcer,
    Worker,
    new_worker,
    open_words,
    start_forcer,
    start_middles,
)
from tbgen.retro.levels.histories import OVERFLOWED, Interner, dictionary_of, new_interner
from tbgen.retro.levels.one_code import STALEMATE, freeze, search_code
from tbgen.retro.resets.destinations import empty_child_tables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import (
    BlockValues,
    enter_block,
    find_legal,
    number_cells,
)
from tbgen.retro.words.geometry import BLACK, WHITE
from tbgen.retro.words.moves import new_scratch
from tbgen.retro.words.worklist import Span
from tbgen.table import Cells, Run

SPANS_PER_THREAD = 16
"""More would cost more than they even out: each call of a kernel unpacks some hundred arrays first."""


def spans_of(task: Task) -> list[Span]:
    """Ranges of words, enough of them to keep every thread busy, that begin with a group of 64."""
    words = task.geometry.words
    size = -(-words // (64 * SPANS_PER_THREAD * task.threads)) * 64
    return [Span(first, min(first + size, words)) for first in range(0, words, size)]


def solve_one_block(task: Task) -> None:
    """Solve the only block of a table."""
    solving = OneBlock(task)
    solving.find_moves()
    solving.solve_codes()
    solving.hand_over()


class OneBlock:
    """A block on its way. What a step does not need any more leaves memory before the next one."""

    def __init__(self, task: Task) -> None:
        self.task, self.spans = task, spans_of(task)
        self.worker = new_worker(task.geometry, task.game)
        cells = task.layout.cells
        self.values = BlockValues(task.new(cells, np.int8), task.new(cells, np.uint16))

    @property
    def forcers(self) -> tuple[Forcer, Forcer]:
        return self.worker.white, self.worker.black

    def find_moves(self) -> None:
        """Legal words, while children are read; then codes and resets."""
        task, block = self.task, self.worker.block
        enter_block(block, 0, task.pawns[0])
        jobs = [(new_scratch(task.layout.others), span) for span in self.spans]
        with task.timer.phase("children"):
            legal = task.pool.map(lambda job: find_legal(block, job[0].men, *job[1]), jobs)
            children = task.child_reader().with_captures(empty_child_tables(task.child_layouts))
            list(legal)
        task.progress("moves", None, 0.05, 0)
        with task.timer.phase("moves"):
            for status in task.pool.map(lambda job: find_moves(block, children, job[0], *job[1]), jobs):
                check_status(task.material, int(status))

    def solve_codes(self) -> None:
        """The accrued codes in ascending order."""
        task, pool, spans = self.task, self.task.pool, self.spans
        with task.timer.phase("seeds"):
            left = list(pool.map(lambda span: open_words(self.worker.block, *self.forcers, *span), spans))
            self._forget_legal()
            list(pool.map(lambda forcer: start_forcer(self.worker.block, forcer), self.forcers))
        positions, code = sum(left), 0
        while any(left):
            with task.timer.phase("freeze"):
                left = self._freeze(code)
            decided = positions - sum(left)
            task.progress("levels", code, 0.1 + 0.85 * decided / positions, decided)
            if code == STALEMATE:
                with task.timer.phase("seeds"):
                    self._begin_middles(left)
            with task.timer.phase("middles" if code else "mates"):
                self._search(code)
            check_worker(task.material, self.worker)
            code += 1

    def _search(self, code: int) -> None:
        """What each forcer forces at an accrued code, each on a thread."""
        block, values = self.worker.block, self.values
        list(self.task.pool.map(lambda forcer: search_code(block, forcer, values, code), self.forcers))

    def _forget_legal(self) -> None:
        nothing = np.zeros((2, 0), np.uint64)
        self.worker = self.worker._replace(block=self.worker.block._replace(legal=nothing, check=nothing))

    def _freeze(self, code: int) -> list[int]:
        """How many cells are undecided, by span, when those are frozen that have this own code."""
        worker, values = self.worker, self.values
        job = partial(freeze, worker.block, worker.white, worker.black, values, code)
        return list(self.task.pool.map(lambda span: job(*span), self.spans))

    def _begin_middles(self, left: Sequence[int]) -> None:
        """After the mates: what is left has places, and only now is it known how much that is."""
        pool, spans, block = self.task.pool, self.spans, self.worker.block
        *firsts, places = itertools.accumulate(left, initial=0)
        list(pool.map(lambda span, place: number_cells(block, span.first, span.end, place), spans, firsts))
        self._make_room(places)
        list(pool.map(lambda forcer: start_middles(self.worker.block, forcer, places), self.forcers))

    def _make_room(self, places: int) -> None:
        """Labels and histories for so many places, if there are any middles."""
        if not self.task.game.forgets:
            places = 0
        white, black = (
            forcer._replace(label=self.task.new(places, np.uint32), history=self.task.new(places, np.uint32))
            for forcer in self.forcers
        )
        self.worker = self.worker._replace(white=white, black=black)

    def hand_over(self) -> None:
        """Count and name what the cells hold, and put them into the store."""
        task = self.task
        self._forget_all_but_histories()
        with task.timer.phase("tallies"):
            found = self._count()
        with task.timer.phase("patterns"):
            half = task.layout.cells // 2
            sides = [self._cells_of(side * half, half) for side in (WHITE, BLACK)]
            pairs = list(task.pool.map(lambda side: self._name(side, sides[side]), (WHITE, BLACK)))
            worker = self.worker = _with_histories(self.worker, *(np.zeros(0, np.uint32) for _ in range(2)))
            list(
                task.pool.map(
                    lambda side: _put_side(task, worker, pairs[side], sides[side], side, found), (WHITE, BLACK)
                )
            )

    def _forget_all_but_histories(self) -> None:
        """Of all arrays only places and histories are needed any more."""
        block, forcers = self.worker.block, self.forcers
        rest = new_worker(block.geometry._replace(words=0), self.task.game)
        few = rest.block._replace(geometry=block.geometry, occupied=block.occupied, numbered=block.numbered)
        white, black = (
            empty._replace(history=forcer.history, interner=forcer.interner)
            for empty, forcer in zip((rest.white, rest.black), forcers, strict=True)
        )
        self.worker = rest._replace(block=few, white=white, black=black)

    def _count(self) -> Found:
        """What the cells hold, by outcome; those that are not primary hold nothing from now on."""
        task, values = self.task, self.values
        jobs = [(span, 0, np.zeros(task.layout.others, np.int64), nothing_found()) for span in self.spans]
        list(task.pool.map(lambda job: count_words(task.geometry, values, False, *job), jobs))
        return merged((0, found) for *_, found in jobs)

    def _cells_of(self, start: int, size: int) -> Cells:
        """The cells of one side to move, whose patterns have no names yet."""
        here = slice(start, start + size)
        return Cells(self.values.entry[here], self.values.dtg[here], self.task.new(size, np.uint32))

    def _name(self, side: int, cells: Cells) -> Interner:
        """Name the patterns of the cells of one side to move."""
        pairs = new_interner(len(self.worker.pairs.before))
        name_patterns(self.worker._replace(pairs=pairs), side, cells.entry, cells.pattern)
        check_status(self.task.material, INTERNER_FULL if pairs.state[OVERFLOWED] else 0)
        return pairs


def _with_histories(worker: Worker, white: Ints32, black: Ints32) -> Worker:
    return worker._replace(white=worker.white._replace(history=white), black=worker.black._replace(history=black))


def _put_side(task: Task, worker: Worker, pairs: Interner, cells: Cells, side: int, found: Found) -> None:
    """Put the cells of one side to move, whose patterns are named, into the store as a run of its own."""
    half, here = len(cells.entry), nothing_found()
    dictionary = dictionary_of(pairs, worker.white.interner, worker.black.interner, cells.pattern)
    here[side] = found[side] - [0, 0, side * half]
    nothing = np.zeros(0, np.int8), np.zeros(0, np.uint16)
    run = Run(side * half, (side + 1) * half, len(dictionary.rows), here, nothing)
    task.store.put(run, dictionary, cells)
