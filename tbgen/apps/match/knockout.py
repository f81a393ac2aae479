"""A knockout: who meets whom in which round, as far as the games so far decide it.

The bracket follows from the plan, the seed and the games alone, so an interrupted match finds the same pairs again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tbgen.apps.games.standings import MORE_GAMES, MOST_EXTENSIONS
from tbgen.apps.match.schedule import Pairing, Tournament
from tbgen.apps.match.standings import Result
from tbgen.rules.points import Scoring
from tbgen.text import facts_of


@dataclass(slots=True)
class Meeting:
    """Two players of a round; without a second player, a bye."""

    round: int
    first: int
    second: int | None
    pairings: list[Pairing]
    """The games so far and those to come, in order."""
    points: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    winner: int | None = None
    decided_by: str | None = None
    """`bye`, `points`, `r-mobility` where points are equal, or `last game`."""

    def facts(self, names: list[str]) -> dict[str, Any]:
        """The meeting for JSON."""
        players = {key: None if number is None else names[number] for key, number in self._players()}
        return facts_of(self, "round", **players, points=self.points, decided_by=self.decided_by) | {
            "games": [pairing.number for pairing in self.pairings]
        }

    def _players(self) -> list[tuple[str, int | None]]:
        return [("first", self.first), ("second", self.second), ("winner", self.winner)]


def place_of(rank: int, size: int) -> int:
    """The place of a rank, from 1, in the first round: even ranks go to the lower half, odd ones to the upper.

    >>> [place_of(rank, 8) for rank in range(1, 9)]
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    if rank <= 1:
        return 0
    return size // 2 + place_of(rank // 2, size // 2) if rank % 2 == 0 else place_of(rank // 2 + 1, size // 2)


def first_round(plan: Tournament, seed: int) -> list[tuple[int, int | None]]:
    """The pairs of the first round: seeds in their order, the others by lot, byes to the best ranks."""
    others = list(range(min(plan.seeds, plan.players), plan.players))
    random.Random(seed).shuffle(others)
    ranked = [*range(min(plan.seeds, plan.players)), *others]
    size = 1 << (plan.players - 1).bit_length()
    places: list[int | None] = [None] * size
    for rank in range(1, size + 1):
        place = place_of(rank, size)
        if rank <= plan.players:
            places[place] = ranked[rank - 1]
        else:
            bye = place_of(rank - plan.players, size) + 1
            places[place], places[bye] = places[bye], None
    pairs = zip(places[::2], places[1::2], strict=True)
    return [(first, second) for first, second in pairs if first is not None]


def bracket_of(plan: Tournament, seed: int, results: Mapping[int, Result], scoring: Scoring) -> list[list[Meeting]]:
    """The rounds so far; a round begins when the one before it is decided."""
    rounds: list[list[Meeting]] = []
    pairs, meetings = first_round(plan, seed), 0
    while True:
        meetings_of_round = []
        for first, second in pairs:
            meeting = Meeting(len(rounds) + 1, first, second, [])
            if second is None:
                meeting.winner, meeting.decided_by = first, "bye"
            else:
                _play(meeting, meetings, plan, results, scoring)
                meetings += 1
            meetings_of_round.append(meeting)
        rounds.append(meetings_of_round)
        winners = [meeting.winner for meeting in meetings_of_round if meeting.winner is not None]
        if len(winners) < len(meetings_of_round) or len(winners) == 1:
            return rounds
        pairs = list(zip(winners[::2], winners[1::2], strict=True))


def openings_of_knockout(plan: Tournament) -> int:
    """The most openings that a knockout takes."""
    return _opening(plan, plan.players - 2, plan.games + MOST_EXTENSIONS * MORE_GAMES - 1) + 1


def _play(meeting: Meeting, place: int, plan: Tournament, results: Mapping[int, Result], scoring: Scoring) -> None:
    """The games of a meeting, and its winner if they decide it."""
    assert meeting.second is not None
    games = plan.games
    for extension in range(MOST_EXTENSIONS + 1):
        for game in range(len(meeting.pairings), games):
            meeting.pairings.append(_pairing(plan, meeting, place, game))
        played = [results[pairing.number] for pairing in meeting.pairings if pairing.number in results]
        meeting.points = _points(meeting, played, scoring)
        if len(played) < games:
            return
        by_score = _points(meeting, played, Scoring())
        for reason, (first, second) in (("points", meeting.points), ("r-mobility", by_score)):
            if first != second:
                meeting.winner, meeting.decided_by = meeting.first if first > second else meeting.second, reason
                return
        if extension < MOST_EXTENSIONS:
            games += MORE_GAMES
    last = played[-1]
    holds = last.game.outcome.holder is last.side(meeting.first)
    meeting.winner, meeting.decided_by = meeting.first if holds else meeting.second, "last game"


def _points(meeting: Meeting, played: list[Result], scoring: Scoring) -> tuple[Fraction, Fraction]:
    first = sum((result.points(meeting.first, scoring) for result in played), Fraction(0))
    return first, len(played) - first


def _pairing(plan: Tournament, meeting: Meeting, place: int, game: int) -> Pairing:
    """A game of the meeting at a place of the bracket; its number depends on nothing else."""
    assert meeting.second is not None
    meetings, extra = plan.players - 1, game - plan.games
    number = place * plan.games + game if extra < 0 else meetings * (plan.games + extra) + place
    white, black = (meeting.second, meeting.first) if plan.swap and game % 2 else (meeting.first, meeting.second)
    return Pairing(number + 1, meeting.round, white, black, _opening(plan, place, game), place + meetings * (game // 2))


def _opening(plan: Tournament, place: int, game: int) -> int:
    """The opening of a game: each meeting has its own, and so have its extensions."""
    meetings, of_meeting, extra = plan.players - 1, -(-plan.games // plan.repeat), game - plan.games
    if extra < 0:
        return place * of_meeting + game // plan.repeat
    return meetings * (of_meeting + extra // plan.repeat) + place
