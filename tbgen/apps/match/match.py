"""A match: its settings, players, schedule, openings, bracket and standings. `run` plays it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from tbgen.apps.games.standings import MORE_GAMES, MOST_EXTENSIONS, EventGame
from tbgen.apps.games.tags import Source, classical_result
from tbgen.apps.match.engine import EngineSpec
from tbgen.apps.match.play import GameRecord, PlayRules, Sheet
from tbgen.apps.match.schedule import Book, Format, Opening, OpeningOrder, Pairing, Tournament
from tbgen.apps.match.standings import MatchStandings, Result, with_komi
from tbgen.apps.match.statistics import Conclusion, Sprt
from tbgen.rules.points import Scoring
from tbgen.score import Color
from tbgen.text import facts_of


@dataclass(slots=True)
class Meeting:
    """Two players of a round; without a second player, a bye."""

    round: int
    first: int
    second: int | None
    pairings: list[Pairing]
    """The games so far and those to come, in order."""
    points: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    winner: int | None = None
    decided_by: str | None = None
    """`bye`, `points`, `r-mobility` where points are equal, or `last game`."""

    def facts(self, names: list[str]) -> dict[str, Any]:
        """The meeting for JSON."""
        numbers = {"first": self.first, "second": self.second, "winner": self.winner}
        players = {key: None if number is None else names[number] for key, number in numbers.items()}
        games = [pairing.number for pairing in self.pairings]
        return facts_of(self, "round", **players, points=self.points, decided_by=self.decided_by, games=games)


def place_of(rank: int, size: int) -> int:
    """The place in the first round of a rank, which counts from 1.

    It has the binary digits of the rank less one in reverse, so that the best players meet last.

    >>> [place_of(rank, 8) for rank in range(1, 9)]
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    return int(f"{rank - 1:0{size.bit_length() - 1}b}"[::-1], 2)


def first_round(plan: Tournament, seed: int) -> list[tuple[int, int | None]]:
    """The pairs of the first round: seeds in their order, the others by lot, byes to the best ranks."""
    others = list(range(plan.players)[plan.seeds :])
    random.Random(seed).shuffle(others)
    size = 1 << (plan.players - 1).bit_length()
    places: list[int | None] = [None] * size
    for rank, player in enumerate([*range(plan.players)[: plan.seeds], *others], start=1):
        places[place_of(rank, size)] = player
    for rank in range(plan.players + 1, size + 1):
        empty, bye = place_of(rank, size), place_of(rank - plan.players, size) + 1
        places[empty], places[bye] = places[bye], None
    pairs = zip(places[::2], places[1::2], strict=True)
    return [(first, second) for first, second in pairs if first is not None]


def bracket_of(plan: Tournament, seed: int, results: Mapping[int, Result], scoring: Scoring) -> list[list[Meeting]]:
    """The rounds so far; a round begins when the one before it is decided."""
    rounds: list[list[Meeting]] = []
    pairs, places = first_round(plan, seed), itertools.count()
    while True:
        number = len(rounds) + 1
        meetings = [
            Meeting(number, first, None, [], winner=first, decided_by="bye")
            if second is None
            else _meeting(number, (first, second), next(places), plan, results, scoring)
            for first, second in pairs
        ]
        rounds.append(meetings)
        winners = [meeting.winner for meeting in meetings if meeting.winner is not None]
        if len(winners) < len(meetings) or len(winners) == 1:
            return rounds
        pairs = list(zip(winners[::2], winners[1::2], strict=True))


def openings_of_knockout(plan: Tournament) -> int:
    """The most openings that a knockout takes."""
    return _opening(plan, plan.players - 2, _most_games(plan) - 1) + 1


def _most_games(plan: Tournament) -> int:
    """The most games of a meeting."""
    return plan.games + MOST_EXTENSIONS * MORE_GAMES


def _meeting(
    number: int, players: tuple[int, int], place: int, plan: Tournament, results: Mapping[int, Result], scoring: Scoring
) -> Meeting:
    """The meeting of two players at a place of the bracket: its games, and its winner if they decide it."""
    meeting = Meeting(number, *players, [])
    for games in range(plan.games, _most_games(plan) + 1, MORE_GAMES):
        more = range(len(meeting.pairings), games)
        meeting.pairings += [_pairing(plan, number, players, place, game) for game in more]
        played = [results[pairing.number] for pairing in meeting.pairings if pairing.number in results]
        meeting.points = _points(meeting, played, scoring)
        if len(played) < games:
            return meeting
        by_score = _points(meeting, played, Scoring())
        for reason, (first, second) in (("points", meeting.points), ("r-mobility", by_score)):
            if first != second:
                return replace(meeting, winner=players[0] if first > second else players[1], decided_by=reason)
    last = played[-1].pairing
    is_whites = played[-1].ending.outcome.holder is Color.WHITE
    return replace(meeting, winner=last.white if is_whites else last.black, decided_by="last game")


def _points(meeting: Meeting, played: list[Result], scoring: Scoring) -> tuple[Fraction, Fraction]:
    first = sum((result.points(meeting.first, scoring) for result in played), Fraction(0))
    return first, len(played) - first


