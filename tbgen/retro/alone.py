"""Alone: a table without pawns is a single block, solved by all threads together.

They share out words and, level by level, the two forcers.
"""

from __future__ import annotations

import numpy as np

from tbgen.retro.children import Supply
from tbgen.retro.family import Family, empty_family
from tbgen.retro.legality import find_legal
from tbgen.retro.levels import advance, freeze, start_forcer
from tbgen.retro.mobility import find_moves
from tbgen.retro.movelist import new_scratch
from tbgen.retro.patterns import dictionary_of
from tbgen.retro.statuses import check_status, check_worker
from tbgen.retro.tally import count_words, merged, nothing_found
from tbgen.retro.task import Task
from tbgen.retro.worker import Worker, enter_block, name_patterns, new_worker
from tbgen.table import Cells, Distances, Entries, Run

Part = tuple[int, int]
"""First word, and the one after the last."""


def parts_of(task: Task) -> list[Part]:
    """Runs of words, enough of them to keep every thread busy."""
    words = task.geometry.words
    size = max(10, words // (16 * task.threads))
    return [(first, min(first + size, words)) for first in range(0, words, size)]


def solve_alone(task: Task) -> None:
    """Solve the only block of a table."""
    with task.clock.phase("children"):
        family = Supply(task).with_captures(empty_family(task.kinship))
    worker = new_worker(task.geometry)
    _find_resets(task, worker, family)
    del family
    cells = task.layout.cells
    entry, dtg = np.zeros(cells, np.int8), np.zeros(cells, np.uint16)
    _solve_levels(task, worker, entry, dtg)
    _hand_over(task, worker, entry, dtg)
    task.sweeps = int(worker.white.state[2] + worker.black.state[2])


def _find_resets(task: Task, worker: Worker, family: Family) -> None:
    """Legal words, codes and resets."""
    geometry, block, parts = task.geometry, worker.block, parts_of(task)
    enter_block(block, task.pawns[0])
    with task.clock.phase("legal"):
        list(task.pool.map(lambda part: find_legal(geometry, block, *part), parts))
    task.progress("moves", None, 0.05, 0)
    with task.clock.phase("moves"):
        jobs = [(new_scratch(task.layout.others), *part) for part in parts]
        for status in task.pool.map(lambda job: find_moves(geometry, block, family, job[0], 0, *job[1:]), jobs):
            check_status(task.material, int(status))


def _solve_levels(task: Task, worker: Worker, entry: Entries, dtg: Distances) -> None:
    """The levels in ascending order."""
    geometry, block, forcers = task.geometry, worker.block, (worker.white, worker.black)
    with task.clock.phase("seeds"):
        list(task.pool.map(lambda forcer: start_forcer(block, forcer), forcers))
    positions, more, k = int(np.bitwise_count(block.legal).sum()), True, 0
    while more:
        with task.clock.phase("freeze"):
            more = freeze(block, *forcers, k, entry, dtg)
        decided = int(block.frozen.sum())
        task.progress("levels", k, 0.1 + 0.85 * decided / positions, decided)
        with task.clock.phase("spread"):
            list(task.pool.map(lambda forcer, level=k: advance(geometry, block, forcer, level), forcers))
        check_worker(task.material, worker)
        k += 1


def _hand_over(task: Task, worker: Worker, entry: Entries, dtg: Distances) -> None:
    """Count and name what the cells hold, and put them into the store."""
    geometry, block, parts = task.geometry, worker.block, parts_of(task)
    founds = [nothing_found() for _ in parts]
    with task.clock.phase("tallies"):
        jobs = [(*part, 0, found) for part, found in zip(parts, founds, strict=True)]
        list(task.pool.map(lambda job: count_words(geometry, entry, dtg, False, *job), jobs))
    pattern = np.zeros(len(entry), np.uint32)
    with task.clock.phase("patterns"):
        name_patterns(block.history, entry, worker.pairs, 0, geometry.words, pattern)
        check_worker(task.material, worker)
        dictionary = dictionary_of(worker.pairs, worker.white.store, worker.black.store)
        often = np.bincount(pattern, minlength=len(dictionary.start) - 1)
    found, nothing = merged((0, found) for found in founds), (np.zeros(0, np.int8), np.zeros(0, np.uint16))
    task.store.put(Run(0, len(entry), dictionary, often, found, nothing), Cells(entry, dtg, pattern))
