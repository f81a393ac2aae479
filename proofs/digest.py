#!/usr/bin/env python3
"""Compare dumps with the known tables: `digest.py FOLDER KvK KRvK ...`

The digest of a table, as docs/digests.md defines it, is made here from the dump alone, by the slow
reference. If it is as known, the dump has the very values of the known table.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.project import ROOT
from tests.reference.digest import digests

NO_POSITION = 255
FIRST_CODE = 2

Longs = npt.NDArray[np.int64]


class Dump:
    """The columns of a dump, as dump.py describes them, without rights to take en passant."""

    def __init__(self, path: Path, men: int) -> None:
        with path.open("rb") as file:
            assert file.readline() == b"tbgen pairs 1\n"
            file.readline()
            rows = int(file.readline().split()[0])
            places = 2 * 64**men
            own = np.frombuffer(file.read(places), "u1").astype(np.int64)
            self.entry = np.frombuffer(file.read(places), "i1").astype(np.int64)
            self.plies = np.frombuffer(file.read(2 * places), "<u2").astype(np.int64)
            self.held = np.frombuffer(file.read(rows), "i1").astype(np.int64)
            self.held_plies = np.frombuffer(file.read(2 * rows), "<u2").astype(np.int64)
        codes = np.minimum(own, abs(self.entry) - 1)
        counts = np.where(own == NO_POSITION, 0, 2 * np.maximum(codes - FIRST_CODE + 1, 0))
        self.first = np.cumsum(counts) - counts

    def answers(self, sides: Longs, squares: Longs, accrued: Longs) -> tuple[Longs, Longs]:
        """Outcomes and distances, as the reference asks for them; the score 0 is the own one."""
        places = sides.astype(np.int64)  # the reference gives nothing as an array of floats
        for man in squares.T:
            places = 64 * places + man.astype(np.int64)
        codes = abs(accrued.astype(np.int64)) - 1
        has_say = (accrued != 0) & (codes < abs(self.entry[places]))
        rows = self.first[places] + 2 * (codes - FIRST_CODE) + (accrued < 0)
        rows = np.where(has_say, rows, 0)
        outcomes = np.where(has_say, self.held[rows], self.entry[places])
        return outcomes, np.where(has_say, self.held_plies[rows], self.plies[places])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("materials", nargs="+", metavar="MATERIAL")
    arguments = parser.parse_args()
    with (ROOT / "tbgen" / "verify" / "digests.csv").open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        known = {row["material"]: (row["outcomes"], row["distances"]) for row in rows}
    for name in arguments.materials:
        dump = Dump(arguments.folder / f"{name}.pairs", men=len(name) - 1)
        outcomes, distances = digests(name, dump.answers)
        if (outcomes, distances) != known[name]:
            sys.exit(f"{name}: the digests of the dump are {outcomes} and {distances}")
        print(f"{name:6} {outcomes[:16]}  {distances[:16]}  as known", flush=True)


if __name__ == "__main__":
    main()
