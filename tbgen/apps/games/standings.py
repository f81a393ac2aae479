"""Standings of an event: cross table, sums of points and tie-breaks; and counts of the final scores of many games.

>>> games = [EventGame("Ann", "Bob", "1/2-1/2", Outcome(Color.WHITE, 3), Scoring(), Source.GAME, "A00")]
>>> [(row.rank, row.name, str(row.points), str(row.classical)) for row in Standings(games).rows]
[(1, 'Ann', '9/16', '1/2'), (2, 'Bob', '7/16', '1/2')]
"""

from __future__ import annotations

import csv
import enum
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from tbgen.apps.games.tags import Source, winner_of
from tbgen.rules.points import DRAW, LOSS, OTB_CUTOFF_CODE, WIN, Scheme, Scoring
from tbgen.score import MOST_CODE, Color, Outcome
from tbgen.text import counted, facts_of

UNFINISHED, DRAWN = "*", "1/2-1/2"
_HEADS = ("rank", "player", "games", "classical", "points", "exact")
_MOST_NAMED = 6
"""A sentence names so many missing tables."""


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

    def add(self, game: EventGame, side: Color) -> None:
        """Count a game that the player had with this side."""
        points, opponent = game.points(side), game.player(side.other)
        self.games += 1
        self.points += points
        self.classical += game.classical(side)
        self.balance[game.final.code] += 1 if game.final.holder is side else -1
        self.against.setdefault(opponent, []).append(points)
        self.met.setdefault(opponent, []).append(game)

    def net(self, most_code: int) -> tuple[int, ...]:
        """The balance as the lexicographic order compares it, up to a code."""
        return tuple(self.balance[code] for code in range(most_code + 1))

    def facts(self, names: Sequence[str]) -> dict[str, Any]:
        """The line as JSON has it."""
        return facts_of(
            self,
            *("rank", "name", "games", "classical", "points"),
            points_exact=str(self.points),
            net={str(Outcome(Color.WHITE, code)): n for code, n in sorted(self.balance.items()) if n},
            against={name: list(map(str, self.against[name])) for name in names if name in self.against},
        )


class Standings:
    """The rows of an event, best first. Players with equal criteria share a rank and are sorted by name."""

    def __init__(self, games: Iterable[EventGame], order: Sequence[TieBreak] = DEFAULT_ORDER) -> None:
        given = list(games)
        finished = [game for game in given if game.result != UNFINISHED]
        self.order = tuple(order)
        self.games = len(finished)
        """The games that count: those with a result."""
        self.unfinished = len(given) - len(finished)
        self.provisional = Counter(game.missing for game in finished if game.source is Source.PROVISIONAL)
        """Missing table -> games whose score is provisional; None stands for a table without a name."""
        self.schemes = Counter(game.scoring.scheme for game in finished)
        self._events = Counter(game.event for game in finished)
        rows: dict[str, Row] = {}
        for game in finished:
            for side in Color:
                name = game.player(side)
                rows.setdefault(name, Row(name)).add(game, side)
        self.rows = self._ranked(list(rows.values()))

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
                names = {other.name for other in equals}
                points = (sum(row.against[name], Fraction(0)) for name in row.against if name in names)
                return sum(points, Fraction(0))

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
        provisional = {name or "?": number for name, number in self.provisional.most_common()}
        players = [row.facts(names) for row in self.rows]
        return {
            "tiebreak": [by.value for by in self.order],
            "scoring": [scheme.value for scheme in self.schemes],
            **facts_of(self, "unfinished", provisional=provisional, players=players),
        }


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


@dataclass(slots=True)
class Tally:
    """The games of a player or an opening."""

    games: int = 0
    points: Fraction = Fraction(0)
    """The player's own; for an opening White's."""
    finals: Counter[Outcome] = field(default_factory=Counter)
    """As the player sees them: White holds what the player holds."""

    def add(self, points: Fraction, final: Outcome) -> None:
        self.games += 1
        self.points += points
        self.finals[final] += 1

    def facts(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "points": round(float(self.points / self.games), 6) if self.games else None,
            "finals": counts_facts(self.finals),
        }


@dataclass(slots=True)
class Statistics:
    """Counts over games, which may be added one after the other."""

    games: int = 0
    finals: Counter[Outcome] = field(default_factory=Counter)
    sources: Counter[Source] = field(default_factory=Counter)
    drawn: Counter[Outcome] = field(default_factory=Counter)
    """The final scores of games that the sheet calls drawn."""
    drawn_sources: Counter[Source] = field(default_factory=Counter)
    players: dict[str, Tally] = field(default_factory=dict)
    openings: dict[str, Tally] = field(default_factory=dict)

    def add(self, game: EventGame) -> None:
        """Count a game."""
        final = game.final
        self.games += 1
        self.finals[final] += 1
        self.sources[game.source] += 1
        if game.result == DRAWN:
            self.drawn[final] += 1
            self.drawn_sources[game.source] += 1
        white, black = game.points(Color.WHITE), game.points(Color.BLACK)
        self.players.setdefault(game.white, Tally()).add(white, final)
        self.players.setdefault(game.black, Tally()).add(black, final.flipped())
        self.openings.setdefault(game.opening, Tally()).add(white, final)

    def decided(self, most_code: int) -> int:
        """The number of drawn games whose final score has a code up to `code`."""
        return sum(number for final, number in self.drawn.items() if final.code <= most_code)

    def facts(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        return {
            "games": self.games,
            "finals": counts_facts(self.finals),
            "sources": {source.value: self.sources[source] for source in Source},
            "drawn": {
                "games": self.drawn.total(),
                "finals": counts_facts(self.drawn),
                "sources": {source.value: self.drawn_sources[source] for source in Source},
            },
            "players": {name: self.players[name].facts() for name in sorted(self.players)},
            "openings": {name: self.openings[name].facts() for name in sorted(self.openings)},
        }


def counts_facts(counts: Mapping[Outcome, int]) -> dict[str, int]:
    """Final scores from White's best to Black's, with how often each came about."""
    return {str(final): counts[final] for final in sorted(counts, reverse=True)}
