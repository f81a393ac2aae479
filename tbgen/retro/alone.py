"""Alone: a table without pawns is a single block, solved by all threads together.

They share out words and, level by level, the two forcers.
"""

from __future__ import annotations

import numpy as np

from tbgen.retro.block import BlockValues, find_resets, number_cells
from tbgen.retro.children import Supply
from tbgen.retro.family import Family, empty_family
from tbgen.retro.forcer import SWEEPS, start_forcer, start_middles
from tbgen.retro.legality import find_legal
from tbgen.retro.levels import STALEMATE, advance, freeze
from tbgen.retro.mobility import find_moves
from tbgen.retro.movelist import new_scratch
from tbgen.retro.patterns import dictionary_of
from tbgen.retro.statuses import check_status, check_worker
from tbgen.retro.tally import count_words, merged, nothing_found
from tbgen.retro.task import Task
from tbgen.retro.worker import Worker, enter_block, name_patterns, new_worker
from tbgen.table import Cells, Run

Part = tuple[int, int]
"""First word, and the one after the last."""


def parts_of(task: Task) -> list[Part]:
    """Runs of words, enough of them to keep every thread busy."""
    words = task.geometry.words
    size = -(-words // (1024 * task.threads)) * 64
    return [(first, min(first + size, words)) for first in range(0, words, size)]


def solve_alone(task: Task) -> None:
    """Solve the only block of a table."""
    with task.clock.phase("children"):
        family = Supply(task).with_captures(empty_family(task.kinship))
    worker = new_worker(task.geometry)
    _find_resets(task, worker, family)
    del family
    cells = task.layout.cells
    values = BlockValues(np.zeros(cells, np.int8), np.zeros(cells, np.uint16))
    _solve_levels(task, worker, values)
    _hand_over(task, worker, values)
    task.sweeps = int(worker.white.state[SWEEPS] + worker.black.state[SWEEPS])


def _find_resets(task: Task, worker: Worker, family: Family) -> None:
    """Legal words, codes and resets."""
    geometry, block, parts = task.geometry, worker.block, parts_of(task)
    enter_block(block, task.pawns[0])
    jobs = [(new_scratch(task.layout.others), *part) for part in parts]
    with task.clock.phase("legal"):
        list(task.pool.map(lambda job: find_legal(geometry, block, job[0].men, *job[1:]), jobs))
    task.progress("moves", None, 0.05, 0)
    with task.clock.phase("moves"):
        for status in task.pool.map(lambda job: find_moves(geometry, block, family, job[0], 0, *job[1:]), jobs):
            check_status(task.material, int(status))


def _solve_levels(task: Task, worker: Worker, values: BlockValues) -> None:
    """The levels in ascending order."""
    geometry, block, forcers, parts = task.geometry, worker.block, (worker.white, worker.black), parts_of(task)
    with task.clock.phase("seeds"):
        list(task.pool.map(lambda part: find_resets(block, *part), parts))
        list(task.pool.map(lambda forcer: start_forcer(block, forcer), forcers))
    positions, more, k = int(np.bitwise_count(block.legal).sum()), True, 0
    while more:
        with task.clock.phase("freeze"):
            more = any(list(task.pool.map(lambda part, level=k: freeze(block, *forcers, values, level, *part), parts)))
        decided = positions - int(np.bitwise_count(block.undecided).sum())
        task.progress("levels", k, 0.1 + 0.85 * decided / positions, decided)
        if k == STALEMATE:
            with task.clock.phase("seeds"):
                places = number_cells(block)
                list(task.pool.map(lambda forcer, places=places: start_middles(block, forcer, places), forcers))
        with task.clock.phase("middles" if k else "mates"):
            list(task.pool.map(lambda forcer, level=k: advance(geometry, block, forcer, values, level), forcers))
        check_worker(task.material, worker)
        k += 1


def _hand_over(task: Task, worker: Worker, values: BlockValues) -> None:
    """Count and name what the cells hold, and put them into the store."""
    geometry, white, black, parts = task.geometry, worker.white, worker.black, parts_of(task)
    founds, (entry, dtg) = [nothing_found() for _ in parts], values
    with task.clock.phase("tallies"):
        men = [np.zeros(task.layout.others, np.int64) for _ in parts]
        jobs = [(room, *part, 0, found) for room, part, found in zip(men, parts, founds, strict=True)]
        list(task.pool.map(lambda job: count_words(geometry, values, False, *job), jobs))
    pattern = np.zeros(len(entry), np.uint32)
    with task.clock.phase("patterns"):
        name_patterns(worker.block, white, black, entry, worker.pairs, pattern)
        check_worker(task.material, worker)
        dictionary = dictionary_of(worker.pairs, white.store, black.store, pattern)
    found, nothing = merged((0, found) for found in founds), (np.zeros(0, np.int8), np.zeros(0, np.uint16))
    run = Run(0, len(entry), len(dictionary.rows), found, nothing)
    task.store.put(run, dictionary, Cells(entry, dtg, pattern))
