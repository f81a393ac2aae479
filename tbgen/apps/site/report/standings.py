"""Standings as one page in the style of the report: ranks, points, and a cross table of coloured scores."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import Final

from tbgen.apps.games.standings import EventGame, Row, Standings, in_decimals
from tbgen.apps.games.tags import Source
from tbgen.apps.site.report.alone import alone, legend
from tbgen.apps.site.report.palette import shade_of
from tbgen.score import Color, Outcome
from tbgen.text import counted

MOST_CROSSED: Final = 100
"""With more players a page has no cross table: nobody could read it, and it grows with their square."""
_MOST_IN_CELL: Final = 8
"""More games than this of two players are told by their points alone."""
_WORDS: Final = (
    ("w0", "mates"),
    ("w1", "stalemates"),
    ("w3", "holds the other to 1–3 moves"),
    ("w5", "to more"),
    ("b5", "is held to many moves"),
    ("b3", "to 1–3"),
    ("b1", "is stalemated"),
    ("b0", "is mated"),
)


def page_of(standings: Standings, title: str | None = None) -> str:
    """A self-contained page: no script, no font, no picture from elsewhere. Its title is that of the event."""
    heading = title or standings.event or "Standings"
    order = ", then ".join(by.value for by in standings.order)
    schemes = ", ".join(scheme.value for scheme in standings.schemes)
    said = f"{counted(standings.games, 'game', 'games')}, {counted(len(standings.rows), 'player', 'players')}"
    notes = [f"Ranked by {order}. Points: {schemes or 'none'}."]
    if standings.unfinished:
        number = standings.unfinished
        notes.append(f"{number} without a result {'is' if number == 1 else 'are'} left out.")
    caveat = f'<p class="caveat">{escape(standings.caveat)}.</p>\n' if standings.provisional else ""
    content = (
        f'<h1>{escape(heading)}</h1>\n<p class="lead">{said}, scored by the rules of r-mobility.</p>\n'
        f'{caveat}{_legend(standings)}{_table(standings)}<p class="small soft">{" ".join(notes)}</p>\n'
    )
    return alone(heading, content, broad=True)


def _legend(standings: Standings) -> str:
    if len(standings.rows) > MOST_CROSSED:
        return ""
    return legend("Colours of a score in the cross table: the player of the row", _WORDS)


def _table(standings: Standings) -> str:
    rows = standings.rows
    others = rows if len(rows) <= MOST_CROSSED else []
    names = (
        f'<th scope="col" class="met" title="{escape(row.name)}">{place}</th>' for place, row in enumerate(others, 1)
    )
    heads = (
        '<th scope="col" class="n">#</th><th scope="col" class="who">Player</th><th scope="col" class="n">Points</th>'
        '<th scope="col" class="n">Games</th><th scope="col" class="n spare">Ordinary</th>'
    )
    lines = "\n".join(_line(row, others) for row in rows)
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Cross table">'
        f'<table class="cross">\n<thead><tr>{heads}{"".join(names)}</tr></thead>\n'
        f"<tbody>\n{lines}\n</tbody></table></div>\n"
    )


def _line(row: Row, others: list[Row]) -> str:
    met = "".join(_meeting(row, other) for other in others)
    return (
        f'<tr><td class="n">{row.rank}</td><th scope="row" class="who">{escape(row.name)}</th>'
        f'<td class="n" title="{row.points}">{in_decimals(row.points)}</td><td class="n">{row.games}</td>'
        f'<td class="n spare">{in_decimals(row.classical)}</td>{met}</tr>'
    )


def _meeting(row: Row, other: Row) -> str:
    """A cell of the cross table: the scores of the games of two players, as the one of the row sees them."""
    if row is other:
        return '<td class="met self" aria-label="the player\'s own place"></td>'
    games = row.met.get(other.name, [])
    if len(games) > _MOST_IN_CELL:
        points = sum(row.against[other.name], Fraction(0))
        return f'<td class="met">{in_decimals(points)} of {len(games)}</td>'
    return f'<td class="met">{"".join(_score(row, game) for game in games)}</td>'


def _score(row: Row, game: EventGame) -> str:
    """A game's final score, warm where the player of the row holds it; a question mark where it is provisional."""
    side = Color.WHITE if game.white == row.name else Color.BLACK
    mine = game.final if side is Color.WHITE else game.final.flipped()
    doubt = game.source is Source.PROVISIONAL
    words = f"{game.final} as {side}, {in_decimals(game.points(side))} points{', provisional' if doubt else ''}"
    return f'<span class="{shade_of(mine)}" title="{words}">{_short(mine)}{"?" if doubt else ""}</span>'


def _short(outcome: Outcome) -> str:
    """A score without its letter, negative where the other side holds it."""
    return str(outcome).replace("G", "").replace("-", "\N{MINUS SIGN}")
