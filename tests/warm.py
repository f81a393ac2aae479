"""Compile most kernels before tests are counted, and before several processes compile the same.

`python -m tests.warm` takes a minute or two after a change of the solver, and seconds otherwise.
"""

from __future__ import annotations

import tempfile
from multiprocessing import get_context

from tests.cli.calls import tbgen
from tests.project import ROOT
from tests.reference.solver import solve

TABLES = ROOT / "tbgen" / "tables"
"""Those of two and three men."""
CALLS = (
    ("build", "--men", "3", "--jobs", "1", "--data", "{made}"),
    ("verify", "KPvK"),
    ("verify", "KPvK", "--digest"),
    ("study", "record", "KPvK", "-o", "{made}"),
    ("study", "find", "KPvK", "--where", "zugzwang AND moves = 2", "--sample", "2"),
    ("probe", "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"),
    ("adjudicate", "{examples}/club.pgn", "-o", "{made}/scored.pgn"),
    ("solve", "8/2K5/P7/8/8/6k1/7p/8 w - - 0 138", "--budget", "5", "--data", "{made}"),
    ("hold", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1", "--side", "black", "--goal", "draw"),
)


def main() -> None:
    reference = get_context("spawn").Process(target=solve, args=("KvK",))
    reference.start()
    with tempfile.TemporaryDirectory() as made:
        places = {"made": made, "examples": str(ROOT / "docs" / "examples")}
        for call in CALLS:
            done = tbgen(*(word.format(**places) for word in call), folder=TABLES)
            assert done.returncode == 0, (call, done.stderr)
        tbgen("uci", folder=TABLES, given=b"position startpos\ngo nodes 9\n")
    reference.join()
    assert reference.exitcode == 0


if __name__ == "__main__":
    main()
