"""Engines that do what they should not: the other side wins with G0.0, and the match goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tbgen.apps.match import engine
from tbgen.apps.match.info import DoubtKind
from tbgen.errors import EngineStartError
from tests.apps.match.matches import games_of, run, scripted
from tests.processes import have_ended

GOOD = scripted("Good")


@pytest.mark.parametrize(
    ("deed", "limit", "termination", "details"),
    [
        ("illegal", "nodes=1", "rules infraction", "White makes an illegal move: e1e5"),
        ("garbage", "nodes=1", "rules infraction", "White makes an illegal move: castle"),
        ("null", "nodes=1", "rules infraction", "White makes an illegal move: 0000"),
        ("none", "nodes=1", "rules infraction", "White makes an illegal move: (none)"),
        ("empty", "nodes=1", "rules infraction", "White makes an illegal move: none"),
        ("crash", "nodes=1", "abandoned", "White has ended (exit code 3)"),
        ("segfault", "nodes=1", "abandoned", "White has ended (signal SIGSEGV)"),
        ("leave", "nodes=1", "abandoned", "White has ended (exit code 0)"),
        ("close", "nodes=1", "abandoned", "White closes its output"),
        ("hang", "nodes=1", "abandoned", "White does not answer within 1.5 s"),
        (
            "hang",
            "st=1.5",
            "time forfeit",
            "White loses on time: no move within 1.500 s and no answer after it",
        ),
        ("late", "st=1.5", "time forfeit", "White loses on time: no move within 1.500 s"),
    ],
)
def test_a_forfeit_is_named_and_the_engine_plays_the_next_game(
    pgn: Path, deed: str, limit: str, termination: str, details: str
) -> None:
    bad = scripted("Bad", "--at", "2", "--do", deed, limit=limit)
    patience = "1.5" if deed == "hang" else "30"
    _, sheets = run([*bad, f"hang={patience}", *GOOD, "-games", "2", "-pgnout", str(pgn)])
    first, second = games_of(pgn)
    assert (first.tags["Termination"], first.tags["TerminationDetails"]) == (termination, details)
    assert (first.result, first.tags["RMobilitySource"], first.tags["RMobilityResult"]) == (
        "0-1",
        "result",
        "-G0.0",
    )
    assert [ply.san for ply in first.replayed.plies[1:]] == ["f3", "e5"]
    assert (second.tags["White"], second.tags["TerminationDetails"]) == ("Good", "checkmate")
    assert [sheet.pairing.number for sheet in sheets] == [1, 2]


@pytest.mark.parametrize(
    "limit", ["nodes=1", "depth=3", "st=0.5", "tc=0.5", "tc=40/0.5+0.1", "tc=inf depth=2"]
)
def test_an_engine_that_falls_silent_forfeits_whatever_its_limit(
    pgn: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "GRACE_SECONDS", 0.5)
    silent = scripted("Silent", "--at", "0", "--do", "hang", limit="hang=0.5")
    run([*silent, *limit.split(), *GOOD, "-games", "1", "-pgnout", str(pgn)])
    (game,) = games_of(pgn)
    assert game.tags["RMobilityResult"] == "-G0.0"
    assert game.tags["Termination"] in ("abandoned", "time forfeit")


def test_an_engine_that_cannot_be_started_again_forfeits_twice_and_then_ends_the_match(
    pgn: Path, tmp_path: Path
) -> None:
    once = scripted("Once", "--once", str(tmp_path / "born"), "--at", "0", "--do", "crash")
    with pytest.raises(EngineStartError, match=r"'Once' cannot be started: .* File exists"):
        run([*once, *GOOD, "-games", "6", "-pgnout", str(pgn)])
    details = [game.tags["TerminationDetails"] for game in games_of(pgn)]
    assert details[0] == "White has ended (exit code 3)"
    assert [text.partition(":")[0] for text in details[1:]] == [
        "Black cannot be started again",
        "White cannot be started again",
    ]
    assert [game.tags["RMobilityResult"] for game in games_of(pgn)] == ["-G0.0", "G0.0", "-G0.0"]


def test_an_engine_that_is_deaf_to_a_new_game_forfeits_it(pgn: Path) -> None:
    deaf = [*scripted("Deaf", "--deaf-after", "1"), "startup=3"]
    standings, _ = run([*deaf, *GOOD, "-games", "1", "-pgnout", str(pgn)])
    (game,) = games_of(pgn)
    assert game.tags["TerminationDetails"] == "White does not answer isready within 3 s"
    assert (game.tags["Termination"], game.tags["RMobilityResult"]) == ("abandoned", "-G0.0")
    assert standings.facts(pgn)["forfeits"] == [
        {
            "file": str(pgn),
            "number": 1,
            "termination": "abandoned",
            "details": game.tags["TerminationDetails"],
        }
    ]


def test_what_an_engine_says_cannot_spoil_the_file_of_the_match(pgn: Path) -> None:
    ann = scripted("Ann", "--at", "2", "--do", "noise")
    bob = scripted("Bob\x1b[2J\x00 " + 200 * "b")
    run([*ann, *bob, "-games", "2", "-pgnout", str(pgn)])
    assert not set(pgn.read_text()) & {
        chr(code) for code in (*range(10), *range(11, 32), 127, 0x202E)
    }
    first, second = games_of(pgn)
    assert first.tags["Black"] == second.tags["White"] == "Bob[2J " + 72 * "b" + "…"
    assert first.tags["TerminationDetails"] == "White makes an illegal move: e2[2Je4xxxxxxxxxxxx…"


def test_deaf_engines_end_with_a_referee_that_is_killed(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    words = [
        *scripted("Ann", "--helper", str(numbers), "--at", "0", "--do", "hang"),
        *scripted("Bob"),
        "-debug",
    ]
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while b"info string deaf" not in process.stderr.readline():
            pass
        helper, engine = (int(word) for word in numbers.read_text().split())
        process.kill()
    try:
        assert have_ended([engine])
    finally:
        os.kill(helper, signal.SIGKILL)


def test_the_evaluation_of_a_game_is_the_exact_score_of_the_best_line(pgn: Path) -> None:
    """The engine shows +0.10, then other lines, bounds and texts with scores of other moves."""
    said = [
        "info depth 7 multipv 2 score cp -20",
        "info depth 7 multipv 3 score cp -950",
        "info depth 8 score cp -900 upperbound",
        "info depth 8 score lowerbound cp 900",
        "info string score cp -800 depth 9",
    ]
    talker = scripted("Talker", *(word for line in said for word in ("--then", line)))
    resign = ["-resign", "movecount=1", "score=500"]
    run([*talker, *GOOD, *resign, "-games", "1", "-pgnout", str(pgn)])
    (game,) = games_of(pgn)
    assert game.tags["TerminationDetails"] == "checkmate"
    assert pgn.read_text().count("+0.10/7") == 4


WRONG_LINES = [
    ("e2e4 e7e5 e4e5", DoubtKind.ILLEGAL, "e4e5 is no move after e7e5: e2e4 e7e5 e4e5"),
    ("e2e5 time 3", DoubtKind.ILLEGAL, "e2e5 is no move: e2e5"),
    ("0000", DoubtKind.ILLEGAL, "0000 is no move: 0000"),
    ("f2f3 e7e5 g2g4 d8h4", DoubtKind.SIGN, "mate 2, but Black mates in: f2f3 e7e5 g2g4 d8h4"),
]


@pytest.mark.parametrize(("line", "kind", "details"), WRONG_LINES)
def test_a_wrong_line_is_told_and_changes_no_game(line: str, kind: DoubtKind, details: str) -> None:
    talker = scripted("Talker", "--then", f"info depth 9 score mate 2 pv {line}")
    _, (sheet,) = run([*talker, *GOOD, "-games", "1"])
    assert sheet.answers[1].doubt == (kind, details)
    assert sheet.answers[2].doubt is None
    assert sheet.ending.details == "checkmate"


@pytest.mark.parametrize(
    "line",
    [
        "info depth 9 score mate -2 pv f2f3 e7e5 g2g4 d8h4",
        "info depth 9 score mate 2 pv f2f3 e7e5",
        "info depth 9 score cp 3 pv f2f3 e7e5 g2g4 d8h4 string pv e2e5",
        "info depth 9 multipv 2 score cp 3 pv e2e5",
        "info depth 9 score cp 3",
    ],
)
def test_a_line_that_may_be_right_is_not_told(line: str) -> None:
    talker = scripted("Talker", "--then", line)
    _, (sheet,) = run([*talker, *GOOD, "-games", "1"])
    assert sheet.answers[1].doubt is None


@pytest.mark.parametrize("program", ["no-such-engine", "./no/such/engine"])
def test_a_program_that_is_missing_is_named(program: str) -> None:
    missing = ["-engine", f"cmd={program}", "name=Missing", "depth=1"]
    with pytest.raises(EngineStartError, match=r"no.such.engine"):
        run([*missing, *GOOD])


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    with pytest.raises(EngineStartError, match=f"there is no folder {folder}"):
        run([*scripted("Lost"), f"dir={folder}", *GOOD])


def test_an_engine_that_does_not_start_is_told_with_its_command_and_folder(tmp_path: Path) -> None:
    shell = ["-engine", "cmd=sh", "arg=-c", "arg=echo no net >&2; exit 3", "name=Lost", "depth=1"]
    with pytest.raises(EngineStartError) as failed:
        run([*shell, f"dir={tmp_path}", *GOOD])
    told = str(failed.value)
    assert "engine 'Lost' cannot be started: it ended at once (exit code 3): no net" in told
    assert told.endswith(f"sh -c 'echo no net >&2; exit 3' in {tmp_path}")
