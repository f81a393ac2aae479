"""What a pattern says of an accrued score, row by row."""

from __future__ import annotations

from tbgen.score import Color, Score
from tbgen.table import Patterns


def value_of_pattern(patterns: Patterns, pattern: int, accrued: Score) -> tuple[Score, int]:
    """The outcome and distance of a position whose accrued score nobody can better for its holder."""
    for row in range(int(patterns.start[pattern + 1]) - 1, int(patterns.start[pattern]) - 1, -1):
        if patterns.holder[row] == int(accrued.holder) and patterns.code[row] <= accrued.code:
            outcome = Score.from_signed(int(patterns.outcome[row]))
            worse = outcome < accrued if accrued.holder is Color.WHITE else outcome > accrued
            return (outcome, int(patterns.dtg[row])) if worse else (accrued, 0)
    return accrued, 0
