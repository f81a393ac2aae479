"""Standings of an event: cross table, sums of points, and tie-breaks.

>>> games = [EventGame("Ann", "Bob", "1/2-1/2", Outcome(Color.WHITE, 3), Scoring(), Source.GAME, "A00")]
>>> [(row.rank, row.name, str(row.points), str(row.classical)) for row in Standings(games).rows]
[(1, 'Ann', '9/16', '1/2'), (2, 'Bob', '7/16', '1/2')]
"""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from tbgen.apps.games.tags import Source, winner_of
from tbgen.rules.points import DRAW, LOSS, OTB_CUTOFF_CODE, WIN, Scheme, Scoring
from tbgen.score import MOST_CODE, Color, Outcome
from tbgen.text import counted

UNFINISHED = "*"
_MOST_NAMED = 6
"""So many missing tables are named in a sentence."""


class EventGame(NamedTuple):
    """A game of an event."""

    white: str
    black: str
    result: str
    """As the sheet says."""
    final: Outcome
    scoring: Scoring
    source: Source
    opening: str
    missing: str | None = None
    """The table that would decide the game, where its score is provisional."""
    event: str = "?"

    def points(self, side: Color) -> Fraction:
        """A side's r-mobility points."""
        return self.scoring.points(self.final)[side]

    def classical(self, side: Color) -> Fraction:
        """A side's points by the result of ordinary chess."""
        winner = winner_of(self.result)
        if winner is None:
            return DRAW
        return WIN if winner is side else LOSS

    def player(self, side: Color) -> str:
        return self.white if side is Color.WHITE else self.black


class TieBreak(enum.Enum):
    """A criterion by which players are ranked."""

    CLASSICAL = "classical"
    """Points by the sheet: a win 1, a draw 1/2."""
    POINTS = "points"
    """The sum of r-mobility points."""
    NET = "net"
    """Given minus suffered: first G0.0, then G0.5, G1.0 ...; more is better."""
    HEAD_TO_HEAD = "head-to-head"
    """R-mobility points from the games of those who are still equal."""


DEFAULT_ORDER = (TieBreak.POINTS, TieBreak.NET, TieBreak.HEAD_TO_HEAD, TieBreak.CLASSICAL)
"""By r-mobility points first, as the rules say: under --scoring classical these are the ordinary ones."""


@dataclass(slots=True)
class Row:
    """A player's row."""

    name: str
    rank: int = 0
    games: int = 0
    points: Fraction = Fraction(0)
    classical: Fraction = Fraction(0)
    balance: Counter[int] = field(default_factory=Counter)
    """Code -> how often given, less how often suffered."""
    against: dict[str, list[Fraction]] = field(default_factory=dict)
    """Opponent -> r-mobility points, game by game."""
    met: dict[str, list[EventGame]] = field(default_factory=dict)
    """Opponent -> the games themselves."""

    def net(self, most_code: int) -> tuple[int, ...]:
        """The balance as the lexicographic order compares it, up to a code."""
        return tuple(self.balance[code] for code in range(most_code + 1))

    def facts(self, names: Sequence[str]) -> dict[str, Any]:
        """The line as JSON has it."""
        return {
            "rank": self.rank,
            "name": self.name,
            "games": self.games,
            "classical": float(self.classical),
            "points": float(self.points),
            "points_exact": str(self.points),
            "net": {str(Outcome(Color.WHITE, code)): n for code, n in sorted(self.balance.items()) if n},
            "against": {name: [str(points) for points in self.against[name]] for name in names if name in self.against},
        }


