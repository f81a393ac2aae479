"""Who has won, what is still open, and how games ended, in words."""

from __future__ import annotations

import pytest

from tbgen.apps.events.endings import ended_in_words, has_crashed
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.ties import ties_of
from tbgen.apps.events.told import heading, headline, told_of
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import Source
from tbgen.rules.points import Scoring
from tbgen.score import Color, Score


def game(white: str, black: str, final: str, *, is_final: bool = True) -> EventGame:
    source = Source.GAME if is_final else Source.PROVISIONAL
    return EventGame((white, black), "1/2-1/2", Score(final), Scoring(), source)


def said(games: list[EventGame], *, is_over: bool = False) -> str:
    return headline(Standings(games, is_over=is_over))


MATCH = [game("Ann", "Bob", "G1.5"), game("Bob", "Ann", "G2.5")]


def test_the_first_of_two_players_leads_until_somebody_says_that_the_event_is_over() -> None:
    assert said(MATCH) == "Ann leads with 1.0469 points, from 2 games."
    assert said(MATCH, is_over=True) == "Ann wins with 1.0469 points, from 2 games."


def test_an_event_with_an_unfinished_game_is_not_over() -> None:
    unfinished = game("Ann", "Bob", "G1.5")._replace(result="*")
    assert said([*MATCH, unfinished], is_over=True) == (
        "Ann leads with 1.0469 points, from 2 games. It is not over: 1 game has no result."
    )
    provisional = game("Ann", "Bob", "G1.5", is_final=False)
    assert said([*MATCH, provisional], is_over=True).endswith(
        "Nobody has won yet: scores that are not final can change the first place."
    )


def test_the_heading_names_the_last_round_of_which_a_game_has_been_played() -> None:
    def in_round(number: int, game: EventGame) -> EventGame:
        return game._replace(tags={"Round": f"{number}.1", "Event": "Open"})

    played = [in_round(1, game("Ann", "Bob", "G1.5")), in_round(2, game("Bob", "Cid", "G2.5"))]
    bye = in_round(3, game("Ann", "half-point bye", "G0.5")._replace(plies=0))
    to_play = in_round(3, game("Cid", "Bob", "G0.5")._replace(result="*", plies=0))
    for games, words in (
        (played, "Standings after round 2"),
        ([*played, bye, to_play], "Standings after round 2"),
        ([*played, bye, to_play._replace(tags={"Round": "2.2"})], "Standings in round 2"),
        (MATCH, "Standings"),
    ):
        assert heading(Standings(games)) == words
    assert heading(Standings(played, is_over=True)) == "Final standings"
    # Pairings of the first round have an event, too.
    assert Standings([to_play]).event == "Open"


def test_names_with_commas_stand_apart_in_a_sentence() -> None:
    games = [game(name, f"Black {name}", "G0.5") for name in ("Berg, Anna", "Lie, Tor", "Vik, Oda")]
    holders, _ = ties_of(Standings(games))
    assert holders[0] == "Berg, Anna; Lie, Tor; and Vik, Oda all have 0.75 points."
    holders, _ = ties_of(Standings(games[:2]))
    assert holders[0] == "Berg, Anna and Lie, Tor both have 0.75 points."


@pytest.mark.parametrize(
    ("doubtful", "is_certain"),
    [
        (game("Cid", "Dan", "G3.5", is_final=False), True),
        (game("Bob", "Cid", "G3.5", is_final=False), False),
    ],
)
def test_nobody_wins_while_a_score_that_is_not_final_may_change_who_is_first(
    doubtful: EventGame, *, is_certain: bool
) -> None:
    won = [game("Ann", "Cid", "G0.0"), game("Ann", "Dan", "G0.5"), game("Bob", "Dan", "G0.5")]
    standings = Standings([*won, doubtful], is_over=True)
    assert standings.is_first_certain is is_certain
    verb = "wins" if is_certain else "leads"
    said = headline(standings)
    assert said.startswith(f"Ann {verb} with 1.7500 points, from 2 games.")
    assert ("Nobody has won yet" in said) is not is_certain


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("0-0", "split by the arbiter"),
        ("1/2-0", "split by the arbiter"),
        ("0-1/2", "split by the arbiter"),
        ("1/2-1/2", "drawn"),
    ],
)
def test_a_game_that_an_arbiter_has_split_is_no_draw(result: str, words: str) -> None:
    assert ended_in_words(game("Ann", "Bob", "G1.5")._replace(result=result)) == words


def test_a_double_forfeit_has_no_moves() -> None:
    forfeit = game("Ann", "Bob", "G1.5")._replace(result="0-0", plies=0)
    assert ended_in_words(forfeit) == "both forfeited"


@pytest.mark.parametrize(
    ("termination", "details", "words"),
    [
        ("abandoned", "Black has ended (exit code 1): bad clock", "Black crashed or disconnected"),
        ("time forfeit", "Black resigned to its fate", "Black lost on time"),
        ("rules infraction", "Black has played e2e5", "Black made an illegal move"),
        ("adjudication", "Black makes an illegal move: e2e5", "Black made an illegal move"),
        ("adjudication", "Black resigns", "Black resigned"),
        ("Normal", "", "White won"),
    ],
)
def test_what_a_referee_writes_counts_before_the_words_of_an_engine(
    termination: str, details: str, words: str
) -> None:
    tags = {"Termination": termination, "TerminationDetails": details}
    won = game("Ann", "Bob", "G0.0")._replace(result="1-0", tags=tags)
    assert ended_in_words(won) == words
    assert has_crashed(won, Color.BLACK) is (termination == "abandoned")


def test_players_who_share_a_rank_are_named_in_a_sentence() -> None:
    games = [game(f"White {number}", f"Black {number}", "G0.5") for number in range(8)]
    holders, held = ties_of(Standings(games))
    first_six = "White 0, White 1, White 2, White 3, White 4, White 5 and 2 others"
    assert holders == [
        f"{first_six} all have 0.75 points.",
        f"{first_six} are equal by every criterion and share rank 1.",
    ]
    assert held[-1].endswith("and 2 others are equal by every criterion and share rank 9.")


def test_a_tie_that_looks_equal_says_by_how_little_it_was_won() -> None:
    tags = {"EventType": "k.o.", "MeetingGames": "2", "Round": "1"}
    games = [game("Ann", "Bob", "G33.5")._replace(tags=tags)]
    games.append(game("Bob", "Ann", "G43.5")._replace(tags=tags))
    bracket = told_of(Standings(games)).bracket
    assert bracket[0].ties == [("Ann", " beats Bob, 1 to 1, by less than a billionth of a point")]


def test_a_bracket_has_the_byes_of_the_file_and_the_ties_that_are_not_played_yet() -> None:
    tags = {"EventType": "k.o.", "MeetingGames": "1", "Round": "1"}
    games = [game("Ann", "Bob", "G1.5")._replace(tags=tags)]
    games.append(game("Cid", "bye", "G0.0")._replace(tags=tags, result="1-0", plies=0))
    games.append(game("Ann", "Cid", "G1.5")._replace(tags={**tags, "Round": "2"}, result="*"))
    first, second = told_of(Standings(games)).bracket
    assert first.byes == ["Cid: bye"]
    assert second.ties == [("", "Ann – Cid, 0 to 0, undecided")]
