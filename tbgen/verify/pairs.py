"""Pairs: kernels that hold positions, their own codes and every pair with an accrued score against the moves."""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.verify.cells import images_of, set_up, side_of
from tbgen.verify.moves import NO_POSITION, QUIETS, Scratch, is_position, list_moves, own_code_of
from tbgen.verify.resets import EVERYTHING_FINE, PAIRS_TASK, quiet_place
from tbgen.verify.values import (
    WORST,
    Subject,
    cell_at,
    code_of,
    facts_of,
    key_of_rank,
    key_of_reset,
    rank_of,
    signed,
    stored_value,
    value_of_key,
)

_FIRST_CODE = 2
MOST_CODES = 256


@borrowing
def find_own_codes(subject: Subject, scratch: Scratch, start: Int, stop: Int) -> int:
    """Own codes; returns the place of a position without an entry value, or of a game's end not worth its score."""
    for place in range(start, stop):
        cell = cell_at(subject.cells, place)
        own = own_code_of(subject.men, subject.numbering, cell, scratch)
        subject.own[place] = own
        if own == NO_POSITION:
            continue
        entry = int(subject.entry[place])
        if entry == 0:
            return place
        if own < _FIRST_CODE and (
            entry != signed(1 - side_of(subject.numbering, cell), own) or subject.dtg[place] != 0
        ):
            return place
    return EVERYTHING_FINE


@inner
def list_successors(subject: Subject, scratch: Scratch, place: Int, side: Int, count: Int) -> int:
    """Find where the listed moves lead; returns up to which accrued code the values can differ."""
    top = max(_FIRST_CODE, abs(int(subject.entry[place])), abs(int(subject.reset[place])))
    for move in range(count):
        there = quiet_place(subject, scratch, side, move)
        scratch.cell[move] = there
        top = max(top, abs(int(subject.entry[there])))
    return min(top, int(subject.own[place]))


@inner
def weigh_move(subject: Subject, place: Int, side: Int, top: Int, best: Ints) -> None:
    """Let a move of `side` compete that leads to a position, for every accrued score up to the code `top`.

    What stored_value would look up score by score: the codes are walked upwards, and the rows of the pattern with them.
    """
    rows, own, entry = subject.rows, int(subject.own[place]), int(subject.entry[place])
    entry_rank, entry_dtg, entry_code = rank_of(entry), int(subject.dtg[place]), code_of(entry)
    row, end = 0, 0
    if min(own, entry_code) >= _FIRST_CODE:
        pattern = subject.pattern[place]
        row, end = int(subject.row_start[pattern]), int(subject.row_start[pattern + 1])
    for holder in range(2):
        as_entry: Int = own if holder == side else own + 1
        if entry_code < own:
            as_entry = min(as_entry, entry_code + 1)
        while row < end and rows.holder[row] < holder:
            row += 1
        rank: Int = np.int64(0)
        dtg, has_row = np.int64(0), False
        for code in range(_FIRST_CODE, top + 1):
            while row < end and rows.holder[row] == holder and rows.code[row] <= code:
                rank, dtg, has_row = rank_of(int(rows.outcome[row])), np.int64(rows.dtg[row]), True
                row += 1
            bar = rank_of(signed(holder, code))
            if code >= as_entry:
                key = key_of_rank(side, bar, entry_rank, entry_dtg)
            elif has_row and (rank < bar if holder == 0 else rank > bar):
                key = key_of_rank(side, bar, rank, dtg)
            else:
                key = key_of_rank(side, bar, bar, 0)
            best[holder, code] = max(best[holder, code], key)


# best[holder, code] -> key of the mover's best move with that score accrued
@inner
def weigh_moves(subject: Subject, scratch: Scratch, place: Int, side: Int, count: Int, top: Int, best: Ints) -> None:
    """Find the mover's best move for every accrued score up to the code `top`."""
    for holder in range(2):
        for code in range(_FIRST_CODE, top + 1):
            best[holder, code] = key_of_reset(subject, place, side, signed(holder, code))
    for move in range(count):
        weigh_move(subject, scratch.cell[move], side, top, best)


@inner
def compare(subject: Subject, place: Int, side: Int, top: Int, best: Ints, report: Ints) -> int:
    """Whether the best moves give what is stored; if not, the report says where not."""
    facts = facts_of(subject, place)
    for code in range(_FIRST_CODE, top + 1):
        for holder in range(2):
            outcome, dtg = stored_value(subject.rows, facts, holder, code)
            best_outcome: Int = 0
            best_dtg: Int = 0
            if best[holder, code] != WORST:
                best_outcome, best_dtg = value_of_key(side, signed(holder, code), best[holder, code])
            if outcome != best_outcome or dtg != best_dtg:
                report[0], report[1], report[2], report[3] = holder, code, outcome, dtg
                report[4], report[5] = best_outcome, best_dtg
                return False
    return True


# report -> holder, code, stored outcome and distance, outcome and distance of the best move
@borrowing
def check_pairs(subject: Subject, scratch: Scratch, best: Ints, start: Int, stop: Int, report: Ints) -> int:
    """Hold every pair of a position and an accrued score against its moves; returns the first wrong place."""
    for place in range(start, stop):
        own = subject.own[place]
        if not subject.task[place] & PAIRS_TASK or own < _FIRST_CODE or own == NO_POSITION:
            continue
        side = set_up(subject.numbering, cell_at(subject.cells, place), scratch.squares)
        count = list_moves(subject.men, scratch, side, QUIETS)
        top = list_successors(subject, scratch, place, side, count)
        weigh_moves(subject, scratch, place, side, count, top, best)
        if not compare(subject, place, side, top, best, report):
            return place
        report[6] += 1
        report[7] += 2 * (own - 1)
    return EVERYTHING_FINE


# found[side to move, outcome & 255] -> count, longest distance, first cell that has it
@borrowing
def tally(subject: Subject, scratch: Scratch, orders: Int, start: Int, stop: Int, found: Ints) -> int:
    """Count outcomes over all placements of labelled men."""
    for cell in range(start, stop):
        if not is_position(subject.men, subject.numbering, cell, scratch):
            continue
        row, dtg = found[side_of(subject.numbering, cell), int(subject.entry[cell]) & 255], int(subject.dtg[cell])
        if row[0] == 0 or dtg > row[1]:
            row[1], row[2] = dtg, cell
        row[0] += orders * images_of(subject.numbering, scratch.squares, scratch.rest)
    return EVERYTHING_FINE
