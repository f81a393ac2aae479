"""The tables of an event: criteria as columns, rounds, and the games of each player."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tbgen.apps.events.criteria import MEANINGS, TieBreak
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings
from tbgen.apps.games.dates import in_words
from tbgen.apps.games.event_game import EventGame
from tbgen.score import STALEMATE_CODE, Color, Score

NO_VALUE: Final = "–"
"""The text of a player without such games."""
_FEW_DECIMALS: Final = (0, 1, 2)
_MOST_DECIMALS: Final = 4
"""The decimals of a column unless fewer show its numbers exactly."""
_MOST_NET = 3
"""The most scores that a cell of the net counts names."""
_MOST_CROSSED: Final = 100
"""The most players that a cross table has as columns; with more nobody could read it."""
_FEW_PLAYERS: Final = 12
"""Up to so many players have a cross table, even if most of them have not met yet."""
_LEAST_SHARE: Final = 2 / 3
"""The share of all pairs that have met, from which on a cross table says more than rounds."""


@dataclass(frozen=True)
class CriterionColumn:
    """A criterion, its sentence, and the text of each player's value."""

    criterion: TieBreak
    head: str
    sentence: str
    cells: Mapping[str, str]
    """Player -> text; empty for the direct encounter, which is known only within a tie."""
    is_needed: bool
    """Whether it places anybody, or everybody looks for it; a narrow screen lacks other columns."""


def value_of(standings: Standings, criterion: TieBreak, row: PlayerRow) -> str:
    """A player's value as the column of a criterion shows it; empty without one."""
    return cells_of(standings, criterion).get(row.name, "")


def columns_of(standings: Standings) -> list[CriterionColumn]:
    """The criteria in the order in which they decide."""
    deciding = {row.behind_by for row in standings.rows}
    columns = []
    for criterion in standings.order:
        meaning = MEANINGS[criterion]
        cells = cells_of(standings, criterion)
        is_needed = criterion in deciding or criterion in ("classical", "points")
        column = CriterionColumn(criterion, meaning.head, meaning.sentence, cells, is_needed)
        columns.append(column)
    return columns


def byes_of(standings: Standings) -> dict[str, str]:
    """The points of byes, by player; empty without byes."""
    points: dict[str, Fraction] = {}
    for row in standings.rows:
        for opponent, games in row.met.items():
            if opponent in standings.indices:
                continue
            for game, side in games:
                points[row.name] = points.get(row.name, Fraction(0)) + game.points(side)
    return in_fixed_decimals(points)


def cells_of(standings: Standings, criterion: TieBreak) -> dict[str, str]:
    """Player -> the text of a criterion; empty for the direct encounter, which only a tie has."""
    if criterion == "direct-encounter":
        return {}
    if criterion == "net":
        return {row.name: _net_in_words(row) for row in standings.rows}
    known = {}
    for row in standings.rows:
        figure = row.figure(criterion)
        if figure is not None:
            known[row.name] = figure
    texts = in_fixed_decimals(known)
    return {row.name: texts.get(row.name, NO_VALUE) for row in standings.rows}


def in_fixed_decimals(values: Mapping[str, Fraction]) -> dict[str, str]:
    """Numbers of a column with the same number of decimals: none, one, two or four."""
    decimals = max((_decimals_of(value) for value in values.values()), default=0)
    return {name: f"{float(value):.{decimals}f}" for name, value in values.items()}


def _decimals_of(value: Fraction) -> int:
    for decimals in _FEW_DECIMALS:
        if (value * 10**decimals).denominator == 1:
            return decimals
    return _MOST_DECIMALS


def _net_in_words(row: PlayerRow) -> str:
    """The first scores with a net count, such as `+2 G0.5, -1 G1.5`; a dash if all are equal."""
    counts = []
    for code, count in enumerate(row.net(), STALEMATE_CODE):
        if count:
            counts.append(f"{count:+d} {Score(code, Color.WHITE)}")
    if len(counts) > _MOST_NET:
        counts[_MOST_NET:] = ["…"]
    return _joined(counts) or NO_VALUE


