"""Kernels of resets: what captures, promotions and pawn moves are worth, en passant included."""

from __future__ import annotations

from tbgen._jit import borrowing, inner
from tbgen.verify.cells import cell_of, set_up
from tbgen.verify.men import WHITE_PAWN
from tbgen.verify.moves import (
    NO_POSITION,
    NOBODY,
    QUIETS,
    RESETS,
    copy_men,
    is_safe,
    list_moves,
    quiet_cell,
)
from tbgen.verify.values import (
    cell_at,
    facts_of,
    key_of,
    key_of_reset,
    note_reset,
    place_of,
    signed,
    stored_value,
    value_of_key,
)

RESETS_TASK = 2
"""The bit of Subject.task that asks for resets."""
EVERYTHING_FINE = -1


@inner
def is_wanted(subject, place):
    """Whether the resets of a position are asked for."""
    return (subject.task[place] & RESETS_TASK) != 0 and 1 < subject.own[place] < NO_POSITION


@inner
def quiet_place(subject, desk, side, move):
    """Where the position after a move within the material lies in the arrays."""
    return place_of(subject.cells, quiet_cell(subject.numbering, desk, side, move))


@inner
def child_cell(links, link, numbering, desk, side):
    """The cell that the position on the desk has in the child's table."""
    turned = links.reversed[link]
    for slot in range(numbering.men):
        square = desk.squares[links.order[link, slot]]
        desk.after[slot] = square ^ 56 if turned else square
    return cell_of(numbering, side if turned else 1 - side, desk.after, desk.rest)


@inner
def child_value(links, link, child, desk, side):
    """Entry value and distance that the child's table gives the position after a move; 0 if none."""
    place = place_of(child.cells, child_cell(links, link, child.numbering, desk, side))
    entry = int(child.entry[place])
    return -entry if links.reversed[link] else entry, int(child.dtg[place])


@inner
def child_move_value(links, link, child, desk, side, move):
    """As child_value, for a listed move."""
    slot = desk.slot[move]
    start = desk.squares[slot]
    desk.squares[slot] = desk.to[move]
    outcome, dtg = child_value(links, link, child, desk, side)
    desk.squares[slot] = start
    return outcome, dtg


@inner
def link_of(links, desk, move):
    """The link that a listed reset follows."""
    promotion = desk.promotion[move]
    promoted = desk.slot[move] if promotion else NOBODY
    return links.at[desk.captured[move] + 1, promoted + 1, promotion]


@borrowing
def fold_child(subject, number, child, desk, start, stop):
    """Note the resets that lead to one child; returns a place whose successor the child lacks."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), desk.squares)
        for move in range(list_moves(men, desk, side, RESETS)):
            link = link_of(links, desk, move)
            if links.child[link] != number:
                continue
            outcome, dtg = child_move_value(links, link, child, desk, side, move)
            if outcome == 0:
                return place
            note_reset(subject, place, side, outcome, dtg)
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
    place = place_of(subject.cells, cell_of(numbering, side, desk.squares, desk.rest))
    if captures == 0:
        return int(subject.entry[place]), int(subject.dtg[place])
    code = int(subject.own[place]) + 2 * captures
    accrued = signed(1 - side, code)
    best = key_of_reset(subject, place, side, accrued)
    child, link = victims[men.color[pawn]], links.at[pawn + 1, 0, 0]
    for move in range(captures):
        outcome, dtg = child_move_value(links, link, child, desk, side, move)
        best = max(best, key_of(side, accrued, outcome, dtg))
    for move in range(list_moves(men, desk, side, QUIETS)):
        facts = facts_of(subject, quiet_place(subject, desk, side, move))
        outcome, dtg = stored_value(subject.rows, facts, 1 - side, code)
        best = max(best, key_of(side, accrued, outcome, dtg))
    return value_of_key(side, accrued, best)


@borrowing
def fold_pawn_moves(subject, victims, desk, other, start, stop):
    """Note the pawn moves that stay in the table; those of the blocks they lead to have been noted before.

    `victims` are the children that have lost a white and a black pawn, for captures en passant.
    """
    men, numbering = subject.men, subject.numbering
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), desk.squares)
        for move in range(list_moves(men, desk, side, RESETS)):
            if desk.captured[move] != NOBODY or desk.promotion[move]:
                continue
            slot, to = desk.slot[move], desk.to[move]
            if abs(to - desk.squares[slot]) == 16:
                copy_men(men, desk, other)
                outcome, dtg = double_step_value(subject, victims, other, slot, to)
            else:
                there = quiet_place(subject, desk, side, move)
                outcome, dtg = int(subject.entry[there]), int(subject.dtg[there])
            note_reset(subject, place, side, outcome, dtg)
    return EVERYTHING_FINE
