"""Knockouts and pyramids: pairs of a bracket, ends of ties, and a knockout that is killed."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.events.knockout import knockout_of
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.read import PgnGame, read_games
from tbgen.apps.match.knockout import Meeting, bracket_of, first_round
from tbgen.apps.match.settings import Format, Tournament
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color
from tests.apps.match.matches import tournament, walker
from tests.apps.match.test_recover import killed_after


def knockout(players: int, games: int = 2, seeds: int | None = None) -> Tournament:
    return Tournament(
        players, games=games, format=Format.KNOCKOUT, seeds=players if seeds is None else seeds
    )


@pytest.mark.parametrize(
    ("players", "pairs"),
    [
        (2, [(0, 1)]),
        (5, [(0, None), (2, None), (1, None), (3, 4)]),
        (8, [(0, 4), (2, 6), (1, 5), (3, 7)]),
    ],
)
def test_seeds_and_byes_are_placed_as_in_cutechess(
    players: int, pairs: list[tuple[int, int | None]]
) -> None:
    assert first_round(knockout(players)) == pairs


Outcomes = dict[int, tuple[Color, int]]


def played(
    plan: Tournament, outcomes: Outcomes, scoring: Scoring, rounds: int = 99
) -> tuple[list[list[Meeting]], dict[int, EventGame]]:
    """The bracket after all games; White mates, unless `outcomes` says otherwise."""
    _, results = tournament(
        plan, scoring, lambda number: outcomes.get(number, (Color.WHITE, 0)), rounds
    )
    return bracket_of(plan, results)[0], results


OUTCOMES = {
    number: (Color.WHITE if number % 3 else Color.BLACK, number % 5) for number in range(500)
}


@given(st.integers(2, 12), st.integers(1, 4))
def test_a_knockout_numbers_each_game_once_and_leaves_one_winner(players: int, games: int) -> None:
    bracket, results = played(knockout(players, games), OUTCOMES, Scoring())
    meetings = [meeting for each in bracket for meeting in each if meeting.tie.decided_by != "bye"]
    pairings = [pairing for meeting in meetings for pairing in meeting.pairings]
    assert len(meetings) == players - 1
    assert (
        sorted(pairing.number for pairing in pairings)
        == sorted(results)
        == list(range(1, len(results) + 1))
    )
    assert max(Counter(pairing.pair for pairing in pairings).values()) <= 2
    assert len(bracket[-1]) == 1
    assert bracket[-1][0].tie.winner is not None
    meetings_of = {
        pairing.opening: meeting.round for meeting in meetings for pairing in meeting.pairings
    }
    assert sorted(meetings_of) == list(range(len(meetings_of)))
    losers = [
        player for each in meetings for player in each.tie.players if player != each.tie.winner
    ]
    assert len(set(losers)) == players - 1


@given(st.integers(2, 9), st.integers(1, 4), st.randoms(use_true_random=False), st.integers(0, 3))
def test_the_file_of_a_knockout_shows_the_bracket_of_its_referee(
    players: int, games: int, chance: Random, rounds: int
) -> None:
    """Also where meetings have an odd number of games, and where the knockout is not over."""
    outcomes = {
        number: (chance.choice(list(Color)), chance.choice([0, 1, 3, 20])) for number in range(500)
    }
    bracket, results = played(knockout(players, games), outcomes, Scoring(), rounds)
    tags = {"MeetingGames": str(games), "MatchPlayers": str(players)}
    tagged = [game._replace(tags={**game.tags, **tags}) for game in results.values()]
    expected = {
        frozenset(f"P{player}" for player in each.tie.players): None
        if each.tie.winner is None
        else f"P{each.tie.winner}"
        for meetings in bracket
        for each in meetings
        if each.tie.decided_by != "bye"
        and any(pairing.number in results for pairing in each.pairings)
    }
    shown = knockout_of(tagged, is_over=False)
    if shown is None:
        assert not expected
        return
    found = {}
    for ties in shown.rounds.values():
        for tie in ties:
            found[frozenset(tie.players)] = tie.winner
    assert found == expected
    final = bracket[-1][0].tie
    is_over = len(bracket[-1]) == 1 and final.winner is not None
    assert shown.winner == (f"P{final.winner}" if is_over else None)


MATES = dict.fromkeys(range(1, 11), (Color.WHITE, 0))


@pytest.mark.parametrize(
    ("outcomes", "scheme", "games", "decided_by", "winner"),
    [
        (MATES, Scheme.EXPONENTIAL, 10, "last game", 1),
        (MATES | {4: (Color.BLACK, 0)}, Scheme.EXPONENTIAL, 4, "points", 0),
        ({1: (Color.WHITE, 3), 2: (Color.WHITE, 2)}, Scheme.CLASSICAL, 2, "r-mobility", 1),
    ],
)
def test_a_tie_is_broken_by_r_mobility_then_by_more_games_then_by_the_last_games_score(
    outcomes: dict[int, tuple[Color, int]], scheme: Scheme, games: int, decided_by: str, winner: int
) -> None:
    ((final,),), _ = played(knockout(2), outcomes, Scoring(scheme))
    assert (len(final.pairings), final.tie.decided_by, final.tie.winner) == (
        games,
        decided_by,
        winner,
    )
    assert decided_by == "points" or final.tie.points == (Fraction(games, 2),) * 2


def test_a_knockout_that_is_killed_has_the_same_pairs_and_loses_no_game(tmp_path: Path) -> None:
    """Killed in its second round: the first has eight games, and the second four.

    Two are played at a time.
    """
    pgn, bracket = tmp_path / "games.pgn", tmp_path / "bracket.json"
    words = [
        *chain(*map(walker, ("Ann", "Bob", "Cid", "Dan"))),
        "-tournament",
        "knockout",
        "-games",
        "4",
    ]
    words += ["-maxmoves", "4", "-concurrency", "2", "-srand", "7", "-recover"]
    words += ["-pgnout", str(pgn), "-jsonout", str(bracket)]
    assert killed_after(words, 9, "Finished")
    before = pairs_of(pgn)
    assert not killed_after(words, 1000, "Finished")
    pairs = pairs_of(pgn)
    assert 9 <= len(before) < len(pairs)
    assert before.items() <= pairs.items()
    first, final = json.loads(bracket.read_text())["bracket"]
    assert {
        number: {each["first"], each["second"]}
        for each in first + final
        for number in each["games"]
    } == pairs
    assert [each["winner"] for each in first] == [final[0]["first"], final[0]["second"]]


def pairs_of(pgn: Path) -> dict[int, set[str]]:
    """Who plays each game of a file, but for one that was being written at the kill."""
    games = [
        game.tags
        for game in read_games(pgn)
        if isinstance(game, PgnGame) and "PlyCount" in game.tags
    ]
    found = {int(tags["MatchGame"]): {tags["White"], tags["Black"]} for tags in games}
    assert len(found) == len(games)
    return found
