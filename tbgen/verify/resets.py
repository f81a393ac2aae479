"""Kernels of resets: what captures, promotions and pawn moves are worth, en passant included."""

from __future__ import annotations

from tbgen._jit import inner, kernel
from tbgen.verify.cells import cell_of, set_up
from tbgen.verify.men import WHITE_PAWN
from tbgen.verify.moves import (
    NO_POSITION,
    NOBODY,
    QUIETS,
    RESETS,
    is_safe,
    list_moves,
    new_desk,
    quiet_cell,
)
from tbgen.verify.values import (
    facts_of,
    key_of,
    key_of_reset,
    note_reset,
    signed,
    stored_value,
    value_of_key,
)

RESETS_TASK = 2
"""The bit of Subject.task that asks for resets."""
EVERYTHING_FINE = -1


@inner
def is_wanted(subject, cell):
    """Whether the resets of a cell are asked for."""
    return (subject.task[cell] & RESETS_TASK) != 0 and 1 < subject.own[cell] < NO_POSITION


@inner
def child_value(links, link, child, desk, side):
    """Entry value and distance that the child's table gives the position after a move; 0 if none."""
    turned = links.reversed[link]
    for slot in range(child.numbering.men):
        square = desk.squares[links.order[link, slot]]
        desk.after[slot] = square ^ 56 if turned else square
    cell = cell_of(child.numbering, side if turned else 1 - side, desk.after, desk.rest)
    entry = int(child.entry[cell])
    return -entry if turned else entry, int(child.dtg[cell])


@inner
def child_move_value(links, link, child, desk, side, move):
    """As child_value, for a listed move."""
    slot = desk.slot[move]
    start = desk.squares[slot]
    desk.squares[slot] = desk.to[move]
    outcome, dtg = child_value(links, link, child, desk, side)
    desk.squares[slot] = start
    return outcome, dtg


@kernel
def fold_child(subject, number, child, start, stop):
    """Note the resets that lead to one child; returns a cell whose successor the child lacks."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    desk = new_desk()
    for cell in range(start, stop):
        if not is_wanted(subject, cell):
            continue
        side = set_up(numbering, cell, desk.squares)
        for move in range(list_moves(men, desk, side, RESETS)):
            promotion = desk.promotion[move]
            promoted = desk.slot[move] if promotion else NOBODY
            link = links.at[desk.captured[move] + 1, promoted + 1, promotion]
            if links.child[link] != number:
                continue
            outcome, dtg = child_move_value(links, link, child, desk, side, move)
            if outcome == 0:
                return cell
            note_reset(subject, cell, side, outcome, dtg)
    return EVERYTHING_FINE


@inner
def list_en_passant(men, desk, pawn, to):
    """Legal captures en passant of the pawn that has just come to `to`, which is set up there."""
    behind = (desk.squares[pawn] + to) >> 1
    desk.squares[pawn] = to
    count = 0
    for slot in range(men.color.size):
        square = desk.squares[slot]
        if men.kind[slot] > WHITE_PAWN or men.color[slot] == men.color[pawn] or square >> 3 != to >> 3:
            continue
        if abs(square - to) == 1 and is_safe(men, desk.squares, slot, behind, pawn):
            desk.slot[count], desk.to[count], desk.captured[count] = slot, behind, pawn
            count += 1
    return count


@inner
def double_step_value(subject, victims, desk, pawn, to):
    """Entry value, distance and cell after a double step; `desk` is left with the pawn on `to`."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    side = 1 - men.color[pawn]
    captures = list_en_passant(men, desk, pawn, to)
    cell = cell_of(numbering, side, desk.squares, desk.rest)
    if captures == 0:
        return int(subject.entry[cell]), int(subject.dtg[cell])
    code = int(subject.own[cell]) + 2 * captures
    accrued = signed(1 - side, code)
    best = key_of_reset(subject, cell, side, accrued)
    child, link = victims[men.color[pawn]], links.at[pawn + 1, 0, 0]
    for move in range(captures):
        outcome, dtg = child_move_value(links, link, child, desk, side, move)
        best = max(best, key_of(side, accrued, outcome, dtg))
    for move in range(list_moves(men, desk, side, QUIETS)):
        facts = facts_of(subject, quiet_cell(numbering, desk, side, move))
        outcome, dtg = stored_value(subject.rows, facts, 1 - side, code)
        best = max(best, key_of(side, accrued, outcome, dtg))
    return value_of_key(side, accrued, best)


@kernel
def fold_pawn_moves(subject, victims, start, stop):
    """Note the pawn moves that stay in the table; those of the blocks they lead to have been noted before.

    `victims` are the children that have lost a white and a black pawn, for captures en passant.
    """
    men, numbering = subject.men, subject.numbering
    desk, other = new_desk(), new_desk()
    for cell in range(start, stop):
        if not is_wanted(subject, cell):
            continue
        side = set_up(numbering, cell, desk.squares)
        for move in range(list_moves(men, desk, side, RESETS)):
            if desk.captured[move] != NOBODY or desk.promotion[move]:
                continue
            slot, to = desk.slot[move], desk.to[move]
            if abs(to - desk.squares[slot]) == 16:
                other.squares[:] = desk.squares
                outcome, dtg = double_step_value(subject, victims, other, slot, to)
            else:
                there = quiet_cell(numbering, desk, side, move)
                outcome, dtg = int(subject.entry[there]), int(subject.dtg[there])
            note_reset(subject, cell, side, outcome, dtg)
    return EVERYTHING_FINE
