"""Alone: a table without pawns is a single block, solved by all threads together.

They share out words and, level by level, the two forcers; layers that are thick they share too (sharing.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tbgen.handover import Cells, Run
from tbgen.retro.drive.counts import Found, count_words, merged, nothing_found
from tbgen.retro.drive.shared_layers import Sharing
from tbgen.retro.drive.statuses import check_status, check_worker
from tbgen.retro.drive.task import Task
from tbgen.retro.drive.worker import STORE_NODES, Worker, name_patterns, new_worker
from tbgen.retro.levels.forcer import STORE_FULL, SWEEPS, Forcer, open_words, start_forcer, start_middles
from tbgen.retro.levels.histories import OVERFLOWED, new_store
from tbgen.retro.levels.patterns import dictionary_of
from tbgen.retro.levels.stages import STALEMATE, advance_middle, freeze, spread_class
from tbgen.retro.resets.family import empty_family
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import BlockValues, enter_block, number_cells
from tbgen.retro.words.geometry import BLACK, WHITE
from tbgen.retro.words.legality import find_legal
from tbgen.retro.words.movelist import new_scratch

Part = tuple[int, int]
"""First word, and the one after the last."""


def parts_of(task: Task) -> list[Part]:
    """Runs of words, enough of them to keep every thread busy."""
    words = task.geometry.words
    size = -(-words // (4096 * task.threads)) * 64
    return [(first, min(first + size, words)) for first in range(0, words, size)]


def solve_alone(task: Task) -> None:
    """Solve the only block of a table."""
    worker = new_worker(task.geometry)
    _find_resets(task, worker)
    cells = task.layout.cells
    values = BlockValues(np.zeros(cells, np.int8), np.zeros(cells, np.uint16))
    _solve_levels(task, worker, values)
    _hand_over(task, worker, values)
    task.sweeps = int(worker.white.state[SWEEPS] + worker.black.state[SWEEPS])


def _find_resets(task: Task, worker: Worker) -> None:
    """Legal words, while children are read; then codes and resets."""
    geometry, block, parts = task.geometry, worker.block, parts_of(task)
    enter_block(block, task.pawns[0])
    jobs = [(new_scratch(task.layout.others), *part) for part in parts]
    with task.clock.phase("children"):
        legal = task.pool.map(lambda job: find_legal(geometry, block, job[0].men, *job[1:]), jobs)
        family = task.supply().with_captures(empty_family(task.kinship))
        list(legal)
    task.progress("moves", None, 0.05, 0)
    with task.clock.phase("moves"):
        for status in task.pool.map(lambda job: find_moves(geometry, block, family, job[0], 0, *job[1:]), jobs):
            check_status(task.material, int(status))


def _solve_levels(task: Task, worker: Worker, values: BlockValues) -> None:
    """The levels in ascending order."""
    block, forcers, parts = worker.block, (worker.white, worker.black), parts_of(task)
    with task.clock.phase("seeds"):
        left = list(task.pool.map(lambda part: open_words(block, *forcers, *part), parts))
        list(task.pool.map(lambda forcer: start_forcer(block, forcer), forcers))
    sharing = Sharing(task, block, values)
    positions, k = sum(left), 0
    while any(left):
        with task.clock.phase("freeze"):
            left = list(task.pool.map(lambda part, level=k: freeze(block, *forcers, values, level, *part), parts))
        decided = positions - sum(left)
        task.progress("levels", k, 0.1 + 0.85 * decided / positions, decided)
        if k == STALEMATE:
            with task.clock.phase("seeds"):
                *firsts, places = itertools.accumulate(left, initial=0)
                list(task.pool.map(lambda part, place: number_cells(block, part[0], part[1], place), parts, firsts))
                list(task.pool.map(lambda forcer, places=places: start_middles(block, forcer, places), forcers))
        with task.clock.phase("middles" if k else "mates"):
            _spread_classes(sharing, forcers, k)
            list(task.pool.map(lambda forcer, level=k: advance_middle(task.geometry, block, forcer, level), forcers))
        check_worker(task.material, worker)
        k += 1


def _spread_classes(sharing: Sharing, forcers: Sequence[Forcer], k: int) -> None:
    """The classes of stage k, each forcer's on a thread, but for thick layers."""
    task, block, values, most = sharing.task, sharing.block, sharing.values, sharing.most
    while forcers:
        done = task.pool.map(lambda forcer: spread_class(task.geometry, block, forcer, values, k, most), forcers)
        forcers = [forcer for forcer, is_done in zip(forcers, list(done), strict=True) if not is_done]
        for forcer in forcers:
            sharing.finish_layer(forcer, k)


def _hand_over(task: Task, worker: Worker, values: BlockValues) -> None:
    """Count and name what the cells hold, and put them into the store."""
    geometry, parts = task.geometry, parts_of(task)
    founds = [nothing_found() for _ in parts]
    with task.clock.phase("tallies"):
        men = [np.zeros(task.layout.others, np.int64) for _ in parts]
        jobs = [(room, *part, 0, found) for room, part, found in zip(men, parts, founds, strict=True)]
        list(task.pool.map(lambda job: count_words(geometry, values, False, *job), jobs))
    found = merged((0, found) for found in founds)
    with task.clock.phase("patterns"):
        list(task.pool.map(lambda side: _put_side(task, worker, values, side, found), (WHITE, BLACK)))


def _put_side(task: Task, worker: Worker, values: BlockValues, side: int, found: Found) -> None:
    """Name what the cells of one side to move hold, as a run of its own, and put them into the store."""
    half = task.layout.cells // 2
    start, pairs = side * half, new_store(STORE_NODES)
    entry, dtg = values.entry[start : start + half], values.dtg[start : start + half]
    pattern, here = np.zeros(half, np.uint32), nothing_found()
    name_patterns(worker.block, worker.white, worker.black, side, entry, pairs, pattern)
    check_status(task.material, STORE_FULL if pairs.state[OVERFLOWED] else 0)
    dictionary = dictionary_of(pairs, worker.white.store, worker.black.store, pattern)
    here[side] = found[side] - [0, 0, start]
    nothing = np.zeros(0, np.int8), np.zeros(0, np.uint16)
    run = Run(start, start + half, len(dictionary.rows), here, nothing)
    task.store.put(run, dictionary, Cells(entry, dtg, pattern))
