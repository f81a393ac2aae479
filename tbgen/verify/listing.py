"""Kernels that list what the check of some positions needs to know."""

from __future__ import annotations

from tbgen.compiled.arrays import Bools, Bytes, Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.verify.cells import set_up
from tbgen.verify.men import Links, Men, Numbering
from tbgen.verify.moves import (
    NO_POSITION,
    NOBODY,
    QUIETS,
    RESETS,
    Scratch,
    copy_men,
    list_moves,
    own_code_of,
    quiet_cell,
)
from tbgen.verify.resets import RESETS_TASK, child_cell, is_wanted, link_of, list_en_passant
from tbgen.verify.values import Subject, cell_at

OWN_TASK = 1
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
