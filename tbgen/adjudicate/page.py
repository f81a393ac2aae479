"""Standings as CSV, and as one page of HTML that loads nothing else."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from fractions import Fraction

from tbgen.adjudicate.standings import Row, Standings

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
div { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
td, th { text-align: right; white-space: nowrap }
.name { text-align: left }
"""

_HEADS = ("rank", "player", "games", "classical", "points", "exact")


MOST_CROSSED = 100
"""With more players a page has no cross table: nobody could read it, and it grows with their square."""


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


def as_html(standings: Standings, title: str) -> str:
    """A self-contained HTML page: no script, no font, no picture from elsewhere."""
    rows = standings.rows
    others = rows if len(rows) <= MOST_CROSSED else ()
    heads = [*_HEADS[:-1], *(str(place) for place in range(1, len(others) + 1))]
    lines = [_line("th", heads), *(_line("td", [*cells_of(row)[:-1], *_meetings(row, others)]) for row in rows)]
    order = ", then ".join(by.value for by in standings.order)
    name = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{name}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n<h1>{name}</h1>\n'
        f"<p>Ranked by {order}.{_left_out(standings)}</p>\n{_reservation(standings)}<div><table>\n"
        + "\n".join(lines)
        + "\n</table></div>\n</html>\n"
    )


def _meetings(row: Row, rows: Sequence[Row]) -> list[str]:
    return [meeting(row, other) for other in rows]


def _reservation(standings: Standings) -> str:
    return f"<p>{html.escape(standings.reservation)}.</p>\n" if standings.provisional else ""


def _left_out(standings: Standings) -> str:
    number = standings.unfinished
    return f" {number} without a result {'is' if number == 1 else 'are'} left out." if number else ""


def _line(tag: str, cells: Sequence[str]) -> str:
    begins = [f"<{tag}>", f'<{tag} class="name">', *[f"<{tag}>"] * (len(cells) - 2)]
    written = (f"{begin}{html.escape(cell)}</{tag}>" for begin, cell in zip(begins, cells, strict=True))
    return f"<tr>{''.join(written)}</tr>"
