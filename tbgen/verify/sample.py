"""Samples: which positions are checked, and what their check needs to know of the table and of its children."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bools, Bytes, Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.score import Color
from tbgen.verify.cells import Links, Men, Numbering, men_of, numbering_of, set_up
from tbgen.verify.moves import (
    NO_POSITION,
    NOBODY,
    QUIETS,
    RESETS,
    Scratch,
    copy_men,
    list_moves,
    new_scratch,
    own_code_of,
    quiet_cell,
)
from tbgen.verify.subject import Cells
from tbgen.verify.sweeps import ALL_TASKS, OWN_TASK, RESETS_TASK, child_cell, is_wanted, link_of, list_en_passant
from tbgen.verify.values import Subject, cell_at

MOST_NEEDS = 256
"""A position needs no more cells than this, of its own table or of a child."""


@borrowing
def find_positions(men: Men, numbering: Numbering, scratch: Scratch, cells: Ints, found: Bools) -> None:
    """Which cells are the primary ones of legal positions."""
    for n in range(cells.size):
        found[n] = own_code_of(men, numbering, cells[n], scratch) != NO_POSITION


# found[n] -> a cell, tasks[n] -> what is asked of it
@borrowing
def list_needs(
    men: Men, numbering: Numbering, scratch: Scratch, other: Scratch, cells: Ints, found: Ints, tasks: Bytes
) -> int:
    """The cells of the same table that the check of some cells looks at; returns how many."""
    count = 0
    for cell in cells:
        side = set_up(numbering, cell, scratch.squares)
        for move in range(list_moves(men, scratch, side, QUIETS)):
            found[count], tasks[count] = quiet_cell(numbering, scratch, side, move), OWN_TASK
            count += 1
        for move in range(list_moves(men, scratch, side, RESETS)):
            slot, to = scratch.slot[move], scratch.to[move]
            if scratch.promotion[move] or scratch.captured[move] != NOBODY:
                continue
            found[count], tasks[count] = quiet_cell(numbering, scratch, side, move), 0
            if abs(to - scratch.squares[slot]) == 16:
                copy_men(men, scratch, other)
                if list_en_passant(men, other, slot, to):
                    tasks[count] = OWN_TASK | RESETS_TASK
            count += 1
    return count


@borrowing
def list_child_cells(
    subject: Subject, number: Int, child: Numbering, scratch: Scratch, start: Int, stop: Int, found: Ints
) -> int:
    """The cells of a child, by its numbering, that resets lead to; returns how many."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    count = 0
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), scratch.squares)
        for move in range(list_moves(men, scratch, side, RESETS)):
            link = link_of(links, scratch, move)
            if links.child[link] == number:
                found[count] = cell_after(links, link, child, scratch, side, move)
                count += 1
    return count


@inner
def cell_after(links: Links, link: Int, child: Numbering, scratch: Scratch, side: Int, move: Int) -> int:
    """The child's cell that a listed move leads to."""
    slot = scratch.slot[move]
    start = scratch.squares[slot]
    scratch.squares[slot] = scratch.to[move]
    cell = child_cell(links, link, child, scratch, side)
    scratch.squares[slot] = start
    return cell


@borrowing
def list_victim_cells(
    subject: Subject, color: Int, child: Numbering, both: tuple[Scratch, Scratch], start: Int, stop: Int, found: Ints
) -> int:
    """The cells of a child that captures en passant of a pawn of this colour lead to; returns how many.

    One scratch space is for the position before the double step, one for that after it.
    """
    scratch, other = both
    men, numbering, links = subject.men, subject.numbering, subject.links
    count = 0
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), scratch.squares)
        for move in range(list_moves(men, scratch, side, RESETS) if side == color else 0):
            slot, to = scratch.slot[move], scratch.to[move]
            if scratch.captured[move] != NOBODY or abs(to - scratch.squares[slot]) != 16 or men.kind[slot] > 1:
                continue
            copy_men(men, scratch, other)
            link = links.at[slot + 1, 0, 0]
            for capture in range(list_en_passant(men, other, slot, to)):
                found[count] = cell_after(links, link, child, other, 1 - side, capture)
                count += 1
    return count


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
