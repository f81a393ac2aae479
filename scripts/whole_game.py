#!/usr/bin/env python3
"""Write docs/whole-game-records.md from what `tbgen compare --all -o games.json` found.

whole_game.py games.json
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tbgen.report.two_games import numbered_line
from tbgen.score import Color, Mobility, Outcome, parse_score
from tbgen.words import in_plies

PAGE = Path(__file__).resolve().parent.parent / "docs" / "whole-game-records.md"
GAME = str(Mobility.WHOLE_GAME)
GROUPS = ("G0.0", "G0.5", "G1.0-G3.5", "G4.0-", "-G4.0-", "-G1.0-G3.5", "-G0.5", "-G0.0")
"""How scores are put together where all of them would be too many columns."""

HEAD = """# Records of whole-game mobility

What the tables of [whole-game mobility](whole-game.md) hold, of {tables} endings with {men} men.
Tables with more men are not counted here.
This page is written by `scripts/whole_game.py` from the tables, by way of `tbgen compare --all -o games.json`;
`tbgen record --game whole-game` counts a table outcome by outcome and distance by distance.
"""

COUNTS = """## Counts by ending

Shares of all positions on 64 squares, either side to move, in per cent; `-` where there is none.
White has the stronger men. `differ` are the positions with another value under r-mobility.
"""

LONGEST = """## The longest way to each score

Best play by both sides from the position where the score is farthest away,
of equal ones the first; scores that are never farther away than the board itself shows are left out.
"""


def group_of(outcome: Outcome) -> str:
    """The column that an outcome is counted in."""
    sign = "" if outcome.holder is Color.WHITE else "-"
    name = f"G{outcome.code / 2}" if outcome.code < 2 else "G1.0-G3.5" if outcome.code < 8 else "G4.0-"
    return sign + name


def row_of(table: Mapping[str, Any]) -> str:
    """An ending in a line of the table of counts."""
    counts = dict.fromkeys(GROUPS, 0)
    for name, count in table["outcomes"][GAME].items():
        counts[group_of(parse_score(name).outcome)] += count
    shares = [100 * count / table["positions"] for count in (*counts.values(), table["differing"])]
    cells = [f"{share:.2f}" if share else "-" for share in shares]
    return " | ".join((f"| {table['material']} | {table['positions']:,}", *cells)) + " |"


def way_to(longest: Mapping[str, Any]) -> Iterator[str]:
    """The longest way to a score."""
    other = longest["other"]
    there = f"{other['outcome']} in {in_plies(other['dtg'])}" if other["dtg"] else f"{other['outcome']}, on the board"
    yield f"**{longest['outcome']}** in {in_plies(longest['dtg'])}, {longest['material']}; under r-mobility {there}:\n"
    yield f"    {longest['fen']}"
    line = numbered_line(longest["fen"], longest["line"].split())
    yield textwrap.indent(textwrap.fill(line, 110), "    ") + "\n"


def page_of(facts: Mapping[str, Any]) -> Iterator[str]:
    """The page, part by part."""
    tables = facts["tables"]
    men = sorted(len(table["material"]) - 1 for table in tables)
    yield HEAD.format(tables=len(tables), men=f"{men[0]} to {men[-1]}")
    yield COUNTS
    yield " | ".join(("| ending | positions", *GROUPS, "differ")) + " |"
    yield "|---" + "|--:" * (len(GROUPS) + 2) + "|"
    yield from map(row_of, tables)
    yield f"\n{LONGEST}"
    for longest in facts["longest"][GAME]:
        if longest["dtg"]:
            yield from way_to(longest)


if __name__ == "__main__":
    PAGE.write_text("\n".join(page_of(json.loads(Path(sys.argv[1]).read_text()))).rstrip() + "\n")
