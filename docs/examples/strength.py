#!/usr/bin/env python3
"""Does the score of a drawn game say who is stronger?

    strength.py tcec/*.pgn                      games with the tags WhiteElo and BlackElo
    strength.py match.pgn --stronger twice      a match of two players; you know the stronger

A drawn game has the score that its tags tell, or else the accrued score at its end. A slope is that
of the log-odds for 400 points of Elo, or between the players of a match; greater differences than
400 count as 400. Intervals are 95 %, from 200 samples of the openings with replacement: the games
of two players with one opening are drawn together.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

import tbgen
from tbgen.apps.games.rules import Rules
from tbgen.rules.game import FiftyMoveSetting

SCHEMES = ("classical", "exponential", "harmonic", "otb", "winner")
DRAWN = "1/2-1/2"
FULL = 400
"""The difference in Elo that a slope is for."""
RATINGS = range(1000, 5000)
SAMPLES = 200
DEVIATIONS = 1.96
FEW = 50
"""Fewer games have no figures."""

Numbers = npt.NDArray[np.float64]


class Games:
    """The games of some files as arrays, one entry a game."""

    def __init__(self, paths: Sequence[str], stronger: str | None) -> None:
        self.all = 0
        self.unreadable = 0
        leads = list[float]()
        finals = list[tbgen.Score]()
        drawn = list[bool]()
        clocks = list[int]()
        openings = list[int]()
        known = dict[object, int]()
        rules = Rules(fifty_moves=FiftyMoveSetting.FIDE)
        for path in paths:
            for game in tbgen.read_games(path, rules):
                self.all += 1
                if isinstance(game, tbgen.TbgenError):
                    self.unreadable += 1
                    continue
                told = game.tags.get("RMobilityResult")
                final = game.final if told is None else tbgen.Score(told)
                lead = lead_of(game.tags, stronger)
                if final is None or lead is None or game.result == "*":
                    continue
                leads.append(lead)
                finals.append(final)
                drawn.append(game.result == DRAWN)
                clocks.append(game.last.counter)
                opening = [game.tags.get(name) for name in ("FEN", "Opening", "Variation")]
                players = sorted((game.tags["White"], game.tags["Black"]))
                openings.append(known.setdefault((path, *opening, *players), len(known)))
        self.lead = np.array(leads)
        """By how much White is stronger, of 400 points of Elo."""
        self.white_holds = np.array([final.holder is tbgen.Color.WHITE for final in finals])
        self.code = np.array([final.code for final in finals])
        self.drawn = np.array(drawn)
        self.clock = np.array(clocks)
        """Plies since the last capture or pawn move."""
        self.opening = np.array(openings, np.int64)
        self.points = [white_points(scheme, finals) for scheme in SCHEMES]
        self.causes = np.column_stack([np.ones(len(leads)), self.lead])
        lots = np.random.default_rng(2026)
        each = np.full(len(known), 1 / max(1, len(known)))
        times = lots.multinomial(len(known), each, SAMPLES)
        self.samples = times[:, self.opening].astype(np.float64)
        """[sample, game] -> how often it was drawn."""

    def estimate(self, figure: Callable[[Numbers], float]) -> tuple[float, float]:
        """A figure of games with weights, and half of its interval."""
        spread = np.std([figure(weights) for weights in self.samples])
        return figure(np.ones(len(self.lead))), DEVIATIONS * float(spread)


def lead_of(tags: dict[str, str], stronger: str | None) -> float | None:
    """By how much White is stronger; None if nothing says so."""
    if stronger is not None:
        return 1.0 if tags["White"] == stronger else -1.0
    ratings = [tags.get(name, "") for name in ("WhiteElo", "BlackElo")]
    if not all(text.isdecimal() and int(text) in RATINGS for text in ratings):
        return None
    lead = (int(ratings[0]) - int(ratings[1])) / FULL
    return max(-1.0, min(1.0, lead))


def white_points(scheme: str, finals: Sequence[tbgen.Score]) -> Numbers:
    scoring = tbgen.Scoring(scheme)
    return np.array([float(scoring.points(final)[0]) for final in finals])


def share(games: Games, chosen: npt.NDArray[np.bool_], weights: Numbers) -> float:
    """How often the stronger side won or holds the score, on average as White and as Black."""
    of_white = weights * chosen * (games.lead > 0)
    of_black = weights * chosen * (games.lead < 0)
    as_white = of_white @ games.white_holds / of_white.sum()
    as_black = of_black @ ~games.white_holds / of_black.sum()
    return float(as_white + as_black) / 2


def slope(games: Games, chosen: npt.NDArray[np.bool_], weights: Numbers) -> float:
    """The slope of a logistic regression, by Newton's method."""
    causes = games.causes[chosen]
    holds = games.white_holds[chosen]
    weights = weights[chosen]
    found = np.zeros(2)
    for _ in range(8):
        chance = 1 / (1 + np.exp(-causes @ found))
        curvature = causes.T @ (causes * (weights * chance * (1 - chance))[:, None])
        found += np.linalg.solve(curvature, causes.T @ (weights * (holds - chance)))
    return float(found[1])


def certainty(games: Games, points: Numbers, weights: Numbers) -> float:
    """The square of the t-value of a linear regression of points: it grows with the games."""
    causes = games.causes
    inverse = np.linalg.inv(causes.T @ (causes * weights[:, None]))
    found = inverse @ (causes.T @ (weights * points))
    variance = weights @ (points - causes @ found) ** 2 / weights.sum()
    return float(found[1] ** 2 / (variance * inverse[1, 1]))


def needed(games: Games, points: Numbers, weights: Numbers) -> float:
    """The games that points need for the certainty of one game by classical points."""
    return certainty(games, games.points[0], weights) / certainty(games, points, weights)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--stronger", help="the name of the stronger player of a match")
    wanted = parser.parse_args()
    games = Games(wanted.files, wanted.stronger)
    drawn = games.drawn
    print(f"{games.all} games, {games.unreadable} of them unreadable")
    print(f"{len(drawn)} of known strength, {drawn.sum()} of them drawn")
    print(f"{'':36}games  stronger side         slope")
    for name, chosen in {
        "decisive games: who won": ~drawn,
        "drawn games: who holds the score": drawn,
        "  at G1.5 or better": drawn & (games.code <= tbgen.Score("G1.5").code),
        "  60 plies or more after a reset": drawn & (games.clock >= 60),
    }.items():
        number = (chosen & (games.lead != 0)).sum()
        if number < FEW:
            print(f"{name:33}{number:8}  too few")
            continue
        held, error = games.estimate(partial(share, games, chosen))
        steep, steep_error = games.estimate(partial(slope, games, chosen))
        figures = f"{held:6.1%} ± {error:5.1%}  {steep:6.2f} ± {steep_error:.2f}"
        print(f"{name:33}{number:8}  {figures}")
    if min(drawn.sum(), (~drawn).sum()) < FEW:
        return
    print("games needed for the certainty of one by classical points")
    for scheme, points in zip(SCHEMES[1:], games.points[1:], strict=True):
        number, error = games.estimate(partial(needed, games, points))
        print(f"  {scheme:12}{number:6.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
