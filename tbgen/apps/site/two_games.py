"""The page and the picture that compare r-mobility with whole-game mobility; both show what `study compare` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import chess

from tbgen.apps.records.two_games import SHARES, Facts, outcome_of, resets_of, rows_of, shown, totals_of, ways_of
from tbgen.apps.site.lines import numbered
from tbgen.apps.site.palette import colors
from tbgen.apps.site.templates import environment
from tbgen.errors import UsageError
from tbgen.storage.files import write_whole

_DRAWN: Final = 40
"""Tables in the picture."""


def numbered_line(fen: str, moves: Sequence[str]) -> str:
    """Moves with their numbers.

    >>> numbered_line("8/8/8/4KBk1/8/8/8/8 b - - 0 1", ["Kh4", "Kf4"])
    '1...Kh4 2.Kf4'
    """
    return " ".join(numbered(fen, moves)).replace(". ", ".")


def write_games_page(facts: Facts, path: Path) -> None:
    """The page, for a folder in which the pages of a site lie or will lie."""
    from tbgen.apps.site.pages import Site

    rows = rows_of(facts)
    page = Site([], two_games=True).page(
        "games.html",
        rows=rows,
        totals=totals_of(facts),
        positions=sum(table["positions"] for table in facts["tables"]),
        differing=sum(table["differing"] for table in facts["tables"]),
        resets=resets_of(facts),
        shown=shown(facts["positions"]),
        ways=ways_of(facts),
        built={row.name for row in rows if (path.parent / "material" / f"{row.name}.html").is_file()},
        numbered_line=lambda each, game: numbered_line(each["fen"], game["line"].split()),
        outcome_of=outcome_of,
        white_to_move=lambda fen: chess.Board(fen).turn == chess.WHITE,
    )
    write_whole(path, [page.encode()])


def draw_games(facts: Facts, path: Path) -> None:
    """A picture of the tables that differ most: how often r-mobility is kinder to White, to the right, and to Black."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"the picture is written to a file that ends with .svg, not to {path.name}")
    rows = [row for row in rows_of(facts) if row.shares[0]][:_DRAWN]
    white, black = (SHARES.index(name) for name in ("better_for_white", "better_for_black"))
    picture = (
        environment()
        .get_template("games.svg")
        .render(
            bars=[(row.name, row.shares[white], row.shares[black], row.shares[0]) for row in rows],
            largest=max((max(row.shares[white], row.shares[black]) for row in rows), default=1.0),
            of=len(facts["tables"]),
            shades=colors("light"),
        )
    )
    write_whole(path, [picture.encode() + b"\n"])
