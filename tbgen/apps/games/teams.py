"""The teams of an event, by the tags `WhiteTeam` and `BlackTeam` of its games.

>>> from tbgen.apps.games.tags import Source
>>> from tbgen.rules.points import Scoring
>>> from tbgen.score import Score
>>> tags = {"Round": "1", "WhiteTeam": "Reds", "BlackTeam": "Blues"}
>>> game = EventGame(("Ann", "Bob"), "1-0", Score("G0.0"), Scoring(), Source.GAME, tags=tags)
>>> [(team.rank, team.name, team.matches, team.points) for team in teams_of([game])]
[(1, 'Reds', 2, Fraction(1, 1)), (2, 'Blues', 0, Fraction(0, 1))]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from tbgen.apps.games.event import EventGame
from tbgen.facts import facts_of
from tbgen.score import Color

TEAM_TAGS: Final = ("WhiteTeam", "BlackTeam")
_WON = 2
_EQUAL = 1


@dataclass(slots=True)
class TeamRow:
    """A team, with the sums of its players."""

    name: str
    rank: int = 0
    games: int = 0
    classical: Fraction = Fraction(0)
    points: Fraction = Fraction(0)
    matches: int = 0
    """Match points: 2 for more r-mobility points than the other team in a round, 1 for as many."""
    by_match: dict[tuple[str, str], Fraction] = field(default_factory=dict)
    """The round and the other team -> the r-mobility points."""

    def facts(self) -> dict[str, Any]:
        """The team as JSON has it."""
        return facts_of(self, "rank", "name", "games", "matches", "points", "classical")


def team_of(game: EventGame, side: Color) -> str:
    """The team of a side; empty without one."""
    name = " ".join(game.tags.get(TEAM_TAGS[side], "").split())
    return "" if name == "?" else name


def teams_of(games: Iterable[EventGame]) -> list[TeamRow]:
    """The teams, best first: by match points, then by r-mobility points, then by the score sheet.

    Teams that are equal in all of them share a rank.
    """
    teams = dict[str, TeamRow]()
    for game in games:
        names = [team_of(game, side) for side in Color]
        for side in Color:
            if names[side]:
                team = teams.setdefault(names[side], TeamRow(names[side]))
                _count(team, game, side, names[side.other])
    for team in teams.values():
        for (round_name, other), points in team.by_match.items():
            others_points = teams[other].by_match[round_name, team.name]
            if points > others_points:
                team.matches += _WON
            elif points == others_points:
                team.matches += _EQUAL
    ranked = sorted(teams.values(), key=_key)
    above: TeamRow | None = None
    for place, team in enumerate(ranked, 1):
        team.rank = place
        if above is not None and _key(above)[:-1] == _key(team)[:-1]:
            team.rank = above.rank
        above = team
    return ranked


def are_matches(games: Iterable[EventGame]) -> bool:
    """Whether teams play matches, and players do not: in a round, each team meets one other.

    Clubs of players who are paired one by one meet many.
    """
    opponents: dict[tuple[str, str], str] = {}
    for game in games:
        if game.is_bye:
            continue
        names = [team_of(game, side) for side in Color]
        if "" in names or names[0] == names[1]:
            return False
        for name, other in (names, reversed(names)):
            if opponents.setdefault((game.round_name, name), other) != other:
                return False
    return bool(opponents)


def players_teams(games: Iterable[EventGame]) -> dict[str, str]:
    """Player -> the team of the player's last game that names one."""
    teams = {}
    for game in games:
        for side in Color:
            if team_of(game, side):
                teams[game.players[side]] = team_of(game, side)
    return teams


def _count(team: TeamRow, game: EventGame, side: Color, other: str) -> None:
    """Count a game of a team, and its points in the match against the other team."""
    team.games += 1
    team.classical += game.classical(side)
    team.points += game.points(side)
    if other and other != team.name:
        match = (game.round_name, other)
        team.by_match[match] = team.by_match.get(match, Fraction(0)) + game.points(side)


def _key(team: TeamRow) -> tuple[int, Fraction, Fraction, str]:
    return -team.matches, -team.points, -team.classical, team.name
