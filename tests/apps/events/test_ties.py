"""Sentences about equal players say what the columns show."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import pytest

from tbgen.apps.events.criteria import TIE_BREAKS
from tbgen.apps.events.cross_table import cells_of
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.ties import ties_of
from tbgen.apps.events.told import facts_of_event
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import Source
from tbgen.rules.points import Scoring
from tbgen.score import Score


def game(white: str, black: str, number: int, result: str, plies: int = 8) -> EventGame:
    final = Score({"1-0": "G0.0", "0-1": "-G0.0"}.get(result, "G1.5"))
    tags = {"Round": str(number)}
    if result == "0-1":
        tags["Termination"] = "abandoned"
    return EventGame((white, black), result, final, Scoring(), Source.GAME, plies=plies, tags=tags)


# Ann wins and loses, Bob has neither.
GAMES = [
    game("Ann", "Bob", 1, "1/2-1/2"),
    game("Cid", "Dan", 2, "1/2-1/2"),
    game("Ann", "Cid", 3, "1-0"),
    game("Ann", "Dan", 4, "0-1", 6),
    game("Bob", "Cid", 5, "1/2-1/2"),
    game("Bob", "Dan", 6, "1/2-1/2"),
]


def sentences_of(*order: str) -> str:
    return " ".join(itertools.chain.from_iterable(ties_of(Standings(GAMES, order))))


IN_COLUMNS = [name for name in TIE_BREAKS if name not in ("net", "direct-encounter")]
"""The criteria whose columns have the numbers that sentences have."""


@pytest.mark.parametrize("order", list(itertools.permutations(IN_COLUMNS, 2)))
def test_no_sentence_has_a_number_that_no_column_has(order: tuple[str, str]) -> None:
    standings = Standings(GAMES, order)
    shown = {"2", "3", "4", str(len(GAMES))}  # the numbers of players who share something
    for row in standings.rows:
        shown.add(str(row.rank))
        for criterion in order:
            cell = cells_of(standings, criterion).get(row.name, "")
            shown |= set(re.findall(r"\d+(?:\.\d+)?", cell))
    known = {float(number) for number in shown}
    for number in re.findall(r"(?<!cut )-?\d+(?:\.\d+)?", sentences_of(*order)):
        assert float(number) in known, (number, sentences_of(*order))


def test_a_player_without_such_a_game_is_said_to_have_none() -> None:
    assert "Ann is before Bob by quick wins, 4 to none." in sentences_of("classical", "quick-wins")
    assert "Bob and Cid are equal by quick wins." in sentences_of("quick-wins")
    assert "10000" not in sentences_of("classical", "long-losses")


def test_fewer_crashes_are_counted_without_a_sign() -> None:
    assert "by fewer crashes, 0 to 1." in sentences_of("classical", "crashes")


def test_the_facts_have_what_the_columns_show() -> None:
    facts = {row["name"]: row for row in facts_of_event(Standings(GAMES, TIE_BREAKS))["players"]}
    assert facts["Ann"]["tiebreaks"]["quick-wins"] == 4
    assert facts["Dan"]["tiebreaks"]["crashes"] == 0
    assert facts["Ann"]["tiebreaks"]["crashes"] == 1
    assert facts["Bob"]["tiebreaks"]["quick-wins"] is None
    row = next(row for row in Standings(GAMES, TIE_BREAKS).rows if row.name == "Bob")
    assert row.figures["black-wins"] == Fraction(0)
