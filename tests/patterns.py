"""The values that a pattern gives, row by row."""

from __future__ import annotations

from tbgen.score import Color, Score
from tbgen.table import Patterns


def value_of_pattern(patterns: Patterns, pattern: int, accrued: Score) -> tuple[Score, int]:
    """The outcome and distance of a position in the middle.

    The last row for the holder whose code has been reached counts, if its outcome is worse for the
    holder than the accrued score.
    """
    value = (accrued, 0)
    for row in range(int(patterns.start[pattern]), int(patterns.start[pattern + 1])):
        if patterns.holder[row] != int(accrued.holder) or patterns.code[row] > accrued.code:
            continue
        outcome = Score.from_signed(int(patterns.outcome[row]))
        is_worse = outcome < accrued if accrued.holder is Color.WHITE else outcome > accrued
        value = (outcome, int(patterns.dtg[row])) if is_worse else (accrued, 0)
    return value
