"""Knockouts and pyramids: the pairs of a bracket, how ties end, and a knockout that is killed on its way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.match.knockout import Meeting, bracket_of, first_round, openings_of_knockout
from tbgen.apps.match.record import StoredGame
from tbgen.apps.match.schedule import Format, Pairing, Plan, schedule
from tbgen.apps.match.standings import Result
from tbgen.errors import UsageError
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color, Score
from tests.apps.match.matches import games_of, run, walker
from tests.apps.match.test_recover import killed_after, signature


def result(pairing: Pairing, holder: Color, code: int) -> Result:
    return Result(pairing, StoredGame(pairing.number, Score(code, holder), "normal", "checkmate", 10), None)


def knockout(players: int, games: int = 2, seeds: int | None = None) -> Plan:
    return Plan(players, games=games, format=Format.KNOCKOUT, seeds=players if seeds is None else seeds)


@pytest.mark.parametrize(
    ("players", "pairs"),
    [
        (2, [(0, 1)]),
        (5, [(0, None), (2, None), (1, None), (3, 4)]),
        (8, [(0, 4), (2, 6), (1, 5), (3, 7)]),
    ],
)
def test_seeds_and_byes_are_placed_as_in_cutechess(players: int, pairs: list[tuple[int, int | None]]) -> None:
    assert first_round(knockout(players), seed=1) == pairs


@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 99))
def test_those_who_are_no_seeds_are_drawn_by_lot(players: int, seeds: int, seed: int) -> None:
    pairs = first_round(knockout(players, seeds=seeds), seed)
    assert sorted(player for pair in pairs for player in pair if player is not None) == list(range(players))
    byes = [first for first, second in pairs if second is None]
    assert set(byes) >= set(range(min(seeds, len(byes))))


def played(plan: Plan, outcome_of: dict[int, tuple[Color, int]], scoring: Scoring) -> list[list[Meeting]]:
    """The bracket when every game has been played; White mates, unless a game's number says otherwise."""
    results: dict[int, Result] = {}
    while True:
        bracket = bracket_of(plan, 0, results, scoring)
        pairings = [pairing for each in bracket for meeting in each for pairing in meeting.pairings]
        left = [pairing for pairing in pairings if pairing.number not in results]
        if not left:
            return bracket
        results[left[-1].number] = result(left[-1], *outcome_of.get(left[-1].number, (Color.WHITE, 0)))


@given(st.integers(2, 12), st.integers(1, 4))
def test_a_knockout_numbers_each_game_once_and_leaves_one_winner(players: int, games: int) -> None:
    plan = knockout(players, games)
    outcomes = {number: (Color.WHITE if number % 3 else Color.BLACK, number % 5) for number in range(500)}
    bracket = played(plan, outcomes, Scoring())
    meetings = [meeting for each in bracket for meeting in each if meeting.second is not None]
    pairings = [pairing for meeting in meetings for pairing in meeting.pairings]
    assert len(meetings) == players - 1
    assert max(Counter(pairing.number for pairing in pairings).values()) == 1
    assert max(Counter(pairing.pair for pairing in pairings).values()) <= 2
    assert len(bracket[-1]) == 1
    assert bracket[-1][0].winner is not None
    assert max(pairing.opening for pairing in pairings) < openings_of_knockout(plan)
    losers = [player for meeting in meetings for player in (meeting.first, meeting.second) if player != meeting.winner]
    assert len(set(losers)) == players - 1


def test_a_tie_goes_on_with_two_more_games_and_then_by_the_last_games_score() -> None:
    (final,) = played(knockout(2), {}, Scoring())[0]
    assert (len(final.pairings), final.decided_by) == (10, "last game")
    assert final.winner == final.pairings[-1].white
    (final,) = played(knockout(2), {4: (Color.BLACK, 0)}, Scoring())[0]
    assert (len(final.pairings), final.decided_by, final.winner) == (4, "points", 0)


def test_r_mobility_decides_what_would_be_drawn() -> None:
    (final,) = played(knockout(2), {1: (Color.WHITE, 3), 2: (Color.WHITE, 2)}, Scoring(Scheme.CLASSICAL))[0]
    assert (len(final.pairings), final.points, final.decided_by, final.winner) == (2, (1, 1), "r-mobility", 1)


def test_in_a_pyramid_every_engine_plays_all_before_it() -> None:
    pairs = [(pairing.white, pairing.black) for pairing in schedule(Plan(4, games=1, format=Format.PYRAMID))]
    assert pairs == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_rounds_of_a_knockout_are_refused() -> None:
    with pytest.raises(UsageError, match="-rounds means nothing"):
        run([*walker("Ann"), *walker("Bob"), "-tournament", "knockout", "-rounds", "2"])


def test_a_knockout_of_eight_engines_that_is_killed_twice_has_the_same_pairs_and_games(tmp_path: Path) -> None:
    words = [word for name in ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal"] for word in walker(name)]
    words += ["-tournament", "knockout", "-maxmoves", "6", "-concurrency", "2", "-srand", "7"]
    whole, broken = ([*words, "-pgnout", str(tmp_path / name)] for name in ("whole.pgn", "broken.pgn"))
    bracket = tmp_path / "bracket.json"
    run(whole)
    assert killed_after([*broken, "-recover"], 7)
    assert killed_after([*broken, "-recover"], 16)
    assert not killed_after([*broken, "-recover", "-jsonout", str(bracket)], 1000)
    expected = signature(tmp_path / "whole.pgn")
    assert signature(tmp_path / "broken.pgn") == expected
    assert len({number for number, *_ in expected}) == len(expected) >= 14
    rounds = json.loads(bracket.read_text())["bracket"]
    assert [len(meetings) for meetings in rounds] == [4, 2, 1]
    met = {(game.tags["White"], game.tags["Black"]) for game in games_of(tmp_path / "broken.pgn")}
    assert {(each["first"], each["second"]) for meetings in rounds for each in meetings} <= met
    assert rounds[2][0]["winner"] in (rounds[2][0]["first"], rounds[2][0]["second"])
