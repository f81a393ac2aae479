"""The standings of a match under every scoring, and its sequential test."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.statistics import Distribution, Sprt
from tbgen.apps.match.tables import Ending
from tbgen.rules.points import Komi, Scheme, Scoring, lexicographic_key
from tbgen.score import Color
from tbgen.text import facts_of

SIDE_BY_SIDE = (Scheme.EXPONENTIAL, Scheme.HARMONIC, Scheme.CLASSICAL, Scheme.WINNER, Scheme.KOMI)


@dataclass(frozen=True, slots=True)
class Result:
    """A finished game with its place in the schedule."""

    pairing: Pairing
    ending: Ending
    plies: int
    komi: Komi | None

    def points(self, player: int, scoring: Scoring) -> Fraction:
        """A player's points; a komi that the opening names goes before that of the match."""
        return with_komi(scoring, self.komi).points(self.ending.outcome)[self.side(player)]

    def side(self, player: int) -> Color:
        return Color.WHITE if self.pairing.white == player else Color.BLACK


@dataclass(frozen=True, slots=True)
class Figures:
    """One player's games against some others under one scoring."""

    games: Distribution
    pairs: Distribution

    @property
    def strength(self) -> Distribution:
        """The pairs, whose error is smaller, if all games are in pairs; else the games."""
        return self.pairs if self.pairs.games == self.games.games else self.games

    def facts(self) -> dict[str, Any]:
        """The figures for JSON; what has no bound or does not vary is null."""
        strength, pairs = self.strength, self.pairs
        wins, draws, losses = self.games.wins_draws_losses()
        return facts_of(
            strength,
            *("points", "share", "elo", "error", "superiority"),
            elo=strength.elo if math.isfinite(strength.elo) else None,
            wins=wins,
            draws=draws,
            losses=losses,
            variance_of_games=self.games.variance if self.games.units else None,
            variance_of_pairs=pairs.variance if pairs.units else None,
            pairs=pairs.by_quarters(),
        )


def with_komi(scoring: Scoring, komi: Komi | None) -> Scoring:
    """A scoring with the komi of an opening, if it names one."""
    return scoring if komi is None else replace(scoring, komi=komi)


class MatchStandings:
    """The results so far, game by game."""

    def __init__(self, players: Sequence[str], scoring: Scoring) -> None:
        self.players = list(players)
        self.scoring = scoring
        self.results: dict[int, Result] = {}
        self._firsts: dict[int, Result] = {}
        self._games = defaultdict[tuple[int, int | None, Scheme], Counter[Fraction]](Counter)
        """[player, opponent or None for all, scheme] how often a game brought which points."""
        self._pairs = defaultdict[tuple[int, int | None, Scheme], Counter[Fraction]](Counter)
        """The same of pairs of games, each with its share of the points."""

    def add(self, result: Result) -> None:
        """Count a game, and with the second one of a pair the pair: one opening, and colours swapped."""
        pairing = result.pairing
        self.results[pairing.number] = result
        other = self._firsts.setdefault(pairing.pair, result)
        swapped = other.pairing.black, other.pairing.white
        is_pair = other.pairing.opening == pairing.opening and swapped == (pairing.white, pairing.black)
        for (player, opponent), scoring in product(permutations((pairing.white, pairing.black)), self.scorings()):
            points = result.points(player, scoring)
            for key in ((player, opponent, scoring.scheme), (player, None, scoring.scheme)):
                self._games[key][points] += 1
                if is_pair:
                    self._pairs[key][(points + other.points(player, scoring)) / 2] += 1

    def scorings(self) -> list[Scoring]:
        """The scoring that decides, and then the others that are shown."""
        mine = self.scoring
        return [mine, *(replace(mine, scheme=each) for each in SIDE_BY_SIDE if each is not mine.scheme)]

    def record(self, player: int, scoring: Scoring, *, against: int | None = None) -> Figures:
        """A player's games, all of them or those against one other."""
        key = player, against, scoring.scheme
        games, pairs = Counter(self._games[key]), Counter(self._pairs[key])
        return Figures(Distribution(games), Distribution(pairs, games_each=2))

    def ranking(self) -> list[int]:
        """Players, the largest share of points first; equal ones by the lexicographic tie-break."""

        def merit(player: int) -> tuple[Fraction, tuple[int, ...]]:
            games = self.record(player, self.scoring).games
            results = (each for each in self.results.values() if player in (each.pairing.white, each.pairing.black))
            outcomes = ((result.side(player), result.ending.outcome) for result in results)
            return games.share if games.units else Fraction(0), lexicographic_key(outcomes)

        return sorted(range(len(self.players)), key=merit, reverse=True)

    def meetings(self) -> list[tuple[int, int]]:
        """Pairs of players that have met."""
        players = ((result.pairing.white, result.pairing.black) for result in self.results.values())
        return sorted({(min(pair), max(pair)) for pair in players})

    def ratio(self, sprt: Sprt) -> float:
        """The ratio of a test of the first player against the second, under the scoring that decides."""
        record = self.record(0, self.scoring, against=1)
        return sprt.ratio(record.games, record.pairs)

    def test_facts(self, sprt: Sprt) -> dict[str, Any]:
        """Where a test stands, for JSON."""
        ratio = self.ratio(sprt)
        return facts_of(
            sprt, *("model", "elo0", "elo1", "lower", "upper"), ratio=ratio, decision=sprt.conclusion(ratio)
        )

    def facts(self, file: Path | None = None) -> dict[str, Any]:
        """Every meeting under every scoring, for JSON; `file` is where the games are."""
        return {
            "engines": self.players,
            "games": len(self.results),
            "scoring": self.scoring.scheme.value,
            "ranking": [self.players[player] for player in self.ranking()],
            "meetings": [self._meeting_facts(first, second) for first, second in self.meetings()],
            "forfeits": [
                {
                    "file": None if file is None else str(file),
                    "number": result.pairing.number,
                    **facts_of(result.ending, "termination", "details"),
                }
                for result in self.forfeits()
            ],
        }

    def _meeting_facts(self, first: int, second: int) -> dict[str, Any]:
        records = {scoring.scheme.value: self.record(first, scoring, against=second) for scoring in self.scorings()}
        return {
            "engine": self.players[first],
            "against": self.players[second],
            "games": next(iter(records.values())).games.games,
            "scorings": {name: record.facts() for name, record in records.items()},
        }

    def forfeits(self) -> list[Result]:
        """Games that an engine did not lose on the board."""
        ordinary = ("normal", "adjudication")
        return [result for result in self.results.values() if result.ending.termination not in ordinary]
