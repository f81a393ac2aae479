#!/usr/bin/env python3
"""Measure what the referee itself costs: time between the moves of engines that answer at once.

    bench_referee.py                                              40 games of legal moves, two at a time
    python -m cProfile -s tottime scripts/bench_referee.py        and where the time goes

    bench_referee.py --fake 1000000                               games that are over at once, with five fake engines

Overhead is the time of a game less that between each `go` and its `bestmove`; CPU is that of the referee alone.
Both are per move.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.apps.match.options import settings_of  # noqa: E402
from tbgen.apps.match.sheet import Sheet  # noqa: E402
from tests.apps.match.matches import FakeReferee, Silent, played, walker  # noqa: E402


def overheads(sheets: list[Sheet]) -> list[float]:
    """Seconds a move that were nobody's thinking time, game by game."""
    return [
        (sheet.seconds - sum(answer.seconds for answer in sheet.answers.values()))
        / len(sheet.answers)
        for sheet in sheets
    ]


class Meter(Silent):
    """Says what a game costs, and the memory at that time, every tenth of a match."""

    def __init__(self, games: int) -> None:
        self.part, self.left, self.clock = games // 10, games, time.process_time()

    def game_over(self, sheet: Sheet) -> None:
        self.left -= 1
        if self.left % self.part == 0:
            now, memory = (
                time.process_time(),
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
            )
            print(
                f"{1e6 * (now - self.clock) / self.part:.1f} us of CPU a game, {memory} MB",
                flush=True,
            )
            self.clock = now


def play_fake(games: int) -> None:
    """A round robin of five players, of which each game is over at once."""
    engines = [word for name in "ABCDE" for word in ("-engine", f"cmd={name}", "depth=1")]
    settings = settings_of([*engines, "-games", str(games // 10), "-concurrency", "2"])
    asyncio.run(FakeReferee(settings, Meter(games)).play())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--fake", type=int, default=0)
    wanted = parser.parse_args()
    if wanted.fake:
        play_fake(wanted.fake)
        return
    view = Silent()
    with tempfile.TemporaryDirectory() as folder:
        words = [
            *walker("Ann"),
            *walker("Bob"),
            "-games",
            str(wanted.games),
            "-pgnout",
            f"{folder}/games.pgn",
        ]
        wall, cpu = time.perf_counter(), time.process_time()
        played([*words, "-concurrency", str(wanted.concurrency)], view)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    moves = sum(len(sheet.answers) for sheet in view.sheets)
    each = sorted(overheads(view.sheets))
    print(f"{len(each)} games, {moves} moves, {wall:.1f} s")
    print(
        f"overhead a move: median {1000 * each[len(each) // 2]:.2f} ms, worst game {1000 * each[-1]:.2f} ms"
    )
    print(f"CPU of the referee a move: {1000 * cpu / moves:.2f} ms")


if __name__ == "__main__":
    main()
