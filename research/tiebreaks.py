#!/usr/bin/env python3
"""Print the ordinary score of a player, and its points of the drawn games by several scorings.

    tiebreaks.py games.pgn NAME
    tiebreaks.py games.pgn NAME --tables DIR

With tables it also counts the drawn games in which they never call a position won: an engine that
does not mate with a rook has a drawn game, too, and the score of a lost position is hardly held.
Errors are 95 %: those of the ordinary score by pairs of games from one opening, others by games.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.pgn

from tbgen.probe import Tablebase
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.position import own_score, play_move
from tbgen.score import Color, Score

DRAWN = "1/2-1/2"
RESULTS = {"1-0": 1.0, "0-1": 0.0, DRAWN: 0.5}
"""[result] -> White's ordinary points"""
SCORINGS = (Scheme.EXPONENTIAL, Scheme.WINNER)
DEVIATIONS = 1.96


def is_won_on_the_way(game: chess.pgn.Game, tables: Tablebase) -> bool:
    """Whether tables call a position of a game won for a side."""
    board = game.board()
    score = own_score(board)
    for move in game.mainline_moves():
        _, score, _ = play_move(board, move, score)
        has_table = chess.popcount(board.occupied) <= tables.max_men
        if has_table and tables.probe(board, score).outcome.is_mate:
            return True
    return False


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
        self.level_holds = list[float]()
        """The same of those that tables never call won; empty without tables."""
        self.points = defaultdict[Scheme, list[float]](list)
        """[scoring] -> points of drawn games"""

    def add(self, tags: chess.pgn.Headers) -> None:
        side = Color.of(tags["White"] == self.name)
        white = RESULTS[tags["Result"]]
        self.games += 1
        self.pairs[tags.get("FEN", "")].append(white if side is Color.WHITE else 1 - white)
        if tags["Result"] != DRAWN:
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
        if self.level_holds:
            held = share(self.level_holds)
            lines.append(
                f"score held in {len(self.level_holds)} games that no table calls won: {held}"
            )
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", type=Path)
    parser.add_argument("name")
    parser.add_argument("--tables", type=Path)
    wanted = parser.parse_args()
    tally = Tally(wanted.name)
    tables = None if wanted.tables is None else Tablebase(wanted.tables, outcomes_only=True)
    with wanted.games.open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            tally.add(game.headers)
            if tables is None or game.headers["Result"] != DRAWN:
                continue
            if not is_won_on_the_way(game, tables):
                tally.level_holds.append(tally.holds[-1])
    print(tally)


if __name__ == "__main__":
    main()
