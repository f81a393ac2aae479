"""A match: its settings, players, schedule, openings and standings. `run` plays it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from tbgen.apps.games.standings import EventGame
from tbgen.apps.games.tags import Source, classical_result
from tbgen.apps.match.engine import EngineSpec, Offence
from tbgen.apps.match.knockout import Meeting, bracket_of, openings_of_knockout
from tbgen.apps.match.openings import STANDARD, Book, Opening, OpeningOrder, ordered, read_book
from tbgen.apps.match.play import PlayRules, Sheet
from tbgen.apps.match.record import GameRecord
from tbgen.apps.match.schedule import Format, Pairing, Policy, Tournament, openings_needed
from tbgen.apps.match.standings import MatchStandings
from tbgen.apps.match.statistics import Conclusion, Sprt
from tbgen.rules.points import Scoring


class Notation(enum.Enum):
    """How an opening file is written."""

    EPD = "epd"
    PGN = "pgn"


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """Where openings come from."""

    file: Path
    notation: Notation
    order: OpeningOrder = OpeningOrder.SEQUENTIAL
    start: int = 1
    plies: int | None = None
    policy: Policy = Policy.DEFAULT


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Which tables are asked, from how many men on, and whether they end games."""

    folders: str | None = None
    men: int = 5
    adjudicate: bool = True
    solve: int | None = None
    """CPU seconds for a last position that the tables do not have."""
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
    openings: OpeningSettings | None = None
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
    names: Sequence[str]
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
                white=self.names[result.pairing.white],
                black=self.names[result.pairing.black],
                result=classical_result(result.game.outcome),
                final=result.game.outcome,
                scoring=result.rule(self.rules.scoring),
                source=Source.GAME,
                event=self.settings.event,
                round=str(result.pairing.round),
                plies=result.game.plies,
                crashed=result.game.termination == Offence.CRASH.termination,
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
        return sprt is not None and self.standings.test(sprt).conclusion is not Conclusion.OPEN

    def is_over(self) -> bool:
        """Whether the test is decided or every game has been played."""
        return self.is_decided() or len(self.standings.results) == len(self.pairings)

    def opening_of(self, pairing: Pairing) -> Opening:
        return self.openings[self.opening_order[pairing.opening]]

    def rules_for(self, opening: Opening) -> PlayRules:
        """The rules of a game, with the komi that its opening may bring."""
        scoring = self.rules.scoring
        if opening.komi is None:
            return self.rules
        return replace(self.rules, scoring=Scoring(scoring.scheme, scoring.cutoff_code, opening.komi))


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
    if each is None:
        return [replace(STANDARD, chess960=settings.chess960)]
    return read_book(
        each.file,
        pgn=each.notation is Notation.PGN,
        most_plies=each.plies,
        fifty_moves=settings.rules.fifty_moves,
        chess960=settings.chess960,
    )


def opening_order(settings: MatchSettings, count: int, pairings: Sequence[Pairing], seed: int) -> list[int]:
    """Which of `count` openings are played, in the order of the schedule."""
    each = settings.openings
    order, start = (OpeningOrder.SEQUENTIAL, 1) if each is None else (each.order, each.start)
    is_knockout = settings.plan.format is Format.KNOCKOUT
    needed = openings_of_knockout(settings.plan) if is_knockout else openings_needed(pairings)
    return ordered(count, needed, order=order, start=start, seed=seed)
