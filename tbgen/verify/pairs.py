"""Kernels that compare positions, own codes and every pair with the moves."""

from __future__ import annotations

from tbgen.compiled.arrays import Int, Ints, Ints32, SignedBytes
from tbgen.compiled.jit import borrowing, inner
from tbgen.verify.cells import images_of, set_up, side_of
from tbgen.verify.kept import cell_at
from tbgen.verify.moves import NO_POSITION, QUIETS, Buffers, list_moves, own_code_of
from tbgen.verify.resets import (
    EVERYTHING_FINE,
    FIRST_CODE,
    OWN_TASK,
    PAIRS_TASK,
    is_asked,
    quiet_index,
)
from tbgen.verify.values import (
    Rows,
    Subject,
    code_of,
    held_value,
    is_worse,
    key_of_move,
    key_of_reset,
    signed,
    stored_value,
    value_of_key,
)

MOST_CODES = 256


@borrowing
def find_own_codes(subject: Subject, scratch: Buffers, start: Int, stop: Int) -> int:
    """Find own codes.

    Returns the index of a position without an entry value, or of an end of the game with a wrong
    one.
    """
    for index in range(start, stop):
        if subject.task[index] < OWN_TASK:
            continue
        cell = cell_at(subject.kept, index)
        own = own_code_of(subject.men, cell, scratch)
        subject.own[index] = own
        entry = int(subject.entry[index])
        score = signed(1 - side_of(subject.men, cell), own)
        is_wrong_end = own < FIRST_CODE and (entry != score or subject.dtg[index] != 0)
        if own != NO_POSITION and (entry == 0 or is_wrong_end):
            return index
    return EVERYTHING_FINE


@inner
def list_successors(subject: Subject, scratch: Buffers, index: Int) -> tuple[Int, Int, Int]:
    """List the quiet moves of a position, and find the cells that they lead to.

    Returns the side to move, the number of moves, and the accrued code up to which values can
    differ.
    """
    side = set_up(subject.men, cell_at(subject.kept, index), scratch.squares)
    count = list_moves(subject.men, scratch, side, QUIETS)
    top = max(FIRST_CODE, abs(int(subject.entry[index])), abs(int(subject.reset[index])))
    for move in range(count):
        successor = quiet_index(subject, scratch, side, move)
        scratch.cell[move] = successor
        top = max(top, abs(int(subject.entry[successor])))
    return side, count, min(top, int(subject.own[index]))


@inner
def weigh_move(subject: Subject, index: Int, side: Int, top: Int, best: Ints) -> None:
    """Let a move of `side` to a position compete, for every accrued score up to the code `top`.

    This finds the same as stored_value for each score, by one walk up the codes and the rows of the
    pattern.
    """
    entry = int(subject.entry[index])
    entry_dtg = int(subject.dtg[index])
    own = int(subject.own[index])
    rows = subject.rows
    pattern = int(subject.pattern[index])
    row = int(rows.first[pattern])
    end = int(rows.end[pattern])
    for holder in range(2):
        # From this code on, the accrued score is worth the entry value.
        as_entry = min(own if holder == side else own + 1, code_of(entry) + 1)
        while row < end and rows.holder[row] < holder:
            row += 1
        outcome: Int = 0
        dtg: Int = 0
        for code in range(FIRST_CODE, top + 1):
            while row < end and rows.holder[row] == holder and rows.code[row] <= code:
                outcome = int(rows.outcome[row])
                dtg = int(rows.dtg[row])
                row += 1
            accrued = signed(holder, code)
            if code >= as_entry:
                key = key_of_move(side, accrued, entry, entry_dtg)
            elif is_worse(outcome, holder, code):
                key = key_of_move(side, accrued, outcome, dtg)
            else:
                key = key_of_move(side, accrued, accrued, 0)
            best[holder, code] = max(best[holder, code], key)


# best[holder, code] -> key of the mover's best move with that accrued score
@inner
def weigh_moves(
    subject: Subject, scratch: Buffers, index: Int, side: Int, count: Int, top: Int, best: Ints
) -> None:
    """Find the mover's best move for every accrued score up to the code `top`."""
    for holder in range(2):
        for code in range(FIRST_CODE, top + 1):
            best[holder, code] = key_of_reset(subject, index, side, signed(holder, code))
    for move in range(count):
        weigh_move(subject, scratch.cell[move], side, top, best)


@inner
def compare(subject: Subject, index: Int, side: Int, top: Int, best: Ints, report: Ints) -> int:
    """Whether the best moves give the stored values; if not, the report names the difference."""
    for code in range(FIRST_CODE, top + 1):
        for holder in range(2):
            outcome, dtg = stored_value(subject, index, holder, code)
            best_outcome, best_dtg = value_of_key(side, signed(holder, code), best[holder, code])
            if outcome != best_outcome or (subject.plies and dtg != best_dtg):
                report[0] = holder
                report[1] = code
                report[2] = outcome
                report[3] = dtg
                report[4] = best_outcome
                report[5] = best_dtg
                return False
    return True


# report -> holder, code, stored outcome and distance, outcome and distance of the best move
@borrowing
def check_pairs(
    subject: Subject, scratch: Buffers, best: Ints, start: Int, stop: Int, report: Ints
) -> int:
    """Compare every pair of a position and an accrued score with its moves.

    Return the first wrong index.
    """
    for index in range(start, stop):
        if not is_asked(subject, index, PAIRS_TASK):
            continue
        side, count, top = list_successors(subject, scratch, index)
        weigh_moves(subject, scratch, index, side, count, top, best)
        if not compare(subject, index, side, top, best, report):
            return index
        report[6] += 1
        report[7] += 2 * (int(subject.own[index]) - 1)
    return EVERYTHING_FINE


# tallies[side to move, outcome & 255] -> count, longest distance, first cell that has it
@borrowing
def tally(
    subject: Subject, scratch: Buffers, orders: Int, start: Int, stop: Int, tallies: Ints
) -> int:
    """Count outcomes over all placements of labelled men."""
    for index in range(start, stop):
        if subject.task[index] < PAIRS_TASK or subject.own[index] == NO_POSITION:
            continue
        cell = cell_at(subject.kept, index)
        side = set_up(subject.men, cell, scratch.squares)
        row = tallies[side, int(subject.entry[index]) & 255]
        dtg = int(subject.dtg[index])
        if row[0] == 0 or dtg > row[1]:
            row[1] = dtg
            row[2] = cell
        row[0] += orders * images_of(subject.men, scratch.squares, scratch.rest)
    return EVERYTHING_FINE


# report -> accrued score, outcome in the outcomes file, outcome in the distances file, as signed
# outcomes
@borrowing
def find_other_break(
    entry: SignedBytes,
    symbol: Ints,
    pattern: Ints32,
    outcomes: Rows,
    distances: Rows,
    start: Int,
    stop: Int,
    report: Ints,
) -> int:
    """The first state whose breaks differ in the two files.

    Accrued scores above the entry value are left out.
    """
    for state in range(start, stop):
        for code in range(FIRST_CODE, code_of(int(entry[state])) + 1):
            for holder in range(2):
                stored = held_value(outcomes, symbol[state], holder, code)[0]
                proved = held_value(distances, pattern[state], holder, code)[0]
                if stored != proved:
                    report[0] = signed(holder, code)
                    report[1] = stored
                    report[2] = proved
                    return state
    return EVERYTHING_FINE
