"""The results of a match: its standings under every scoring, and its sequential test."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from tbgen.apps.events.tiebreaks import by_value, ranking
from tbgen.apps.games.event_game import BYE, EventGame
from tbgen.apps.games.results import classical_result
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.sheet import Ending
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
        strength = self.strength
        wins, draws, losses = self.games.wins_draws_losses()
        return facts_of(
            strength,
            "points",
            "share",
            "elo",
            "error",
            "superiority",
            elo=strength.elo if math.isfinite(strength.elo) else None,
            wins=wins,
            draws=draws,
            losses=losses,
            variance_of_games=self.games.variance if self.games.units else None,
            variance_of_pairs=self.pairs.variance if self.pairs.units else None,
            pairs=self.pairs.by_quarters(),
        )


def with_komi(scoring: Scoring, komi: Komi | None) -> Scoring:
    """A scoring with the komi of an opening, if it names one."""
    return scoring if komi is None else replace(scoring, komi=komi)


@lru_cache(maxsize=10_000)
def _points(scoring: Scoring, outcome: Score) -> Points:
    return scoring.points(outcome)


PairKey = tuple[int, int, Scheme]
"""A player, an opponent, and the scheme of a scoring."""
Shares = Counter[Fraction]
"""Share of the points -> the number of games, or of pairs of games, that brought it."""


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
        self.scorings = [scoring]
        """The scoring that decides, and then the others that are shown."""
        for scheme in SIDE_BY_SIDE:
            if scheme is not scoring.scheme:
                self.scorings.append(replace(scoring, scheme=scheme))
        self.games: dict[int, EventGame] = {}
        """[number] the games."""
        self.forfeits: list[tuple[int, int, Ending]] = []
        """The loser, the number and the ending of each game that was not lost on the board."""
        self.byes = Counter[int]()
        self._komi_of = komi_of
        self._event = event
        self._firsts: dict[int, tuple[Pairing, Ending]] = {}
        """[pair] the games whose second one has not been played."""
        self._outcomes = defaultdict[int, Counter[tuple[Color, Score]]](Counter)
        self._game_shares = defaultdict[PairKey, Shares](Counter)
        self._pair_shares = defaultdict[PairKey, Shares](Counter)

    def add(self, pairing: Pairing, ending: Ending) -> None:
        """Count a game, and with the second one of a pair the pair."""
        komi = self._komi_of(pairing.opening)
        scorings = [with_komi(scoring, komi) for scoring in self.scorings]
        self.games[pairing.number] = self._event_game(pairing, ending, scorings[0])
        if pairing.black is None:
            self.byes[pairing.white] += 1
            return
        players = (pairing.white, pairing.black)
        outcome = ending.outcome
        if ending.termination not in _ON_THE_BOARD:
            loser = players[outcome.holder.other]
            self.forfeits.append((loser, pairing.number, ending))
        first_outcome = self._outcome_of_first(pairing, ending)
        for side, player in zip(Color, players, strict=True):
            opponent = players[side.other]
            self._outcomes[player][side, outcome] += 1
            for scoring in scorings:
                meeting = (player, opponent, scoring.scheme)
                points = _points(scoring, outcome)[side]
                self._game_shares[meeting][points] += 1
                if first_outcome is not None:
                    first_points = _points(scoring, first_outcome)[side.other]
                    self._pair_shares[meeting][(first_points + points) / 2] += 1

    def _event_game(self, pairing: Pairing, ending: Ending, scoring: Scoring) -> EventGame:
        return EventGame(
            players=self.names(pairing),
            result=classical_result(ending.outcome),
            final=ending.outcome,
            scoring=scoring,
            source=ending.source,
            plies=ending.plies,
            tags={
                "Event": self._event,
                "Round": str(pairing.round),
                "Termination": ending.termination,
            },
        )

    def _outcome_of_first(self, pairing: Pairing, ending: Ending) -> Score | None:
        """The outcome of the other game of a pair, if this one completes it.

        The two have one opening, and colours are swapped.
        """
        first = self._firsts.pop(pairing.pair, None)
        if first is None:
            self._firsts[pairing.pair] = (pairing, ending)
            return None
        first_pairing, first_ending = first
        is_same_opening = first_pairing.opening == pairing.opening
        swapped = (first_pairing.black, first_pairing.white)
        if is_same_opening and swapped == (pairing.white, pairing.black):
            return first_ending.outcome
        return None

    def names(self, pairing: Pairing) -> tuple[str, str]:
        """White's and Black's name."""
        white = self.players[pairing.white]
        black = BYE if pairing.black is None else self.players[pairing.black]
        return white, black

    def record(self, player: int, scoring: Scoring, *, against: int | None = None) -> Figures:
        """A player's games, all of them or those against one other."""
        opponents = range(len(self.players)) if against is None else [against]
        games = Shares()
        pairs = Shares()
        for opponent in opponents:
            meeting = (player, opponent, scoring.scheme)
            games.update(self._game_shares.get(meeting, {}))
            pairs.update(self._pair_shares.get(meeting, {}))
        return Figures(Distribution(games), Distribution(pairs, games_each=2))

    def ranking(self) -> list[int]:
        """Players, the largest share of points first.

        Byes count as won games. Equal players are ranked by the lexicographic tie-break.
        """
        shares = dict[int, Fraction]()
        net = dict[int, Any]()
        for player in range(len(self.players)):
            games = self.record(player, self.scoring).games
            byes = self.byes[player]
            shares[player] = (games.points + byes) / max(games.games + byes, 1)
            net[player] = lexicographic_key(self._outcomes[player])
        groups = ranking(list(shares), (by_value(shares), by_value(net)))
        return list(chain.from_iterable(groups))

    def meetings(self) -> list[tuple[int, int]]:
        """Pairs of players that have met."""
        return sorted({(player, other) for player, other, _ in self._game_shares if player < other})

    def ratio(self, sprt: Sprt) -> float:
        """The ratio of a test of the first player against the second."""
        record = self.record(0, self.scoring, against=1)
        return sprt.ratio(record.games, record.pairs)

    def test_facts(self, sprt: Sprt) -> dict[str, Any]:
        """Where a test stands, for JSON."""
        ratio = self.ratio(sprt)
        return facts_of(
            sprt,
            "model",
            "elo0",
            "elo1",
            "lower",
            "upper",
            ratio=ratio,
            decision=sprt.conclusion(ratio),
        )

    def facts(self, file: Path | None = None) -> dict[str, Any]:
        """Every meeting under every scoring, for JSON; `file` is where the games are."""
        name = None if file is None else str(file)
        forfeits = list[dict[str, Any]]()
        for _, number, ending in self.forfeits:
            place = {"file": name, "number": number}
            forfeits.append(place | facts_of(ending, "termination", "details"))
        facts: dict[str, Any] = {
            "engines": self.players,
            "games": len(self.games),
            "scoring": self.scoring.scheme.value,
            "ranking": [self.players[player] for player in self.ranking()],
            "meetings": [self._meeting_facts(first, second) for first, second in self.meetings()],
            "forfeits": forfeits,
        }
        if self.byes:
            facts["byes"] = {self.players[player]: byes for player, byes in self.byes.items()}
        return facts

    def _meeting_facts(self, first: int, second: int) -> dict[str, Any]:
        deciding = self.record(first, self.scoring, against=second)
        scorings = {}
        for scoring in self.scorings:
            record = self.record(first, scoring, against=second)
            scorings[scoring.scheme.value] = record.facts()
        return {
            "engine": self.players[first],
            "against": self.players[second],
            "games": deciding.games.games,
            "scorings": scorings,
        }
