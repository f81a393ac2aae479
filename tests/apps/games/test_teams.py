"""The table of teams, by the tags of games."""

from __future__ import annotations

import re
from fractions import Fraction

from tbgen.apps.games.event import EventGame
from tbgen.apps.games.headline import headline
from tbgen.apps.games.standings import Standings
from tbgen.apps.games.tags import Source
from tbgen.apps.site.event import standings_page
from tbgen.rules.points import Scoring
from tbgen.score import Score


def game(round_: int, white: str, black: str, final: str) -> EventGame:
    """A drawn game; a player is called by a team and a board, such as `Reds 1`."""
    tags = {
        "Round": str(round_),
        "WhiteTeam": white.partition(" ")[0],
        "BlackTeam": black.partition(" ")[0],
    }
    return EventGame((white, black), "1/2-1/2", Score(final), Scoring(), Source.GAME, tags=tags)


def test_a_match_is_won_by_more_points_in_a_round_however_many() -> None:
    games = [
        game(1, "Reds 1", "Blues 1", "G0.5"),
        game(1, "Blues 2", "Reds 2", "G1.5"),
        game(2, "Blues 1", "Reds 1", "G0.0"),
        game(2, "Reds 2", "Blues 2", "G0.0"),
    ]
    reds, blues = Standings(games).teams
    assert (reds.name, reds.rank, reds.matches, reds.games) == ("Reds", 1, 3, 4)
    assert (blues.name, blues.rank, blues.matches, blues.games) == ("Blues", 2, 1, 4)
    assert reds.points == Fraction(3, 4) + Fraction(7, 16) + 0 + 1
    assert reds.points + blues.points == len(games)


def test_equal_teams_share_a_rank_and_games_without_teams_have_none() -> None:
    games = [game(1, "Reds 1", "Blues 1", "G0.5"), game(2, "Blues 1", "Reds 1", "G0.5")]
    assert [(team.name, team.rank) for team in Standings(games).teams] == [
        ("Blues", 1),
        ("Reds", 1),
    ]
    nobody = games[0]._replace(tags={})
    standings = Standings([nobody])
    assert standings.teams == []
    assert "teams" not in standings.facts()


def matches_of(*pairs: tuple[int, str, str, str]) -> list[EventGame]:
    """Matches on two boards, which the team with the first name wins by this score."""
    games = []
    for round_, one, other, final in pairs:
        games += [game(round_, f"{one} {board}", f"{other} {board}", final) for board in (1, 2)]
    return games


EVERYBODY = matches_of((1, "Reds", "Blues", "G0.5"), (2, "Blues", "Pinks", "G1.0"))
LAST = matches_of((3, "Reds", "Pinks", "G1.5"))


def test_an_event_of_teams_names_its_best_team_and_not_a_player() -> None:
    def said(games: list[EventGame]) -> str:
        return headline(Standings(games), {})

    equal = matches_of((1, "Reds", "Blues", "G0.5"), (2, "Blues", "Reds", "G0.5"))
    assert said(equal) == "Blues and Reds share first place with 2 match points."
    leads = "Blues leads with 2 match points, from 2 matches."
    assert said(EVERYBODY) == f"{leads} Reds has as many, and is second by points."
    assert said(EVERYBODY[:2]) == "Reds leads with 2 match points, from 1 match."
    assert said([*EVERYBODY, *LAST]) == "Reds wins with 4 match points, from 2 matches."
    doubtful = LAST[1]._replace(source=Source.PROVISIONAL)
    assert said([*EVERYBODY, LAST[0], doubtful]).startswith("Reds leads")
    page = standings_page([Standings([*EVERYBODY, *LAST])])
    assert re.findall("<h2>(.*?)</h2>", page)[:2] == ["Final standings", "Players"]


def test_clubs_of_players_who_are_paired_one_by_one_are_no_teams_of_an_event() -> None:
    games = [game(1, "Reds 1", "Blues 1", "G0.5"), game(1, "Reds 2", "Pinks 1", "G0.5")]
    assert headline(Standings(games), {}).startswith("Reds 1 and Reds 2 share first place")
    page = standings_page([Standings(games)])
    assert re.findall("<h2>(.*?)</h2>", page)[:2] == ["Standings after round 1", "Teams"]


def test_games_within_a_team_are_no_match() -> None:
    (reds,) = Standings([game(1, "Reds 1", "Reds 2", "G0.5")]).teams
    assert (reds.matches, reds.points, reds.games) == (0, 1, 2)


def test_facts_have_the_teams() -> None:
    facts = Standings([game(1, "Reds 1", "Blues 1", "G0.5")]).facts()
    assert facts["teams"][0] == {
        "rank": 1,
        "name": "Reds",
        "games": 1,
        "matches": 2,
        "points": 0.75,
        "classical": 0.5,
    }


def test_a_player_without_a_team_is_ranked_beside_those_of_teams() -> None:
    alone = EventGame(("Ann", "Reds 1"), "1-0", Score("G0.0"), Scoring(), Source.GAME)
    standings = Standings([game(1, "Reds 1", "Blues 1", "G0.5"), alone])
    rows = re.findall(
        'class="who"><a [^>]*>(.*?)</a></th><td>(.*?)</td>', standings_page([standings])
    )
    assert sorted(rows) == [("Ann", ""), ("Blues 1", "Blues"), ("Reds 1", "Reds")]
