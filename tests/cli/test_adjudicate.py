from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tbgen.apps.games import archive
from tbgen.apps.games.chunks import ScannedChunk
from tbgen.apps.match.store import state_path
from tbgen.system.process import try_lock
from tests.cli.calls import complaint, tbgen
from tests.processes import children_of

GOLDEN = Path(__file__).parent.parent / "golden"
HELD = '[Event "held"]\n[Result "1/2-1/2"]\n[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n30. Bh3 Kg6 1/2-1/2\n'


@pytest.fixture
def held(tmp_path: Path) -> Path:
    path = tmp_path / "held.pgn"
    path.write_text(HELD)
    return path


def test_a_stream_is_read_and_written(table_folder: Path) -> None:
    done = tbgen("adjudicate", "-", "-q", "--data", str(table_folder), given=HELD.encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert '[RMobilitySource "tablebase"]' in done.stdout
    again = tbgen("adjudicate", "-", "-q", "--data", str(table_folder), given=done.stdout.encode())
    assert again.stdout == done.stdout


def test_in_place_means_in_place(held: Path, table_folder: Path) -> None:
    assert tbgen("adjudicate", str(held), "--in-place", "--data", str(table_folder)).returncode == 0
    written = held.read_text()
    assert '[RMobilityResult "G1.5"]' in written
    tbgen("adjudicate", str(held), "--in-place", "--data", str(table_folder))
    assert held.read_text() == written
    assert [path.name for path in held.parent.iterdir()] == ["held.pgn"]


def test_a_provisional_score_is_told_by_its_tags_until_the_table_is_there(
    held: Path, tmp_path: Path, table_folder: Path
) -> None:
    provisional = tmp_path / "provisional.pgn"
    done = tbgen("adjudicate", str(held), "--data", str(tmp_path), "-o", str(provisional))
    assert done.returncode == 0
    written = provisional.read_text()
    assert '[RMobilityResult "G4.0"]' in written
    assert '[RMobilitySource "provisional"]\n[RMobilityMissing "KBvK"]\n' in written
    again = tbgen("adjudicate", str(provisional), "-q", "--data", str(table_folder)).stdout
    assert '[RMobilitySource "tablebase"]' in again
    assert "RMobilityMissing" not in again


def test_strict_fails_where_a_score_is_provisional_and_still_writes_the_file(
    held: Path, tmp_path: Path, table_folder: Path
) -> None:
    out = tmp_path / "out.pgn"
    done = tbgen("adjudicate", str(held), "-o", str(out), "--strict", "--data", str(tmp_path))
    assert done.returncode == 3
    assert "RMobilityMissing" in out.read_text()
    assert tbgen("adjudicate", str(held), "-o", str(out), "--strict", "--data", str(table_folder)).returncode == 0


def test_the_summary_says_what_ended_the_games_that_no_table_had_to_decide(tmp_path: Path, table_folder: Path) -> None:
    mate = '[FEN "7k/8/6K1/8/8/8/8/R7 w - - 0 1"]\n[Result "1-0"]\n\n1. Ra8# 1-0\n\n'
    again = "30. Ke7 Kh6 31. Ke6 Kg5 32. Ke7 Kh6 33. Ke6 Kg5 1/2-1/2\n\n"
    repeated = HELD.replace("30. Bh3 Kg6 1/2-1/2\n", again)
    path = tmp_path / "games.pgn"
    path.write_text(mate * 2 + repeated + "1. e4 e5 1/2-1/2\n\n1. e4 1-0\n\n" + HELD)
    done = tbgen("adjudicate", str(path), "-o", str(tmp_path / "x.pgn"), "--data", str(table_folder))
    assert done.stderr.splitlines()[-1] == (
        "6 games decided: 2 by mate or stalemate, 1 by their result, 1 by best play, "
        "1 by what had accrued when the rules ended them, 1 by what had accrued when they stopped"
    )


def test_a_game_that_cannot_be_read_is_named_and_the_others_are_decided(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 1-0\n1. e4 Ke2 *\n1. d4 0-1\n")
    done = tbgen("adjudicate", str(path), "--verdicts", "-")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == f"tbgen: {path}, game 2, ply 2: illegal move 'Ke2': it is Black's turn"
    summary = json.loads(done.stdout)
    assert [game["final"] for game in summary["games"]] == ["G0.0", "-G0.0"]
    assert [(game["file"], game["number"]) for game in summary["games"]] == [(str(path), 1), (str(path), 3)]
    (skipped,) = summary["skipped"]
    assert (skipped["file"], skipped["number"], skipped["ply"]) == (str(path), 2, 2)
    assert skipped["reason"] == "illegal move 'Ke2': it is Black's turn"


def test_a_file_that_a_match_writes_is_not_changed_in_place(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 e5 *\n")
    with open(state_path(path), "w") as state:
        assert try_lock(state.fileno())
        code, line = complaint("adjudicate", str(path), "--in-place", "-q")
    assert (code, line) == (1, f"tbgen: {path}: a match is writing to it; adjudicate it when the match is over")
    assert path.read_text() == "1. e4 e5 *\n"
    assert tbgen("adjudicate", str(path), "--in-place", "-q").returncode == 0


def test_a_file_that_grows_while_it_is_read_is_not_changed_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 e5 *\n")
    decide = archive.ChunkDecider.decide

    def growing(self: archive.ChunkDecider, chunk: ScannedChunk, name: str) -> archive.Decided:
        path.write_text("1. e4 e5 *\n1. d4 *\n")
        return decide(self, chunk, name)

    monkeypatch.setattr(archive.ChunkDecider, "decide", growing)
    code, line = complaint("adjudicate", str(path), "--in-place", "-q")
    assert (code, line) == (1, f"tbgen: {path}: it has changed since it was read, and stays as it is")
    assert path.read_text().startswith("1. e4 e5 *\n1. d4 *\n")


@pytest.mark.parametrize(
    ("command", "stop"),
    [
        (["adjudicate", "-o", "out.pgn"], signal.SIGKILL),
        (["standings"], signal.SIGTERM),
        (["standings"], signal.SIGINT),
    ],
)
def test_no_worker_outlives_a_run_that_is_ended(tmp_path: Path, command: list[str], stop: signal.Signals) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes((GOLDEN / "tcec_s18.pgn").read_bytes() * 2000)
    words = [sys.executable, "-m", "tbgen", *command, "--jobs", "2", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(GOLDEN.parent.parent)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment)
    while len(children_of(process.pid)) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(stop)
    process.communicate(timeout=60)  # the pipes end when nobody holds them any more
    assert process.returncode == (-stop if stop is signal.SIGKILL else 128 + stop)


def test_one_command_builds_what_games_lack(held: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    build = ("build", "--for", str(held), "--data", str(folder))
    plan = tbgen(*build, "--plan", "--json")
    assert [table["material"] for table in json.loads(plan.stdout)["tables"]] == ["KvK", "KBvK"]
    assert (plan.returncode, plan.stderr) == (0, "1 table would decide 1 game more\n")
    assert "of memory in use" in tbgen(*build, "--plan").stdout.splitlines()[-1]
    assert tbgen(*build).stdout.splitlines()[-1] == "2 built, 0 already there"
    again = tbgen(*build)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "no game lacks a table\n")
    assert "cannot be given together" in complaint(*build, "KNvK")[1]


def test_games_with_six_men_are_solved_where_that_is_asked_for(tmp_path: Path, table_folder: Path) -> None:
    fens = (
        "8/8/3p4/3P4/1k6/3Kp3/4P3/8 b - - 0 1",
        "8/PP6/8/3k4/8/3K4/6pp/8 w - - 0 1",
        "8/PPP5/8/3k4/8/3K4/5ppp/8 w - - 0 1",
    )
    games, out, facts = tmp_path / "six.pgn", tmp_path / "out.pgn", tmp_path / "out.json"
    games.write_text("".join(f'[FEN "{fen}"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n\n' for fen in fens))
    (tmp_path / "tables").mkdir()
    for path in table_folder.glob("*.h5"):
        (tmp_path / "tables" / path.name).symlink_to(path)
    solved = ("adjudicate", str(games), "-o", str(out), "--solve", "--data", str(tmp_path / "tables"))
    done = tbgen(*solved, "--budget", "6", "--verdicts", str(facts))
    told = done.stderr.splitlines()
    assert (done.returncode, told[0]) == (0, "2 games to solve, 1 beyond the budget or the tables")
    assert re.fullmatch(r"\d+ blocks, .* of CPU at most \(estimated\), .* of memory, .* of disk", told[1])
    assert told[-1] == (
        "3 games decided: 1 by best play, solved for them, 1 by what had accrued when they stopped, 1 provisional"
    )
    assert '[RMobilityResult "G5.5"]\n' in out.read_text()
    assert '[RMobilitySource "solved"]\n\n' in out.read_text()
    assert '[RMobilitySource "provisional"]\n[RMobilityBounds "-G0.0 G0.0"]\n' in out.read_text()
    bounds = [each["bounds"] and each["bounds"]["exact"] for each in json.loads(facts.read_text())["games"]]
    assert bounds == [None, False, None]
    assert tbgen("standings", str(out)).returncode == 0
    assert tbgen("adjudicate", str(out), "-q", "--data", str(table_folder)).stdout.count("Bounds") == 0
