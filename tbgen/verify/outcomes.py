"""Outcomes of breaks, which a table has twice: with its distances, and in its file of outcomes, where probes look."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen._jit import borrowing, by_address, inner
from tbgen.arrays import Int, Ints, SignedBytes, SignedInts32
from tbgen.score import Accrued, Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.verify.subject import rows_of
from tbgen.verify.values import breaking_row, code_of, signed
from tbgen.verify.violations import Violation


@by_address
class RowsOfStates(NamedTuple):
    """The rows of each state's pattern in one of a table's files."""

    first: Ints
    end: Ints
    rows: SignedInts32
    """[row] -> holder, code, outcome"""


@inner
def broken_into(states: RowsOfStates, state: Int, holder: Int, code: Int) -> Int:
    """What an accrued score becomes that nobody betters for its holder, as a signed outcome."""
    row = breaking_row(states.rows, states.first[state], states.end[state] - 1, holder, code)
    return signed(holder, code) if row < 0 else int(states.rows[row, 2])


# report -> holder, code, what the file of outcomes has, what the file of distances has
@borrowing
def find_other_break(entry: SignedBytes, outcomes: RowsOfStates, distances: RowsOfStates, report: Ints) -> int:
    """Whether an accrued score that is no higher than the entry value breaks differently in some state."""
    for state in range(len(entry)):
        for code in range(2, code_of(int(entry[state])) + 1):
            for holder in range(2):
                stored = broken_into(outcomes, state, holder, code)
                proved = broken_into(distances, state, holder, code)
                if stored != proved:
                    report[0], report[1], report[2], report[3] = holder, code, stored, proved
                    return True
    return False


def wrong_outcome_row(file: TableFile) -> Violation | None:
    """A break in the file of outcomes that is not the one whose distance is known, which is held against the moves."""
    records, rows = file.column("symbols")[file.symbol_of_state], file.column("outcome_rows")
    first = records["first"].astype(np.int64)
    end = first + records["rows"]
    if int(end.max(initial=0)) > len(rows):
        return Violation("rows of outcomes", f"row {int(end.max()) - 1}", f"rows up to {len(rows) - 1}")
    states, patterns = file.states, file.patterns
    starts = patterns.start.astype(np.int64)
    outcomes = RowsOfStates(first, end, rows_of(rows["holder"], rows["code"], rows["outcome"]))
    distances = RowsOfStates(
        starts[states.pattern],
        starts[1:][states.pattern],
        rows_of(patterns.holder, patterns.code, patterns.outcome),
    )
    report = np.zeros(4, np.int64)
    if not find_other_break(states.entry, outcomes, distances, report):
        return None
    holder, code, stored, proved = map(int, report)
    law = f"what {Accrued(code, Color(holder))} becomes by the file of outcomes"
    return Violation(law, str(Outcome.from_byte(stored)), str(Outcome.from_byte(proved)))