def _joined(counts: Iterable[str]) -> str:
    return ", ".join(counts).replace("-", "−")


@dataclass(frozen=True)
class EventRound:
    """The games of a round, those without a result among them."""

    name: str
    """The round as people name it; a day, or empty, if the games name none."""
    short: str
    """The name as the head of a narrow column."""
    dates: str
    """The days of the games in words; empty without any."""
    games: list[EventGame]


def rounds_of(standings: Standings) -> list[EventRound]:
    """The rounds by their numbers, then those with other names, then games without a round.

    Games without a round are together if they are of one day.
    """
    groups: dict[tuple[int, str], list[EventGame]] = {}
    for game in standings.listed:
        name = game.round_name
        if not name and game.day is not None:
            name = str(game.day)
        groups.setdefault((game.round_number, name), []).append(game)
    numbered = sorted(key for key in groups if key[0])
    others = [key for key in groups if not key[0]]
    rounds = []
    for key in numbered + others:
        number, name = key
        games = groups[key]
        days = in_words(game.day for game in games if game.day is not None)
        if days == name:
            days = ""
        rounds.append(EventRound(name, str(number or name or "–"), days, games))
    return rounds


GameOfPlayer = tuple[EventGame, Color]
"""A game, and the side of the player whose cell it is in."""


@dataclass(frozen=True)
class Grid:
    """The games of all players: a row for each, and in each cell the games in it."""

    heads: list[str]
    titles: list[str]
    """The heads in full."""
    cells: dict[str, list[list[GameOfPlayer]]]
    """Player -> the games, column by column."""
    is_crossed: bool
    """Whether the columns are the opponents; they are the rounds otherwise."""


def grid_of(standings: Standings, rounds: Sequence[EventRound]) -> Grid:
    """The cross table of an event, or its games round by round if most players have not met."""
    if _is_crossed(standings):
        return _crossed(standings)
    return _by_rounds(standings, rounds)


def _is_crossed(standings: Standings) -> bool:
    players = len(standings.rows)
    if players > _MOST_CROSSED:
        return False
    met = 0
    for row in standings.rows:
        met += len(row.opponents(standings.indices))
    return players <= _FEW_PLAYERS or met >= _LEAST_SHARE * players * (players - 1)


def _crossed(standings: Standings) -> Grid:
    names = [row.name for row in standings.rows]
    cells = {}
    for row in standings.rows:
        cells[row.name] = [row.met.get(name, []) for name in names]
    heads = [str(number) for number in range(1, len(names) + 1)]
    return Grid(heads, names, cells, is_crossed=True)


def _by_rounds(standings: Standings, rounds: Sequence[EventRound]) -> Grid:
    """A column for each round, or for each game of a player if no game has a round."""
    if not any(game.round_name for game in standings.finished):
        return _one_by_one(standings.rows)
    columns: dict[int, int] = {}
    heads = list[str]()
    titles = list[str]()
    for event_round in rounds:
        for game in event_round.games:
            columns[id(game)] = len(heads)
        heads.append(event_round.short)
        titles.append(event_round.name or "Games without a round")
    cells = {}
    for row in standings.rows:
        cells[row.name] = [list[GameOfPlayer]() for _ in heads]
        for games in row.met.values():
            for game, side in games:
                cells[row.name][columns[id(game)]].append((game, side))
    return Grid(heads, titles, cells, is_crossed=False)


def _one_by_one(rows: Sequence[PlayerRow]) -> Grid:
    most = max((row.games + row.byes for row in rows), default=0)
    heads = [str(number) for number in range(1, most + 1)]
    cells = {}
    for row in rows:
        cells[row.name] = [[meeting] for games in row.met.values() for meeting in games]
    titles = [f"Game {head}" for head in heads]
    return Grid(heads, titles, cells, is_crossed=False)