def _pairing(plan: Tournament, number: int, players: tuple[int, int], place: int, game: int) -> Pairing:
    """A game at a place of the bracket, in some round; its own number depends on the place and the game alone."""
    meetings = plan.players - 1
    before = place * plan.games + game if game < plan.games else meetings * game + place
    white, black = players[::-1] if plan.swap and game % 2 else players
    return Pairing(before + 1, number, white, black, _opening(plan, place, game), place + meetings * (game // 2))


def _opening(plan: Tournament, place: int, game: int) -> int:
    """The opening of a game: each meeting has its own, and so have its extensions."""
    meetings, of_meeting, extra = plan.players - 1, -(-plan.games // plan.repeat), game - plan.games
    if extra < 0:
        return place * of_meeting + game // plan.repeat
    return meetings * (of_meeting + extra // plan.repeat) + place


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """Where openings come from."""

    file: Path | None = None
    """None is the first position of chess."""
    pgn: bool = False
    """Whether the file has games; else it has positions."""
    order: OpeningOrder = OpeningOrder.SEQUENTIAL
    start: int = 1
    plies: int | None = None


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Which tables are asked, and from how many men on."""

    folders: str | None = None
    men: int = 5
    syzygy: str | None = None
    syzygy_men: int = 7
    ignore_fifty_moves: bool = False


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """A match."""

    engines: tuple[EngineSpec, ...]
    plan: Tournament
    rules: PlayRules = field(default_factory=PlayRules)
    chess960: bool = False
    concurrency: int = 1
    openings: OpeningSettings = field(default_factory=OpeningSettings)
    tables: TableSettings = field(default_factory=TableSettings)
    sprt: Sprt | None = None
    pgn: Path | None = None
    event: str = "?"
    site: str = "?"
    seed: int | None = None
    wait: float = 0.0
    rating_interval: int = 10
    recover: bool = False
    debug: bool = False
    quiet: bool = False
    json: Path | None = None
    crosstable: Path | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A match whose engines have answered; only its standings change from then on."""

    settings: MatchSettings
    knows_variant: Sequence[bool]
    """Of each engine, whether it knows the variant."""
    rules: PlayRules
    pairings: list[Pairing]
    """The games of the schedule; in a knockout, those that are known so far."""
    openings: Sequence[Opening] | Book
    opening_order: Sequence[int]
    """Number of an opening in the schedule -> its place in the book."""
    seed: int
    standings: MatchStandings

    def event(self) -> list[EventGame]:
        """The finished games, by number, as standings of an event take them."""
        return [
            EventGame(
                players=(self.standings.players[result.pairing.white], self.standings.players[result.pairing.black]),
                result=classical_result(result.ending.outcome),
                final=result.ending.outcome,
                scoring=with_komi(self.rules.scoring, result.komi),
                source=Source.GAME,
                plies=result.plies,
                tags={
                    "Event": self.settings.event,
                    "Round": str(result.pairing.round),
                    "Termination": result.ending.termination,
                },
            )
            for _, result in sorted(self.standings.results.items())
        ]

    def bracket(self) -> list[list[Meeting]]:
        """The rounds of a knockout so far; empty for other tournaments."""
        plan, standings = self.settings.plan, self.standings
        if plan.format is not Format.KNOCKOUT:
            return []
        return bracket_of(plan, self.seed, standings.results, standings.scoring)

    def schedule_more(self) -> None:
        """In a knockout, add the games that follow from those played."""
        known = {pairing.number for pairing in self.pairings}
        found = (pairing for meetings in self.bracket() for meeting in meetings for pairing in meeting.pairings)
        self.pairings.extend(pairing for pairing in found if pairing.number not in known)

    def is_decided(self) -> bool:
        """Whether the test, if there is one, has accepted a hypothesis."""
        sprt = self.settings.sprt
        return sprt is not None and sprt.conclusion(self.standings.ratio(sprt)) is not Conclusion.OPEN

    def is_over(self) -> bool:
        """Whether the test is decided or every game has been played."""
        return self.is_decided() or len(self.standings.results) == len(self.pairings)

    def opening_of(self, pairing: Pairing) -> Opening:
        return self.openings[self.opening_order[pairing.opening]]


class MatchWatcher(Protocol):
    """Receives the events of a match, to show them; `board`, from 0, identifies one of the games that run at a time."""

    def begins(self, match: Match) -> None:
        """The engines have answered; games that were played before are in the standings."""

    def game_begins(self, board: int, pairing: Pairing, sheet: Sheet) -> None:
        """A game is started."""

    def moved(self, board: int, sheet: Sheet) -> None:
        """A move has been made."""

    def game_over(self, board: int, record: GameRecord) -> None:
        """A game is on the disk and in the standings."""

    def says(self, text: str) -> None:
        """Something that the user should know."""


def openings_of(settings: MatchSettings) -> Sequence[Opening] | Book:
    """The openings that a match may take."""
    each = settings.openings
    if each.file is None:
        return [Opening(chess960=settings.chess960)]
    return Book(
        each.file,
        pgn=each.pgn,
        most_plies=each.plies,
        fifty_moves=settings.rules.fifty_moves,
        chess960=settings.chess960,
    )
