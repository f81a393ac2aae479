"""Why players with equal points stand in their order, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter

from tbgen.apps.events.columns import name_of
from tbgen.apps.events.criteria import TieBreak
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings
from tbgen.score import MOST_CODE, STALEMATE_CODE, Color, Score
from tbgen.text import counted

_DECIMALS = 4
_MOST_NAMED = 6
_LEAST_DIFFERENCE = Fraction(1, 10**9)
"""Smaller differences are only called that."""


def ties_of(standings: Standings) -> list[list[str]]:
    """The sentences about each group of players who are equal by the first criterion, or look so.

    Groups of one player have none.
    """
    ties = list[list[str]]()
    for group in _groups(standings):
        sentences = [_names_and_value(standings, group)]
        sharing = [list(rows) for _, rows in groupby(group, key=attrgetter("rank"))]
        for number, rows in enumerate(sharing):
            if number:
                sentences.append(_difference(standings, sharing[number - 1][-1], rows[0]))
            if len(rows) > 1:
                sentences.append(
                    f"{names_in_words(rows)} are equal by every criterion "
                    f"and share rank {rows[0].rank}."
                )
        ties.append(sentences)
    return ties


def names_in_words(rows: Sequence[PlayerRow]) -> str:
    """The names of some players; only the first of many."""
    names = [row.name for row in rows[:_MOST_NAMED]]
    if len(rows) > _MOST_NAMED:
        names.append(counted(len(rows) - _MOST_NAMED, "other", "others"))
    if len(names) == 1:
        return names[0]
    if len(names) > 2 and any("," in name for name in names):  # family names stand first
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _groups(standings: Standings) -> Iterator[list[PlayerRow]]:
    """The players in groups that show the same value of the first criterion."""
    group = list[PlayerRow]()
    for row in standings.rows:
        if group and not _looks_equal(standings, group[-1], row):
            if len(group) > 1:
                yield group
            group = []
        group.append(row)
    if len(group) > 1:
        yield group


def _looks_equal(standings: Standings, above: PlayerRow, row: PlayerRow) -> bool:
    first = standings.order[0]
    if row.behind_by != first:
        return True
    one, other = _values(first, above, row)
    return _in_decimals(one) == _in_decimals(other)


def _values(criterion: TieBreak, above: PlayerRow, row: PlayerRow) -> tuple[Fraction, Fraction]:
    """The values of two players; 0 and 0 for a criterion without one value."""
    if criterion == "classical":
        return above.classical, row.classical
    if criterion == "points":
        return above.points, row.points
    none = Fraction(0)
    return above.figures.get(criterion, none), row.figures.get(criterion, none)


def _names_and_value(standings: Standings, group: Sequence[PlayerRow]) -> str:
    first = standings.order[0]
    value, _ = _values(first, group[0], group[0])
    names = names_in_words(group)
    if first in ("net", "direct-encounter"):
        return f"{names} are equal by {name_of(first)}."
    each = "both" if len(group) == 2 else "all"
    unit = f"by {name_of(first)}"
    if first in ("classical", "points"):
        unit = "point" if value == 1 else "points"
    if first == "classical":
        unit += " on the score sheet"
    return f"{names} {each} have {_in_decimals(value)} {unit}."


def _difference(standings: Standings, above: PlayerRow, row: PlayerRow) -> str:
    """Why a player is behind the one above."""
    criterion = row.behind_by
    assert criterion is not None, "players of two ranks differ"
    before = f"{above.name} is before {row.name} by {name_of(criterion)}"
    if criterion == "net":
        return f"{before}, {_net_difference(above, row)}."
    if criterion == "direct-encounter":
        return f"{before}{_encounter(standings, above, row)}."
    one, other = _values(criterion, above, row)
    shown = _in_decimals(abs(one)), _in_decimals(abs(other))
    if shown[0] != shown[1]:
        return f"{before}, {shown[0]} to {shown[1]}."
    return f"{before}, {_small(one - other)} more."


def _net_difference(above: PlayerRow, row: PlayerRow) -> str:
    """The first score whose net counts differ: `+2 to +1 at G0.5`."""
    for code, counts in enumerate(zip(above.net(), row.net(), strict=True), STALEMATE_CODE):
        one, other = counts
        if one != other:
            return f"{one:+d} to {other:+d} at {Score(min(code, MOST_CODE), Color.WHITE)}"
    return "equal"


def _encounter(standings: Standings, above: PlayerRow, row: PlayerRow) -> str:
    """The points of two players in the games of their tie; empty if a smaller tie decided."""
    place = standings.order.index("direct-encounter")
    earlier = standings.order[:place]
    group = [row]
    index = standings.indices[row.name]
    for upper in reversed(standings.rows[:index]):
        if group[-1].behind_by in earlier:
            break
        group.append(upper)
    for lower in standings.rows[index + 1 :]:
        if lower.behind_by in earlier:
            break
        group.append(lower)
    names = {player.name for player in group}
    points = []
    for player in (above, row):
        cells = standings.table[player.name]
        among = [cell.points for cell in cells if cell.is_played and cell.opponent in names]
        points.append(sum(among, Fraction(0)))
    if points[0] <= points[1]:
        return ""
    told = f", {_in_decimals(points[0])} to {_in_decimals(points[1])}"
    if len(group) > 2:
        told += f" in the games of the {len(group)} players"
    return told


def _in_decimals(value: Fraction) -> str:
    return f"{float(round(value, _DECIMALS)):.15g}"


def _small(difference: Fraction) -> str:
    """A difference that four decimals do not show: `0.00003`."""
    if difference < _LEAST_DIFFERENCE:
        return "less than a billionth"
    decimals = -math.floor(math.log10(difference))
    return f"{float(difference):.{decimals}f}"
