"""Positions and moves as people type them, in every command alike."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import printed, tbgen

WAITING = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
BLACK = "8/8/4k3/5bK1/8/8/8/8 b - - 33 30 -G4.0"

COMMANDS = ["score", "probe"]


def facts_of(command: str, *arguments: str, folder: Path) -> Any:
    data = [] if command == "score" else ["--data", str(folder)]
    return json.loads(printed(command, *arguments, "--json", *data))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("fen", [WAITING, BLACK])
def test_a_fen_needs_no_quotes(command: str, fen: str, table_folder: Path) -> None:
    quoted = facts_of(command, fen, folder=table_folder)
    assert quoted["accrued"] == fen.split()[-1]
    assert facts_of(command, *fen.split(), folder=table_folder) == quoted
    assert facts_of(command, fen.replace(" ", "_"), folder=table_folder) == quoted
    six, score = fen.rsplit(" ", 1)
    for accrued in (score, score.removesuffix(".0"), score.replace("G", "")):
        assert facts_of(command, six, accrued, folder=table_folder) == quoted


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "moves",
    [
        ["Ke5", "Kh5", "Kf4"],
        ["e6e5", "Kh5", "e5f4"],
        ["Ke5 Kh5 Kf4"],
        ["30. Ke5 Kh5 31. Kf4"],
        ["30.Ke5", "Kh5", "31.Kf4!"],
    ],
)
def test_moves_may_be_written_in_many_ways(
    command: str, moves: list[str], table_folder: Path
) -> None:
    found = facts_of(command, *WAITING.split(), *moves, folder=table_folder)
    assert found["fen"].split()[:2] == ["8/8/8/5B1k/5K2/8/8/8", "b"]
    assert found["accrued"] == "G2.5"
    assert found == facts_of(command, WAITING, *moves, folder=table_folder)


def test_positions_from_the_standard_input_are_answered_line_by_line(table_folder: Path) -> None:
    lines = [
        WAITING,
        "",
        "nonsense",
        BLACK.replace(" ", "_"),
        "8/8/8/4KBkq/8/8/8/8 w - - 0 1",
        f"{WAITING} Ke5 Kh5",
        "8/8/8/4k3/8/8/8/4K2R w K - 0 1",
    ]
    done = tbgen("probe", "-", "--data", str(table_folder), given="\n".join(lines).encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(answer["number"], answer.get("error")) for answer in answers] == [
        (1, None),
        (3, "FenError"),
        (4, None),
        (5, "MissingTableError"),
        (6, None),
        (7, "CastlingError"),
    ]
    wrong = [answer for answer in answers if "error" in answer]
    assert [answer["fen"] for answer in wrong if "message" in answer] == [
        lines[2],
        lines[4],
        lines[6],
    ]
    assert (done.returncode, done.stderr) == (2, "")
    for line, answer in ((WAITING, answers[0]), (BLACK, answers[2])):
        assert {**answer, "number": 1} == {
            "number": 1,
            **facts_of("probe", line, folder=table_folder),
        }


def test_an_answer_comes_before_the_next_question(table_folder: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "probe", "-", "--data", str(table_folder)]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipe) as program:  # type: ignore[call-overload]
        for question, outcome in [(WAITING, "G1.5"), ("what?", None), (BLACK, "-G1.5")]:
            program.stdin.write(f"{question}\n")
            program.stdin.flush()
            assert json.loads(program.stdout.readline()).get("outcome") == outcome
        program.stdin.close()
        assert program.wait() == 2


def test_what_captures_prove_is_not_solved(table_folder: Path) -> None:
    position = "8/8/4k3/8/3Rr3/8/2K5/8 w - - 4 60"
    said = printed("solve", position, folder=table_folder)
    assert said.startswith("G0.0 White forces checkmate, with best play; proved by")
    assert printed("probe", position, folder=table_folder) == said
    solved = facts_of("solve", position, folder=table_folder)
    assert (solved["exact"], solved["lower"]["outcome"], solved["nodes"]) == (True, "G0.0", 0)
    lines = tbgen("probe", "-", folder=table_folder, given=f"{position}\n".encode())
    assert lines.returncode == 0
    assert json.loads(lines.stdout)["proved"]["moves"] == solved["moves"]


def test_tables_that_would_make_bounds_closer_are_named(own_folder: Path) -> None:
    exact, open_one = "8/8/3kp3/8/8/8/3K1P2/8 w - - 1 1", "8/PP6/8/3k4/8/3K4/6pp/8 w - - 0 1"
    options = ("--budget", "1", "--data", str(own_folder))
    said = tbgen("solve", open_one, *options).stderr
    advice = re.search(
        r"(\d+) missing tables .*; build these 2 first: tbgen build (.*) --data", said
    )
    assert advice is not None
    assert int(advice[1]) > 2
    first = advice[2].split()
    assert first == ["KQQvK", "KQvKQ"]
    plan = facts_of("solve", open_one, "--plan", folder=own_folder)
    assert plan["missing"][:2] == first
    assert "missing" not in tbgen("solve", exact, *options).stderr


@pytest.mark.parametrize(
    ("fen", "unknown"),
    [
        ("8/8/7K/5k2/8/7b/8/8 b - - 0 1", "how many plies the outcome takes"),
        (WAITING, "which of the moves that keep the outcome makes progress"),
    ],
)
def test_without_distances_a_probe_says_what_is_not_known(
    fen: str, unknown: str, table_folder: Path, tmp_path: Path
) -> None:
    for name in ("KvK.h5", "KBvK.h5"):
        (tmp_path / name).symlink_to(table_folder / name)
    said = printed("probe", fen, folder=tmp_path)
    assert said.endswith(f"\n\nDistances are not here: {unknown} is not known.\n")
