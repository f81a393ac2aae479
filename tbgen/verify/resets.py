"""The values of captures, promotions and pawn moves, and the cells that a sample needs.

The verifier lists the cells of a child that resets lead to, looks them up, and notes the values of
the resets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints, Shorts, SignedBytes
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout
from tbgen.material import Scope
from tbgen.verify.cells import NO_SLOT, Links, Men, cell_of, men_of, set_up, side_of
from tbgen.verify.kept import KeptCells, cell_at, index_of_cell
from tbgen.verify.moves import (
    NO_POSITION,
    NOBODY,
    QUIETS,
    RESETS,
    Buffers,
    is_safe,
    list_moves,
    new_scratch,
    note_move,
    quiet_cell,
    write_squares_after,
)
from tbgen.verify.values import (
    Subject,
    key_after_reset,
    key_of_move,
    key_of_reset,
    note_reset,
    signed,
    stored_value,
    value_of_key,
)

MOST_NEEDS = 256
"""A position needs at most so many cells, of its own table or of a child."""
# Values of Subject.task. Each asks for what those before it ask for as well.
ENTRY_TASK = 0
"""Read the entry value of a position."""
OWN_TASK = 1
"""Find its own code."""
RESETS_TASK = 2
"""Find its best reset."""
PAIRS_TASK = 3
"""Check its pairs."""
_BATCH = 1 << 12
"""The number of positions whose needs are listed together."""
EVERYTHING_FINE = -1
FIRST_CODE = 2
"""Lower codes end the game, so nothing else can accrue then."""


@inner
def is_asked(subject: Subject, index: Int, task: Int) -> bool:
    """Whether a task is set for an index, and its position has moves."""
    return subject.task[index] >= task and 1 < subject.own[index] < NO_POSITION


@inner
def quiet_index(subject: Subject, scratch: Buffers, side: Int, move: Int) -> Int:
    """The index in the arrays of the position after a move within the material."""
    return index_of_cell(subject.kept, quiet_cell(subject.men, scratch, side, move))


@by_address
class ChildTable(NamedTuple):
    """The values of a table that resets lead to."""

    men: Men
    kept: KeptCells
    entry: SignedBytes
    dtg: Shorts


@inner
def child_cell(links: Links, link: Int, child: Men, scratch: Buffers, side: Int, move: Int) -> int:
    """The child's cell that a listed move of a side leads to."""
    is_reversed = links.reversed[link]
    for slot_of_child in range(child.color.size):
        slot = links.order[link, slot_of_child]
        square = scratch.to[move] if slot == scratch.slot[move] else scratch.squares[slot]
        scratch.after[slot_of_child] = square ^ 56 if is_reversed else square
    side_after = side if is_reversed else 1 - side
    return cell_of(child, side_after, scratch.after, scratch.rest)


@inner
def list_en_passant(men: Men, scratch: Buffers, other: Buffers, move: Int) -> Int:
    """List in `other` the legal captures en passant after a listed move.

    None unless it is a double step.
    """
    pawn = scratch.slot[move]
    to = scratch.to[move]
    behind = (scratch.squares[pawn] + to) >> 1
    write_squares_after(scratch, move, other.squares)
    count: Int = 0
    if pawn >= men.pawns or abs(to - scratch.squares[pawn]) != 16:
        return count
    for slot in range(men.pawns):
        square = other.squares[slot]
        if men.color[slot] == men.color[pawn] or square >> 3 != to >> 3:
            continue
        if abs(square - to) == 1 and is_safe(men, other.squares, slot, behind, pawn):
            count = note_move(other, count, slot, behind, pawn, 0)
    return count


# resets[0, n] -> the child's cell
# resets[1, n] -> the position's index
# resets[2, n] -> whether colours are exchanged
@borrowing
def list_resets(
    subject: Subject,
    number: Int,
    child: Men,
    scratch: Buffers,
    other: Buffers,
    start: Int,
    stop: Int,
    resets: Ints,
) -> int:
    """List the resets that lead to one child; return their number.

    Captures en passant after double steps are among them, with NOBODY as their index, because they
    are no resets of a cell. `other` has the position after the double step.
    """
    links = subject.links
    count = 0
    for index in range(start, stop):
        if not is_asked(subject, index, RESETS_TASK):
            continue
        side = set_up(subject.men, cell_at(subject.kept, index), scratch.squares)
        for move in range(list_moves(subject.men, scratch, side, RESETS)):
            slot = scratch.slot[move]
            promotion = scratch.promotion[move]
            promoted = slot if promotion else NO_SLOT
            link = links.at[scratch.captured[move] + 1, promoted + 1, promotion]
            if links.child[link] == number:
                resets[0, count] = child_cell(links, link, child, scratch, side, move)
                resets[1, count] = index
                resets[2, count] = links.reversed[link]
                count += 1
            without_pawn = links.at[slot + 1, 0, 0]
            if links.child[without_pawn] == number:
                for capture in range(list_en_passant(subject.men, scratch, other, move)):
                    cell = child_cell(links, without_pawn, child, other, 1 - side, capture)
                    resets[0, count] = cell
                    resets[1, count] = NOBODY
                    count += 1
    return count


