"""Kernels that list what the check of some positions needs to know."""

from __future__ import annotations

from tbgen._jit import borrowing, inner
from tbgen.verify.cells import set_up
from tbgen.verify.moves import NO_POSITION, NOBODY, QUIETS, RESETS, copy_men, list_moves, own_code_of, quiet_cell
from tbgen.verify.resets import RESETS_TASK, child_cell, is_wanted, link_of, list_en_passant
from tbgen.verify.values import cell_at

OWN_TASK = 1
MOST_NEEDS = 256
"""A position needs no more cells than this, of its own table or of a child."""


@borrowing
def find_positions(men, numbering, desk, cells, found):
    """Which cells are the primary ones of legal positions."""
    for n in range(cells.size):
        found[n] = own_code_of(men, numbering, cells[n], desk) != NO_POSITION


# found[n] -> a cell, tasks[n] -> what is asked of it
@borrowing
def list_needs(men, numbering, desk, other, cells, found, tasks):
    """The cells of the same table that the check of some cells looks at; returns how many."""
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
                copy_men(men, desk, other)
                if list_en_passant(men, other, slot, to):
                    tasks[count] = OWN_TASK | RESETS_TASK
            count += 1
    return count


@borrowing
def list_child_cells(subject, number, child, desk, start, stop, found):
    """The cells of a child, by its numbering, that resets lead to; returns how many."""
    men, numbering, links = subject.men, subject.numbering, subject.links
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


@borrowing
def list_victim_cells(subject, color, child, desk, other, start, stop, found):
    """The cells of a child that captures en passant of a pawn of this colour lead to; returns how many."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    count = 0
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), desk.squares)
        for move in range(list_moves(men, desk, side, RESETS) if side == color else 0):
            slot, to = desk.slot[move], desk.to[move]
            if desk.captured[move] != NOBODY or abs(to - desk.squares[slot]) != 16 or men.kind[slot] > 1:
                continue
            copy_men(men, desk, other)
            link = links.at[slot + 1, 0, 0]
            for capture in range(list_en_passant(men, other, slot, to)):
                found[count] = cell_after(links, link, child, other, 1 - side, capture)
                count += 1
    return count
