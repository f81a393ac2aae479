"""Two leagues of TCEC in one file, each ranked by TCEC's rule from the published scores."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from fractions import Fraction

import chess.pgn
import pytest

from tbgen.apps.games.batch import ChunkDecider, GamesTask
from tbgen.apps.games.event import EventGame, by_event
from tbgen.apps.games.standings import PRESETS, Standings
from tbgen.apps.games.text import chunks_in
from tests.project import S18, golden_rows

LEAGUES = ("TCEC Season 18 - League 2", "TCEC Season 18 - League 3")
SHEET = {"1-0": Fraction(1), "0-1": Fraction(0), "1/2-1/2": Fraction(1, 2)}


@pytest.fixture(scope="module")
def games() -> list[EventGame]:
    with contextlib.closing(ChunkDecider(GamesTask(texts=False, results=True))) as decider:
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


@pytest.mark.parametrize("league", LEAGUES)
def test_a_league_is_ranked_by_the_rule_and_the_scores_that_tcec_published(
    games: list[EventGame], league: str
) -> None:
    sheet = defaultdict(Fraction)
    points = defaultdict(Fraction)
    against = defaultdict(list)
    for white, black, on_sheet, by_score in published()[league]:
        sheet[white] += on_sheet
        sheet[black] += 1 - on_sheet
        points[white] += by_score
        points[black] += 1 - by_score
        against[white].append((black, on_sheet))
        against[black].append((white, 1 - on_sheet))
    neustadtl = {}
    for name, opponents in against.items():
        neustadtl[name] = sum(sheet[opponent] * won for opponent, won in opponents)

    standings = Standings(by_event(games)[league], PRESETS["tcec-league"])
    rows = standings.rows
    assert {row.name: (row.classical, row.points) for row in rows} == {
        name: (sheet[name], points[name]) for name in sheet
    }
    assert {row.name: row.figures["sonneborn-berger"] for row in rows} == neustadtl
    # After two rounds no tie is decided between its own players: most of them have not met.
    keys = [(sheet[row.name], neustadtl[row.name], points[row.name]) for row in rows]
    assert keys == sorted(keys, reverse=True)
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)


def test_both_leagues_have_all_their_games_and_days(games: list[EventGame]) -> None:
    events = by_event(games)
    assert {name: len(found) for name, found in events.items()} == dict.fromkeys(LEAGUES, 10)
    days = [Standings(found).facts()["dates"] for found in events.values()]
    assert days == ["12–13 May 2020", "7–8 May 2020"]
