"""The rounds of a knockout, and how a tie between two players is decided."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Generic, NamedTuple

from tbgen.apps.games.event import EventGame
from tbgen.apps.games.tags import KNOCKOUT, number_in
from tbgen.apps.games.tiebreaks import Entrant
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
    sides = [Color.WHITE if white == first else Color.BLACK for white, _ in games]
    points = Fraction(0)
    strict = Fraction(0)
    for side, (_, game) in zip(sides, games, strict=True):
        points += game.points(side)
        strict += game._replace(scoring=Scoring()).points(side)

    winner: Entrant | None = None
    decided_by: str | None = None
    extensions, rest = divmod(len(games) - length, MORE_GAMES)
    half = Fraction(len(games), 2)
    if second is None:
        winner = first
        decided_by = "bye"
    elif extensions >= 0 and not rest:
        if points != half:
            winner = first if points > half else second
            decided_by = "points"
        elif strict != half:
            winner = first if strict > half else second
            decided_by = "r-mobility"
        elif extensions >= MOST_EXTENSIONS:
            _, last = games[-1]
            winner = first if last.final.holder is sides[-1] else second
            decided_by = "last game"
    return Tie(players, (points, len(games) - points), winner, decided_by)


def knockout_rounds(games: Sequence[EventGame]) -> dict[int, list[Tie[str]]]:
    """Round -> the ties of a knockout; empty for other events.

    A player of a later round has gone on.
    """
    meetings: dict[tuple[int, frozenset[str]], list[EventGame]] = {}
    for game in games:
        if game.tags.get("EventType") == KNOCKOUT:
            key = (game.round_number, frozenset(game.players))
            meetings.setdefault(key, []).append(game)
    fewest = min((len(meeting) for meeting in meetings.values()), default=0)
    rounds: dict[int, list[Tie[str]]] = {}
    for (number, _), meeting in meetings.items():
        meeting.sort(key=_number_of)
        length = number_in(meeting[0].tags.get("MeetingGames", "")) or fewest
        whites = [(game.players[Color.WHITE], game) for game in meeting]
        tie = tie_of(meeting[0].players, whites, length)
        later_names = {name for later, names in meetings if later > number for name in names}
        for name in tie.players:
            if name in later_names:
                tie = tie._replace(winner=name)
                break
        rounds.setdefault(number, []).append(tie)
    return dict(sorted(rounds.items()))


def _number_of(game: EventGame) -> int:
    return number_in(game.tags.get("MatchGame", ""))
