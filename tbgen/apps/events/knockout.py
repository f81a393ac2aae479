"""The rounds of a knockout, and how a tie between two players is decided."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Generic, NamedTuple

from tbgen.apps.events.tiebreaks import Entrant
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import KNOCKOUT, number_in
from tbgen.rules.points import Scoring
from tbgen.score import Color

MORE_GAMES: Final = 2
"""The number of games that extend a tie with equal points."""
MOST_EXTENSIONS: Final = 4
"""After so many extensions the holder of the last game's score goes on."""


class Tie(NamedTuple, Generic[Entrant]):
    """Two players in a round of a knockout, the second None for a bye.

    `winner` goes on, if the tie is decided.
    """

    players: tuple[Entrant, Entrant]
    points: tuple[Fraction, Fraction]
    winner: Entrant | None
    decided_by: str | None
    """The decision: `bye`, `points`, `r-mobility` for equal points, or `last game`."""


def tie_of(
    players: tuple[Entrant, Entrant], games: Sequence[tuple[Entrant, EventGame]], length: int
) -> Tie[Entrant]:
    """Two players of a knockout after some games, each given with its White; a tie begins with
    `length` games.

    Equal points are decided by the points of the same games under `exponential`; then two more
    games follow, and after four such extensions the holder of the last game's score goes on.
    """
    first, second = players
    points = Fraction(0)
    exponential_points = Fraction(0)
    for white, game in games:
        side = _side_of(first, white)
        points += game.points(side)
        exponential_points += game._replace(scoring=Scoring()).points(side)

    undecided = Tie(players, (points, len(games) - points), None, None)
    if second is None:
        return undecided._replace(winner=first, decided_by="bye")
    extensions, games_of_next = divmod(len(games) - length, MORE_GAMES)
    if extensions < 0 or games_of_next:
        return undecided
    half = Fraction(len(games), 2)
    if points != half:
        winner = first if points > half else second
        return undecided._replace(winner=winner, decided_by="points")
    if exponential_points != half:
        winner = first if exponential_points > half else second
        return undecided._replace(winner=winner, decided_by="r-mobility")
    if extensions >= MOST_EXTENSIONS:
        white, last_game = games[-1]
        winner = first if last_game.final.holder is _side_of(first, white) else second
        return undecided._replace(winner=winner, decided_by="last game")
    return undecided


def _side_of(player: Entrant, white: Entrant) -> Color:
    return Color.WHITE if player == white else Color.BLACK


def knockout_rounds(games: Sequence[EventGame]) -> dict[int, list[Tie[str]]]:
    """Round -> the ties of a knockout; empty for other events.

    A player of a later round has gone on.
    """
    meetings: dict[tuple[int, frozenset[str]], list[EventGame]] = {}
    last_round: dict[str, int] = {}
    for game in games:
        if game.tags.get("EventType") == KNOCKOUT:
            key = (game.round_number, frozenset(game.players))
            meetings.setdefault(key, []).append(game)
            for name in game.players:
                last_round[name] = max(last_round.get(name, 0), game.round_number)
    fewest = min((len(meeting) for meeting in meetings.values()), default=0)
    rounds: dict[int, list[Tie[str]]] = {}
    for (number, _), meeting in meetings.items():
        meeting.sort(key=_number_of)
        length = number_in(meeting[0].tags.get("MeetingGames", "")) or fewest
        whites = [(game.players[Color.WHITE], game) for game in meeting]
        tie = tie_of(meeting[0].players, whites, length)
        for name in tie.players:
            if last_round[name] > number:
                tie = tie._replace(winner=name)
                break
        rounds.setdefault(number, []).append(tie)
    return dict(sorted(rounds.items()))


def _number_of(game: EventGame) -> int:
    return number_in(game.tags.get("MatchGame", ""))
