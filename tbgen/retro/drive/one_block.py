"""A table without pawns: a single block, solved by all threads together.

Threads divide the words. At each code, each forcer has a thread. What `OneBlock.solve_codes` does
here step by step, so that threads can share each step, `solve_codes` (methods.py) does in one
kernel for one thread.
"""

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from tbgen.compiled.arrays import Ints32, Words
from tbgen.retro.cells.members import open_words
from tbgen.retro.cells.worker import HISTORIES, STATUS, Room
from tbgen.retro.drive.methods import new_worker
from tbgen.retro.drive.results import (
    FIRST_CELL,
    Found,
    count_words,
    merged,
    name_patterns,
    nothing_found,
)
from tbgen.retro.drive.task import Task, check_status, with_growing_room
from tbgen.retro.patterns.dictionaries import dictionary_of
from tbgen.retro.patterns.histories import OVERFLOWED, Interner, new_interner
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.status import INTERNER_FULL
from tbgen.retro.words.block import BlockValues, enter_block, find_legal, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE, geometry_of
from tbgen.retro.words.moves import Scratch, new_scratch
from tbgen.score import STALEMATE_CODE
from tbgen.table import Cells, Run

SPANS_PER_THREAD = 16
"""More ranges balance better but cost more: each call of a kernel unpacks a hundred arrays."""

Span = tuple[int, int]
"""The first word of a range, and the one after its last."""

Histories = tuple[Ints32, Ints32]
"""[number] the histories of cells, with White as the forcer and with Black."""

Interners = tuple[Interner, Interner]
"""Those of these histories."""

T = TypeVar("T")


def solve_one_block(task: Task) -> None:
    def solve(room: Room) -> None:
        solving = OneBlock(task, room)
        solving.find_moves()
        solving.solve_codes()
        solving.hand_over()

    with_growing_room(Room(task.layout.block_words), solve)


