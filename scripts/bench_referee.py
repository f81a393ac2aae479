#!/usr/bin/env python3
"""Measure what the referee itself costs: time between the moves of engines that answer at once.

    bench_referee.py                                              40 games of legal moves, two at a time
    python -m cProfile -s tottime scripts/bench_referee.py        and where the time goes

Overhead is the time of a game less that between each `go` and its `bestmove`; CPU is that of the referee alone.
Both are per move.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.apps.match.game import GameRecord  # noqa: E402
from tests.apps.match.matches import Silent, played, walker  # noqa: E402


def overheads(records: list[GameRecord]) -> list[float]:
    """Seconds a move that were nobody's thinking time, game by game."""
    return [
        (record.seconds - sum(answer.seconds for answer in record.sheet.answers.values())) / len(record.sheet.answers)
        for record in records
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=2)
    wanted = parser.parse_args()
    view = Silent()
    with tempfile.TemporaryDirectory() as folder:
        words = [*walker("Ann"), *walker("Bob"), "-games", str(wanted.games), "-pgnout", f"{folder}/games.pgn"]
        wall, cpu = time.perf_counter(), time.process_time()
        played([*words, "-concurrency", str(wanted.concurrency)], view)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    moves = sum(len(record.sheet.answers) for record in view.records)
    each = sorted(overheads(view.records))
    print(f"{len(each)} games, {moves} moves, {wall:.1f} s")
    print(f"overhead a move: median {1000 * each[len(each) // 2]:.2f} ms, worst game {1000 * each[-1]:.2f} ms")
    print(f"CPU of the referee a move: {1000 * cpu / moves:.2f} ms")


if __name__ == "__main__":
    main()
