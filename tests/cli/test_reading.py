"""What games lack: `adjudicate --solve`, `build --for`, and the tables that a solver asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.calls import complaint, tbgen

BLOCKED = "8/8/3p4/3P4/1k6/3Kp3/4P3/8 b - - 0 1"
ENDS = [BLOCKED, "1nb5/8/8/3k4/8/3K4/8/1NBR4 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 33 30"]


@pytest.mark.usefixtures("unbundled")
def test_what_a_solver_misses_is_named_and_built_at_once(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    out = tmp_path / "out.pgn"
    tables = tmp_path / "tables"
    tables.mkdir()
    games.write_text("".join(f'[FEN "{fen}"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n\n' for fen in ENDS))
    words = (
        "adjudicate",
        str(games),
        "--solve",
        "--budget",
        "6",
        "--data",
        str(tables),
        "-o",
        str(out),
    )
    assert (
        f"build --for {out} --data {tables} --outcomes, then decide again\n" in tbgen(*words).stderr
    )
    assert re.findall(r'RMobilityMissing "(.*)"', out.read_text()) == ["KvK"]
    assert tbgen("build", "--for", str(out), "--data", str(tables), "-q").returncode == 0
    assert "missing from" not in tbgen(*words).stderr
    assert {*re.findall('RMobilityMissing|RMobilitySource "solved"', out.read_text())} == {
        'RMobilitySource "solved"'
    }
    done = tbgen("build", "--for", str(out), "--data", str(tables))
    assert done.stderr.splitlines() == [
        "no game lacks a table",
        "3 games with more men than tables have, or castling rights: no table decides",
    ]


@pytest.mark.usefixtures("unbundled")
def test_without_a_copy_the_tables_that_a_solver_misses_are_named(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text(f'[FEN "{BLOCKED}"]\n\n1/2-1/2\n')
    said = tbgen(
        "adjudicate", str(games), "--solve", "--budget", "6", "--data", str(tmp_path)
    ).stderr
    assert "build it: tbgen build KvK --data" in said or "build it: tbgen build KPvK --data" in said


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