@borrowing
def note_resets(subject: Subject, child: ChildTable, resets: Ints) -> int:
    """Note the values of listed resets; return the index of one whose successor the child lacks."""
    for n in range(resets.shape[1]):
        index = resets[1, n]
        if index == NOBODY:
            continue
        index_in_child = index_of_cell(child.kept, resets[0, n])
        outcome = int(child.entry[index_in_child])
        if outcome == 0:
            return index
        if resets[2, n]:
            outcome = -outcome
        side = side_of(subject.men, cell_at(subject.kept, index))
        note_reset(subject, index, side, outcome, int(child.dtg[index_in_child]))
    return EVERYTHING_FINE


@inner
def pawn_move_value(
    subject: Subject,
    children: tuple[ChildTable, ChildTable],
    before: Buffers,
    scratch: Buffers,
    step: Int,
) -> tuple[Int, Int]:
    """Entry value and distance after a pawn move within the material, which `before` lists."""
    men = subject.men
    links = subject.links
    pawn = before.slot[step]
    color = men.color[pawn]
    side = 1 - color
    takers = list_en_passant(men, before, scratch, step)
    index = index_of_cell(subject.kept, cell_of(men, side, scratch.squares, scratch.rest))
    if takers == 0:
        return int(subject.entry[index]), int(subject.dtg[index])
    code = int(subject.own[index]) + 2 * takers
    accrued = signed(color, code)
    best = key_of_reset(subject, index, side, accrued)
    child = children[color]
    link = links.at[pawn + 1, 0, 0]
    for capture in range(takers):
        cell = child_cell(links, link, child.men, scratch, side, capture)
        index_in_child = index_of_cell(child.kept, cell)
        entry = int(child.entry[index_in_child])
        if links.reversed[link]:
            entry = -entry
        way = int(child.dtg[index_in_child])
        best = max(best, key_after_reset(subject, side, accrued, entry, way))
    for move in range(list_moves(men, scratch, side, QUIETS)):
        successor = quiet_index(subject, scratch, side, move)
        outcome, dtg = stored_value(subject, successor, color, code)
        best = max(best, key_of_move(side, accrued, outcome, dtg))
    return value_of_key(side, accrued, best)


@borrowing
def fold_pawn_moves(
    subject: Subject,
    children: tuple[ChildTable, ChildTable],
    scratch: Buffers,
    other: Buffers,
    start: Int,
    stop: Int,
) -> int:
    """Note the values of pawn moves within the table, block by block.

    The blocks that they lead to have theirs already. `children` are the tables after captures en
    passant of white and of black pawns.
    """
    for index in range(start, stop):
        if not is_asked(subject, index, RESETS_TASK):
            continue
        side = set_up(subject.men, cell_at(subject.kept, index), scratch.squares)
        for move in range(list_moves(subject.men, scratch, side, RESETS)):
            if scratch.captured[move] != NOBODY or scratch.promotion[move]:
                continue
            outcome, dtg = pawn_move_value(subject, children, scratch, other, move)
            note_reset(subject, index, side, outcome, dtg)
    return EVERYTHING_FINE


# needs[0, n] -> a cell, needs[1, n] -> whether the check needs its resets
@borrowing
def list_needs(men: Men, scratch: Buffers, other: Buffers, cells: Ints, needs: Ints) -> int:
    """List the cells of the same table that the check of some cells reads; return their number."""
    count = 0
    for cell in cells:
        side = set_up(men, cell, scratch.squares)
        for move in range(list_moves(men, scratch, side, QUIETS | RESETS)):
            if scratch.promotion[move] or scratch.captured[move] != NOBODY:
                continue
            needs[0, count] = quiet_cell(men, scratch, side, move)
            needs[1, count] = list_en_passant(men, scratch, other, move)
            count += 1
    return count


def drawn_cells(layout: Layout, count: int, seed: int) -> Ints:
    """Cells of random positions, in ascending order."""
    random = np.random.default_rng(seed)
    cells = np.zeros(0, np.int64)
    while len(cells) < count:
        sides = random.integers(0, 2, 2 * count)
        squares = random.integers(0, 64, (2 * count, len(layout.slots)))
        if layout.material.scope is not Scope.ALL:
            # Most random placements have no pair.
            blocks = random.integers(0, len(layout.blocks), 2 * count)
            squares[:, : layout.pawns] = np.array(layout.blocks)[blocks]
        are_positions = are_legal(layout, sides, squares)
        cells_drawn = cells_of(layout, sides[are_positions], squares[are_positions])
        cells = np.union1d(cells, cells_drawn)
    return np.sort(random.choice(cells, count, replace=False))


def needs_of(layout: Layout, cells: Ints) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """All cells that checking some cells reads, in ascending order, with what is asked of each."""
    men = men_of(layout)
    every = cells
    with_resets = cells
    frontier = cells
    while len(frontier):
        batches = np.split(frontier, range(_BATCH, len(frontier), _BATCH))
        needs = [_needs_of_batch(men, batch) for batch in batches]
        needed, has_takers = np.concatenate(needs, axis=1)
        every = np.union1d(every, needed)
        frontier = np.setdiff1d(needed[has_takers > 0], with_resets)
        with_resets = np.union1d(with_resets, frontier)
    tasks = np.full(len(every), OWN_TASK, np.uint8)
    tasks[np.isin(every, with_resets)] = RESETS_TASK
    tasks[np.isin(every, cells)] = PAIRS_TASK
    return every, tasks


def _needs_of_batch(men: Men, cells: Ints) -> Ints:
    """The cells that the check of a few cells reads, as `list_needs` writes them."""
    needs = np.empty((2, len(cells) * MOST_NEEDS), np.int64)
    count = list_needs(men, new_scratch(), new_scratch(), cells, needs)
    return needs[:, :count].copy()
