"""The next round of a Swiss tournament: late entries, withdrawals, byes, and rounds as games."""

from __future__ import annotations

import io
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.apps.events.standings import Standings
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.games.tags import Source
from tbgen.apps.match.next_round import (
    NextRound,
    PlayerEntry,
    entries_of,
    next_round,
    parse_entries,
)
from tbgen.errors import MatchError, UsageError
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Score

pytest.importorskip("py4swiss")

HALF = Fraction(1, 2)
LIST = """\
# strongest first
Ann, A.
Bob | half 2

Cid | from 2
Dan | until 1
Eve
"""


def game_of(
    number: int, white: str, black: str, result: str, plies: int = 9, rating: str = ""
) -> EventGame:
    """A game of a round with its ordinary points."""
    tags = {"Round": str(number), "WhiteElo": rating}
    final = {"1-0": Score("G0.0"), "0-1": Score("-G0.0")}.get(result, Score("G5.0"))
    source = Source.GAME if plies else Source.SHEET
    return EventGame(
        (white, black), result, final, Scoring(Scheme.CLASSICAL), source, plies=plies, tags=tags
    )


def names_of(round_: NextRound) -> list[tuple[str, str]]:
    return [(pair.white, pair.black) for pair in round_.pairs]


def test_a_list_says_who_comes_late_who_leaves_and_who_has_asked_for_byes() -> None:
    assert parse_entries(LIST) == [
        PlayerEntry("Ann, A."),
        PlayerEntry("Bob", byes={2: HALF}),
        PlayerEntry("Cid", first_round=2),
        PlayerEntry("Dan", last_round=1),
        PlayerEntry("Eve"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ann\nBob | half", "line 2: 'half' names no round; write: from N, until N, half N"),
        ("Ann | full 3", "line 1: 'full 3' is unknown; write: from N"),
        ("Ann\n| from 2", "line 2: it has no name"),
        ("Ann\nBob\nAnn", "Ann is there 2 times"),
        ("Ann | until 1, from 3", "line 1: 'until 1' is before 'from 3'"),
        ("Ann | half 3, zero 3", "line 1: round 3 has two byes; name one"),
        ("Ann\nbye", "line 2: 'bye' stands for no opponent; give the player another name"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(text: str, problem: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_entries(text)
    assert problem in str(refused.value)


def test_each_round_has_those_who_are_there() -> None:
    entries = parse_entries(LIST)
    first = next_round(entries, [], rounds=3)
    assert names_of(first) == [("Ann, A.", "Dan"), ("Eve", "Bob")]
    assert (first.byes, first.absent) == ([], ["Cid"])
    games = [game_of(1, "Ann, A.", "Dan", "1-0"), game_of(1, "Eve", "Bob", "0-1")]
    second = next_round(entries, games, rounds=3)
    assert second.number == 2
    assert sorted(name for pair in names_of(second) for name in pair) == ["Ann, A.", "Cid"]
    assert [(bye.player, bye.opponent, bye.result) for bye in second.byes] == [
        ("Eve", "bye", "1-0"),
        ("Bob", "half-point bye", "1/2-1/2"),
    ]
    assert second.absent == ["Dan"]
    (pair,) = second.pairs
    points = {pair.white: pair.white_points, pair.black: pair.black_points}
    assert points == {"Ann, A.": 1, "Cid": 0}


def test_a_late_player_may_have_asked_for_byes_in_the_rounds_before() -> None:
    entries = parse_entries("Ann\nBob\nCid | from 3, half 1")
    first = next_round(entries, [], rounds=3)
    assert [(bye.player, bye.points) for bye in first.byes] == [("Cid", HALF)]
    assert first.absent == []


def test_the_games_of_a_round_are_read_back_with_the_points_of_byes() -> None:
    entries = parse_entries("Ann\nBob\nCid | half 1\nDan | zero 1\nEve")
    round_ = next_round(entries, [], rounds=2, encounter=2)
    text = round_.to_pgn({"Event": "Open"})
    games = list(games_in(io.StringIO(text)))
    assert all(isinstance(game, PgnGame) for game in games)
    found = [
        (
            game.tags["Event"],
            game.tags["Round"],
            game.tags["White"],
            game.tags["Black"],
            game.result,
        )
        for game in games
        if isinstance(game, PgnGame)
    ]
    assert found == [
        ("Open", "1.1", "Ann", "Bob", "*"),
        ("Open", "1.1", "Bob", "Ann", "*"),
        *[("Open", "1", "Eve", "bye", "1-0")] * 2,
        *[("Open", "1", "Cid", "half-point bye", "1/2-1/2")] * 2,
        *[("Open", "1", "Dan", "zero-point bye", "0-0")] * 2,
    ]


def test_a_forfeit_is_no_meeting() -> None:
    entries = parse_entries("Ann\nBob\nCid\nDan")
    games = [
        game_of(1, "Ann", "Bob", "1-0", plies=0),
        game_of(1, "Cid", "Dan", "1-0", plies=0),
        game_of(2, "Ann", "Cid", "1-0"),
        game_of(2, "Dan", "Bob", "0-1"),
    ]
    third = next_round(entries, games, rounds=3)
    assert [set(pair) for pair in names_of(third)] == [{"Ann", "Bob"}, {"Cid", "Dan"}]


def test_a_bye_is_given_once_and_not_to_those_who_won_by_a_forfeit() -> None:
    entries = parse_entries("Ann\nBob\nCid")
    games = [
        game_of(1, "Ann", "Bob", "1-0"),
        game_of(1, "Cid", "bye", "1-0", plies=0),
        game_of(2, "Ann", "Cid", "1-0"),
        game_of(2, "Bob", "bye", "1-0", plies=0),
    ]
    third = next_round(entries, games, rounds=3)
    assert [set(pair) for pair in names_of(third)] == [{"Bob", "Cid"}]
    assert [bye.player for bye in third.byes] == ["Ann"]
    games[0] = game_of(1, "Ann", "Bob", "1-0", plies=0)
    with pytest.raises(MatchError, match="round 3 cannot be paired"):
        next_round(entries, games, rounds=3)


@pytest.mark.parametrize(
    ("games", "problem"),
    [
        ([game_of(1, "Ann", "Bob", "*")], "round 1 has 1 game without a result: Ann - Bob"),
        ([game_of(2, "Ann", "Bob", "1-0")], "round 1 has no games, but round 2 has"),
        ([game_of(0, "Ann", "Bob", "1-0")], "1 game has no round; give each a tag"),
        ([game_of(1, "Ann", "Bobb", "1-0")], "round 1: 'Bobb' is not in the list of players; did"),
        (
            [game_of(1, "Ann", "Bob", "1-0"), game_of(1, "Ann", "Cid", "1-0")],
            "round 1: Ann has met more than one opponent",
        ),
        (
            [game_of(number, "Ann", "Bob", "1-0") for number in range(1, 6)],
            "all 5 rounds have been played",
        ),
    ],
)
def test_a_round_that_is_not_over_or_not_clear_is_refused(
    games: list[EventGame], problem: str
) -> None:
    with pytest.raises(UsageError) as refused:
        next_round(parse_entries("Ann\nBob\nCid\nDan"), games, rounds=5)
    assert problem in str(refused.value)


def test_without_a_list_ratings_order_the_players() -> None:
    games = [
        game_of(1, "Low", "New", "1-0", rating="1500"),
        game_of(1, "High", "bye", "1-0", plies=0, rating="2500"),
    ]
    assert [entry.name for entry in entries_of(games)] == ["High", "Low", "New"]


@settings(max_examples=15)
@given(st.integers(4, 9), st.data())
def test_a_whole_tournament_keeps_the_laws_of_the_system(players: int, data: st.DataObject) -> None:
    """Nobody meets twice or has two byes, and standings count the points that pairings have."""
    late = data.draw(st.integers(0, 1))
    entries = [PlayerEntry(f"P{number}") for number in range(players)]
    entries += [PlayerEntry("Late", first_round=2, byes={3: HALF})] * late
    games = list[EventGame]()
    meetings = Counter[frozenset[str]]()
    byes = Counter[str]()
    for number in range(1, 4):
        round_ = next_round(entries, games, rounds=3)
        assert round_.number == number
        points = {row.name: row.classical for row in Standings(games).rows}
        seated = Counter[str]()
        for pair in round_.pairs:
            meetings[frozenset([pair.white, pair.black])] += 1
            seated.update([pair.white, pair.black])
            assert pair.white_points == points.get(pair.white, 0)
            result = data.draw(st.sampled_from(["1-0", "0-1", "1/2-1/2"]))
            games.append(game_of(number, pair.white, pair.black, result))
        for bye in round_.byes:
            seated[bye.player] += 1
            byes[bye.player] += not bye.is_asked
            games.append(game_of(number, bye.player, bye.opponent, bye.result, plies=0))
        assert seated == Counter(entry.name for entry in entries if entry.is_in(number))
    assert set(meetings.values()) == {1}
    assert set(byes.values()) <= {0, 1}
