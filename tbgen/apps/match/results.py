"""The results of a match: its standings under every scoring, its sequential test, and its games as an event."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, permutations
from pathlib import Path
from typing import Any

from tbgen.apps.games.event import BYE, EventGame
from tbgen.apps.games.results import classical_result
from tbgen.apps.games.tiebreaks import by_value, ranking
from tbgen.apps.match.game import Ending
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.statistics import Distribution, Sprt
from tbgen.facts import facts_of
from tbgen.rules.points import Komi, Points, Scheme, Scoring, lexicographic_key
from tbgen.score import Color, Score

SIDE_BY_SIDE = (Scheme.EXPONENTIAL, Scheme.HARMONIC, Scheme.CLASSICAL, Scheme.WINNER, Scheme.KOMI)
_ON_THE_BOARD = ("normal", "adjudication")
"""Values of the tag Termination where nobody forfeits."""


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


@lru_cache(maxsize=10_000)
def _points(scoring: Scoring, outcome: Score) -> Points:
    return scoring.points(outcome)


class MatchStandings:
    """The results so far; `komi_of` has the komi that an opening names, by its number."""

    def __init__(
        self,
        players: Sequence[str],
        scoring: Scoring,
        komi_of: Callable[[int], Komi | None] = lambda opening: None,
        event: str = "?",
    ) -> None:
        self.players = list(players)
        self.scoring = scoring
        self.scorings = [
            scoring,
            *(replace(scoring, scheme=each) for each in SIDE_BY_SIDE if each is not scoring.scheme),
        ]
        """The scoring that decides, and then the others that are shown."""
        self.games: dict[int, EventGame] = {}
        """[number] the games."""
        self.forfeits: list[tuple[int, int, Ending]] = []
        """The loser, the number and the ending of each game that was not lost on the board."""
        self.byes = Counter[int]()
        self._komi_of, self._event = komi_of, event
        self._firsts: dict[int, tuple[Pairing, Ending]] = {}
        self._outcomes = defaultdict[int, Counter[tuple[Color, Score]]](Counter)
        self._counts = defaultdict[tuple[int, int, Scheme, int], Counter[Fraction]](Counter)
        """[player, opponent, scheme, games] how often a game, or a pair of games, brought which share of its points."""

    def add(self, pairing: Pairing, ending: Ending) -> None:
        """Count a game, and with the second one of a pair the pair: one opening, and colours swapped."""
        komi = self._komi_of(pairing.opening)
        scorings = [with_komi(each, komi) for each in self.scorings]
        self.games[pairing.number] = EventGame(
            players=self.names(pairing),
            result=classical_result(ending.outcome),
            final=ending.outcome,
            scoring=scorings[0],
            source=ending.source,
            plies=ending.plies,
            tags={
                "Event": self._event,
                "Round": str(pairing.round),
                "Termination": ending.termination,
            },
        )
        if pairing.black is None:
            self.byes[pairing.white] += 1
            return
        players, first = (pairing.white, pairing.black), self._firsts.pop(pairing.pair, None)
        if first is None:
            self._firsts[pairing.pair] = pairing, ending
        elif first[0].opening != pairing.opening or (first[0].black, first[0].white) != players:
            first = None
        if ending.termination not in _ON_THE_BOARD:
            self.forfeits.append((players[ending.outcome.holder.other], pairing.number, ending))
        for side, (player, opponent) in zip(Color, permutations(players), strict=True):
            self._outcomes[player][side, ending.outcome] += 1
            for scoring in scorings:
                key, points = (
                    (player, opponent, scoring.scheme),
                    _points(scoring, ending.outcome)[side],
                )
                self._counts[*key, 1][points] += 1
                if first is not None:
                    self._counts[*key, 2][
                        (points + _points(scoring, first[1].outcome)[side.other]) / 2
                    ] += 1

    def names(self, pairing: Pairing) -> tuple[str, str]:
        """White's and Black's name."""
        return self.players[pairing.white], BYE if pairing.black is None else self.players[
            pairing.black
        ]

    def record(self, player: int, scoring: Scoring, *, against: int | None = None) -> Figures:
        """A player's games, all of them or those against one other."""
        opponents = range(len(self.players)) if against is None else [against]
        keys, none = (
            [(player, opponent, scoring.scheme) for opponent in opponents],
            Counter[Fraction](),
        )
        games, pairs = (
            sum((self._counts.get((*key, each), none) for key in keys), none) for each in (1, 2)
        )
        return Figures(Distribution(games), Distribution(pairs, games_each=2))

    def ranking(self) -> list[int]:
        """Players, the largest share of points first, byes as won games; equal ones by the lexicographic tie-break."""
        played = {
            player: self.record(player, self.scoring).games for player in range(len(self.players))
        }
        shares = {
            player: (games.points + self.byes[player]) / max(games.games + self.byes[player], 1)
            for player, games in played.items()
        }
        net = {player: lexicographic_key(self._outcomes[player]) for player in played}
        return [*chain.from_iterable(ranking(played, (by_value(shares), by_value(net))))]

    def meetings(self) -> list[tuple[int, int]]:
        """Pairs of players that have met."""
        return sorted({(player, other) for player, other, *_ in self._counts if player < other})

    def ratio(self, sprt: Sprt) -> float:
        """The ratio of a test of the first player against the second, under the scoring that decides."""
        record = self.record(0, self.scoring, against=1)
        return sprt.ratio(record.games, record.pairs)

    def test_facts(self, sprt: Sprt) -> dict[str, Any]:
        """Where a test stands, for JSON."""
        ratio = self.ratio(sprt)
        return facts_of(
            sprt,
            *("model", "elo0", "elo1", "lower", "upper"),
            ratio=ratio,
            decision=sprt.conclusion(ratio),
        )

    def facts(self, file: Path | None = None) -> dict[str, Any]:
        """Every meeting under every scoring, for JSON; `file` is where the games are."""
        return {
            "engines": self.players,
            "games": len(self.games),
            "scoring": self.scoring.scheme.value,
            "ranking": [self.players[player] for player in self.ranking()],
            "meetings": [self._meeting_facts(first, second) for first, second in self.meetings()],
            "forfeits": [
                {
                    "file": file and str(file),
                    "number": number,
                    **facts_of(ending, "termination", "details"),
                }
                for _, number, ending in self.forfeits
            ],
            **(
                {"byes": {self.players[player]: number for player, number in self.byes.items()}}
                if self.byes
                else {}
            ),
        }

    def _meeting_facts(self, first: int, second: int) -> dict[str, Any]:
        records = {
            scoring.scheme.value: self.record(first, scoring, against=second)
            for scoring in self.scorings
        }
        return {
            "engine": self.players[first],
            "against": self.players[second],
            "games": next(iter(records.values())).games.games,
            "scorings": {name: record.facts() for name, record in records.items()},
        }
