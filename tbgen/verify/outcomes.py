"""Outcomes of breaks, which a table has twice: with its distances, and in its file of outcomes, where probes look."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import borrowing, inner
from tbgen.arrays import Bytes, Int, Ints, SignedBytes
from tbgen.score import Accrued, Color, Outcome
from tbgen.storage.reader import TableFile
from tbgen.verify.values import code_of, rank_of, signed
from tbgen.verify.violations import Violation

Column = npt.NDArray[Any]


class Rows(NamedTuple):
    """Rows of patterns, column by column."""

    holder: Bytes
    code: Bytes
    outcome: SignedBytes


class Runs(NamedTuple):
    """Which rows each state has."""

    first: Ints
    end: Ints
    rows: Rows


@inner
def break_by_rows(runs: Runs, state: Int, holder: Int, code: Int) -> Int:
    """What becomes of an accrued score: an outcome that is worse for its holder, or the score itself."""
    accrued, rows = signed(holder, code), runs.rows
    for row in range(runs.end[state] - 1, runs.first[state] - 1, -1):
        if rows.holder[row] == holder and rows.code[row] <= code:
            outcome = int(rows.outcome[row])
            gain = rank_of(outcome) - rank_of(accrued)
            return outcome if (gain < 0 if holder == 0 else gain > 0) else accrued
    return accrued


# report -> holder, code, what the file of outcomes has, what goes with the distances
@borrowing
def find_other_break(entry: SignedBytes, outcomes: Runs, distances: Runs, report: Ints) -> int:
    """Whether an accrued score that is no higher than the entry value breaks differently in some state."""
    for state in range(len(entry)):
        for code in range(2, code_of(int(entry[state])) + 1):
            for holder in range(2):
                stored = break_by_rows(outcomes, state, holder, code)
                proved = break_by_rows(distances, state, holder, code)
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
    patterns, number = file.patterns, file.states.pattern
    outcomes = Runs(first, end, _rows(rows["holder"], rows["code"], rows["outcome"]))
    starts = patterns.start.astype(np.int64)
    with_distances = Runs(starts[number], starts[1:][number], _rows(patterns.holder, patterns.code, patterns.outcome))
    report = np.zeros(4, np.int64)
    if not find_other_break(_signed(file.states.entry), outcomes, with_distances, report):
        return None
    holder, code, stored, proved = map(int, report)
    law = f"what {Accrued(code, Color(holder))} becomes by the file of outcomes"
    return Violation(law, str(Outcome.from_byte(stored)), str(Outcome.from_byte(proved)))


def _rows(holder: Column, code: Column, outcome: Column) -> Rows:
    return Rows(_unsigned(holder), _unsigned(code), _signed(outcome))


# The one form of a column that the kernel is compiled for.
def _unsigned(column: Column) -> Bytes:
    return np.require(column, np.uint8, ["C", "W"])


def _signed(column: Column) -> SignedBytes:
    return np.require(column, np.int8, ["C", "W"])
