"""Two games: the page and the picture that compare r-mobility with whole-game mobility.

Both are made from what `tbgen compare -o` writes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import chess

from tbgen.apps.records.joining import shown
from tbgen.apps.site.report.boards import board_of, shared
from tbgen.apps.site.report.palette import LIGHT, colors
from tbgen.errors import UsageError
from tbgen.material import Material
from tbgen.score import Mobility, Outcome, parse_score
from tbgen.storage.files import write_whole

_SHARES = ("differing", "better_for_white", "better_for_black", "other_holder")
_DRAWN = 40
"""Tables in the picture."""
_ROW, _LEFT, _WIDTH, _MIDDLE, _HALF = 18, 70, 720, 390, 290


@dataclass(frozen=True)
class Row:
    """A table under both games; shares are of all positions."""

    material: str
    differing: float
    white: float
    """Where r-mobility is better for White, and for Black."""
    black: float
    other_holder: float
    points: float
    """What r-mobility gives White more, on average."""
    apart: float
    """How far apart the games are where they differ, in points."""


@dataclass(frozen=True)
class Way:
    """The longest way to a score under either game; None where no table has it."""

    outcome: Outcome
    reset: Mapping[str, Any] | None
    whole: Mapping[str, Any] | None

    @property
    def line(self) -> str:
        """Of whole-game mobility."""
        return "" if self.whole is None else numbered_line(self.whole["fen"], self.whole["line"].split())


@dataclass(frozen=True)
class Shown:
    """A position with best play under both games."""

    material: str
    fen: str
    reset: Outcome
    whole: Outcome
    dtg: tuple[int, int]
    lines: tuple[str, str]
    turn: str | None

    @property
    def board(self) -> str:
        return board_of(self.fen)

    @property
    def to_move(self) -> str:
        return "White to move" if chess.Board(self.fen).turn == chess.WHITE else "Black to move"


@dataclass(frozen=True)
class Total:
    """All tables of a number of men together."""

    men: int
    tables: int
    positions: int
    shares: tuple[float, ...]
    """As in a row: differing, better for White, for Black, another holder."""


@dataclass(frozen=True)
class TwoGames:
    """All that the page has."""

    rows: Sequence[Row]
    ways: Sequence[Way]
    shown: Sequence[Shown]
    resets: Mapping[str, int]
    """What the first reset that matters is, in the lines of samples of all tables."""
    totals: Sequence[Total]
    """By men."""
    positions: int
    differing: int

    @property
    def widest(self) -> Sequence[Row]:
        """The tables in which the games differ most often."""
        return sorted(self.rows, key=lambda row: (-row.differing, row.material))


def games_of(facts: Mapping[str, Any]) -> TwoGames:
    """All of it from the JSON of `tbgen compare`."""
    resets: Counter[str] = Counter()
    for table in facts["tables"]:
        resets.update(table["resets"])
    return TwoGames(
        [_row(table) for table in facts["tables"]],
        _ways(facts["longest"]),
        [_shown(each) for each in shown(facts["positions"])],
        dict(resets.most_common()),
        _totals(facts["tables"]),
        sum(table["positions"] for table in facts["tables"]),
        sum(table["differing"] for table in facts["tables"]),
    )


def _totals(tables: Sequence[Mapping[str, Any]]) -> list[Total]:
    """By men, the fewest first."""
    by_men = defaultdict[int, list[Mapping[str, Any]]](list)
    for table in tables:
        by_men[Material.parse(table["material"]).men].append(table)
    totals = []
    for men, some in sorted(by_men.items()):
        positions = sum(table["positions"] for table in some)
        sums = (sum(table[name] for table in some) for name in _SHARES)
        totals.append(Total(men, len(some), positions, tuple(each / positions for each in sums)))
    return totals


def _row(table: Mapping[str, Any]) -> Row:
    positions = table["positions"]
    differing, white, black, other = (table[name] / positions for name in _SHARES)
    points, apart = table["points_to_white"], table["points_where_differing"]
    return Row(table["material"], differing, white, black, other, points, apart)


def _ways(longest: Mapping[str, Any]) -> list[Way]:
    reset, whole = ({parse_score(each["outcome"]).outcome: each for each in longest[str(game)]} for game in Mobility)
    return [Way(each, reset.get(each), whole.get(each)) for each in sorted(reset.keys() | whole.keys(), reverse=True)]


def _shown(each: Mapping[str, Any]) -> Shown:
    reset, whole = each["r_mobility"], each["whole_game"]
    outcomes = [parse_score(game["outcome"]).outcome for game in (reset, whole)]
    lines = [numbered_line(each["fen"], game["line"].split()) for game in (reset, whole)]
    return Shown(
        each["material"],
        each["fen"],
        outcomes[0],
        outcomes[1],
        (reset["dtg"], whole["dtg"]),
        (lines[0], lines[1]),
        each["reset"] and each["reset"][:1].upper() + each["reset"][1:],
    )


def numbered_line(fen: str, moves: Sequence[str]) -> str:
    """Moves with their numbers.

    >>> numbered_line("8/8/8/4KBk1/8/8/8/8 b - - 0 1", ["Kh4", "Kf4"])
    '1...Kh4 2.Kf4'
    """
    board, words = chess.Board(fen), list[str]()
    number, white = board.fullmove_number, board.turn == chess.WHITE
    for place, move in enumerate(moves):
        if white or not place:
            words.append(f"{number}{'.' if white else '...'}{move}")
        else:
            words.append(move)
        number, white = number + (not white), not white
    return " ".join(words)


def write_games_page(games: TwoGames, path: Path) -> None:
    """The page, for a folder in which the pages of a site lie or will lie."""
    from tbgen.apps.site.report.site import Site

    built = {row.material for row in games.rows if (path.parent / "material" / f"{row.material}.html").is_file()}
    page = Site([], two_games=True).page("games.html", games=games, built=built, shared=shared())
    write_whole(path, [page.encode()])


def draw_games(games: TwoGames, path: Path) -> None:
    """A picture of the tables that differ most: how often r-mobility is kinder to White, to the right, and to Black."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"the picture is written to a file that ends with .svg, not to {path.name}")
    rows = [row for row in games.widest if row.differing][:_DRAWN]
    among = f"the {len(rows)} of {len(games.rows)} endings that differ most: " if len(rows) < len(games.rows) else ""
    largest = max((max(row.white, row.black) for row in rows), default=1.0)
    height = _ROW * len(rows) + 56
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="DejaVu Sans, sans-serif" font-size="11">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_MIDDLE - 8}" y="18" text-anchor="end">r-mobility is kinder to Black</text>',
        f'<text x="{_MIDDLE + 8}" y="18">to White</text>',
    ]
    for number, row in enumerate(rows):
        parts.append(_bar(row, 30 + _ROW * number, largest))
    foot = height - 10
    parts.append(
        f'<text x="{_MIDDLE}" y="{foot}" text-anchor="middle">'
        f"{among}share of positions whose value differs from that of whole-game mobility</text></svg>"
    )
    write_whole(path, ["\n".join(parts).encode() + b"\n"])


def _bar(row: Row, top: int, largest: float) -> str:
    """A table in the picture."""
    shades, base, size = colors(LIGHT), top + _ROW - 5, f'y="{top}" height="{_ROW - 4}"'
    black, white = (_HALF * share / largest for share in (row.black, row.white))
    return "\n".join(
        (
            f'<text x="{_LEFT - 62}" y="{base}">{escape(row.material)}</text>',
            f'<rect x="{_MIDDLE - black:.1f}" {size} width="{black:.1f}" fill="{shades["b2"]}"/>',
            f'<rect x="{_MIDDLE}" {size} width="{white:.1f}" fill="{shades["w2"]}"/>',
            f'<text x="{_WIDTH - 4}" y="{base}" text-anchor="end">{row.differing:.1%}</text>',
        )
    )
