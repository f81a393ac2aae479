"""Figures of docs/results.md, ending by ending, from records.

    python research/claims.py stalemates [RECORDS]
    python research/claims.py sharpness [RECORDS]

Both look at the positions that ordinary chess calls drawn, up to symmetry and with either side to
move. They print a row for each ending, one for those of up to four men if there are any, and one
for all together:

* `stalemates`: their number, and the shares in which White and Black force stalemate.
* `sharpness`: their number; the means of legal moves, of moves that keep the draw, and of moves
  that keep the outcome; and the shares in which one move alone keeps the draw, or the outcome.
  Shares of a sample have a 95 % confidence interval.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tbgen.apps.records.record import Record, records_in
from tbgen.score import Color, Score

MATES = (Score("G0.0"), Score("-G0.0"))
STALEMATES = (Score("G0.5"), Score("-G0.5"))
TWO_SIDED = 1.96
"""Standard errors on either side of 95 % of all normally distributed numbers."""

MOST_SMALL_MEN = 4

Cells = list[str]


def stalemates_in(records: Iterable[Record]) -> Cells:
    """Drawn positions, and the shares that a stalemate by White and by Black decides."""
    counts = Counter[Score]()
    for record in records:
        for side in Color:
            counts.update(record.sides[side].counts)
    for mate in MATES:
        del counts[mate]
    drawn = counts.total()
    return [f"{drawn:,}", *(percent(counts[stalemate], drawn) for stalemate in STALEMATES)]


def sharpness_in(records: Iterable[Record]) -> Cells:
    """Drawn positions, three means, and two shares; of the records that have been counted.

    A sample counts as much as the table that it was drawn from.
    """
    positions = 0
    sums = np.zeros(3)
    alone = np.zeros(2)
    variances = np.zeros(2)
    for record in records:
        drawn = drawn_of(record)
        counted = record.drawn.positions
        if not counted:
            continue
        positions += drawn
        sums += drawn * np.array(record.drawn.means)
        kept = (record.drawn.keep_result, record.drawn.keep_outcome)
        share = np.array([number_with_one(counts) for counts in kept]) / counted
        alone += drawn * share
        if record.sampled is not None:
            variances += drawn**2 * share * (1 - share) / counted
    means = [f"{mean:.2f}" for mean in sums / max(1, positions)]
    errors = TWO_SIDED * np.sqrt(variances) / max(1, positions)
    shares = list[str]()
    for part, error in zip(alone, errors, strict=True):
        shares.append(percent(part, positions, error))
    return [f"{positions:,}", *means, *shares]


def number_with_one(counts: Sequence[int]) -> int:
    """The positions with one such move, from the positions with 0, 1, 2 ... of them."""
    return counts[1] if len(counts) > 1 else 0


def drawn_of(record: Record) -> int:
    """The number of drawn positions of a table."""
    drawn = 0
    for side in Color:
        counts = record.sides[side].counts
        drawn += sum(count for outcome, count in counts.items() if not outcome.is_mate)
    return drawn


def percent(part: float, whole: float, error: float = 0) -> str:
    """A share, with its error, rounded up, if it has one."""
    share = f"{100 * part / max(1, whole):.1f}"
    if not error:
        return f"{share} %"
    return f"{share} ± {math.ceil(1000 * error) / 10} %"


def row_of(name: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join([name, *cells])} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=["stalemates", "sharpness"])
    parser.add_argument("records", type=Path, nargs="?", default=Path("records"))
    arguments = parser.parse_args()
    is_sharpness = arguments.kind == "sharpness"
    cells_in = sharpness_in if is_sharpness else stalemates_in
    records = records_in(arguments.records)
    if is_sharpness:
        records = [record for record in records if record.sharpness is not None]
    for record in records:
        print(row_of(str(record.material), cells_in([record])))
    small = [record for record in records if record.men <= MOST_SMALL_MEN]
    if small:
        print(row_of("up to four men", cells_in(small)))
    print(row_of("all", cells_in(records)))


if __name__ == "__main__":
    main()
