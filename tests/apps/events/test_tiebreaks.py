"""Tie-breaks of published cross tables as published, and of simulated events by a slow twin."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import groupby

import pytest

from tbgen.apps.events.criteria import MEANINGS
from tbgen.apps.events.endings import has_crashed
from tbgen.apps.events.players import cross_table
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.tiebreaks import (
    Cell,
    CrossTable,
    direct_encounter,
    scores,
    settled,
)
from tbgen.apps.events.ties import ties_of
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import Source
from tbgen.rules.points import DRAW, LOSS, WIN, Scoring
from tbgen.score import Color, Score
from tests.project import golden_rows
from tests.reference import tie_breaks as slow

CUTS = (("buchholz", 0, 0), ("buchholz-cut-1", 1, 0), ("buchholz-median", 1, 1))
"""How many of the lowest and of the highest scores of opponents each leaves out."""
POINTS = {"1": WIN, "=": DRAW, "0": LOSS, "+": WIN, "-": LOSS, "H": DRAW, "U": WIN, "Z": LOSS}


def on_table(criterion: str, table: CrossTable) -> dict[str, Fraction]:
    of_table = MEANINGS[criterion].of_table
    assert of_table is not None
    return {name: figure for name, figure in of_table(table).items() if figure is not None}


def cell_of(text: str) -> Cell[str]:
    """A round as pairing programs write it: opponent, colour and result."""
    opponent, result = re.split(r"[wb-]", text, maxsplit=1)
    return Cell(None if opponent == "0" else opponent, POINTS[result], result in "10=")


EVENTS = {
    name: list(rows)
    for name, rows in groupby(golden_rows("tie_breaks.csv"), lambda row: row["event"])
}


@pytest.mark.parametrize("event", EVENTS)
def test_published_cross_tables_come_out_as_published(event: str) -> None:
    table = settled(
        {row["player"]: [cell_of(each) for each in row["rounds"].split()] for row in EVENTS[event]}
    )
    values = {
        "points": scores(table),
        "buchholz": on_table("buchholz", table),
        "buchholz_cut_1": on_table("buchholz-cut-1", table),
        "sonneborn_berger": on_table("sonneborn-berger", table),
        "wins": on_table("wins", table),
    }
    for row in EVENTS[event]:
        found = {name: value[row["player"]] for name, value in values.items() if row[name]}
        assert found == {name: Fraction(row[name]) for name in found}, row["player"]
    ranks: dict[str, int] = {}
    for points in sorted(set(values["points"].values()), reverse=True):
        for group in direct_encounter(
            table, [name for name in table if values["points"][name] == points]
        ):
            ranks |= dict.fromkeys(group, len(ranks) + 1)
    published = {
        row["player"]: int(row["encounter_rank"]) for row in EVENTS[event] if row["encounter_rank"]
    }
    assert {name: ranks[name] for name in published} == published


def simulated(chance: random.Random) -> CrossTable:
    """An event with byes, absences and forfeits."""
    names = [f"P{number}" for number in range(chance.randint(2, 9))]
    table = dict[str, list[Cell[str]]]((name, []) for name in names)
    for _ in range(chance.randint(1, 9)):
        order = chance.sample(names, len(names))
        for white, black in zip(order[::2], order[1::2], strict=False):
            points = chance.choice([WIN, DRAW, LOSS])
            cells = [Cell(black, points, True), Cell(white, 1 - points, True)]
            absent: list[Cell[str]] = [Cell(None, points, False), Cell(None, LOSS, False)]
            forfeited = [Cell(black, WIN, False), Cell(white, LOSS, False)]
            of_white, of_black = chance.choice([*[cells] * 8, absent, forfeited])
            table[white].append(of_white)
            table[black].append(of_black)
        if len(order) % 2:
            table[order[-1]].append(Cell(None, WIN, is_played=False))
    return table


@pytest.mark.parametrize("seed", range(200))
def test_simulated_events_agree_with_the_slow_twin(seed: int) -> None:
    table = simulated(random.Random(seed))
    event: slow.Event = {}
    for name, cells in table.items():
        event[name] = [
            slow.Round(cell.opponent, int(2 * cell.points), cell.is_played) for cell in cells
        ]
    for name in table:
        assert 2 * scores(table)[name] == slow.total(event, name)
        assert 4 * on_table("sonneborn-berger", table)[name] == slow.sonneborn_berger(event, name)
        assert on_table("wins", table)[name] == slow.wins(event, name)
        for by, lowest, highest in CUTS:
            assert 2 * on_table(by, table)[name] == slow.buchholz(event, name, lowest, highest)
    for points in {*scores(table).values(), None}:
        tied = [name for name in table if points in (None, scores(table)[name])]
        assert direct_encounter(table, tied) == slow.direct_encounter(event, tied)


def game(white: str, black: str, result: str, number: str, plies: int = 40) -> EventGame:
    final = Score({"1-0": "G0.0", "0-1": "-G0.0"}.get(result, "G3.5"))
    return EventGame(
        (white, black), result, final, Scoring(), Source.GAME, plies=plies, tags={"Round": number}
    )


def test_forfeits_byes_and_absences_are_found_in_games() -> None:
    games = [
        game("Ann", "Bob", "1-0", "1.1"),
        game("Cid", "bye", "1-0", "1.2", 0),
        game("Ann", "Cid", "0-1", "2", 0),
        game("Bob", "Cid", "1/2-1/2", "3"),
        game("Ann", "Dan", "1-0", "3"),
    ]
    table = cross_table(games, EventGame.classical)
    assert [(cell.opponent, cell.points, cell.is_played) for cell in table["Cid"]] == [
        (None, WIN, False),
        ("Ann", WIN, False),
        ("Bob", DRAW, True),
    ]
    assert table["Bob"][1] == Cell(None, LOSS, is_played=False)
    assert "bye" not in table
    assert [cell.is_played for cell in table["Dan"]] == [False, False, True]


def test_forfeits_are_games_where_everyone_has_met() -> None:
    games = [
        game("Ann", "Bob", "1-0", "1", 0),
        game("Bob", "Cid", "1-0", "2"),
        game("Cid", "Ann", "1-0", "3"),
    ]
    assert all(
        cell.is_played
        for cells in cross_table(games, EventGame.classical).values()
        for cell in cells
    )


def test_double_wins_need_both_colours_and_lengths_count_won_and_lost_games() -> None:
    games = [
        game("Ann", "Bob", "1-0", "1", 60),
        game("Bob", "Ann", "0-1", "1", 21),
        game("Ann", "Cid", "1-0", "2", 80),
        game("Ann", "Cid", "1-0", "2", 80),
    ]
    table = cross_table(games, EventGame.classical)
    assert on_table("double-wins", table) == {"Ann": 1, "Bob": 0, "Cid": 0}
    assert on_table("quick-wins", table)["Ann"] == Fraction(30 + 11 + 40 + 40, 4)
    assert on_table("long-losses", table)["Bob"] == Fraction(41, 2)
    assert "Ann" not in on_table("long-losses", table)
    assert on_table("long-losses", table)["Cid"] == 40
    assert table["Ann"][1].side is Color.BLACK


def test_of_two_equal_players_the_one_who_crashed_less_often_is_ahead() -> None:
    crashed = {"Termination": "abandoned", "TerminationDetails": "White disconnects"}
    games = [
        game("Ann", "Bob", "1-0", "1"),
        game("Cid", "Ann", "1-0", "2"),
        game("Bob", "Cid", "1-0", "3"),
    ]
    games[1] = games[1]._replace(tags={"Round": "2", "Termination": "abandoned"})
    games[2] = games[2]._replace(tags={"Round": "3", "Termination": "time forfeit"})
    standings = Standings(games, ["classical", "crashes"])
    assert [(row.rank, row.name) for row in standings.rows] == [(1, "Bob"), (1, "Cid"), (3, "Ann")]
    assert standings.rows[2].behind_by == "crashes"
    assert [has_crashed(games[1], side) for side in Color] == [False, True]
    # A draw after a broken connection is nobody's crash.
    assert not has_crashed(game("Ann", "Bob", "1/2-1/2", "1")._replace(tags=crashed), Color.WHITE)
    (sentences,) = ties_of(standings)
    assert "Cid is before Ann by fewer crashes, 0 to 1." in sentences


def test_wins_with_black_are_played_and_won() -> None:
    games = [
        game("Ann", "Bob", "0-1", "1"),
        game("Bob", "Ann", "1-0", "2"),
        game("Cid", "Bob", "0-1", "3", 0),
        game("Ann", "Bob", "1/2-1/2", "4"),
        game("Dan", "Ann", "1-0", "4"),
    ]
    table = cross_table(games, EventGame.classical)
    assert on_table("wins", table)["Bob"] == 3
    assert on_table("black-wins", table) == {"Ann": 0, "Bob": 1, "Cid": 0, "Dan": 0}


def test_who_misses_the_last_round_was_absent_once_the_event_is_over() -> None:
    games = [
        game("Ann", "Bob", "1-0", "1"),
        game("Cid", "Dan", "1-0", "1"),
        game("Ann", "Cid", "1-0", "2"),
    ]
    running = cross_table(games, EventGame.classical)
    over = cross_table(games, EventGame.classical, is_over=True)
    assert [len(running[name]) for name in ("Ann", "Bob")] == [2, 1]
    assert [len(over[name]) for name in ("Ann", "Bob")] == [2, 2]
    assert over["Bob"][1] == Cell(None, LOSS, is_played=False)
    standings = Standings(games, ("classical", "buchholz"), is_over=True)
    assert standings.table == over


def test_nobody_is_absent_from_a_play_off_without_a_number() -> None:
    swiss = [
        game("Ann", "Bob", "1-0", "1"),
        game("Cid", "Dan", "1-0", "1"),
        game("Eve", "Fay", "1/2-1/2", "1"),
        game("Ann", "Cid", "1/2-1/2", "2"),
        game("Eve", "Bob", "1-0", "2"),
        game("Fay", "Dan", "1-0", "2"),
    ]
    for name in ("Playoff", "Final", "?", "0"):
        play_off = game("Ann", "Cid", "1/2-1/2", name)
        for criterion in ("buchholz", "buchholz-median", "buchholz-cut-1", "sonneborn-berger"):
            order = ("classical", criterion)
            before = {row.name: row.figures[criterion] for row in Standings(swiss, order).rows}
            after = Standings([*swiss, play_off], order).rows
            others = [row for row in after if row.name in ("Eve", "Fay")]
            assert [row.figures[criterion] for row in others] == [
                before[row.name] for row in others
            ]


def test_a_play_off_follows_the_rounds_with_a_number() -> None:
    games = [
        game("Ann", "Bob", "1/2-1/2", "Playoff"),
        game("Ann", "Cid", "1-0", "1"),
        game("Bob", "Dan", "1-0", "1"),
    ]
    table = cross_table(games, EventGame.classical)
    assert [cell.opponent for cell in table["Ann"]] == ["Cid", "Bob"]
    assert [cell.opponent for cell in table["Cid"]] == ["Ann"]
