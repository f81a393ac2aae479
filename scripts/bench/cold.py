"""What a newcomer waits for: the first commands, each with an empty folder of compiled kernels.

    .venv/bin/python scripts/bench/cold.py [--runs 5] [--only build]

Seconds of wall until the first line of output (not that kernels are compiled) and until the end, and CPU seconds,
processes that compile included; medians. The wall depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
GAMES = ROOT / "tests" / "golden" / "tcec_s18.pgn"
TBGEN = (sys.executable, "-m", "tbgen")


class First(NamedTuple):
    """A command, and what has been done before it: with the same kernels, or with others."""

    name: str
    command: tuple[str, ...]
    warmed: tuple[str, ...] = ()
    data: tuple[str, ...] = ()


FIRSTS = (
    First("build KBvK", (*TBGEN, "build", "KBvK", "-q")),
    First("build KPvK, after KBvK", (*TBGEN, "build", "KPvK", "-q"), warmed=("KBvK",)),
    First("verify KBvK", (*TBGEN, "verify", "KBvK"), data=("KBvK",)),
    First("verify KPvK", (*TBGEN, "verify", "KPvK"), data=("KPvK",)),
    First("record KPvK", (*TBGEN, "study", "record", "KPvK"), data=("KPvK",)),
    First("score --pgn", (*TBGEN, "score", "--pgn", str(GAMES), "--summary")),
    First("adjudicate", (*TBGEN, "adjudicate", str(GAMES), "-q"), data=("KBvK",)),
    First("all kernels", (sys.executable, str(ROOT / "scripts" / "kernels.py"), "--compile")),
)


class Seconds(NamedTuple):
    """What a command took, with all that it started."""

    first: float
    """Wall, until its first line; until its end if it prints nothing."""
    wall: float
    cpu: float


def seconds_of(command: tuple[str, ...], data: Path, kernels: Path) -> Seconds:
    """What a command takes."""
    environment = {**os.environ, "TBGEN_DATA": str(data), "TBGEN_CACHE": str(kernels), "PYTHONPATH": str(ROOT)}
    begun, before = time.monotonic(), os.times()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(
        command, env=environment, cwd=data, stdout=subprocess.PIPE, stderr=nowhere, stdin=nowhere
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        first = time.monotonic() - begun
        process.stdout.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Seconds(first, time.monotonic() - begun, cpu)


def run_once(first: First, warm_kernels: Path) -> Seconds:
    with tempfile.TemporaryDirectory() as folder:
        data, kernels = Path(folder, "data"), Path(folder, "kernels")
        data.mkdir()
        if first.warmed:
            seconds_of((*TBGEN, "build", *first.warmed, "-q"), data, kernels)
        if first.data:
            seconds_of((*TBGEN, "build", *first.data, "-q"), data, warm_kernels)
        return seconds_of(first.command, data, kernels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="only commands that have this in their name")
    options = parser.parse_args()
    print(
        f"{'from an empty folder of kernels':32} {'first line':>10} {'wall s':>8} {'CPU s':>8}   all runs, first line"
    )
    with tempfile.TemporaryDirectory() as warm:
        for first in FIRSTS:
            if options.only in first.name:
                runs = [run_once(first, Path(warm)) for _ in range(options.runs)]
                line, wall, cpu = (statistics.median(each) for each in zip(*runs, strict=True))
                lines = " ".join(f"{each.first:.2f}" for each in runs)
                print(f"{first.name:32} {line:10.2f} {wall:8.2f} {cpu:8.1f}   {lines}", flush=True)


if __name__ == "__main__":
    main()
