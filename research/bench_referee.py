#!/usr/bin/env python3
"""Measure what the referee itself costs: time between the moves of engines that answer at once.

    bench_referee.py                     play 40 games of legal moves, two at a time
    bench_referee.py --fake 1000000      play games of fake engines, each over at once
    python -m cProfile -s tottime research/bench_referee.py      show where the time goes

Overhead is the time of a game less that between each `go` and its `bestmove`; CPU is that of the
referee alone. Both are per move.
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

from tbgen.apps.match.sheet import Sheet  # noqa: E402
from tests.apps.match.matches import Silent, fake_referee, played, walker  # noqa: E402


def overhead_of(sheet: Sheet) -> float:
    """Seconds a move of a game that were nobody's thinking time."""
    thinking = sum(answer.seconds for answer in sheet.answers.values())
    return (sheet.seconds - thinking) / len(sheet.answers)


class Meter(Silent):
    """Says what a game costs, and the memory at that time, every tenth of a match."""

    def __init__(self, games: int) -> None:
        self.part = games // 10
        self.left = games
        self.clock = time.process_time()

    def game_over(self, sheet: Sheet) -> None:
        self.left -= 1
        if self.left % self.part == 0:
            now = time.process_time()
            microseconds = 1e6 * (now - self.clock) / self.part
            megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(f"{microseconds:.1f} us of CPU a game, {megabytes} MB", flush=True)
            self.clock = now


def play_fake(games: int) -> None:
    """A round robin of five players, of which each game is over at once."""
    words = ["-games", str(games // 10), "-concurrency", "2"]
    for name in "ABCDE":
        words += ["-engine", f"cmd={name}", "depth=1"]
    asyncio.run(fake_referee(words, Meter(games)).play())


def play_walkers(games: int, concurrency: int) -> None:
    """A match of two engines that answer at once."""
    view = Silent()
    with tempfile.TemporaryDirectory() as folder:
        words = [*walker("Ann"), *walker("Bob"), "-pgnout", f"{folder}/games.pgn"]
        words += ["-games", str(games), "-concurrency", str(concurrency)]
        wall_begun = time.perf_counter()
        cpu_begun = time.process_time()
        played(words, view)
        wall = time.perf_counter() - wall_begun
        cpu = time.process_time() - cpu_begun
    moves = sum(len(sheet.answers) for sheet in view.sheets)
    overheads = sorted(1000 * overhead_of(sheet) for sheet in view.sheets)
    median = overheads[len(overheads) // 2]
    print(f"{len(overheads)} games, {moves} moves, {wall:.1f} s")
    print(f"overhead a move: median {median:.2f} ms, worst game {overheads[-1]:.2f} ms")
    print(f"CPU of the referee a move: {1000 * cpu / moves:.2f} ms")


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
    else:
        play_walkers(wanted.games, wanted.concurrency)


if __name__ == "__main__":
    main()
