"""Four times the players and games cost four times the work, counted in calls of functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tbgen.apps.events.criteria import TIE_BREAKS
from tbgen.apps.events.pages import EventSite
from tbgen.apps.events.standings import Standings, by_event
from tbgen.apps.events.told import told_of
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.tags import Source
from tbgen.rules.points import Scoring
from tbgen.score import Score

_FEW = 60
_TIMES = 4
_MOST_GROWTH = 1.1
"""The growth beyond that of the games; sorting takes a little more."""


class Name(str):
    """A name whose comparisons are lines of Python, so that a search through a list counts."""

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def lines_run(work: Callable[[], object]) -> int:
    """The lines of Python that some work runs: a measure that no other process changes."""
    lines = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def archive(number: int) -> list[EventGame]:
    """Games of pairs who meet nobody else, all drawn, some of them not final."""
    games = []
    for index in range(number):
        players = (Name(f"White {index}"), Name(f"Black {index}"))
        source = Source.PROVISIONAL if index % 3 == 0 else Source.GAME
        games.append(
            EventGame(
                players,
                "1/2-1/2",
                Score("G1.5"),
                Scoring(),
                source,
                plies=9,
                tags={"Event": "Open"},
                file="archive.pgn",
                number=index + 1,
            )
        )
    return games


def meetings(number: int) -> list[EventGame]:
    """Games of one pair without rounds."""
    return [game._replace(players=("Ann", "Bob")) for game in archive(number)]


def events(number: int) -> list[EventGame]:
    """An event a game."""
    games = archive(number)
    return [game._replace(tags={"Event": f"Event {n}"}) for n, game in enumerate(games)]


def ranked(games: list[EventGame]) -> object:
    return told_of(Standings(games, TIE_BREAKS, is_over=True))


def named(games: list[EventGame]) -> object:
    ranked = [Standings(played) for played in by_event(games).values()]
    return EventSite(ranked, [], None, None).pages  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "work"),
    [(archive, ranked), (meetings, ranked), (archive, named), (meetings, named), (events, named)],
)
def test_work_grows_as_the_games(
    made: Callable[[int], list[EventGame]], work: Callable[[list[EventGame]], object]
) -> None:
    few = made(_FEW)
    many = made(_TIMES * _FEW)
    work(few)  # imports and caches
    assert lines_run(lambda: work(many)) <= _MOST_GROWTH * _TIMES * lines_run(lambda: work(few))
