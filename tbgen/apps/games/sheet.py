"""Standings as a sheet: the cells of a player's row, and all of them as CSV."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

from tbgen.apps.games.standings import Row, Standings

_HEADS = ("rank", "player", "games", "classical", "points", "exact")


def in_decimals(points: Fraction) -> str:
    """Points with no more than four decimals.

    >>> in_decimals(Fraction(9, 16)), in_decimals(Fraction(1, 3)), in_decimals(Fraction(2))
    ('0.5625', '0.3333', '2')
    """
    text = f"{float(round(points * 10_000)) / 10_000:.4f}"
    return text.rstrip("0").rstrip(".")


def meeting(row: Row, other: Row) -> str:
    """A cell of the cross table: one player's points from the games with another."""
    if row is other:
        return "x"
    return " ".join(in_decimals(points) for points in row.against.get(other.name, []))


def cells_of(row: Row) -> tuple[str, ...]:
    """The cells of a player's row left of the cross table."""
    return (
        str(row.rank),
        row.name,
        str(row.games),
        in_decimals(row.classical),
        in_decimals(row.points),
        str(row.points),
    )


def as_csv(standings: Standings) -> str:
    """CSV with a row for each player, the cross table included."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    rows = standings.rows
    writer.writerow([*_HEADS, *(_no_formula(row.name) for row in rows)])
    cells = ([*map(_no_formula, cells_of(row)), *(meeting(row, other) for other in rows)] for row in rows)
    writer.writerows(cells)
    return file.getvalue()


def _no_formula(text: str) -> str:
    """A text that spreadsheets do not take for a formula: a name may begin with `=`."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
