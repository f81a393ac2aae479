"""Kernels that list what the check of some positions needs to know."""

from __future__ import annotations

from tbgen._jit import inner, kernel
from tbgen.verify.cells import set_up
from tbgen.verify.moves import NO_POSITION, NOBODY, QUIETS, RESETS, list_moves, new_desk, own_code_of, quiet_cell
from tbgen.verify.resets import RESETS_TASK, child_cell, is_wanted, link_of, list_en_passant
from tbgen.verify.values import cell_at

OWN_TASK = 1
MOST_NEEDS = 256
"""A position needs no more cells than this, of its own table or of a child."""


@kernel
def find_positions(men, numbering, cells, found):
    """Which cells are the primary ones of legal positions."""
    desk = new_desk()
    for n in range(cells.size):
        found[n] = own_code_of(men, numbering, cells[n], desk) != NO_POSITION


# found[n] -> a cell, tasks[n] -> what is asked of it
@kernel
def list_needs(men, numbering, cells, found, tasks):
    """The cells of the same table that the check of some cells looks at; returns how many."""
    desk, other = new_desk(), new_desk()
    count = 0
    for cell in cells:
        side = set_up(numbering, cell, desk.squares)
        for move in range(list_moves(men, desk, side, QUIETS)):
            found[count], tasks[count] = quiet_cell(numbering, desk, side, move), OWN_TASK
            count += 1
        for move in range(list_moves(men, desk, side, RESETS)):
            slot, to = desk.slot[move], desk.to[move]
            if desk.promotion[move] or desk.captured[move] != NOBODY:
                continue
            found[count], tasks[count] = quiet_cell(numbering, desk, side, move), 0
            if abs(to - desk.squares[slot]) == 16:
                other.squares[:] = desk.squares
                if list_en_passant(men, other, slot, to):
                    tasks[count] = OWN_TASK | RESETS_TASK
            count += 1
    return count


@kernel
def list_child_cells(subject, number, child, start, stop, found):
    """The cells of a child, by its numbering, that resets lead to; returns how many."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    desk = new_desk()
    count = 0
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), desk.squares)
        for move in range(list_moves(men, desk, side, RESETS)):
            link = link_of(links, desk, move)
            if links.child[link] == number:
                found[count] = cell_after(links, link, child, desk, side, move)
                count += 1
    return count


@inner
def cell_after(links, link, child, desk, side, move):
    """The child's cell that a listed move leads to."""
    slot = desk.slot[move]
    start = desk.squares[slot]
    desk.squares[slot] = desk.to[move]
    cell = child_cell(links, link, child, desk, side)
    desk.squares[slot] = start
    return cell


@kernel
def list_victim_cells(subject, color, child, start, stop, found):
    """The cells of a child that captures en passant of a pawn of this colour lead to; returns how many."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    desk, other = new_desk(), new_desk()
    count = 0
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), desk.squares)
        for move in range(list_moves(men, desk, side, RESETS) if side == color else 0):
            slot, to = desk.slot[move], desk.to[move]
            if desk.captured[move] != NOBODY or abs(to - desk.squares[slot]) != 16 or men.kind[slot] > 1:
                continue
            other.squares[:] = desk.squares
            link = links.at[slot + 1, 0, 0]
            for capture in range(list_en_passant(men, other, slot, to)):
                found[count] = cell_after(links, link, child, other, 1 - side, capture)
                count += 1
    return count
