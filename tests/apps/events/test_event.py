from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.events.criteria import DEFAULT_ORDER, TIE_BREAKS, TieBreak
from tbgen.apps.events.cross_table import cells_of
from tbgen.apps.events.doubts import doubts_of
from tbgen.apps.events.knockout import Tie, knockout_of, tie_of
from tbgen.apps.events.players import ratings_of
from tbgen.apps.events.standings import (
    Standings,
    by_event,
    faults_of_event,
    games_of_event,
    names_of_events,
)
from tbgen.apps.events.told import csv_rows_of, facts_of_event, told_of
from tbgen.apps.games.batch import GamesDecider, GamesTask
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import Source
from tbgen.apps.games.text import chunks_of
from tbgen.cli.showing import Form, text_of
from tbgen.errors import PgnError, UsageError
from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color, Score
from tests.project import S18
from tests.strategies import examples, outcomes


def game(
    white: str, black: str, final: str, result: str = "1/2-1/2", scoring: Scoring | None = None
) -> EventGame:
    rule = Scoring() if scoring is None else scoring
    return EventGame((white, black), result, Score(final), rule, Source.GAME)


def ranking(games: Sequence[EventGame], *order: TieBreak) -> list[tuple[int, str]]:
    return [(row.rank, row.name) for row in Standings(games, order or DEFAULT_ORDER).rows]


def test_points_are_exact_sums() -> None:
    games = [
        game("Ann", "Bob", "G1.5"),
        game("Bob", "Ann", "G0.0", "1-0"),
        game("Ann", "Cid", "-G2.0"),
    ]
    rows = {row.name: row for row in Standings(games).rows}
    assert rows["Ann"].points == Fraction(9, 16) + 0 + Fraction(15, 32)
    assert rows["Bob"].points == Fraction(7, 16) + 1
    assert rows["Ann"].classical == Fraction(1)
    assert sum(row.points for row in rows.values()) == len(games)
    (ann, bob) = Standings([game("Ann", "Bob", "G0.0", "1/2-1/2")]).rows  # as the sheet says
    assert [ann.classical, ann.points, bob.classical, bob.points] == [
        Fraction(1, 2),
        1,
        Fraction(1, 2),
        0,
    ]


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
    assert (len(standings.unfinished), [row.games for row in standings.rows]) == (1, [1, 1])


names = st.sampled_from(["Ann", "Bob", "Cid", "Dan"])
event = st.lists(
    st.builds(
        EventGame,
        st.tuples(names, names),
        st.sampled_from(["1-0", "0-1", "1/2-1/2"]),
        outcomes,
        st.just(Scoring()),
        st.sampled_from(Source),
        fault=st.none(),
        accrued=st.none(),
    ).filter(lambda each: each.players[0] != each.players[1]),
    min_size=1,
    max_size=12,
)


@examples(share=3)
@given(event, st.permutations(TIE_BREAKS))
def test_every_game_gives_one_point_and_ranks_follow_the_order(
    games: list[EventGame], order: list[TieBreak]
) -> None:
    standings = Standings(games, order)
    assert sum(row.points for row in standings.rows) == len(games)
    assert sum(row.classical for row in standings.rows) == len(games)
    assert not any(map(sum, zip(*(row.net() for row in standings.rows), strict=True)))
    assert [row.rank for row in standings.rows] == sorted(row.rank for row in standings.rows)
    if order[0] == "points":
        assert [row.points for row in standings.rows] == sorted(
            (row.points for row in standings.rows), reverse=True
        )
    order.remove("double-wins")  # games in a row have an order
    assert [row.name for row in Standings(games[::-1], order).rows] == [
        row.name for row in Standings(games, order).rows
    ]


def test_a_tie_of_a_knockout_has_points_and_the_player_ahead_by_them_or_by_smaller_scores() -> None:
    scoring = Scoring(Scheme.CLASSICAL)
    games = [
        game("Ann", "Bob", "G3.0", scoring=scoring),
        game("Bob", "Ann", "G5.0", scoring=scoring),
    ]
    found = knockout_of(
        [each._replace(tags={"EventType": "k.o.", "Round": "2"}) for each in games], is_over=True
    )
    assert found is not None
    assert found.rounds == {
        2: [Tie(("Ann", "Bob"), (Fraction(1), Fraction(1)), "Ann", "r-mobility")]
    }


