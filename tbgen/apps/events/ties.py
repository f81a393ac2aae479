"""Why players with equal points stand in their order, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter

from tbgen.apps.events.criteria import Figure, name_of
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings
from tbgen.score import MOST_CODE, STALEMATE_CODE, Color, Score
from tbgen.text import counted, in_decimals, small_difference

_MOST_NAMED = 6
_WITHOUT_ONE_VALUE = ("net", "direct-encounter")
"""Criteria that compare more than one value, or that only a tie has."""


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
    if first in _WITHOUT_ONE_VALUE:
        return True
    return _shown(above.figure(first)) == _shown(row.figure(first))


def _names_and_value(standings: Standings, group: Sequence[PlayerRow]) -> str:
    first = standings.order[0]
    names = names_in_words(group)
    value = None if first in _WITHOUT_ONE_VALUE else group[0].figure(first)
    if value is None:
        return f"{names} are equal by {name_of(first)}."
    each = "both" if len(group) == 2 else "all"
    unit = f"by {name_of(first)}"
    if first in ("classical", "points"):
        unit = "point" if value == 1 else "points"
    if first == "classical":
        unit += " on the score sheet"
    return f"{names} {each} have {_shown(value)} {unit}."


def _difference(standings: Standings, above: PlayerRow, row: PlayerRow) -> str:
    """Why a player is behind the one above."""
    criterion = row.behind_by
    assert criterion is not None, "players of two ranks differ"
    before = f"{above.name} is before {row.name} by {name_of(criterion)}"
    if criterion == "net":
        return f"{before}, {_net_difference(above, row)}."
    if criterion == "direct-encounter":
        return f"{before}{_encounter(standings, above, row)}."
    one = above.figure(criterion)
    other = row.figure(criterion)
    if one is None or other is None or _shown(one) != _shown(other):
        return f"{before}, {_shown(one)} to {_shown(other)}."
    comparison = "more" if one > other else "less"
    return f"{before}, {small_difference(abs(one - other))} {comparison}."


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
    told = f", {in_decimals(points[0])} to {in_decimals(points[1])}"
    if len(group) > 2:
        told += f" in the games of the {len(group)} players"
    return told


def _shown(figure: Figure) -> str:
    return "none" if figure is None else in_decimals(figure)
