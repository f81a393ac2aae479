"""Statistics of many games: final scores by source, player and opening, and the new results of draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tbgen.apps.games.standings import EventGame
from tbgen.apps.games.tags import Source
from tbgen.score import Color, Outcome

DRAWN = "1/2-1/2"


@dataclass(slots=True)
class Tally:
    """The games of a player or an opening."""

    games: int = 0
    points: Fraction = Fraction(0)
    """The player's own; for an opening White's."""
    finals: Counter[Outcome] = field(default_factory=Counter)
    """As the player sees them: White holds what the player holds."""

    def add(self, points: Fraction, final: Outcome) -> None:
        self.games += 1
        self.points += points
        self.finals[final] += 1

    def facts(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "points": round(float(self.points / self.games), 6) if self.games else None,
            "finals": counts_facts(self.finals),
        }


@dataclass(slots=True)
class Statistics:
    """Counts over games, which may be added one after the other."""

    games: int = 0
    finals: Counter[Outcome] = field(default_factory=Counter)
    sources: Counter[Source] = field(default_factory=Counter)
    drawn: Counter[Outcome] = field(default_factory=Counter)
    """The final scores of games that the sheet calls drawn."""
    drawn_sources: Counter[Source] = field(default_factory=Counter)
    players: dict[str, Tally] = field(default_factory=dict)
    openings: dict[str, Tally] = field(default_factory=dict)

    def add(self, game: EventGame) -> None:
        """Count a game."""
        final = game.final
        self.games += 1
        self.finals[final] += 1
        self.sources[game.source] += 1
        if game.result == DRAWN:
            self.drawn[final] += 1
            self.drawn_sources[game.source] += 1
        white, black = game.points(Color.WHITE), game.points(Color.BLACK)
        self.players.setdefault(game.white, Tally()).add(white, final)
        self.players.setdefault(game.black, Tally()).add(black, final.flipped())
        self.openings.setdefault(game.opening, Tally()).add(white, final)

    def decided(self, most_code: int) -> int:
        """The number of drawn games whose final score has a code up to `code`."""
        return sum(number for final, number in self.drawn.items() if final.code <= most_code)

    def facts(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        return {
            "games": self.games,
            "finals": counts_facts(self.finals),
            "sources": {source.value: self.sources[source] for source in Source},
            "drawn": {
                "games": self.drawn.total(),
                "finals": counts_facts(self.drawn),
                "sources": {source.value: self.drawn_sources[source] for source in Source},
            },
            "players": {name: self.players[name].facts() for name in sorted(self.players)},
            "openings": {name: self.openings[name].facts() for name in sorted(self.openings)},
        }


def counts_facts(counts: Mapping[Outcome, int]) -> dict[str, int]:
    """Final scores from White's best to Black's, with how often each came about."""
    return {str(final): counts[final] for final in sorted(counts, reverse=True)}
