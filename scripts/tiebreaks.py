#!/usr/bin/env python3
"""Print the ordinary score of a player, and its points of the drawn games by several scorings.

    tiebreaks.py games.pgn NAME

Errors are 95 %: those of the ordinary score by pairs of games from one opening, others by games.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import chess.pgn

from tbgen.rules.points import Scheme, Scoring
from tbgen.score import Color, Score

RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""[result] -> White's ordinary points"""
SCORINGS = (Scheme.EXPONENTIAL, Scheme.WINNER)
DEVIATIONS = 1.96


def share(points: Sequence[float]) -> str:
    """The mean of some points with its error, in percent."""
    number = len(points)
    if number < 2:
        return "unknown"
    mean = sum(points) / number
    variance = sum((point - mean) ** 2 for point in points) / (number - 1)
    error = DEVIATIONS * math.sqrt(variance / number)
    return f"{100 * mean:.1f} % ± {100 * error:.1f}"


class Tally:
    """The points of one player."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.games = 0
        self.pairs = defaultdict[str, list[float]](list)
        """[opening] -> ordinary points"""
        self.holds = list[float]()
        """Whether the player holds the score of a drawn game."""
        self.points = defaultdict[Scheme, list[float]](list)
        """[scoring] -> points of drawn games"""

    def add(self, tags: chess.pgn.Headers) -> None:
        side = Color.of(tags["White"] == self.name)
        white = RESULTS[tags["Result"]]
        self.games += 1
        self.pairs[tags.get("FEN", "")].append(white if side is Color.WHITE else 1 - white)
        if tags["Result"] != "1/2-1/2":
            return
        outcome = Score(tags["RMobilityResult"])
        self.holds.append(float(outcome.holder is side))
        for scheme in SCORINGS:
            self.points[scheme].append(float(Scoring(scheme=scheme).points(outcome)[side]))

    def __str__(self) -> str:
        whole = [points for points in self.pairs.values() if len(points) == 2]
        lines = [
            f"{self.games} games, {len(whole)} pairs, {len(self.holds)} drawn games",
            f"ordinary score: {share([sum(points) / 2 for points in whole])}",
            f"score held in drawn games: {share(self.holds)}",
        ]
        for scheme in SCORINGS:
            lines.append(f"points of drawn games, {scheme.value}: {share(self.points[scheme])}")
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", type=Path)
    parser.add_argument("name")
    wanted = parser.parse_args()
    tally = Tally(wanted.name)
    with wanted.games.open() as file:
        while (tags := chess.pgn.read_headers(file)) is not None:
            tally.add(tags)
    print(tally)


if __name__ == "__main__":
    main()
