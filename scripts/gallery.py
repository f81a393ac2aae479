#!/usr/bin/env python3
"""Write the longest lines and the zugzwangs of the explorer's gallery again, from records.

    gallery.py [RECORDS]

RECORDS is a folder of records (default: records). The positions of `chosen.json` beside the gallery
are chosen by hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.apps.records.record import Longest, Record, records_in  # noqa: E402

GALLERY = ROOT / "tbgen" / "apps" / "pages" / "explorer" / "gallery.json"

Row = list[str | int]

LEAST_PLIES = 3
"""Shorter lines are nothing to look at."""


def gallery_of(records: Iterable[Record]) -> str:
    """The gallery as JSON, with a row a line, those of the fewest men first."""
    ordered = sorted(records, key=lambda record: (record.men, str(record.material)))
    parts = {"longest": longest_lines(ordered), "zugzwangs": longest_zugzwangs(ordered)}
    texts = list[str]()
    for name, rows in parts.items():
        lines = ",\n".join(json.dumps(row) for row in rows)
        texts.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(texts) + "\n}\n"


def longest_lines(records: Iterable[Record]) -> list[Row]:
    """For each number of men and each outcome, a position with the longest line."""
    found = dict[tuple[int, str], Longest]()
    for record in records:
        for side in record.sides.values():
            for outcome, figures in side.outcomes.items():
                line = figures.longest
                key = (record.men, str(outcome))
                if line is None or line.dtg < LEAST_PLIES:
                    continue
                if key not in found or line.dtg > found[key].dtg:
                    found[key] = line
    return [[placement_of(line.fen), text, line.dtg] for (_, text), line in found.items()]


def longest_zugzwangs(records: Iterable[Record]) -> list[Row]:
    """Of each ending, a mutual zugzwang with the longest lines, and how many there are."""
    rows = list[Row]()
    for record in records:
        longest = record.zugzwangs.longest
        if longest is not None:
            outcomes = [str(longest.white.outcome), str(longest.black.outcome)]
            number = record.zugzwangs.all.classes
            rows.append([placement_of(longest.fen), *outcomes, number])
    return rows


def placement_of(fen: str) -> str:
    """The men and the side to move."""
    men, turn, *_ = fen.split()
    return f"{men} {turn}"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "records"
    GALLERY.write_text(gallery_of(records_in(folder)))
