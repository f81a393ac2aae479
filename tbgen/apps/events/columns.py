"""The criteria that rank the players of an event as columns of a page, each with a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tbgen.apps.events.criteria import MEANINGS, TieBreak
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings
from tbgen.score import STALEMATE_CODE, Color, Score

NO_VALUE: Final = "–"
"""The text of a player without such games."""
_FEW_DECIMALS: Final = (0, 1, 2)
_MOST_DECIMALS: Final = 4
"""The decimals of a column unless fewer show its numbers exactly."""
_MOST_NET = 3
"""The most scores that a cell of the net counts names."""


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


def name_of(criterion: TieBreak) -> str:
    """The name of a criterion within a sentence."""
    return MEANINGS[criterion].name


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
