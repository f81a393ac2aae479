"""Samples: which positions are checked, and what their check needs to know of the table and of its children."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.score import Color
from tbgen.verify.listing import MOST_NEEDS, find_positions, list_child_cells, list_needs, list_victim_cells
from tbgen.verify.men import men_of, numbering_of
from tbgen.verify.moves import new_scratch
from tbgen.verify.resets import RESETS_TASK
from tbgen.verify.subject import Cells
from tbgen.verify.sweeps import ALL_TASKS
from tbgen.verify.values import Subject

_BATCH = 1 << 12
"""Positions whose needs are listed at a time."""


def drawn_cells(layout: Layout, count: int, seed: int) -> Cells:
    """Random cells that hold positions, in ascending order."""
    random, men, numbering, scratch = np.random.default_rng(seed), men_of(layout), numbering_of(layout), new_scratch()
    kept = np.zeros(0, np.int64)
    while len(kept) < count:
        drawn = np.setdiff1d(random.integers(0, layout.cells, 2 * count), kept)
        is_position = np.zeros(len(drawn), np.bool_)
        find_positions(men, numbering, scratch, drawn, is_position)
        fresh = random.permutation(drawn[is_position])
        kept = np.union1d(kept, fresh[: count - len(kept)])
    return kept


def needs_of(layout: Layout, cells: Cells) -> tuple[Cells, npt.NDArray[np.uint8]]:
    """All cells that the check of some cells looks at, in ascending order, and what is asked of each."""
    men, numbering, scratch, other = men_of(layout), numbering_of(layout), new_scratch(), new_scratch()
    found, tasks = [cells], [np.full(len(cells), ALL_TASKS, np.uint8)]
    frontier = known = cells
    while len(frontier):
        for batch in _batches(frontier):
            there, task = np.empty(len(batch) * MOST_NEEDS, np.int64), np.empty(len(batch) * MOST_NEEDS, np.uint8)
            count = list_needs(men, numbering, scratch, other, batch, there, task)
            found.append(there[:count].copy())
            tasks.append(task[:count].copy())
        every, task = _merged(np.concatenate(found), np.concatenate(tasks))
        frontier = np.setdiff1d(every[task & RESETS_TASK != 0], known)
        known = np.union1d(known, frontier)
        found, tasks = [every], [task]
    return found[0], tasks[0]


def _merged(cells: Cells, tasks: npt.NDArray[np.uint8]) -> tuple[Cells, npt.NDArray[np.uint8]]:
    """Each cell once, with all that is asked of it."""
    every, number = np.unique(cells, return_inverse=True)
    merged = np.zeros(len(every), np.uint8)
    np.bitwise_or.at(merged, number, tasks)
    return every, merged


def _batches(cells: Cells) -> list[Cells]:
    return np.split(cells, range(_BATCH, len(cells), _BATCH))


def child_cells(subject: Subject, number: int, child: Material) -> Cells:
    """The cells of a child that the resets in question lead to, in ascending order."""
    numbering, scratch = numbering_of(layout_of(child)), new_scratch()
    return _listed(
        subject, lambda start, stop, room: list_child_cells(subject, number, numbering, scratch, start, stop, room)
    )


def victim_cells(subject: Subject, color: Color, child: Material) -> Cells:
    """The cells of a child that captures en passant of a pawn of this colour lead to, in ascending order."""
    numbering, scratch, other = numbering_of(layout_of(child)), new_scratch(), new_scratch()
    return _listed(
        subject,
        lambda start, stop, room: list_victim_cells(
            subject, int(color), numbering, (scratch, other), start, stop, room
        ),
    )


def _listed(subject: Subject, list_cells: Callable[[int, int, Cells], int]) -> Cells:
    room, places = np.empty(_BATCH * MOST_NEEDS, np.int64), len(subject.cells)
    ranges = ((start, min(start + _BATCH, places)) for start in range(0, places, _BATCH))
    return np.unique(np.concatenate([np.unique(room[: list_cells(*each, room)]) for each in ranges]))
