"""Knockouts and pyramids: the pairs of a bracket, how ties end, and a knockout that is killed on its way."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain, cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.games.game import PgnGame
from tbgen.apps.games.reader import read_games
from tbgen.apps.match.match import Meeting, bracket_of, first_round, openings_of_knockout
from tbgen.apps.match.play import StoredGame
from tbgen.apps.match.schedule import Format, Pairing, Tournament
from tbgen.apps.match.standings import Result
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color, Score
from tests.apps.match.matches import walker
from tests.apps.match.test_real_engines import MISSING, PROGRAMS
from tests.apps.match.test_recover import killed_after


def result(pairing: Pairing, holder: Color, code: int) -> Result:
    return Result(pairing, StoredGame(pairing.number, Score(code, holder), "normal", "checkmate", 10), None)


def knockout(players: int, games: int = 2, seeds: int | None = None) -> Tournament:
    return Tournament(players, games=games, format=Format.KNOCKOUT, seeds=players if seeds is None else seeds)


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


def played(plan: Tournament, outcome_of: dict[int, tuple[Color, int]], scoring: Scoring) -> list[list[Meeting]]:
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


MATES = dict.fromkeys(range(1, 11), (Color.WHITE, 0))


@pytest.mark.parametrize(
    ("outcomes", "scheme", "games", "decided_by", "winner"),
    [
        (MATES, Scheme.EXPONENTIAL, 10, "last game", 1),
        (MATES | {4: (Color.BLACK, 0)}, Scheme.EXPONENTIAL, 4, "points", 0),
        ({1: (Color.WHITE, 3), 2: (Color.WHITE, 2)}, Scheme.CLASSICAL, 2, "r-mobility", 1),
    ],
)
def test_a_tie_is_broken_by_r_mobility_then_goes_on_with_two_more_games_and_then_by_the_last_games_score(
    outcomes: dict[int, tuple[Color, int]], scheme: Scheme, games: int, decided_by: str, winner: int
) -> None:
    (final,) = played(knockout(2), outcomes, Scoring(scheme))[0]
    assert (len(final.pairings), final.decided_by, final.winner) == (games, decided_by, winner)
    assert final.points == (games / 2, games / 2) or decided_by == "points"


def test_a_knockout_of_eight_engines_that_is_killed_twice_has_the_same_pairs_and_loses_no_game(tmp_path: Path) -> None:
    """Stockfish and Fairy-Stockfish, where they are installed; a first round has eight games or more."""
    pgn, bracket = tmp_path / "games.pgn", tmp_path / "bracket.json"
    names = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal"]
    programs = cycle(PROGRAMS.values())
    real = [["-engine", f"cmd={next(programs)}", f"name={name}", "nodes=20", "hash=1"] for name in names]
    engines = map(walker, names) if MISSING else real
    words = [*chain(*engines), "-tournament", "knockout", "-maxmoves", "4", "-concurrency", "2", "-srand", "7"]
    words += ["-pgnout", str(pgn), "-jsonout", str(bracket), "-crosstable", str(tmp_path / "cross.json"), "-recover"]
    played, pairs = list[int](), dict[int, tuple[str, str]]()
    for games_seen in (2, 4, 1000):
        assert killed_after(words, games_seen, "Finished") == (games_seen < 1000)
        games = finished_games(pgn)
        found = {int(game.tags["MatchGame"]): (game.tags["White"], game.tags["Black"]) for game in games}
        assert len(found) == len(games)
        assert found.items() >= pairs.items()
        pairs = found
        played.append(len(games))
    first, second, whole = played
    assert 0 < first < 8, "the match was killed in the middle of a round"
    assert first < second < whole
    rounds = json.loads(bracket.read_text())["bracket"]
    assert [len(meetings) for meetings in rounds] == [4, 2, 1]
    meetings = [meeting for each in rounds for meeting in each]
    assert {number: {each["first"], each["second"]} for each in meetings for number in each["games"]} == {
        number: set(pair) for number, pair in pairs.items()
    }
    assert [each["winner"] for each in rounds[0] + rounds[1]] == [
        player for each in rounds[1] + rounds[2] for player in (each["first"], each["second"])
    ]
    rows = json.loads((tmp_path / "cross.json").read_text())["Table"].values()
    assert sum(row["Games"] for row in rows) == 2 * whole


def finished_games(pgn: Path) -> list[PgnGame]:
    """The games of a file but for one that was being written when the match was killed."""
    return [game for game in read_games(pgn) if isinstance(game, PgnGame) and "PlyCount" in game.tags]