@pytest.mark.parametrize(
    ("results", "points", "winner"),
    [
        (["0-0"], ("0", "0"), None),
        (["0-0", "1/2-1/2"], ("1/2", "1/2"), None),
        (["1/2-0"], ("1/2", "0"), "Ann"),
        (["1/2-0", "0-1/2"], ("1/2", "1/2"), None),
        (["0-0", "0-1/2"], ("0", "1/2"), "Bob"),
    ],
)
def test_the_players_of_a_tie_need_not_share_a_point_a_game(
    results: list[str], points: tuple[str, str], winner: str | None
) -> None:
    games = [game("Ann", "Bob", "G0.0", result)._replace(plies=0) for result in results]
    games = [each._replace(source=Source.RESULT) for each in games]
    found = tie_of(("Ann", "Bob"), [("Ann", each) for each in games], len(games))
    assert tuple(map(str, found.points)) == points
    assert found.winner == winner


def in_knockout(white: str, black: str, number: str, result: str) -> EventGame:
    played = game(white, black, "G0.0" if result == "1-0" else "-G0.0", result)
    if result == "0-0" or black == "bye":
        played = played._replace(plies=0, source=Source.RESULT)
    return played._replace(tags={"EventType": "k.o.", "Round": number})


def test_a_play_off_without_a_number_goes_on_with_the_tie_of_its_players() -> None:
    games = [
        in_knockout("Cid", "Fay", "?", "1-0"),
        in_knockout("Cid", "Fay", "1", "1-0"),
        in_knockout("Fay", "Cid", "1", "1-0"),
    ]
    found = knockout_of(games, is_over=True)
    assert found is not None
    assert found.winner == "Cid"
    assert found.rounds == {1: [Tie(("Cid", "Fay"), (Fraction(2), Fraction(1)), "Cid", "points")]}


def test_two_who_both_stay_away_are_out_once_the_event_is_over() -> None:
    games = [
        in_knockout("Ann", "Eve", "1", "0-0"),
        in_knockout("Bob", "Cid", "1", "1-0"),
        in_knockout("Bob", "bye", "2", "1-0"),
    ]
    running = knockout_of(games, is_over=False)
    over = knockout_of(games, is_over=True)
    assert running is not None
    assert over is not None
    assert (running.winner, over.winner) == (None, "Bob")
    assert over.facts()["byes"] == [{"round": 2, "player": "Bob"}]
    bracket = told_of(Standings(games, is_over=True)).bracket
    assert [(each.name, each.byes) for each in bracket] == [
        ("Round 1", []),
        ("Round 2", ["Bob: bye"]),
    ]


def test_a_last_game_that_nobody_played_decides_no_tie() -> None:
    ahead = game("Ann", "Bob", "G1.5")
    behind = game("Ann", "Bob", "-G1.5")
    games = [("Ann", each) for each in [ahead, behind] * 5]
    assert tie_of(("Ann", "Bob"), games, 2).winner == "Bob"
    away = game("Ann", "Bob", "G0.0", "0-0")._replace(plies=0, source=Source.RESULT)
    absent = [("Ann", away), ("Ann", away)]
    assert tie_of(("Ann", "Bob"), [*games[:-2], *absent], 2).winner == "Bob"
    assert tie_of(("Ann", "Bob"), absent * 5, 2).winner is None


def test_over_the_board_no_face_counts_scores_above_the_cutoff() -> None:
    otb = Scoring(Scheme.OTB)
    games = [game("Ann", "Bob", "G27.5", scoring=otb), game("Bob", "Ann", "G29.5", scoring=otb)]
    standings = Standings(games, ["net"])
    assert [row.rank for row in standings.rows] == [1, 1]
    assert [row["net"] for row in facts_of_event(standings)["players"]] == [{}, {}]
    assert "G27.5" not in "".join(cells_of(standings, "net").values())


def test_a_rating_is_the_last_one_by_rounds_and_stays_where_a_game_has_none() -> None:
    games = []
    for number, elo in ((3, "2110"), (1, "2000"), (4, "")):
        tags = {"Round": str(number), "WhiteElo": elo}
        games.append(game("Ann", "Bob", "G0.5")._replace(tags=tags))
    assert ratings_of(games) == {"Ann": 2110, "Bob": 0}


