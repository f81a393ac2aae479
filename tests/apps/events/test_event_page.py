"""The page of an event, which needs no other file."""

from __future__ import annotations

import re

import pytest

from tbgen.apps.events import cross_table
from tbgen.apps.events.criteria import TIE_BREAKS
from tbgen.apps.events.standings import Standings
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import Source
from tbgen.errors import PgnError
from tbgen.rules.points import Scoring
from tbgen.score import Score
from tests.apps.events.shown import page_of
from tests.apps.site.faults import parsed


def game(
    white: str, black: str, final: str, source: Source = Source.GAME, event: str = "?"
) -> EventGame:
    missing = "KRPvKR" if source is Source.PROVISIONAL else None
    return EventGame(
        (white, black),
        "1/2-1/2",
        Score(final),
        Scoring(),
        source,
        missing,
        tags={"Event": event},
    )


def page(*games: EventGame) -> str:
    found = page_of(Standings(games))
    parsed(found)
    return found


def test_the_page_needs_nothing_else_and_escapes_names() -> None:
    found = page(game('<b>"Ann" & Co</b>', "Bob, Ltd", "G1.5", event="Open & <free>"))
    assert not re.search(r'src="(?!data:)|<link[^>]*href="(?!data:)', found)
    assert not re.search(r"url\(|@import|<script", found)
    assert "&lt;b&gt;&#34;Ann&#34; &amp; Co&lt;/b&gt;" in found
    assert "<title>Open &amp; &lt;free&gt;</title>" in found


def test_a_cell_has_the_scores_of_two_games_as_the_player_of_the_row_sees_them() -> None:
    found = page(game("Ann", "Bob", "G1.5"), game("Bob", "Ann", "G0.0"))
    cells = re.findall(r'<td class="met">(.*?)</td>', found)
    bobs = [
        scored("b2", "G1.5 as Black against Ann, points 0.4375, drawn", "−1.5"),
        scored("w0", "G0.0 as White against Ann, points 1, best play", "1<sup>b</sup>"),
    ]
    anns = [
        scored("w2", "G1.5 as White against Bob, points 0.5625, drawn", "1.5"),
        scored("b0", "G0.0 as Black against Bob, points 0, best play", "0<sup>b</sup>"),
    ]
    assert cells == ["".join(bobs), "".join(anns)]


def scored(kind: str, title: str, score: str) -> str:
    """The score of a game in a cell."""
    return f'<span class="{kind}" title="{title}">{score}</span>'


def test_a_provisional_score_is_marked_and_the_page_says_how_many_there_are() -> None:
    found = page(game("Ann", "Bob", "G1.5", Source.PROVISIONAL), game("Ann", "Bob", "G2.5"))
    assert "1.5<b>?</b></span>" in found
    note = "The score of 1 of 2 games is not final"
    reason = "best play is unknown without the table KRPvKR (1 game)."
    assert f"{note}: {reason}" in found
    assert "ot final" not in page(game("Ann", "Bob", "G2.5"))


def test_many_games_of_two_players_are_told_by_their_points() -> None:
    assert "5.625 of 10</td>" in page(*[game("Ann", "Bob", "G1.5")] * 10)


CUP = {"EventType": "k.o.", "MeetingGames": "2"}


def test_the_page_of_a_knockout_has_its_bracket() -> None:
    games = [game("Ann", "Bob", "G1.5"), game("Bob", "Ann", "G2.5"), game("Cid", "Dan", "G0.0")]
    first_round = [in_round(each, 1) for each in games]
    final = [in_round(game("Cid", "Ann", "G0.0"), 2), in_round(game("Ann", "Cid", "-G0.0"), 2)]
    found = page(*first_round, *final)
    assert re.findall(r"<h3>(.*?)</h3>", found) == ["Round 1", "Round 2"]
    assert re.findall(r"<strong>(.*?)</strong>", found) == ["Ann", "Cid", "Cid"]
    assert "Bracket" not in page(*games)


@pytest.mark.parametrize(("number", "wins"), [(8, 1), (10, 2)])
def test_the_last_game_of_the_longest_tie_decides_it(number: int, wins: int) -> None:
    """The longest tie has two games, and four times two more."""
    first_round = [
        in_round(game("Ann", "Bob", "G1.5"), 1),
        in_round(game("Bob", "Ann", "G2.5"), 1),
    ]
    equal = list[EventGame]()
    for match_game in range(1, number + 1, 2):
        equal.append(in_round(game("Cid", "Ann", "G1.5"), 2, match_game))
        equal.append(in_round(game("Ann", "Cid", "G1.5"), 2, match_game + 1))
    found = page(*first_round, *equal[::-1])
    assert found.count("<strong>Ann</strong>") == wins


def in_round(played: EventGame, number: int, match_game: int | None = None) -> EventGame:
    """A game of the cup."""
    tags = {**CUP, "Round": str(number)}
    if match_game is not None:
        tags["MatchGame"] = str(match_game)
    return played._replace(tags=tags)


@pytest.mark.parametrize(("players", "crossed"), [(12, True), (50, False), (2000, False)])
def test_players_who_have_not_met_have_a_table_of_their_games(players: int, crossed: bool) -> None:
    games = [game(f"player {n}", f"player {n + 1}", "G1.5") for n in range(players - 1)]
    found = page_of(Standings(games))
    assert len(found) < 1000 * max(players, 60)  # so many bytes grow with players, not with pairs
    assert f"player {players - 1}" in found
    assert found.count('class="met self"') == (players if crossed else 0)
    assert found.count("<i>1w</i>") == (0 if crossed else 1)


