"""What games lack: tables, and solves that need tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.calls import complaint, tbgen

BLOCKED = "8/8/3p4/3P4/1k6/3Kp3/4P3/8 b - - 0 1"
ENDS = [BLOCKED, "1nb5/8/8/3k4/8/3K4/8/1NBR4 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 33 30"]


@pytest.mark.usefixtures("unbundled")
def test_what_a_solve_misses_is_named_and_then_solved_and_read(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    tables = tmp_path / "tables"
    tables.mkdir()
    games.write_text("".join(f'[FEN "{fen}"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n\n' for fen in ENDS))
    data = ("--data", str(tables))
    words = ("adjudicate", str(games), *data)
    undecided = tbgen(*words)
    advice = (
        "2 games of up to 8 men, for which there are no tables; "
        f"see what solving takes: tbgen solve --for {games}"
    )
    assert f"{advice} --plan\n" in undecided.stderr
    solve = ("solve", "--for", str(games), "--budget", "6", *data)
    said = tbgen(*solve).stderr
    (missing,) = re.findall(r"game 1 left out: .* build \w+ with: (tbgen build .*)", said)
    assert tbgen(*missing.split()[1:], "-q").returncode == 0
    assert tbgen(*solve).returncode == 0
    decided = tbgen(*words)
    assert '[RMobilitySource "solved"]' in decided.stdout
    assert "1 game of up to 8 men" in decided.stderr
    done = tbgen("build", "--for", str(games), "--data", str(tables))
    assert done.stderr.splitlines() == [
        "no game lacks a table",
        "2 games with more men than tables have, or castling rights: no table decides",
    ]


@pytest.mark.usefixtures("unbundled")
def test_all_tables_that_a_position_needs_are_named_in_one_line(tmp_path: Path) -> None:
    """A knight may be captured before a pawn promotes, and the king then captures the last pawn."""
    words = ("solve", "8/8/3p4/3P4/1k6/3KN3/8/8 b - - 0 1", "--data", str(tmp_path))
    names = "KBvK KNvK KQvK KRvK KvK"
    build = f"tbgen build {names} --data {tmp_path}"
    said = f"tbgen: no tables {names} in {tmp_path}; build them with: {build}"
    assert complaint(*words) == (3, said)
    assert (
        tbgen("build", *names.split(), "--outcomes", "--data", str(tmp_path), "-q").returncode == 0
    )
    assert "no table" not in tbgen(*words, "--plan").stderr