def test_an_event_keeps_its_name_and_several_share_a_part() -> None:
    for names, shown in (
        (["Cup -"], "Cup -"),
        (["Cup - A", "Cup - B"], "Cup"),
        (["Cup", "", "Cup"], "Cup"),
    ):
        games = [game("Ann", "Bob", "G0.5")._replace(tags={"Event": name}) for name in names]
        assert Standings(games).event == shown


def test_a_ranking_says_that_bounds_exclude_a_score_that_it_uses() -> None:
    doubted = game("Ann", "Bob", "-G4.5")._replace(source=Source.PROVISIONAL)
    for bounds, excluded in (
        ("G5.5 G4.0", True),
        ("-G4.0 G4.0", False),
        ("-G4.5 -G4.5", False),
        ("", False),
        ("x y", False),
    ):
        found = Standings([doubted._replace(tags={"RMobilityBounds": bounds})])
        assert ("the accrued score of 1 game lies outside its bounds" in found.caveat) is excluded


def test_csv_is_read_back() -> None:
    games = [game('<b>"Ann" & Co</b>', "Bob, Ltd", "G1.5"), game("Bob, Ltd", "Cid", "G0.5")]
    standings = Standings([*games, game("Bob, Ltd", '<b>"Ann" & Co</b>', "G0.0")])
    rows = list(csv.DictReader(io.StringIO(text_of(Form.CSV, {}, csv_rows_of(standings)))))
    figures = ["games", "byes", "classical", "points", "points_exact", "net", "behind_by"]
    crossed = [f"against.{row['name']}" for row in rows]
    assert list(rows[0]) == ["event", "rank", "name", *figures, *crossed]
    ann = next(row for row in rows if row["name"] == '<b>"Ann" & Co</b>')
    assert ann["points_exact"] == "9/16"
    assert ann["net"] == "G1.5: 1"
    assert ann["against.Bob, Ltd"] == "0.5625 0"
    assert ann["against.Cid"] == ""


def test_an_event_is_named_by_its_games_or_by_what_the_names_of_several_have_in_common() -> None:
    one = game("a", "b", "G1.5")
    assert Standings([one]).event == ""
    assert Standings([one._replace(tags={"Event": "Open"}), one]).event == "Open"
    leagues = [one._replace(tags={"Event": f"Season 18 - League {number}"}) for number in (2, 3)]
    assert Standings(leagues).event == "Season 18 - League"
    assert (
        Standings(
            [one._replace(tags={"Event": "Open 1"}), one._replace(tags={"Event": "Cup"})]
        ).event
        == ""
    )


def test_an_unreadable_game_counts_by_its_score_sheet() -> None:
    misprinted = '[White "Ann"]\n[Black "Bob"]\n[Result "1/2-1/2"]\n\n1. e4 e5 2. Ke3 1/2-1/2\n\n'
    games = events_of(misprinted + PLAYED)
    standings = Standings(games)
    rows = {row.name: row for row in standings.rows}
    assert [rows["Bob"].points, rows["Ann"].classical] == [Fraction(1, 2), 1]
    (unreadable,) = standings.by_sheet
    assert isinstance(unreadable, PgnError)
    assert unreadable.reason == "illegal move 'Ke3'"
    assert facts_of_event(standings)["by_sheet"][0]["ply"] == 3


@pytest.mark.parametrize(
    "tags",
    [
        '[White "Ann"]\n[Black "Bob"]\n[Result "*"]',
        '[White "Ann"]\n[Black "Bob"]\n[Result "1:0"]',
        '[White "Ann"]\n[Result "1-0"]',
    ],
)
def test_an_unreadable_game_without_players_or_a_result_never_counts(tags: str) -> None:
    standings = Standings(events_of(f"{tags}\n\n1. Ke3 *\n"))
    assert (standings.rows, len(standings.skipped)) == ([], 1)


