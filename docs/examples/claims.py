"""Figures of docs/claims.md, ending by ending, from records.

    python docs/examples/claims.py stalemates [RECORDS]
    python docs/examples/claims.py sharpness [RECORDS]

Each prints a row for each ending, and one for all together, of the positions that ordinary chess
calls drawn, up to symmetry and with either side to move:

* `stalemates`: their number, and the shares in which White and Black force stalemate.
* `sharpness`: their number; the means of legal moves, of moves that keep the draw, and of moves
  that keep the outcome; and the shares in which one move alone keeps the draw, or the outcome.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tbgen.apps.records.record import Record, records_in
from tbgen.score import Color, Score

MATES = (Score("G0.0"), Score("-G0.0"))
STALEMATES = (Score("G0.5"), Score("-G0.5"))

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
    """Drawn positions, three means, and two shares; of the records that have been counted."""
    totals = [Counter[int](), Counter[int](), Counter[int]()]
    for record in records:
        for side in (record.sharpness or {}).values():
            drawn = side.drawn
            for total, counts in zip(
                totals, (drawn.moves, drawn.keep_result, drawn.keep_outcome), strict=True
            ):
                total.update(dict(enumerate(counts)))
    positions = totals[0].total()
    means = [f"{mean_of(total):.2f}" for total in totals]
    shares = [percent(total[1], positions) for total in totals[1:]]
    return [f"{positions:,}", *means, *shares]


def mean_of(counts: Counter[int]) -> float:
    sum_of_numbers = sum(number * count for number, count in counts.items())
    return sum_of_numbers / max(1, counts.total())


def percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"


def row_of(name: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join([name, *cells])} |"


def main(kind: str, folder: str = "records") -> None:
    cells_in = {"stalemates": stalemates_in, "sharpness": sharpness_in}[kind]
    records = records_in(Path(folder))
    if kind == "sharpness":
        records = [record for record in records if record.sharpness is not None]
    for record in records:
        print(row_of(str(record.material), cells_in([record])))
    print(row_of("all", cells_in(records)))


if __name__ == "__main__":
    main(*sys.argv[1:])
