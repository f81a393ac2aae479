"""Solves the positions in its standard input, for the attacks that kill it: FOLDER BYTES_OF_CACHE.

It writes each FEN with its bracket in a line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest import mock

from tbgen.closures.kept import KeptSolves
from tbgen.closures.solver import PositionSolver


def main(folder: Path, cache_bytes: int) -> None:
    with (
        PositionSolver(folder, threads=1) as solver,
        mock.patch.object(KeptSolves, "find", return_value=None),  # so blocks are read
    ):
        solver.cache_bytes = cache_bytes
        for line in sys.stdin:
            fen = line.strip()
            print(json.dumps([fen, str(solver.solve(fen).bracket)]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
