"""Tie-breaks once more, round by round, in the words of FIDE's regulations C.07 of August 2024.

Points are whole numbers: halves of a point in a round, quarters where two of them are multiplied.
The numbers in docstrings are those of the regulations' articles.
"""

from __future__ import annotations

from typing import NamedTuple

WIN = 2
DRAW = 1


class Round(NamedTuple):
    """A round of one player."""

    opponent: str | None
    """None for a bye."""
    points: int
    is_played: bool

    @property
    def is_away(self) -> bool:
        """Whether the player was absent of its own will (16.2.5)."""
        return not self.is_played and self.points != WIN


Event = dict[str, list[Round]]
"""The rounds of each player."""


def total(event: Event, player: str) -> int:
    return sum(each.points for each in event[player])


def for_others(event: Event, player: str) -> int:
    """The score of a player in the tie-breaks of opponents (16.3).

    A bye that nothing but rounds away follow is a draw.
    """
    halves = 0
    rounds = event[player]
    for number, each in enumerate(rounds):
        rest_is_away = all(later.is_away for later in rounds[number:])
        if each.opponent is None and rest_is_away:
            halves += DRAW
        else:
            halves += each.points
    return halves


def opponents_score(event: Event, player: str, each: Round) -> int:
    """An unplayed round has a dummy opponent with the player's own score (16.4)."""
    if each.is_played and each.opponent is not None:
        return for_others(event, each.opponent)
    return total(event, player)


def sonneborn_berger(event: Event, player: str) -> int:
    """In quarters of a point."""
    quarters = 0
    for each in event[player]:
        quarters += opponents_score(event, player, each) * each.points
    return quarters


def buchholz(event: Event, player: str, lowest: int, highest: int) -> int:
    """The opponents' scores without some of the lowest and the highest.

    Rounds away are cut before all others (16.5).
    """
    present = list[int]()
    away = list[int]()
    for each in event[player]:
        scores = away if each.is_away else present
        scores.append(opponents_score(event, player, each))
    for _ in range(lowest):
        scores = away or present
        if scores:
            scores.remove(min(scores))
    left = sorted(present + away)
    return sum(left[: max(0, len(left) - highest)])


def wins(event: Event, player: str) -> int:
    return sum(each.points == WIN for each in event[player])


def direct_encounter(event: Event, tied: list[str]) -> list[list[str]]:
    """The tied in groups, best first (6).

    If all have met, they come by the points that they made against each other. Otherwise those
    come first whom nobody can overtake. Each group is split again.
    """
    games: dict[str, list[Round]] = {}
    for name in tied:
        games[name] = [each for each in event[name] if each.is_played and each.opponent in tied]
    gained = {name: total(games, name) for name in tied}
    could_gain = {name: gained[name] + most_missed(games, name) for name in tied}
    if could_gain == gained:
        groups = by_points(gained)
    else:
        groups = by_who_cannot_be_overtaken(gained, could_gain)
    if len(groups) < 2:
        return groups
    parts = []
    for group in groups:
        parts += direct_encounter(event, group)
    return parts


def most_missed(games: Event, player: str) -> int:
    """The points that a player could have made against those of the tied that it has not met.

    Two players meet as often as any two of them have met, and once at least.
    """
    meetings = 1
    for name, rounds in games.items():
        opponents = [each.opponent for each in rounds]
        meetings = max([meetings, *(opponents.count(other) for other in games if other != name)])
    met = {each.opponent for each in games[player]}
    not_met = len(games) - 1 - len(met)
    return WIN * meetings * not_met


def by_points(gained: dict[str, int]) -> list[list[str]]:
    groups = []
    for points in sorted(set(gained.values()), reverse=True):
        groups.append(sorted(name for name in gained if gained[name] == points))
    return groups


def by_who_cannot_be_overtaken(
    gained: dict[str, int], could_gain: dict[str, int]
) -> list[list[str]]:
    """One player after the other whom no other can overtake, then all the rest."""
    groups = []
    rest = sorted(gained)
    while len(rest) > 1:
        first = next((name for name in rest if leads(name, rest, gained, could_gain)), None)
        if first is None:
            break
        rest.remove(first)
        groups.append([first])
    groups.append(rest)
    return groups


def leads(name: str, rivals: list[str], gained: dict[str, int], could_gain: dict[str, int]) -> bool:
    return all(gained[name] > could_gain[rival] for rival in rivals if rival != name)
