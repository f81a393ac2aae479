"""Standings of an event: cross table, sums of points and tie-breaks; and which games it has.

>>> from tbgen.rules.points import Scoring
>>> from tbgen.score import Score
>>> games = [EventGame(("Ann", "Bob"), "1/2-1/2", Score(3, Color.WHITE), Scoring(), Source.GAME)]
>>> [(row.rank, row.name, str(row.points), str(row.classical)) for row in Standings(games).rows]
[(1, 'Ann', '9/16', '1/2'), (2, 'Bob', '7/16', '1/2')]
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial

from tbgen.apps.events import tiebreaks
from tbgen.apps.events.criteria import (
    DEFAULT_ORDER,
    MEANINGS,
    Figure,
    TieBreak,
    more_is_better,
)
from tbgen.apps.events.knockout import Knockout, knockout_of
from tbgen.apps.events.players import PlayerRow, cross_table, rows_of
from tbgen.apps.events.tiebreaks import Criterion
from tbgen.apps.games.dates import Day
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.results import UNFINISHED
from tbgen.apps.games.tags import Source
from tbgen.errors import TbgenError, UsageError
from tbgen.rules.points import OTB_CUTOFF_CODE, WIN, Scheme
from tbgen.score import MOST_CODE, Color
from tbgen.text import counted

_MOST_NAMED = 6
"""The most missing tables, or events, that a sentence names."""


class Standings:
    """The rows of an event, best first. Players with equal criteria share a rank and are sorted by
    name.

    Arguments:
        games: The games of the event, unfinished ones among them. An unreadable game counts by its
            score sheet, if that has players and a result.
        order: The criteria by which players are ranked.
        is_over: Whether somebody said that the event is over.
        faults: The errors of whole files.
    """

    def __init__(
        self,
        games: Iterable[EventGame],
        order: Sequence[TieBreak] = DEFAULT_ORDER,
        *,
        is_over: bool = False,
        faults: Iterable[TbgenError] = (),
    ) -> None:
        self.order = tuple(order)
        self.is_said_to_be_over = is_over
        self.finished = list[EventGame]()
        """The games that count: those with a result."""
        self.listed = list[EventGame]()
        """The games with and without a result, in the order of the files."""
        self.unfinished = list[EventGame]()
        """The games without a result, which do not count."""
        self.by_sheet = list[TbgenError]()
        """The errors of unreadable games that count by their score sheets."""
        self.skipped = list[TbgenError](faults)
        """The errors of files, and of unreadable games that do not count."""
        for game in games:
            if game.fault is not None and not game.counts_by_sheet:
                self.skipped.append(game.fault)
                continue
            self.listed.append(game)
            if game.result == UNFINISHED:
                self.unfinished.append(game)
            else:
                self.finished.append(game)
                if game.fault is not None:
                    self.by_sheet.append(game.fault)
        self.byes = sum(game.is_bye for game in self.finished)
        self.games = len(self.finished) - self.byes
        """The games that count against somebody, forfeits among them."""
        self.doubtful = [game for game in self.finished if game.source is Source.PROVISIONAL]
        """The games whose score is provisional."""
        self.provisional = _tables_lacking(self.doubtful)
        """Missing table -> the number of provisional games that lack it; None for games without a
        table.
        """
        self.schemes = Counter(game.scoring.scheme for game in self.finished)
        self.table = cross_table(self.finished, self._points_that_rank(), is_over=self.is_over)
        # Over the board nothing above G3.5 counts.
        most_code = OTB_CUTOFF_CODE - 1 if set(self.schemes) == {Scheme.OTB} else MOST_CODE
        self._everybody = rows_of(self.finished, most_code)
        """The rows of all names, byes among them."""
        self.rows = self._ranked_rows()
        self.indices = {row.name: index for index, row in enumerate(self.rows)}
        """Player -> index in `rows`."""

    def _points_that_rank(self) -> Callable[[EventGame, Color], Fraction]:
        """The kind of points that the order names first; r-mobility points without one."""
        for criterion in self.order:
            if criterion == "classical":
                return EventGame.classical
            if criterion == "points":
                break
        return EventGame.points

    def _ranked_rows(self) -> list[PlayerRow]:
        """The rows of all players in the order of the criteria, ranked."""
        figures = dict[TieBreak, Mapping[str, Figure]]()
        for criterion in self.order:
            of_table = MEANINGS[criterion].of_table
            if of_table is not None:
                figures[criterion] = of_table(self.table)
        criteria = self._criteria(figures)
        groups = [sorted(self.table)]
        places: dict[TieBreak, dict[str, int]] = {}
        for criterion in self.order:
            groups = tiebreaks.split(groups, criteria[criterion])
            places[criterion] = {}
            for place, group in enumerate(groups):
                places[criterion] |= dict.fromkeys(group, place)
        ranked = list[PlayerRow]()
        for group in groups:
            rank = len(ranked) + 1
            for name in group:
                own_figures = {criterion: values[name] for criterion, values in figures.items()}
                row = replace(self._everybody[name], rank=rank, figures=own_figures)
                if ranked:
                    row.behind_by = _first_difference(places, ranked[-1].name, name)
                ranked.append(row)
        return ranked

    def _criteria(
        self, figures: Mapping[TieBreak, Mapping[str, Figure]]
    ) -> dict[TieBreak, Criterion[str]]:
        """What splits equal players, by the name of the criterion; `figures` are of the table."""
        classical = {}
        points = {}
        net = {}
        for name, row in self._everybody.items():
            classical[name] = row.classical
            points[name] = row.points
            net[name] = row.net()
        criteria: dict[TieBreak, Criterion[str]] = {
            "classical": tiebreaks.by_value(classical),
            "points": tiebreaks.by_value(points),
            "net": tiebreaks.by_value(net),
            "direct-encounter": partial(tiebreaks.direct_encounter, self.table),
        }
        for criterion, values in figures.items():
            keys = {name: more_is_better(criterion, value) for name, value in values.items()}
            criteria[criterion] = tiebreaks.by_value(keys)
        return criteria

    @property
    def event(self) -> str:
        """The name of the event, or the common part of several names; empty if there is none."""
        names = {game.event for game in self.listed} - {""}
        if len(names) == 1:
            return names.pop()
        common = list[str]()
        for words in zip(*(name.split() for name in names), strict=False):
            if len(set(words)) > 1:
                break
            common.append(words[0])
        return " ".join(common).strip(" -–,:;|/")

    @property
    def days(self) -> list[Day]:
        """The days of all games that have one."""
        days = list[Day]()
        for game in self.listed:
            if game.day is not None:
                days.append(game.day)
        return days

    @property
    def caveat(self) -> str:
        """The scores that are not final in words, if there are any."""
        doubtful = len(self.doubtful)
        finished = counted(self.games, "game", "games")
        if doubtful == 1:
            caveat = f"the score of 1 of {finished} is not final"
        else:
            caveat = f"the scores of {doubtful:,} of {finished} are not final"
        return f"{caveat}: {'; '.join(self._reasons_for_doubt())}"

    def _reasons_for_doubt(self) -> Iterator[str]:
        """Why scores are not final, each reason with its number of games."""
        tables = list[str]()
        for name, number in self.provisional.most_common():
            if name is not None:
                tables.append(f"{name} ({counted(number, 'game', 'games')})")
        if len(tables) == 1:
            yield f"best play is unknown without the table {tables[0]}"
        elif tables:
            named = ", ".join(tables[:_MOST_NAMED])
            if len(tables) > _MOST_NAMED:
                named += f" and {counted(len(tables) - _MOST_NAMED, 'other', 'others')}"
            yield f"best play is unknown without the tables {named}"
        without_table = [game for game in self.doubtful if not game.missing]
        bounded = sum("RMobilityBounds" in game.tags for game in without_table)
        if bounded:
            yield f"best play was only bounded in {counted(bounded, 'game', 'games')}"
        disproved = sum(game.is_disproved for game in self.doubtful)
        if disproved == 1:
            yield "the accrued score of 1 game lies outside its bounds"
        elif disproved:
            yield f"the accrued scores of {disproved:,} games lie outside their bounds"
        unexplained = len(without_table) - bounded
        if unexplained:
            games = counted(unexplained, "game", "games")
            yield f"the tags of {games} name no table and no bounds"

    @property
    def is_over(self) -> bool:
        """Whether somebody has said that the event is over, and no game lacks a result.

        Games alone never say that no more will follow.
        """
        return self.is_said_to_be_over and not self.unfinished

    @cached_property
    def knockout(self) -> Knockout | None:
        """The bracket, if the event is a knockout."""
        return knockout_of(self.listed, is_over=self.is_over)

    @property
    def is_first_certain(self) -> bool:
        """Whether no score that is not final can change who is first."""
        if not self.doubtful or len(self.rows) < 2:
            return True
        second = self.rows[1]
        if second.behind_by == "classical" and self.order[0] == "classical":
            return True  # the score sheet has no doubts
        if self.order[0] != "points":
            return False
        fewer = defaultdict[str, Fraction](Fraction)
        more = defaultdict[str, Fraction](Fraction)
        for game in self.doubtful:
            for side in Color:
                fewer[game.players[side]] += game.points(side)
                more[game.players[side]] += WIN - game.points(side)
        first = self.rows[0]
        lowest = first.points - fewer[first.name]
        return all(row.points + more[row.name] < lowest for row in self.rows[1:])


def _first_difference(
    places: Mapping[TieBreak, Mapping[str, int]], one: str, other: str
) -> TieBreak | None:
    """The first criterion that tells two players apart; None if they share a rank."""
    for criterion, place_of in places.items():
        if place_of[one] != place_of[other]:
            return criterion
    return None


def _tables_lacking(games: Iterable[EventGame]) -> Counter[str | None]:
    tables = Counter[str | None]()
    for game in games:
        tables.update(game.missing.split() if game.missing else [None])
    return tables


def names_of_events(games: Iterable[EventGame]) -> str:
    """The events of some games with their numbers of games, in words."""
    events = Counter(game.event for game in games)
    names = []
    for name, number in events.most_common(_MOST_NAMED):
        names.append(f'"{name or "?"}" ({counted(number, "game", "games")})')
    if len(events) > _MOST_NAMED:
        names.append(counted(len(events) - _MOST_NAMED, "other", "others"))
    return ", ".join(names)


def by_event(games: Iterable[EventGame]) -> dict[str, list[EventGame]]:
    """Event -> its games, in the order of the file; names differ in more than case.

    Unreadable games without an event are with the first event, because the damage may have taken
    their tags.
    """
    names: dict[str, str] = {}
    events: dict[str, list[EventGame]] = {}
    nameless = list[EventGame]()
    for game in games:
        if game.fault is not None and not game.event:
            nameless.append(game)
            continue
        name = names.setdefault(game.event.casefold(), game.event)
        events.setdefault(name, []).append(game)
    if nameless:
        first = next(iter(events), "")
        events.setdefault(first, []).extend(nameless)
    return events


def faults_of_event(
    faults: Iterable[TbgenError], games: Iterable[EventGame], chosen: Iterable[EventGame]
) -> list[TbgenError]:
    """The faults without those of games in other events than the chosen ones.

    An unreadable game that has lost its event may be of any event.
    """
    elsewhere = {str(game.fault) for game in games if game.fault is not None and game.event}
    elsewhere -= {str(game.fault) for game in chosen}
    return [fault for fault in faults if str(fault) not in elsewhere]


def games_of_event(games: Sequence[EventGame], name: str) -> list[EventGame]:
    """The games whose tag Event has this name, in any case; `*` stands for any text.

    UsageError names the events if there are none.
    """
    wanted = " ".join(name.casefold().split())
    pattern = re.compile(".*".join(map(re.escape, wanted.split("*"))))
    chosen = [game for game in games if pattern.fullmatch(game.event.casefold())]
    if not chosen:
        raise UsageError(f'no game has the event "{name}"; there are {names_of_events(games)}')
    return chosen