def test_many_players_who_have_all_met_have_a_table_of_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cross_table, "_MOST_CROSSED", 20)
    names = [f"player {number}" for number in range(22)]
    games = []
    for number in range(1, len(names)):
        # The circle method: one player stays, the others move on by a place each round.
        order = [names[0], *names[number:], *names[1:number]]
        for white, black in zip(order[:11], order[:10:-1], strict=True):
            games.append(game(white, black, "G1.5")._replace(tags={"Round": str(number)}))
    found = page(*games)
    assert "Round by round" in found
    assert found.count('<th scope="col" class="met"') == len(names) - 1


def test_pages_of_games_name_the_games_that_were_left_out() -> None:
    fault = PgnError("games.pgn", "illegal move 'Ke3'", number=7, ply=3)
    unreadable = game("Ann", "Bob", "G1.5")._replace(fault=fault)
    sheetless = unreadable._replace(result="*")
    for game_of_event, heading in (
        (unreadable, "Counted by the score sheet"),
        (sheetless, "Left out:"),
    ):
        found = page_of(Standings([game("Ann", "Bob", "G1.5"), game_of_event]))
        assert heading in found
        assert "games.pgn, game 7, ply 3: illegal move &#39;Ke3&#39;" in found


def test_every_criterion_is_a_column_in_its_order_with_a_sentence() -> None:
    games = [game("Ann", "Bob", "G1.5"), game("Bob", "Cid", "G0.5"), game("Cid", "Ann", "G0.5")]
    found = page_of(Standings(games, TIE_BREAKS))
    parsed(found)
    heads = re.findall(r'<th scope="col" class="n(?: spare| idle)?">(.*?)</th>', found)
    assert heads[:5] == ["Rank", "Games", "Score sheet", "Points", "Net"]
    assert "Direct encounter" not in heads
    assert len(heads) == len(TIE_BREAKS) + 2
    assert re.findall(r"<li><b>(.*?)\.</b>", found)[3] == "Direct encounter"
    assert found.count("<li><b>") == len(TIE_BREAKS)


def test_a_bye_stands_in_a_cell_of_its_own_and_a_forfeit_has_no_score() -> None:
    bye = game("Ann", "bye", "G0.0")._replace(plies=0, tags={"Round": "1"})
    forfeit = game("Bob", "Ann", "G0.0")._replace(
        plies=0, result="1-0", source=Source.RESULT, tags={"Round": "2"}
    )
    found = page(game("Ann", "Bob", "G1.5"), bye, forfeit)
    assert '<th scope="col" class="n spare">Byes</th>' in found
    assert '<td class="n spare">0.5</td>' in found
    by_forfeit = "1-0 as White against Ann, by the score sheet, Black forfeited"
    assert f'<span title="{by_forfeit}">1<sup>f</sup></span>' in found
    assert "<summary>Round 2: 1 game</summary>" in found
    assert "<td>Black forfeited</td>" in found


def test_players_have_the_ratings_that_the_games_name() -> None:
    rated = game("Ann", "Bob", "G1.5")._replace(tags={"WhiteElo": "3456", "BlackElo": "?"})
    found = page(rated)
    assert '<th scope="col" class="n spare">Rating</th>' in found
    assert '<td class="n spare">3456</td>' in found
    assert '<td class="n spare"></td>' in found
    assert "Rating" not in page(game("Ann", "Bob", "G1.5"))


def test_equal_points_are_explained_and_the_figure_that_decides_is_marked() -> None:
    games = [game("Ann", "Bob", "G0.5"), game("Cid", "Dan", "G1.0"), game("Eve", "Ann", "G1.0")]
    found = page(*games, game("Cid", "Fay", "G14.5"), game("Bob", "Gus", "G14.0"))
    assert '<td class="n decides">' in found
    tied = page(game("Ann", "Bob", "G14.5"), game("Cid", "Dan", "G14.0"))
    assert "Cid, Ann, Bob and Dan all have 0.5 points." in tied
    assert "Cid is before Ann by points, less than a billionth more." in tied


def test_how_a_game_ended_says_once_that_best_play_decided_it() -> None:
    found = page(
        game("Ann", "Bob", "G0.0", Source.TABLEBASE), game("Ann", "Bob", "G1.5", Source.TABLEBASE)
    )
    assert "<td>best play</td>" in found
    assert "<td>drawn; decided by best play</td>" in found


def test_a_sentence_says_who_leads_and_why_an_equal_player_is_second() -> None:
    games = [game("Ann", "Bob", "G1.0"), game("Cid", "Dan", "G1.0"), game("Cid", "Dan", "-G1.0")]
    found = page_of(Standings([*games, game("Ann", "Bob", "-G1.0")]))
    assert "Ann, Bob, Cid and Dan share the lead with 1 point." in found
    everybody = [("Ann", "Bob", "G0.5"), ("Bob", "Cid", "G0.5"), ("Ann", "Cid", "G0.0")]
    over = page_of(Standings([game(*each) for each in everybody], is_over=True))
    assert "Ann wins with 1.75 points, from 2 games." in over
