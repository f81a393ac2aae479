"""A table without pawns: a single block, solved by all threads together.

They share out words and, level by level, the two forcers; layers that are thick they share too (shared_layers.py).
What `_solve_levels` does here step by step, so that threads can share each step, `solve_levels` (block_runs.py) does in
one kernel for one thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tbgen.handover import Cells, Run
from tbgen.retro.drive.block_runs import name_patterns
from tbgen.retro.drive.counts import Found, count_words, merged, nothing_found
from tbgen.retro.drive.shared_layers import SharedLayers
from tbgen.retro.drive.statuses import check_status, check_worker
from tbgen.retro.drive.task import Task
from tbgen.retro.levels.forcer import INTERNER_FULL, SWEEPS, Forcer, open_words, start_forcer, start_middles
from tbgen.retro.levels.histories import OVERFLOWED, new_interner
from tbgen.retro.levels.patterns import dictionary_of
from tbgen.retro.levels.stages import STALEMATE, advance_middle, freeze, spread_class
from tbgen.retro.levels.worker import MOST_NODES, Worker, new_worker
from tbgen.retro.resets.family import empty_family
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import BlockValues, enter_block, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE
from tbgen.retro.words.legality import find_legal
from tbgen.retro.words.movelist import new_scratch
from tbgen.retro.words.worklist import Span

SPANS_PER_THREAD = 16
"""More would cost more than they even out: each call of a kernel unpacks some hundred arrays first."""


def spans_of(task: Task) -> list[Span]:
    """Ranges of words, enough of them to keep every thread busy, that begin with a group of 64."""
    words = task.geometry.words
    size = -(-words // (64 * SPANS_PER_THREAD * task.threads)) * 64
    return [Span(first, min(first + size, words)) for first in range(0, words, size)]


def solve_one_block(task: Task) -> None:
    """Solve the only block of a table."""
    worker = new_worker(task.geometry)
    _find_moves(task, worker)
    cells = task.layout.cells
    values = BlockValues(np.zeros(cells, np.int8), np.zeros(cells, np.uint16))
    _solve_levels(task, worker, values)
    _hand_over(task, worker, values)
    task.sweeps = int(worker.white.state[SWEEPS] + worker.black.state[SWEEPS])


def _find_moves(task: Task, worker: Worker) -> None:
    """Legal words, while children are read; then codes and resets."""
    block, spans = worker.block, spans_of(task)
    enter_block(block, 0, task.pawns[0])
    jobs = [(new_scratch(task.layout.others), span) for span in spans]
    with task.timer.phase("children"):
        legal = task.pool.map(lambda job: find_legal(block, job[0].men, *job[1]), jobs)
        family = task.supply().with_captures(empty_family(task.kinship))
        list(legal)
    task.progress("moves", None, 0.05, 0)
    with task.timer.phase("moves"):
        for status in task.pool.map(lambda job: find_moves(block, family, job[0], *job[1]), jobs):
            check_status(task.material, int(status))


def _solve_levels(task: Task, worker: Worker, values: BlockValues) -> None:
    """The levels in ascending order."""
    block, forcers, spans = worker.block, (worker.white, worker.black), spans_of(task)
    with task.timer.phase("seeds"):
        left = list(task.pool.map(lambda span: open_words(block, *forcers, *span), spans))
        list(task.pool.map(lambda forcer: start_forcer(block, forcer), forcers))
    shared_layers = SharedLayers(task, block, values)
    positions, k = sum(left), 0
    while any(left):
        with task.timer.phase("freeze"):
            left = list(task.pool.map(lambda span, level=k: freeze(block, *forcers, values, level, *span), spans))
        decided = positions - sum(left)
        task.progress("levels", k, 0.1 + 0.85 * decided / positions, decided)
        if k == STALEMATE:
            with task.timer.phase("seeds"):
                *firsts, places = itertools.accumulate(left, initial=0)
                list(task.pool.map(lambda span, place: number_cells(block, span.first, span.end, place), spans, firsts))
                list(task.pool.map(lambda forcer, places=places: start_middles(block, forcer, places), forcers))
        with task.timer.phase("middles" if k else "mates"):
            _spread_classes(shared_layers, forcers, k)
            list(task.pool.map(lambda forcer, level=k: advance_middle(block, forcer, level), forcers))
        check_worker(task.material, worker)
        k += 1


def _spread_classes(shared_layers: SharedLayers, forcers: Sequence[Forcer], k: int) -> None:
    """The classes of stage k, each forcer's on a thread, but for thick layers."""
    task, block, values, most = shared_layers.task, shared_layers.block, shared_layers.values, shared_layers.most
    while forcers:
        done = task.pool.map(lambda forcer: spread_class(block, forcer, values, k, most), forcers)
        forcers = [forcer for forcer, is_done in zip(forcers, list(done), strict=True) if not is_done]
        for forcer in forcers:
            shared_layers.finish_layer(forcer, k)


def _hand_over(task: Task, worker: Worker, values: BlockValues) -> None:
    """Count and name what the cells hold, and put them into the store."""
    spans = spans_of(task)
    founds = [nothing_found() for _ in spans]
    with task.timer.phase("tallies"):
        men = [np.zeros(task.layout.others, np.int64) for _ in spans]
        jobs = [(span, 0, room, found) for span, room, found in zip(spans, men, founds, strict=True)]
        list(task.pool.map(lambda job: count_words(task.geometry, values, False, *job), jobs))
    found = merged((0, found) for found in founds)
    with task.timer.phase("patterns"):
        list(task.pool.map(lambda side: _put_side(task, worker, values, side, found), (WHITE, BLACK)))


def _put_side(task: Task, worker: Worker, values: BlockValues, side: int, found: Found) -> None:
    """Name what the cells of one side to move hold, as a run of its own, and put them into the store."""
    half = task.layout.cells // 2
    start, pairs = side * half, new_interner(MOST_NODES)
    entry, dtg = values.entry[start : start + half], values.dtg[start : start + half]
    pattern, here = np.zeros(half, np.uint32), nothing_found()
    name_patterns(worker._replace(pairs=pairs), side, entry, pattern)
    check_status(task.material, INTERNER_FULL if pairs.state[OVERFLOWED] else 0)
    dictionary = dictionary_of(pairs, worker.white.interner, worker.black.interner, pattern)
    here[side] = found[side] - [0, 0, start]
    nothing = np.zeros(0, np.int8), np.zeros(0, np.uint16)
    run = Run(start, start + half, len(dictionary.rows), here, nothing)
    task.store.put(run, dictionary, Cells(entry, dtg, pattern))
