"""Swiss tournaments: published pairings are reproduced, and ours keep the laws of the system."""

from __future__ import annotations

import asyncio
from collections import Counter
from fractions import Fraction
from itertools import chain, pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.apps.events.standings import Standings
from tbgen.apps.events.tiebreaks import Cell
from tbgen.apps.games.event_game import BYE
from tbgen.apps.match.runner import Match
from tbgen.apps.match.settings import Format, Tournament
from tbgen.apps.match.sheet import Sheet
from tbgen.apps.match.swiss import pairs_of
from tbgen.errors import UsageError
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color
from tests.apps.match.matches import (
    SHEET,
    Silent,
    fake_referee,
    games_of,
    run,
    scripted,
    tournament,
    walker,
)
from tests.project import ROOT

pytest.importorskip("py4swiss")
PUBLISHED = sorted((ROOT / "tests/golden/swiss").glob("*.trf"))
POINTS = {
    "1": Fraction(1),
    "+": Fraction(1),
    "U": Fraction(1),
    "=": Fraction(1, 2),
    "0": Fraction(0),
    "-": Fraction(0),
}


def rounds_in(path: Path) -> list[dict[int, tuple[int | None, str, str]]]:
    """[round][player] the opponent, the colour and the result in a tournament report file.

    Players count from 0.
    """
    rows = [line.rstrip() for line in path.read_text().splitlines() if line.startswith("001")]
    rounds: list[dict[int, tuple[int | None, str, str]]] = []
    for start in range(91, max(map(len, rows)), 10):
        words = {int(row[4:8]) - 1: row[start : start + 8] for row in rows}
        rounds.append(
            {
                player: (int(word[:4]) - 1 if int(word[:4]) else None, word[5], word[7])
                for player, word in words.items()
            }
        )
    return rounds


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_pairs_of_a_published_tournament_are_reproduced(path: Path) -> None:
    """A game that was not played is a bye, as in the rules of FIDE: with or without its points."""
    rounds = rounds_in(path)
    first = min(player for player, (opponent, _, _) in rounds[0].items() if opponent is not None)
    white = rounds[0][first][1]  # the colour of the top seed is drawn by lot; ours is white
    history: list[dict[int, Cell[int]]] = []
    for each in rounds:
        pairs = {
            (player, other)
            for player, (other, colour, _) in each.items()
            if colour == white or other is None
        }
        assert set(pairs_of(history, len(each), len(rounds), 1)) == pairs
        history.append({})
        for player, (opponent, colour, result) in each.items():
            side = Color.WHITE if colour == white else Color.BLACK
            history[-1][player] = Cell(
                None if result in "+-" else opponent, POINTS[result], side=side
            )


def test_there_are_ten_published_tournaments() -> None:
    assert [len(rounds_in(path)) for path in PUBLISHED] == [5, 5, 5, 5, 5, 7, 7, 9, 7, 5]


OUTCOMES = st.lists(
    st.tuples(st.sampled_from(list(Color)), st.integers(0, 12)), min_size=7, max_size=40
)


@settings(max_examples=10)
@given(
    st.integers(4, 11),
    st.integers(1, 2),
    st.sampled_from([Scheme.EXPONENTIAL, Scheme.CLASSICAL]),
    OUTCOMES,
)
def test_nobody_meets_twice_or_rests_twice_and_colours_are_reversed_within_an_encounter(
    players: int, games: int, scheme: Scheme, outcomes: list[tuple[Color, int]]
) -> None:
    plan = Tournament(players, games=games, rounds=(players + 1) // 2, format=Format.SWISS)
    pairings, results = tournament(
        plan, Scoring(scheme), lambda number: outcomes[number % len(outcomes)]
    )
    assert (
        [each.number for each in pairings] == list(range(1, len(pairings) + 1)) == sorted(results)
    )
    met = Counter(frozenset((each.white, each.black)) for each in pairings)
    assert set(met.values()) == {games}
    for number in range(1, plan.rounds + 1):
        seated = Counter(
            player
            for each in pairings
            if each.round == number
            for player in (each.white, each.black)
        )
        assert seated == Counter(
            dict.fromkeys([*range(players), *([None] if players % 2 else [])], games)
        )
    openings = Counter(each.opening for each in pairings if each.black is not None)
    assert sorted(openings) == list(range(len(openings)))
    for each, after in pairwise(pairings):
        if games == 2 and each.number % 2 and each.black is not None:
            assert (after.white, after.black, after.opening) == (
                each.black,
                each.white,
                each.opening,
            )


def test_points_of_r_mobility_pair_otherwise_than_ordinary_ones() -> None:
    """The four stronger players stalemate the others; in ordinary chess these games are drawn."""
    plan = Tournament(8, games=1, rounds=2, format=Format.SWISS)
    ahead = {0, 1, 2, 3}
    rounds = [
        tournament(
            plan,
            Scoring(scheme),
            lambda number: (Color.BLACK if number in (2, 4) else Color.WHITE, 1),
        )[0]
        for scheme in (Scheme.EXPONENTIAL, Scheme.CLASSICAL)
    ]
    assert {each.black if each.number in (2, 4) else each.white for each in rounds[0][:4]} == ahead
    assert [
        sum({each.white, each.black} < ahead for each in pairings[4:]) for pairings in rounds
    ] == [2, 0]


def test_the_number_of_games_does_not_grow_from_round_to_round() -> None:
    class Totals(Silent):
        def __init__(self) -> None:
            super().__init__()
            self.totals = set[int]()

        def begins(self, match: Match) -> None:
            self.match = match
            self.game_over(SHEET)

        def game_over(self, sheet: Sheet) -> None:
            self.totals.add(self.match.scheduled)
            self.left = self.match.left

    watcher = Totals()
    engines = [word for name in "ABCDE" for word in ("-engine", f"cmd={name}", "depth=1")]
    words = [*engines, "-tournament", "swiss", "-rounds", "3", "-srand", "1"]
    asyncio.run(fake_referee(words, watcher).play())
    assert (watcher.totals, watcher.left) == ({3 * 3 * 2}, 0)


def test_no_engine_is_called_as_a_missing_opponent_is() -> None:
    with pytest.raises(UsageError, match="no engine can be called Bye"):
        run([*scripted("Bye"), *scripted("Good")])


def test_a_bye_is_a_won_game_in_file_and_standings_and_no_strength(pgn: Path) -> None:
    words = [
        *chain(*map(walker, ("Ann", "Bob", "Cid"))),
        "-tournament",
        "swiss",
        "-rounds",
        "3",
        "-maxmoves",
        "4",
    ]
    standings, _ = run([*words, "-pgnout", str(pgn), "-srand", "1"])
    games = games_of(pgn)
    byes = [game for game in games if game.tags["Black"] == BYE]
    assert Counter(game.tags["White"] for game in byes) == {"Ann": 2, "Bob": 2, "Cid": 2}
    assert {
        (game.result, game.tags["PlyCount"], game.tags["TerminationDetails"]) for game in byes
    } == {("1-0", "0", "bye")}
    assert standings.facts()["byes"] == {"Ann": 2, "Bob": 2, "Cid": 2}
    assert {standings.record(player, standings.scoring).games.games for player in range(3)} == {4}
    assert sorted(standings.meetings()) == sorted(
        pair for pair in permutations(range(3), 2) if pair[0] < pair[1]
    )
    points = Standings([game for _, game in sorted(standings.games.items())]).rows
    assert sum(row.points for row in points) == 12