def test_a_split_result_has_the_points_that_the_arbiter_gave() -> None:
    games = events_of(
        '[White "Ann"]\n[Black "Bob"]\n[Result "1/2-0"]\n\n1. e4 e5 1/2-0\n\n'
        '[White "Bob"]\n[Black "Ann"]\n[Result "0-0"]\n\n1. e4 e5 0-0\n'
    )
    rows = {row.name: (row.games, row.points, row.classical) for row in Standings(games).rows}
    assert rows == {"Ann": (2, Fraction(1, 2), Fraction(1, 2)), "Bob": (2, 0, 0)}


def test_a_double_forfeit_without_moves_is_an_unplayed_round_of_both() -> None:
    table = Standings(events_of(PLAYED + BYE.format(opponent="Bob", result="0-0"))).table
    assert not any(cell.is_played and not cell.points for cells in table.values() for cell in cells)


@pytest.mark.parametrize(
    "name", ["Half-point bye", "-", "BYE", "full point  bye", "No opponent", "Bye, Bye", "—"]
)
def test_byes_have_several_names(name: str) -> None:
    games = events_of(BYE.format(opponent=name, result="1/2-1/2") + PLAYED)
    assert {row.name for row in Standings(games).rows} == {"Ann", "Cid"}


def test_a_player_who_is_called_bye_and_moves_is_a_player() -> None:
    played = PLAYED.replace("Cid", "bye")
    standings = Standings(events_of(played))
    assert {row.name for row in standings.rows} == {"Ann", "bye"}
    assert standings.rows[0].points_against(standings.rows[1].name) == [standings.rows[0].points]


def test_points_without_any_move_are_doubted() -> None:
    games = events_of(BYE.format(opponent="Niemand", result="1/2-1/2") + PLAYED)
    assert '"Niemand" has no game with moves; if it stands for no opponent, write "bye"' in list(
        doubts_of(Standings(games))
    )


def test_a_player_who_has_had_byes_alone_is_no_doubt() -> None:
    games = events_of(BYE.format(opponent="bye", result="1/2-1/2").replace("Ann", "Eve") + PLAYED)
    standings = Standings(games)
    assert "Eve" in standings.indices
    assert list(doubts_of(standings)) == []


def test_one_event_beyond_those_that_are_named_is_one_other() -> None:
    game = '[Event "{}"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    seven = events_of("".join(map(game.format, "ABCDEFG")))
    assert names_of_events(seven).endswith('"F" (1 game), 1 other')
    eight = events_of("".join(map(game.format, "ABCDEFGH")))
    assert names_of_events(eight).endswith('"F" (1 game), 2 others')


def test_a_mixture_of_events_is_doubted_and_one_can_be_chosen() -> None:
    games = events_of(S18.read_text(encoding="utf-8"))
    mixture = (
        'events are ranked as one: "TCEC Season 18 - League 2" (10 games), '
        '"TCEC Season 18 - League 3" (10 games)'
    )
    (doubt,) = doubts_of(Standings(games))
    assert doubt.startswith(f"2 {mixture}")
    league = games_of_event(games, "tcec season 18 -  League 3")
    assert len(league) == 10
    assert list(doubts_of(Standings(league))) == []
    with pytest.raises(UsageError, match=r'no game has the event "League 4"; there are "TCEC'):
        games_of_event(games, "League 4")


def test_faults_of_other_events_are_left_out_and_those_without_an_event_are_kept() -> None:
    damaged = '[Event "{}"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. Ke3 1-0\n\n'
    games = events_of("".join(damaged.format(name) for name in ("One", "Two", "?")))
    faults = [game.fault for game in games if game.fault is not None]
    chosen = games_of_event(games, "One")
    assert faults_of_event(faults, games, chosen) == [faults[0], faults[2]]


def test_each_event_of_a_file_is_ranked_by_itself_and_its_name_may_change_case() -> None:
    games = events_of(S18.read_text(encoding="utf-8"))
    shouted = {**games[0].tags, "Event": "TCEC SEASON 18 - LEAGUE 2"}
    events = by_event([*games, games[0]._replace(tags=shouted)])
    assert {name: len(games) for name, games in events.items()} == {
        "TCEC Season 18 - League 2": 11,
        "TCEC Season 18 - League 3": 10,
    }


