#!/usr/bin/env python3
"""Check random pairs of tables of whole-game mobility by their moves, with the reference's own rules.

one_ply.py --data data --men 5 --pairs 10000
one_ply.py --data data KRvKB --seed 7

The readers of the tables are the program's; nothing else is. A line a table, and one for each pair that is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen import Tablebase, open_tablebase  # noqa: E402
from tbgen.material import materials  # noqa: E402
from tests.reference.one_ply import Ask, Ints, wrong_pairs  # noqa: E402

BATCH = 10_000


def answers_of(tables: Tablebase) -> Ask:
    """What tables say, as the check asks it."""

    def ask(name: str, side: Ints, squares: Ints, accrued: Ints, jumped: Ints) -> tuple[Ints, Ints]:
        many = tables.probe_many(
            name, side == 0, squares, accrued=accrued if accrued.any() else None, en_passant=jumped
        )
        if many.fault.any():
            row = int(np.flatnonzero(many.fault)[0])
            raise SystemExit(f"{name}: {squares[row].tolist()}, accrued {accrued[row]}: {many.fault_of(row)}")
        return many.outcome.astype(np.int64), many.dtg.astype(np.int64)

    return ask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="MATERIAL")
    parser.add_argument("--data", type=Path, default=ROOT / "data", metavar="DIR")
    parser.add_argument("--men", type=int, metavar="N", help="all materials of N men")
    parser.add_argument("--pairs", type=int, default=BATCH, metavar="N", help="of each material (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=27)
    wanted = parser.parse_args()
    names, wrong = [*wanted.names, *(map(str, materials(wanted.men)) if wanted.men else ())], 0
    for name in names:
        with open_tablebase(wanted.data, mobility="whole-game") as tables:
            begun, found = time.process_time(), wrong_pairs(name, wanted.pairs, wanted.seed, answers_of(tables))
        wrong += len(found)
        print(
            f"{name}: {wanted.pairs:,} pairs, {len(found)} wrong, {time.process_time() - begun:.1f} CPU s", flush=True
        )
        print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(names)} tables, {len(names) * wanted.pairs:,} pairs, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
