"""Kernels of resets: what captures, promotions and pawn moves are worth, en passant included."""

from __future__ import annotations

from tbgen.compiled.arrays import Int
from tbgen.compiled.jit import borrowing, inner
from tbgen.verify.cells import cell_of, set_up
from tbgen.verify.men import WHITE_PAWN, Links, Men, Numbering
from tbgen.verify.moves import (
    NO_POSITION,
    NOBODY,
    QUIETS,
    RESETS,
    Scratch,
    copy_men,
    is_safe,
    list_moves,
    quiet_cell,
)
from tbgen.verify.values import (
    ChildValues,
    Subject,
    cell_at,
    facts_of,
    index_of_cell,
    key_after_reset,
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
def is_wanted(subject: Subject, place: Int) -> bool:
    """Whether the resets of a position are asked for."""
    return (subject.task[place] & RESETS_TASK) != 0 and 1 < subject.own[place] < NO_POSITION


@inner
def quiet_place(subject: Subject, scratch: Scratch, side: Int, move: Int) -> Int:
    """Where the position after a move within the material lies in the arrays."""
    return index_of_cell(subject.cells, quiet_cell(subject.numbering, scratch, side, move))


@inner
def child_cell(links: Links, link: Int, numbering: Numbering, scratch: Scratch, side: Int) -> int:
    """The cell that the position in the scratch buffer has in the child's table."""
    turned = links.reversed[link]
    for slot in range(numbering.men):
        square = scratch.squares[links.order[link, slot]]
        scratch.after[slot] = square ^ 56 if turned else square
    return cell_of(numbering, side if turned else 1 - side, scratch.after, scratch.rest)


@inner
def child_value(links: Links, link: Int, child: ChildValues, scratch: Scratch, side: Int) -> tuple[Int, Int]:
    """Entry value and distance that the child's table gives the position after a move; 0 if none."""
    place = index_of_cell(child.cells, child_cell(links, link, child.numbering, scratch, side))
    entry = int(child.entry[place])
    return -entry if links.reversed[link] else entry, int(child.dtg[place])


@inner
def child_move_value(
    links: Links, link: Int, child: ChildValues, scratch: Scratch, side: Int, move: Int
) -> tuple[Int, Int]:
    """As child_value, for a listed move."""
    slot = scratch.slot[move]
    start = scratch.squares[slot]
    scratch.squares[slot] = scratch.to[move]
    outcome, dtg = child_value(links, link, child, scratch, side)
    scratch.squares[slot] = start
    return outcome, dtg


@inner
def link_of(links: Links, scratch: Scratch, move: Int) -> int:
    """The link that a listed reset follows."""
    promotion = scratch.promotion[move]
    promoted = scratch.slot[move] if promotion else NOBODY
    return links.at[scratch.captured[move] + 1, promoted + 1, promotion]


@borrowing
def fold_child(subject: Subject, number: Int, child: ChildValues, scratch: Scratch, start: Int, stop: Int) -> int:
    """Note the resets that lead to one child; returns a place whose successor the child lacks."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), scratch.squares)
        for move in range(list_moves(men, scratch, side, RESETS)):
            link = link_of(links, scratch, move)
            if links.child[link] != number:
                continue
            outcome, dtg = child_move_value(links, link, child, scratch, side, move)
            if outcome == 0:
                return place
            note_reset(subject, place, side, outcome, dtg)
    return EVERYTHING_FINE


@inner
def list_en_passant(men: Men, scratch: Scratch, pawn: Int, to: Int) -> int:
    """Legal captures en passant of the pawn that has just come to `to`, which is set up there."""
    behind = (scratch.squares[pawn] + to) >> 1
    scratch.squares[pawn] = to
    count = 0
    for slot in range(men.color.size):
        square = scratch.squares[slot]
        if men.kind[slot] > WHITE_PAWN or men.color[slot] == men.color[pawn] or square >> 3 != to >> 3:
            continue
        if abs(square - to) == 1 and is_safe(men, scratch.squares, slot, behind, pawn):
            scratch.slot[count], scratch.to[count], scratch.captured[count] = slot, behind, pawn
            count += 1
    return count


@inner
def double_step_value(
    subject: Subject, victims: tuple[ChildValues, ChildValues], scratch: Scratch, pawn: Int, to: Int
) -> tuple[Int, Int]:
    """Entry value, distance and cell after a double step; `scratch` is left with the pawn on `to`."""
    men, numbering, links = subject.men, subject.numbering, subject.links
    side = 1 - men.color[pawn]
    captures = list_en_passant(men, scratch, pawn, to)
    place = index_of_cell(subject.cells, cell_of(numbering, side, scratch.squares, scratch.rest))
    if captures == 0:
        return int(subject.entry[place]), int(subject.dtg[place])
    code = int(subject.own[place]) + 2 * captures
    accrued = signed(1 - side, code)
    best = key_of_reset(subject, place, side, accrued)
    child, link = victims[men.color[pawn]], links.at[pawn + 1, 0, 0]
    for move in range(captures):
        outcome, dtg = child_move_value(links, link, child, scratch, side, move)
        best = max(best, key_after_reset(subject, side, accrued, outcome, dtg))
    for move in range(list_moves(men, scratch, side, QUIETS)):
        facts = facts_of(subject, quiet_place(subject, scratch, side, move))
        outcome, dtg = stored_value(subject.rows, facts, 1 - side, code)
        best = max(best, key_of(side, accrued, outcome, dtg))
    return value_of_key(side, accrued, best)


@borrowing
def fold_pawn_moves(
    subject: Subject, victims: tuple[ChildValues, ChildValues], scratch: Scratch, other: Scratch, start: Int, stop: Int
) -> int:
    """Note the pawn moves that stay in the table; those of the blocks they lead to have been noted before.

    `victims` are the children that have lost a white and a black pawn, for captures en passant.
    """
    men, numbering = subject.men, subject.numbering
    for place in range(start, stop):
        if not is_wanted(subject, place):
            continue
        side = set_up(numbering, cell_at(subject.cells, place), scratch.squares)
        for move in range(list_moves(men, scratch, side, RESETS)):
            if scratch.captured[move] != NOBODY or scratch.promotion[move]:
                continue
            slot, to = scratch.slot[move], scratch.to[move]
            if abs(to - scratch.squares[slot]) == 16:
                copy_men(men, scratch, other)
                outcome, dtg = double_step_value(subject, victims, other, slot, to)
            else:
                there = quiet_place(subject, scratch, side, move)
                outcome, dtg = int(subject.entry[there]), int(subject.dtg[there])
            note_reset(subject, place, side, outcome, dtg)
    return EVERYTHING_FINE
