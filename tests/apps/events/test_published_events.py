"""Two leagues of TCEC in one file, each ranked by TCEC's rules from the published scores.

The file has the first two rounds of each league. Its ranks are those of TCEC's rules after these
rounds; the final ranks that TCEC published rest on games, and perhaps crashes, of later rounds.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import chess.pgn
import pytest

from tbgen.apps.events.criteria import PRESETS
from tbgen.apps.events.endings import has_crashed
from tbgen.apps.events.standings import Standings, by_event
from tbgen.apps.events.told import facts_of_event
from tbgen.apps.games.batch import GamesDecider, GamesTask
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.text import chunks_in
from tbgen.score import Color
from tests.project import S18, golden_rows

LEAGUES = ("TCEC Season 18 - League 2", "TCEC Season 18 - League 3")
SHEET = {"1-0": Fraction(1), "0-1": Fraction(0), "1/2-1/2": Fraction(1, 2)}


@pytest.fixture(scope="module")
def games() -> list[EventGame]:
    with contextlib.closing(GamesDecider(GamesTask(texts=False, results=True))) as decider:
        found = []
        for chunk in chunks_in(S18):
            found += decider.decide(chunk, "tcec_s18.pgn").results
        return found


def published() -> dict[str, list[tuple[str, str, Fraction, Fraction]]]:
    """League -> its games: White, Black, White's points on the sheet, and by the published score.

    The results are read by python-chess. A drawn game gives the side that holds `G<n>` half a point
    and 2 to the power of -(2n + 1) more.
    """
    leagues = defaultdict(list)
    with S18.open(encoding="utf-8") as file:
        for row in golden_rows("tcec_s18.csv"):
            game = chess.pgn.read_game(file)
            assert game is not None
            sheet = SHEET[game.headers["Result"]]
            points = sheet
            if sheet == Fraction(1, 2):
                held = row["accrued_at_end"]
                more = Fraction(1, 2 ** int(2 * Fraction(held.lstrip("-G")) + 1))
                points = sheet - more if held.startswith("-") else sheet + more
            leagues[row["event"]].append((row["white"], row["black"], sheet, points))
    return leagues


@dataclass
class Figures:
    """What TCEC's rules compare, counted for one player from the published games."""

    sheet: Fraction = Fraction(0)
    points: Fraction = Fraction(0)
    wins: int = 0
    neustadtl: Fraction = Fraction(0)


def figures_of(league: str) -> dict[str, Figures]:
    figures = defaultdict[str, Figures](Figures)
    against = defaultdict(list)
    for white, black, on_sheet, by_score in published()[league]:
        for name, opponent, sheet, points in (
            (white, black, on_sheet, by_score),
            (black, white, 1 - on_sheet, 1 - by_score),
        ):
            figures[name].sheet += sheet
            figures[name].points += points
            figures[name].wins += sheet == 1
            against[name].append((opponent, sheet))
    for name, opponents in against.items():
        for other, won in opponents:
            figures[name].neustadtl += figures[other].sheet * won
    return figures


@pytest.mark.parametrize("league", LEAGUES)
def test_a_league_is_ranked_by_the_rule_and_the_scores_that_tcec_published(
    games: list[EventGame], league: str
) -> None:
    figures = figures_of(league)
    rows = Standings(by_event(games)[league], PRESETS["tcec-league"]).rows
    assert {row.name: (row.classical, row.points) for row in rows} == {
        name: (each.sheet, each.points) for name, each in figures.items()
    }
    assert {row.name: row.figures["sonneborn-berger"] for row in rows} == {
        name: each.neustadtl for name, each in figures.items()
    }
    # After two rounds no tie is decided between its own players: most of them have not met.
    keys = []
    for row in rows:
        each = figures[row.name]
        keys.append((each.sheet, each.neustadtl, each.points))
    assert keys == sorted(keys, reverse=True)
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)


@pytest.mark.parametrize("league", LEAGUES)
def test_a_league_has_the_ranks_of_the_rules_of_its_own_season(
    games: list[EventGame], league: str
) -> None:
    """In season 18 r-mobility was no tie-break: crashes, wins and Sonneborn-Berger decided."""
    keys = {}
    for name, each in figures_of(league).items():
        keys[name] = (each.sheet, each.wins, each.neustadtl)
    played = by_event(games)[league]
    assert not any(has_crashed(game, side) for game in played for side in Color)
    rows = Standings(played, PRESETS["tcec-season-18"]).rows
    assert {row.name: row.rank for row in rows} == {
        name: 1 + sum(other > key for other in keys.values()) for name, key in keys.items()
    }


def test_the_ranks_of_both_rules_differ_only_where_the_older_one_leaves_a_tie(
    games: list[EventGame],
) -> None:
    shared = []
    for played in by_event(games).values():
        newer = Standings(played, PRESETS["tcec-league"])
        older = Standings(played, PRESETS["tcec-season-18"])
        for row in older.rows:
            if newer.rows[newer.indices[row.name]].rank != row.rank:
                shared.append((row.rank, row.name.split()[0]))
    assert shared == [
        (8, "Demolito"),
        (2, "iCE"),
        (4, "Counter"),
        (7, "Asymptote"),
        (7, "Gogobello"),
        (7, "Topple"),
    ]


def test_both_leagues_have_all_their_games_and_days(games: list[EventGame]) -> None:
    events = by_event(games)
    assert {name: len(found) for name, found in events.items()} == dict.fromkeys(LEAGUES, 10)
    days = [facts_of_event(Standings(found))["dates"] for found in events.values()]
    assert days == ["12–13 May 2020", "7–8 May 2020"]
