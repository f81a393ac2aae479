"""What is said of an event before its end is not taken back at its end.

Each event is played game by game. After each game, no page and no shell names a winner whom the
whole event does not name, and nothing is called final.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import pytest

from tbgen.apps.events.knockout import knockout_of
from tbgen.apps.events.standings import Standings
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import Source
from tbgen.cli.standings import lines_of
from tbgen.rules.points import Scoring
from tbgen.score import Score
from tests.apps.events.shown import page_of

FOUR = ("Ann", "Bob", "Cid", "Dan")
ANN_WON = "1-0"
DRAWN = "1/2-1/2"


def game(white: str, black: str, number: object, result: str = ANN_WON, **tags: str) -> EventGame:
    final = Score({"1-0": "G0.0", "0-1": "-G0.0"}.get(result, "G1.5"))
    return EventGame(
        (white, black), result, final, Scoring(), Source.GAME, tags={"Round": str(number), **tags}
    )


def round_robin(cycles: int) -> list[EventGame]:
    games = []
    for cycle in range(cycles):
        for number, (one, other) in enumerate(itertools.combinations(FOUR, 2), 1):
            # Who leads after the first cycle is not first after the second.
            result = ANN_WON if cycle == 0 else "0-1"
            games.append(game(one, other, 6 * cycle + number, result))
    return games


def knockout(
    *rounds: Iterable[tuple[str, str]], players: int | None = None, length: bool = True
) -> list[EventGame]:
    """Ties of two games, the second of which is drawn; the first player of each tie wins it."""
    tags = {"EventType": "k.o."}
    if length:
        tags["MeetingGames"] = "2"
    if players is not None:
        tags["MatchPlayers"] = str(players)
    games = []
    for number, ties in enumerate(rounds, 1):
        for one, other in ties:
            games.append(game(one, other, f"{number}.1", ANN_WON, **tags))
            games.append(game(other, one, f"{number}.2", DRAWN, **tags))
    return games


SWISS = [
    game("Ann", "Bob", 1),
    game("Cid", "Dan", 1),
    game("Ann", "Cid", 2, "0-1"),
    game("Bob", "Dan", 2),
    game("Dan", "Ann", 3),
    game("Cid", "Bob", 3, "0-1"),
]
SEMIFINALS = (("Ann", "Bob"), ("Dan", "Cid"))
KNOCKOUT = (SEMIFINALS, [("Dan", "Ann")])
WITH_THIRD_PLACE = (SEMIFINALS, [("Bob", "Cid"), ("Dan", "Ann")])
PLAYOFF = [*SWISS, game("Bob", "Cid", "Playoff"), game("Cid", "Bob", "Playoff", "0-1")]

EVENTS = {
    "round robin": (round_robin(1), "Ann"),
    "double round robin": (round_robin(2), None),
    "swiss": (SWISS, None),
    "play-off": (PLAYOFF, "Bob"),
    "knockout": (knockout(*KNOCKOUT), "Dan"),
    "knockout of a file that names its players": (knockout(*KNOCKOUT, players=4), "Dan"),
    "knockout without the length of a tie": (knockout(*KNOCKOUT, length=False), "Dan"),
    "knockout with a game for the third place": (knockout(*WITH_THIRD_PLACE), "Dan"),
    "its players are named": (knockout(*WITH_THIRD_PLACE, players=4), "Dan"),
}


def faces(standings: Standings) -> list[str]:
    """The event as its page and as the shell show it."""
    page = re.sub("<[^>]*>", "", page_of(standings))
    return [page, "\n".join(lines_of(standings, "tbgen build"))]


def winners_in(text: str) -> set[str]:
    return set(re.findall(r"(\w+) wins", text))


@pytest.mark.parametrize("event", EVENTS)
def test_no_prefix_of_an_event_has_a_winner_whom_the_whole_event_has_not(event: str) -> None:
    games, winner = EVENTS[event]
    for face in faces(Standings(games, is_over=True)):
        if winner is None:
            assert "share first place" in face or len(winners_in(face)) == 1
        else:
            assert winners_in(face) == {winner}
    of_whole_event = winners_in(faces(Standings(games, is_over=True))[0])
    for length in range(len(games)):
        for face in faces(Standings(games[:length])):
            assert winners_in(face) <= of_whole_event
            assert "share first place" not in face
            assert "final standings" not in face.lower()


@pytest.mark.parametrize("event", [name for name in EVENTS if "knockout" in name])
def test_no_prefix_of_a_knockout_sends_somebody_on_who_does_not_go_on(event: str) -> None:
    games, _ = EVENTS[event]
    whole = knockout_of(games, is_over=True)
    assert whole is not None
    decided = {
        (number, frozenset(tie.players)): tie.winner
        for number, ties in whole.rounds.items()
        for tie in ties
    }
    assert all(decided.values())
    for length in range(1, len(games)):
        part = knockout_of(games[:length], is_over=False)
        assert part is not None
        for number, ties in part.rounds.items():
            for tie in ties:
                assert tie.winner in (None, decided[number, frozenset(tie.players)])


def test_a_knockout_whose_file_names_its_number_of_players_has_a_winner_at_its_end() -> None:
    for games in (knockout(*KNOCKOUT, players=4), knockout(*WITH_THIRD_PLACE, players=4)):
        for face in faces(Standings(games)):
            assert winners_in(face) == {"Dan"}