def test_an_unreadable_game_that_lost_its_event_is_told_with_the_first_event() -> None:
    damaged = events_of('[White "Ann"]\n\n1. Ke3 *\n')
    games = [game("Ann", "Bob", "G1.5")._replace(tags={"Event": name}) for name in ("One", "Two")]
    events = by_event([*damaged, *games])
    assert {name: len(games) for name, games in events.items()} == {"One": 2, "Two": 1}


def test_each_player_is_behind_the_one_above_by_the_first_criterion_that_tells_them_apart() -> None:
    games = [
        game("Ann", "Bob", "G0.0", "1-0"),
        game("Bob", "Cid", "G0.5"),
        game("Cid", "Ann", "G0.5"),
        game("Bob", "Ann", "G0.5"),
    ]
    by_net = Standings(games).rows
    assert [(row.name, row.behind_by) for row in by_net] == [
        ("Bob", None),
        ("Ann", "net"),
        ("Cid", "points"),
    ]
    equal = Standings([game("Ann", "Bob", "G0.5"), game("Cid", "Dan", "G0.5")]).rows
    assert [row.behind_by for row in equal] == [None, None, "points", None]


def test_two_matches_of_one_event_are_doubted() -> None:
    games = [game("Ann", "Bob", "G1.5")._replace(tags={"MatchId": name}) for name in "ab"]
    assert list(doubts_of(Standings(games))) == ["the games of 2 matches are ranked as one event"]


BYE = '[Round "1"][White "Ann"][Black "{opponent}"][Result "{result}"]\n\n{result}\n\n'
PLAYED = (
    '[Round "2"]\n[White "Ann"]\n[Black "Cid"]\n[Result "1/2-1/2"]\n\n'
    "1. e4 e5 2. Nf3 Nc6 1/2-1/2\n\n"
)


def events_of(text: str, scoring: str = "exponential") -> list[EventGame]:
    """The games of a text as `standings` counts them; tags may stand on one line."""
    task = GamesTask(Rules(scheme=Scheme(scoring)), texts=False, results=True)
    with contextlib.closing(GamesDecider(task)) as desk:
        chunks = chunks_of([text.replace("][", "]\n[").encode()], "test.pgn")
        return [game for chunk in chunks for game in desk.decide(chunk, "test.pgn").results]


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize(("result", "points"), [("1/2-1/2", "1/2"), ("1-0", "1"), ("0-1", "0")])
@pytest.mark.parametrize("opponent", ["bye", "BYE ", "Bob"])
def test_byes_forfeits_and_draws_without_moves_have_the_points_of_the_sheet(
    scheme: Scheme, result: str, points: str, opponent: str
) -> None:
    (bye, _) = games = events_of(
        BYE.format(opponent=opponent, result=result) + PLAYED, scheme.value
    )
    assert [bye.points(side) for side in Color] == [Fraction(points), 1 - Fraction(points)]
    ann = next(row for row in Standings(games).rows if row.name == "Ann")
    assert ann.points == Fraction(points) + games[1].points(Color.WHITE)
    assert ann.net() == next(row for row in Standings(games[1:]).rows if row.name == "Ann").net()


def test_a_bye_is_no_opponent_in_any_tie_break() -> None:
    games = events_of(BYE.format(opponent="Bye", result="1/2-1/2") + PLAYED)
    rows = Standings(games, TIE_BREAKS).rows
    assert {row.name for row in rows} == {"Ann", "Cid"}
    assert all(
        "Bye" not in player["against"] for player in facts_of_event(Standings(games))["players"]
    )


def test_the_score_that_a_decision_wrote_for_a_bye_does_not_count() -> None:
    tags = (
        '[RMobilityResult "-G20.5"][RMobilityScoring "komi"][Points "0-1"][Komi "G5.75"]'
        '[RMobilitySource "game"]\n\n'
    )
    (game,) = events_of(
        BYE.format(opponent="bye", result="1/2-1/2").replace("\n\n", tags, 1), "komi"
    )
    assert game.points(Color.WHITE) == Fraction(1, 2)


def test_a_position_without_moves_is_scored_as_it_stands() -> None:
    (game,) = events_of(
        '[White "a"][SetUp "1"][FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n1/2-1/2\n'
    )
    assert game.points(Color.WHITE) == Scoring().points(Score("G4.0"))[0]
