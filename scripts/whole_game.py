#!/usr/bin/env python3
"""Write docs/whole-game-records.md and docs/two-games.md from what `tbgen study compare --all -o games.json` found.

whole_game.py games.json
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import chess

from tbgen.apps.records.two_games import Row, outcome_of, resets_of, rows_of, shown, totals_of, ways_of
from tbgen.apps.site.two_games import numbered_line
from tbgen.score import Color, Mobility, Score
from tbgen.text import in_plies

DOCS = Path(__file__).resolve().parent.parent / "docs"
GAME = str(Mobility.WHOLE_GAME)
GROUPS = ("G0.0", "G0.5", "G1.0-G3.5", "G4.0-", "-G4.0-", "-G1.0-G3.5", "-G0.5", "-G0.0")
"""How scores are put together where all of them would be too many columns."""

HEAD = """# Records of whole-game mobility

What the tables of [whole-game mobility](whole-game.md) hold, of {tables} endings with {men} men.
[two-games.md](two-games.md) compares them with r-mobility, ending by ending.
This page is written by `scripts/whole_game.py` from the tables, by way of `tbgen study compare --all -o games.json`;
`tbgen study record --game whole-game` counts a table outcome by outcome and distance by distance.
"""

COUNTS = """## Counts by ending

Shares of all positions on 64 squares, either side to move, in per cent; `-` where there is none.
White has the stronger men. `differ` are the positions with another value under r-mobility.
"""

LONGEST = """## The longest way to each score

Best play by both sides from the position where the score is farthest away,
of equal ones the first; scores that are never farther away than the board itself shows are left out.
"""


TOGETHER = """# r-mobility and whole-game mobility, ending by ending

What best play is worth under either game, position by position, in {tables} endings.
[whole-game.md](whole-game.md) says what the games are and what follows from these figures.
This page is written by `scripts/whole_game.py`, by way of `tbgen study compare --all -o games.json`;
`tbgen study compare --page` writes the same with boards.

Of {positions:,} positions the games differ in {share:.1f} %. Positions are placements on 64 squares,
either side to move, with nothing accrued from before; shares are in per cent.
*For White* are the positions in which r-mobility is better for White, who has the stronger men.
"""

RESETS = """
## Where resets matter

Best play under r-mobility from {every:,} random positions of which the games disagree, up to 40 of each ending:
the first reset after which the same moves have another score under whole-game mobility.
It frees the side that makes it of the other side's score, or gives up one of its own.
"""

POSITIONS = """
## {shown} positions, with best play under both

At most one of an ending, of all kinds of resets in turn, those first where the games are farthest apart.
"""

SIDE_BY_SIDE = """## The longest way to each score, side by side

In plies, over all endings, and what the other game says of the same position.
[whole-game-records.md](whole-game-records.md) has the lines of whole-game mobility,
[records.md](records.md) says where those of r-mobility are.
"""

ENDINGS = """
## Ending by ending

*Points* are what r-mobility gives White more by the exponential formula, on average over all positions;
*apart* is how far apart the games are where they differ.
"""


def group_of(outcome: Score) -> str:
    """The column that an outcome is counted in."""
    sign = "" if outcome.holder is Color.WHITE else "-"
    name = f"G{outcome.code / 2}" if outcome.code < 2 else "G1.0-G3.5" if outcome.code < 8 else "G4.0-"
    return sign + name


def row_of(table: Mapping[str, Any]) -> str:
    """An ending in a line of the table of counts."""
    counts = dict.fromkeys(GROUPS, 0)
    for name, count in table["outcomes"][GAME].items():
        counts[group_of(outcome_of({"outcome": name}))] += count
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


def share(part: float) -> str:
    """A share in per cent."""
    return f"{100 * part:.2f}" if part else "-"


def compared_row(row: Row) -> str:
    """An ending in a line of the comparison."""
    points = f"{row.points:+.5f}" if row.points else "-"
    return (
        " | ".join((f"| {row.name}", *map(share, row.shares), points, f"{row.apart:.4f}" if row.apart else "-")) + " |"
    )


def beside(outcome: Score, *ways: Mapping[str, Any] | None) -> str:
    """The longest ways to a score under both games."""
    cells = [str(outcome)]
    for found in ways:
        if found is None:
            cells += ["-", "-", "-"]
            continue
        other = found["other"]
        there = f"{other['outcome']} in {other['dtg']}" if other["dtg"] else f"{other['outcome']}, on the board"
        cells += [str(found["dtg"]), found["material"], there]
    return "| " + " | ".join(cells) + " |"


def position(number: int, each: Mapping[str, Any]) -> Iterator[str]:
    """A position with both lines."""
    reset = each["reset"] or "a reset is only threatened"
    side = "White" if chess.Board(each["fen"]).turn else "Black"
    yield f"**{number}. {each['material']}**, {side} to move. {reset[:1].upper()}{reset[1:]}.\n"
    yield f"    {each['fen']}"
    for name, game in (("r-mobility", each["r_mobility"]), ("whole game", each["whole_game"])):
        how = f"in {in_plies(game['dtg'])}" if game["dtg"] else "on the board"
        line = numbered_line(each["fen"], game["line"].split())
        yield textwrap.indent(textwrap.fill(f"{name} {game['outcome']}, {how}: {line}".rstrip(": "), 106), "    ")
    yield ""


def comparison_of(facts: Mapping[str, Any]) -> Iterator[str]:
    """The page of both games, part by part."""
    tables = facts["tables"]
    positions, differing = (sum(table[name] for table in tables) for name in ("positions", "differing"))
    yield TOGETHER.format(tables=len(tables), positions=positions, share=100 * differing / positions)
    yield "| men | endings | positions | differ | for White | for Black | other holder |\n|--:|--:|--:|--:|--:|--:|--:|"
    for total in totals_of(facts):
        shares = " | ".join(map(share, total.shares))
        yield f"| {total.name} | {total.tables} | {total.positions:,} | {shares} |"
    resets = resets_of(facts)
    every = sum(resets.values())
    yield RESETS.format(every=every)
    yield "| first reset that matters | positions | per cent |\n|---|--:|--:|"
    yield from (f"| {name} | {count:,} | {100 * count / every:.1f} |" for name, count in resets.items())
    chosen = shown(facts["positions"])
    yield POSITIONS.format(shown=len(chosen))
    for number, each in enumerate(chosen, 1):
        yield from position(number, each)
    yield SIDE_BY_SIDE
    yield "| score | r-mobility | ending | there whole game | whole game | ending | there r-mobility |"
    yield "|---|--:|---|---|--:|---|---|"
    yield from (beside(*way) for way in ways_of(facts))
    yield ENDINGS
    yield "| ending | differ | for White | for Black | other holder | points | apart |\n|---|--:|--:|--:|--:|--:|--:|"
    yield from map(compared_row, rows_of(facts))


def write(name: str, parts: Iterator[str]) -> None:
    (DOCS / name).write_text("\n".join(parts).rstrip() + "\n")


if __name__ == "__main__":
    facts = json.loads(Path(sys.argv[1]).read_text())
    write("whole-game-records.md", page_of(facts))
    write("two-games.md", comparison_of(facts))
