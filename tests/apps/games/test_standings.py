from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.games.standings import DEFAULT_ORDER, TIE_BREAKS, EventGame, Standings, Tie, TieBreak, knockout_rounds
from tbgen.apps.games.tags import Source
from tbgen.cli.output import Form, text_of
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Score
from tests.strategies import outcomes


def game(white: str, black: str, final: str, result: str = "1/2-1/2", scoring: Scoring | None = None) -> EventGame:
    rule = Scoring() if scoring is None else scoring
    return EventGame((white, black), result, Score(final), rule, Source.GAME)


def ranking(games: Sequence[EventGame], *order: TieBreak) -> list[tuple[int, str]]:
    return [(row.rank, row.name) for row in Standings(games, order or DEFAULT_ORDER).rows]


def test_points_are_exact_sums() -> None:
    games = [game("Ann", "Bob", "G1.5"), game("Bob", "Ann", "G0.0", "1-0"), game("Ann", "Cid", "-G2.0")]
    rows = {row.name: row for row in Standings(games).rows}
    assert rows["Ann"].points == Fraction(9, 16) + 0 + Fraction(15, 32)
    assert rows["Bob"].points == Fraction(7, 16) + 1
    assert rows["Ann"].classical == Fraction(1)
    assert sum(row.points for row in rows.values()) == len(games)
    (ann, bob) = Standings([game("Ann", "Bob", "G0.0", "1/2-1/2")]).rows  # as the sheet says
    assert (ann.classical, ann.points, bob.classical, bob.points) == (Fraction(1, 2), 1, Fraction(1, 2), 0)


def test_players_are_ranked_in_the_order_that_is_named() -> None:
    games = [
        game("Ann", "Bob", "G0.0", "1-0"),
        game("Bob", "Cid", "G0.5"),
        game("Cid", "Ann", "G0.5"),
        game("Bob", "Ann", "G0.5"),
    ]
    expected = {
        (): [(1, "Bob"), (2, "Ann"), (3, "Cid")],
        ("points",): [(1, "Ann"), (1, "Bob"), (3, "Cid")],
        ("net",): [(1, "Bob"), (2, "Cid"), (3, "Ann")],
        ("points", "direct-encounter"): [(1, "Ann"), (2, "Bob"), (3, "Cid")],
    }
    assert {order: ranking(games, *order) for order in expected} == expected
    equal = [game("Bob", "Cid", "G0.5"), game("Ann", "Dan", "G0.5")]
    assert ranking(equal) == [(1, "Ann"), (1, "Bob"), (3, "Cid"), (3, "Dan")]


def test_games_without_a_result_are_left_out_and_counted() -> None:
    standings = Standings([game("Ann", "Bob", "G0.5", "*"), game("Ann", "Bob", "G0.5")])
    assert (standings.unfinished, [row.games for row in standings.rows]) == (1, [1, 1])


names = st.sampled_from(["Ann", "Bob", "Cid", "Dan"])
event = st.lists(
    st.builds(
        EventGame,
        st.tuples(names, names),
        st.sampled_from(["1-0", "0-1", "1/2-1/2"]),
        outcomes,
        st.just(Scoring()),
        st.sampled_from(Source),
    ).filter(lambda each: each.players[0] != each.players[1]),
    min_size=1,
    max_size=12,
)


@given(event, st.permutations(TIE_BREAKS))
def test_every_game_gives_one_point_and_ranks_follow_the_order(games: list[EventGame], order: list[TieBreak]) -> None:
    standings = Standings(games, order)
    assert sum(row.points for row in standings.rows) == len(games)
    assert sum(row.classical for row in standings.rows) == len(games)
    assert not any(map(sum, zip(*(row.net() for row in standings.rows), strict=True)))
    assert [row.rank for row in standings.rows] == sorted(row.rank for row in standings.rows)
    if order[0] == "points":
        assert [row.points for row in standings.rows] == sorted((row.points for row in standings.rows), reverse=True)
    order.remove("double-wins")  # games in a row have an order
    assert [row.name for row in Standings(games[::-1], order).rows] == [
        row.name for row in Standings(games, order).rows
    ]


def test_a_tie_of_a_knockout_tells_the_points_of_its_scoring_and_who_is_ahead_by_them_or_by_smaller_scores() -> None:
    scoring = Scoring(Scheme.CLASSICAL)
    games = [game("Ann", "Bob", "G3.0", scoring=scoring), game("Bob", "Ann", "G5.0", scoring=scoring)]
    rounds = knockout_rounds([each._replace(tags={"EventType": "k.o.", "Round": "2"}) for each in games])
    assert rounds == {2: [Tie(("Ann", "Bob"), (Fraction(1), Fraction(1)), "Ann", "r-mobility")]}


def test_csv_is_read_back() -> None:
    facts = Standings([game('<b>"Ann" & Co</b>', "Bob, Ltd", "G1.5"), game("Bob, Ltd", "Cid", "G0.5")]).facts()
    rows = list(csv.DictReader(io.StringIO(text_of(Form.CSV, facts, facts["players"]))))
    assert [*rows[0]][:6] == ["rank", "name", "games", "classical", "points", "points_exact"]
    assert {f"against.{row['name']}" for row in rows} <= rows[0].keys()
    ann = next(row for row in rows if row["name"] == '<b>"Ann" & Co</b>')
    assert (ann["points"], ann["points_exact"], ann["against.Bob, Ltd"]) == ("0.5625", "9/16", '["9/16"]')


def test_an_event_is_named_by_its_games_or_by_what_the_names_of_several_have_in_common() -> None:
    one = game("a", "b", "G1.5")
    assert Standings([one]).event == ""
    assert Standings([one._replace(tags={"Event": "Open"}), one]).event == "Open"
    leagues = [one._replace(tags={"Event": f"Season 18 - League {number}"}) for number in (2, 3)]
    assert Standings(leagues).event == "Season 18 - League"
    assert Standings([one._replace(tags={"Event": "Open 1"}), one._replace(tags={"Event": "Cup"})]).event == ""
