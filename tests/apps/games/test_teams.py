"""The table of teams, by the tags of games."""

from __future__ import annotations

import re
from fractions import Fraction

from tbgen.apps.games.event import EventGame
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