class Standings:
    """The rows of an event, best first. Players with equal criteria share a rank and are sorted by name."""

    def __init__(self, games: Iterable[EventGame], order: Sequence[TieBreak] = DEFAULT_ORDER) -> None:
        self.order = tuple(order)
        self.unfinished = 0
        """Games without a result, which do not count."""
        self.games = 0
        """Those that count."""
        self.provisional: Counter[str | None] = Counter()
        """Missing table -> games whose score is provisional; None stands for a table without a name."""
        self.schemes: Counter[Scheme] = Counter()
        self._events: Counter[str] = Counter()
        rows: dict[str, Row] = {}
        for game in games:
            if game.result == UNFINISHED:
                self.unfinished += 1
                continue
            self.games += 1
            self.schemes[game.scoring.scheme] += 1
            self._events[game.event] += 1
            if game.source is Source.PROVISIONAL:
                self.provisional[game.missing] += 1
            for side in Color:
                self._count(rows, game, side)
        self.rows = self._ranked(list(rows.values()))

    @staticmethod
    def _count(rows: dict[str, Row], game: EventGame, side: Color) -> None:
        row = rows.setdefault(game.player(side), Row(game.player(side)))
        points = game.points(side)
        row.games += 1
        row.points += points
        row.classical += game.classical(side)
        row.balance[game.final.code] += 1 if game.final.holder is side else -1
        row.against.setdefault(game.player(side.other), []).append(points)
        row.met.setdefault(game.player(side.other), []).append(game)

    @property
    def most_code(self) -> int:
        """The largest code in the net count; over the board that is G3.5."""
        return OTB_CUTOFF_CODE - 1 if set(self.schemes) == {Scheme.OTB} else MOST_CODE

    def _ranked(self, rows: list[Row]) -> list[Row]:
        """All rows in order, with their ranks."""
        ranked: list[Row] = []
        for group in self._split(sorted(rows, key=lambda row: row.name), self.order):
            for row in group:
                row.rank = len(ranked) + 1
            ranked += group
        return ranked

    def _split(self, rows: list[Row], order: Sequence[TieBreak]) -> list[list[Row]]:
        """Groups of rows that are equal in every criterion, best first."""
        if len(rows) == 1 or not order:
            return [rows]
        values: dict[Fraction | tuple[int, ...], list[Row]] = {}
        for row in rows:
            values.setdefault(self._value(row, order[0], rows), []).append(row)
        groups = [values[value] for value in sorted(values, reverse=True)]
        return [part for group in groups for part in self._split(group, order[1:])]

    def _value(self, row: Row, by: TieBreak, equals: Sequence[Row]) -> Fraction | tuple[int, ...]:
        match by:
            case TieBreak.CLASSICAL:
                return row.classical
            case TieBreak.POINTS:
                return row.points
            case TieBreak.NET:
                return row.net(self.most_code)
            case TieBreak.HEAD_TO_HEAD:
                return sum((sum(row.against.get(other.name, []), Fraction(0)) for other in equals), Fraction(0))

    @property
    def event(self) -> str:
        """The name of the event, or what the names of several have in common; empty if there is none."""
        names = [name for name in self._events if name != "?"]
        words = zip(*(name.split() for name in names), strict=False)
        common = itertools.takewhile(lambda each: len(set(each)) == 1, words)
        return " ".join(each[0] for each in common).strip(" -–,:;|/")

    @property
    def caveat(self) -> str:
        """Which scores are provisional, in words; empty if none is."""
        number = self.provisional.total()
        if not number:
            return ""
        tables = ", ".join(f"{name or '?'} ({games})" for name, games in self.provisional.most_common(_MOST_NAMED))
        more = len(self.provisional) - _MOST_NAMED
        return (
            f"{number:,} of {counted(self.games, 'game', 'games')} {'is' if number == 1 else 'are'} provisional: "
            f"no table {tables}{f' and {more} others' if more > 0 else ''}"
        )

    def facts(self) -> dict[str, Any]:
        """The standings as JSON has them."""
        names = [row.name for row in self.rows]
        return {
            "tiebreak": [by.value for by in self.order],
            "scoring": [scheme.value for scheme in self.schemes],
            "unfinished": self.unfinished,
            "provisional": {name or "?": number for name, number in self.provisional.most_common()},
            "players": [row.facts(names) for row in self.rows],
        }
