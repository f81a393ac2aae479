#!/usr/bin/env python3
"""Fetch for minutes from each kind of evil server, all side by side.

Each fetch must end in time, with what is right.

    evil_servers.py                          ten minutes
    evil_servers.py --minutes 1 --seed 7
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.cli.build import BuildWatcher  # noqa: E402
from tbgen.library.build import build  # noqa: E402
from tests.attacks.servers import KINDS, TABLE, one_fetch  # noqa: E402
from tests.library.mirrors import mirror_of  # noqa: E402


def fetches(kind: str, tables: Path, folder: Path, seconds: float, seed: int) -> int:
    """How many fetches there were."""
    draw = random.Random(f"{kind} {seed}")
    end = time.monotonic() + seconds
    count = 0
    with mirror_of(tables) as mirror:
        while time.monotonic() < end:
            one_fetch(mirror, folder / kind, kind, draw)
            count += 1
            time.sleep(0.1)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(KINDS)) as pool:
        tables = Path(name, "tables")
        build(tables, [TABLE], BuildWatcher())
        running = {
            kind: pool.submit(fetches, kind, tables, Path(name), 60 * wanted.minutes, wanted.seed)
            for kind in KINDS
        }
        for kind, future in running.items():
            print(f"{kind}: {future.result()} fetches, each ended in time", flush=True)


if __name__ == "__main__":
    main()
