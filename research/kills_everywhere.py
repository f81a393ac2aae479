#!/usr/bin/env python3
"""Kill every command that writes at seeded moments: old files must stay or new ones be whole.

kills_everywhere.py                   1,000 kills
kills_everywhere.py --kills 100 --seed 7 --case build --case "in place"
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.cli.killing import CASES, kill, undisturbed  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--case", action="append", choices=CASES, help="kill this command (default: all)"
    )
    wanted = parser.parse_args()
    draw = random.Random(wanted.seed)
    hit: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tables = place / "tables"
        build = [sys.executable, "-m", "tbgen", "build", "--men", "3", "--data", str(tables)]
        subprocess.run(
            build, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        peace = {
            name: undisturbed(place / "whole", CASES[name], tables) for name in wanted.case or CASES
        }
        runs = 0
        while hit.total() < wanted.kills:
            name = draw.choice(list(peace))
            hit[name] += kill(place / "killed", CASES[name], tables, peace[name], draw)
            runs += 1
            if runs % 10 == 0:
                print(f"{runs} runs, {hit.total()} of them killed: {dict(hit)}", flush=True)
    print(f"{runs} runs, {hit.total()} of them killed before their end, nothing lost: {dict(hit)}")


if __name__ == "__main__":
    main()
