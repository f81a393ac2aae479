"""Tie-breaks once more, round by round and in the words of FIDE's regulations C.07 of August 2024.

A player's rounds are a list of (opponent or None, points in halves, whether it was played). Scores are in quarters
of a point, so that everything is a whole number.
"""

from __future__ import annotations

Round = tuple[str | None, int, bool]
Event = dict[str, list[Round]]


def total(event: Event, player: str) -> int:
    halves = 0
    for _, points, _ in event[player]:
        halves += points
    return halves


def is_away(each: Round) -> bool:
    """A voluntarily unplayed round: 16.2.5."""
    _, points, played = each
    return not played and points != 2


def for_others(event: Event, player: str) -> int:
    """16.3: a bye with nothing but rounds away after it is a draw."""
    halves, rounds = 0, event[player]
    for place, each in enumerate(rounds):
        rest_is_away = True
        for later in rounds[place:]:
            rest_is_away = rest_is_away and is_away(later)
        halves += 1 if rest_is_away and each[0] is None else each[1]
    return halves


def opponents_score(event: Event, player: str, each: Round) -> int:
    """16.4: an unplayed round has a dummy opponent with the player's own score."""
    opponent, _, played = each
    if played and opponent is not None:
        return for_others(event, opponent)
    return total(event, player)


def sonneborn_berger(event: Event, player: str) -> int:
    """In quarters of a point."""
    return sum(opponents_score(event, player, each) * each[1] for each in event[player])


def buchholz(event: Event, player: str, lowest: int, highest: int) -> int:
    """In halves of a point; 16.5: a round away is cut before all others."""
    left = [(opponents_score(event, player, each), is_away(each)) for each in event[player]]
    for _ in range(lowest):
        away = [each for each in left if each[1]]
        if left:
            left.remove(min(away or left))
    for _ in range(highest):
        if left:
            left.remove(max(left, key=lambda each: each[0]))
    return sum(score for score, _ in left)


def wins(event: Event, player: str) -> int:
    return sum(points == 2 for _, points, _ in event[player])


def direct_encounter(event: Event, tied: list[str]) -> list[list[str]]:
    """6: by the points among the tied if all have met, else those whom nobody can overtake; again for each group."""
    games = [(name, each) for name in tied for each in event[name] if each[2] and each[0] in tied]
    gained = {name: sum(each[1] for player, each in games if player == name) for name in tied}
    met = {name: {each[0] for player, each in games if player == name} for name in tied}
    times = [
        sum(player == name and each[0] == other for player, each in games)
        for name in tied
        for other in tied
    ]
    could = {
        name: gained[name] + 2 * max(1, *times) * (len(tied) - 1 - len(met[name])) for name in tied
    }
    groups: list[list[str]] = []
    if could == gained:
        groups = [
            sorted(name for name in tied if gained[name] == sum_)
            for sum_ in sorted(set(gained.values()))[::-1]
        ]
    else:
        rest = sorted(tied)
        while first := [
            name
            for name in rest
            if all(gained[name] > could[other] for other in rest if other != name)
        ]:
            rest.remove(first[0])
            groups.append(first)
            if len(rest) < 2:
                break
        groups += [rest] if rest else []
    return (
        groups
        if len(groups) < 2
        else [part for group in groups for part in direct_encounter(event, group)]
    )
