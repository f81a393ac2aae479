"""Outcomes of breaks, which a table has twice: with its distances, and in its file of outcomes, where probes look."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, Ints, SignedBytes
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.score import Accrued, Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.verify.laws import Progress, silent
from tbgen.verify.subject import rows_of
from tbgen.verify.values import Rows, breaking_row, code_of, signed
from tbgen.verify.violations import Violation

_STATES = 1 << 20
"""So many states are looked at in one go: a table may have forty million."""


@by_address
class RowsOfStates(NamedTuple):
    """The rows of the patterns of some states in one of a table's files."""

    first: Ints
    end: Ints
    rows: Rows


@inner
def broken_into(states: RowsOfStates, state: Int, holder: Int, code: Int) -> Int:
    """What an accrued score becomes that nobody betters for its holder, as a signed outcome."""
    row = breaking_row(states.rows, states.first[state], states.end[state] - 1, holder, code)
    return signed(holder, code) if row < 0 else int(states.rows.outcome[row])


@inner
def next_outcome(rows: Rows, row: Int, end: Int) -> Int:
    """The next row with another holder or outcome: those in between change a distance alone."""
    before, row = row, row + 1
    while row < end and rows.holder[row] == rows.holder[before] and rows.outcome[row] == rows.outcome[before]:
        row += 1
    return row


@inner
def say_the_same(outcomes: RowsOfStates, distances: RowsOfStates, state: Int) -> bool:
    """Whether a state has all rows of its outcomes among those of its distances, where the others add no outcome."""
    one, other = outcomes.first[state], distances.first[state]
    one_end, other_end = outcomes.end[state], distances.end[state]
    while one < one_end and other < other_end:
        if outcomes.rows.holder[one] != distances.rows.holder[other]:
            return False
        if outcomes.rows.code[one] != distances.rows.code[other]:
            return False
        if outcomes.rows.outcome[one] != distances.rows.outcome[other]:
            return False
        one += 1
        other = next_outcome(distances.rows, other, other_end)
    return bool(one >= one_end and other >= other_end)


# Rows that say the same need not be asked score by score. Those of the distances are in ascending order, or another
# check finds that they are not; so those of the outcomes, of which none may be left out, are so too.
# report -> holder, code, what the file of outcomes has, what the file of distances has
@borrowing
def find_other_break(entry: SignedBytes, outcomes: RowsOfStates, distances: RowsOfStates, report: Ints) -> int:
    """Whether an accrued score that is no higher than the entry value breaks differently in some state."""
    for state in range(len(entry)):
        if say_the_same(outcomes, distances, state):
            continue
        for code in range(2, code_of(int(entry[state])) + 1):
            for holder in range(2):
                stored = broken_into(outcomes, state, holder, code)
                proved = broken_into(distances, state, holder, code)
                if stored != proved:
                    report[0], report[1], report[2], report[3] = holder, code, stored, proved
                    return True
    return False


def wrong_outcome_row(file: TableFile, threads: int = 1, progress: Progress = silent) -> Violation | None:
    """A break in the file of outcomes that is not the one whose distance is known, which is held against the moves."""
    records, rows, count = file.column("symbols"), file.column("outcome_rows"), len(file.states.entry)
    last = int((records["first"].astype(np.int64) + records["rows"]).max(initial=0))
    if last > len(rows):
        return Violation("rows of outcomes", f"row {last - 1}", f"rows up to {len(rows) - 1}")
    outcomes, distances = _rows_of_outcomes(rows), rows_of(file.patterns)

    def look(first: int) -> npt.NDArray[np.int64] | None:
        some, report = slice(first, first + _STATES), np.zeros(4, np.int64)
        there, proved = _states_of_outcomes(file, some, outcomes), _states_of_distances(file, some, distances)
        return report if find_other_break(file.states.entry[some], there, proved, report) else None

    with ThreadPoolExecutor(threads) as pool:
        for number, report in enumerate(pool.map(look, range(0, count, _STATES))):
            if report is not None:
                pool.shutdown(cancel_futures=True)
                return _other_break(*map(int, report))
            progress("outcomes", min((number + 1) * _STATES, count), count)
    return None


def _rows_of_outcomes(rows: npt.NDArray[np.void]) -> Rows:
    """The rows of the file of outcomes, which has no distances."""
    holder, code, outcome = (np.ascontiguousarray(rows[name]) for name in ("holder", "code", "outcome"))
    return Rows(holder, code, outcome, np.zeros(len(rows), np.uint16))


def _states_of_outcomes(file: TableFile, some: slice, rows: Rows) -> RowsOfStates:
    records = file.column("symbols")[file.symbol_of_state[some]]
    first = records["first"].astype(np.int64)
    return RowsOfStates(first, first + records["rows"], rows)


def _states_of_distances(file: TableFile, some: slice, rows: Rows) -> RowsOfStates:
    starts, patterns = file.patterns.start, file.states.pattern[some].astype(np.int64)
    return RowsOfStates(starts[patterns].astype(np.int64), starts[patterns + 1].astype(np.int64), rows)


def _other_break(holder: int, code: int, stored: int, proved: int) -> Violation:
    law = f"what {Accrued(code, Color(holder))} becomes by the file of outcomes"
    return Violation(law, str(Outcome.from_byte(stored)), str(Outcome.from_byte(proved)))