class OneBlock:
    """A block being solved. Each step frees the arrays that no later step needs."""

    def __init__(self, task: Task, room: Room) -> None:
        self.task = task
        self.method = task.method
        self.mode = self.method.mode(task.mobility)
        self.geometry = geometry_of(task.layout)
        words = self.geometry.words
        groups = -(-words // (64 * SPANS_PER_THREAD * task.threads))
        size = 64 * groups  # a range begins with a group of 64 words
        self.spans = [(first, min(first + size, words)) for first in range(0, words, size)]
        self.worker = new_worker(self.method, self.geometry, task.mobility, room)
        cells = task.layout.cells
        self.values = BlockValues(task.new(cells, np.int8), task.new(cells, np.uint16))

    def _both(self, step: Callable[[int], T]) -> list[T]:
        """Take a step for White and for Black, each in a thread of its own."""
        return list(self.task.pool.map(step, (WHITE, BLACK)))

    def _searcher(self, side: int) -> Any:
        return self.worker.white if side == WHITE else self.worker.black

    def find_moves(self) -> None:
        """Legal words, while children are read; then codes and resets."""
        task = self.task
        block = self.worker.block
        reader = task.child_reader()
        scratches = [new_scratch(task.layout.others) for _ in self.spans]
        enter_block(block, 0, np.zeros(0, np.int64))

        def find_legal_in(scratch: Scratch, span: Span) -> None:
            find_legal(block, scratch.men, *span)

        def find_moves_in(scratch: Scratch, span: Span) -> None:
            status = find_moves(block, reader.tables, scratch, *span)
            check_status(task.material, int(status))

        with task.phase("children"):
            legal = task.pool.map(find_legal_in, scratches, self.spans)
            reader.read_captures()
            list(legal)
        task.progress("moves", None, 0.05, 0)
        with task.phase("moves"):
            list(task.pool.map(find_moves_in, scratches, self.spans))

    def solve_codes(self) -> None:
        """The accrued codes in ascending order."""
        task = self.task
        with task.phase("seeds"):
            positions = self._open_words()
            self._both(lambda side: self.method.start(self.worker.block, self._searcher(side)))
        left = positions
        code = 0
        while left:
            with task.phase("freeze"):
                left_in = self._freeze(code)
            left = sum(left_in)
            decided = positions - left
            task.progress("accrued", code, 0.1 + 0.85 * decided / positions, decided)
            with task.phase("seeds"):
                cells = self._number_cells(left_in) if code == STALEMATE_CODE else 0
                self._prepare(code, cells)
            with task.phase("middles" if code else "mates"):
                self._search(code)
            for side in (WHITE, BLACK):
                check_status(task.material, int(self._searcher(side).state[STATUS]))
            code += 1

    def _open_words(self) -> int:
        """Open all words, and free the arrays of legal positions; how many positions there are."""
        block = self.worker.block
        white = self.worker.white.forced
        black = self.worker.black.forced

        def open_span(span: Span) -> int:
            return open_words(block, white, black, *span)

        positions = sum(self.task.pool.map(open_span, self.spans))
        nothing = np.zeros((2, 0), np.uint64)
        block = block._replace(legal=nothing, check=nothing)
        self.worker = self.worker._replace(block=block)
        return positions

    def _freeze(self, code: int) -> list[int]:
        """Freeze the cells of this own code; how many are left undecided in each range of words."""
        worker = self.worker

        def freeze(span: Span) -> int:
            return self.method.freeze(
                worker.block, worker.white, worker.black, self.values, code, *span
            )

        return list(self.task.pool.map(freeze, self.spans))

    def _prepare(self, code: int, cells: int) -> None:
        """Let each side get ready for the search at a code."""

        def prepare(side: int) -> None:
            self.method.prepare(self.worker.block, self._searcher(side), code, cells)

        self._both(prepare)

    def _search(self, code: int) -> None:
        """Find what each side forces at a code."""

        def search(side: int) -> None:
            ours = self._searcher(side)
            theirs = self._searcher(1 - side)
            self.method.search(self.worker.block, ours, theirs, self.values, code)

        self._both(search)

    def _number_cells(self, left_in: Sequence[int]) -> int:
        """Number the cells that mates leave open, and allocate the arrays that their numbers index.

        Returns how many cells those are.
        """
        task = self.task
        block = self.worker.block
        *firsts, cells = itertools.accumulate(left_in, initial=0)

        def number_span(span: Span, first: int) -> None:
            number_cells(block, *span, first)

        list(task.pool.map(number_span, self.spans, firsts))
        room = cells if self.mode == HISTORIES else 0

        def with_room(searcher: Any) -> Any:
            arrays = {name: task.new(room, np.uint32) for name in self.method.by_number}
            return searcher._replace(**arrays)

        white = with_room(self.worker.white)
        black = with_room(self.worker.black)
        self.worker = self.worker._replace(white=white, black=black)
        return cells

    def hand_over(self) -> None:
        """Count and name what the cells hold, and put them into the store.

        Each side to move is a run of its own.
        """
        task = self.task
        with task.phase("tallies"):
            found = self._count()
        with task.phase("patterns"):
            numbered = self.worker.block.numbered
            histories = (self.worker.white.history, self.worker.black.history)
            interners = (self.worker.white.interner, self.worker.black.interner)
            most_pairs = len(self.worker.pairs.before)
            del self.worker  # its other arrays leave memory
            patterns = [task.new(task.layout.cells // 2, np.uint32) for _ in (WHITE, BLACK)]
            name = partial(self._name, histories, most_pairs)
            named = list(task.pool.map(name, (WHITE, BLACK), numbered, patterns))
            del numbered, histories, name  # and so do these
            self._both(lambda side: self._put(side, *named[side], interners, found))

    def _name(
        self, histories: Histories, most_pairs: int, side: int, numbered: Words, pattern: Ints32
    ) -> tuple[Cells, Interner]:
        """The cells of one side to move, with names of patterns, and the pairs that these mean."""
        half = len(pattern)
        here = slice(side * half, (side + 1) * half)
        cells = Cells(self.values.entry[here], self.values.dtg[here], pattern)
        pairs = new_interner(most_pairs)
        if self.mode == HISTORIES:
            white, black = histories
            name_patterns(numbered, white, black, pairs, cells.entry, pattern)
        check_status(self.task.material, INTERNER_FULL if pairs.state[OVERFLOWED] else 0)
        return cells, pairs

    def _put(
        self, side: int, cells: Cells, pairs: Interner, interners: Interners, found: Found
    ) -> None:
        """Put the cells of one side to move into the store."""
        first = side * len(cells.entry)
        end = first + len(cells.entry)
        dictionary = dictionary_of(pairs, *interners, cells.pattern)
        found_here = nothing_found()
        found_here[side] = found[side]
        found_here[side, :, FIRST_CELL] -= first  # a run counts its cells from its own first
        nobody = (np.zeros(0, np.int8), np.zeros(0, np.uint16))
        run = Run(first, end, len(dictionary.rows), found_here, nobody)
        self.task.store.put(run, dictionary, cells)

    def _count(self) -> Found:
        """Count what all cells hold."""

        def count(span: Span) -> tuple[int, Found]:
            found = nothing_found()
            men = np.zeros(self.task.layout.others, np.int64)
            count_words(self.geometry, self.values, False, *span, 0, men, found)
            return 0, found

        return merged(self.task.pool.map(count, self.spans))
