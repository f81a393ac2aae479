"""Each program still runs, on little."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "tbgen" / "tables"
"""Those of two and three men."""
STOCKFISH = "/usr/games/stockfish"
NGINX = "/usr/sbin/nginx"
GAMES = """[Event "A match"]
[White "tbgen"]
[Black "other"]
[Result "1/2-1/2"]
[RMobilityResult "-G20.5"]

1. e4 1/2-1/2
"""
RUNS = {
    "bare_kings.py": ("{tables}", "all moves"),
    "bench_referee.py": ("--games 2", "2 games, "),
    "bench_serve.py": ("--data {tables} --steady 10000", "10000 requests: "),
    "brackets.py": ("truth {tables} KPvK:1 --pairs 20", "\nKPvK,"),
    "claims.py": ("stalemates", "| all"),
    "evil_servers.py": ("--minutes 0.02", "each ended in time"),
    "kills.py": ("KPvK --small {tables} --kills 2 --in-a-row 1", '"then"'),
    "kills_everywhere.py": ("--kills 3 --case copy", "3 of them killed"),
    "mutants.py": ("tbgen/reading.py --count 1 --jobs 1", "1 chosen by seed 1"),
    "openings.py": ("1 --engine {stockfish}", " w "),
    "potential.py": ("{records}", "KRvKB"),
    "siege.py": ("{tables} --few", "right answers"),
    "spar.py": (
        "--tables {tables} --men 3 --games 2 --nodes 99 --opponent {stockfish} --opponent-nodes 9",
        "points",
    ),
    "tiebreaks.py": ("{folder}/games.pgn tbgen", "1 games, 0 pairs, 1 drawn games"),
}
"""[program] -> its words, and what it prints"""


def test_every_program_is_run_here() -> None:
    assert {path.name for path in (ROOT / "research").glob("*.py")} == set(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("program", RUNS)
def test_a_program_runs(program: str, tmp_path: Path) -> None:
    words, printed = RUNS[program]
    if "{stockfish}" in words and not Path(STOCKFISH).exists():
        pytest.skip("there is no Stockfish here")
    if program == "siege.py" and not Path(NGINX).exists():
        pytest.skip("there is no nginx here")
    (tmp_path / "games.pgn").write_text(GAMES)
    places = {
        "tables": TABLES,
        "folder": tmp_path,
        "stockfish": STOCKFISH,
        "records": ROOT / "records",
    }
    command = [sys.executable, str(ROOT / "research" / program), *words.format(**places).split()]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert printed in done.stdout, done.stderr
    assert "Traceback" not in done.stderr
