"""How a build with several tables at work is shown."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tbgen.cli.watch import PlainWatcher
from tbgen.errors import BuildError
from tbgen.library.build import Built
from tbgen.library.survey import Condition, Finding
from tbgen.material import Material
from tests.cli.terminals import shown_on_terminal

KNIGHT, BISHOP = Material.parse("KNvK"), Material.parse("KBvK")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_plain_lines_say_which_table_they_are_about(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    watcher = PlainWatcher()
    for number, material in enumerate((KNIGHT, BISHOP), 1):
        watcher.begins(Finding(material, Condition.MISSING), number, 2)
    for _ in range(10):
        clock[0] += 1
        watcher.progress(BISHOP, "levels", 3, 0.5, 7)
        watcher.progress(KNIGHT, "moves", None, 0.25, 0)
    watcher.built(Built(Finding(BISHOP, Condition.MISSING), 417_228, 1, 10.0, 9.0))
    assert capsys.readouterr().err.splitlines() == [
        "KNvK (1 of 2) ...",
        "KBvK (2 of 2) ...",
        "KBvK (2 of 2): levels G1.5, 7 positions decided, 50 %, 5 s, about 5 s to go",
        "KNvK (1 of 2): moves, 25 %, 5 s, about 15 s to go",
        "KBvK (2 of 2): levels G1.5, 7 positions decided, 50 %, 10 s, about 10 s to go",
        "KNvK (1 of 2): moves, 25 %, 10 s, about 30 s to go",
        "KBvK (2 of 2): 417,228 positions in 10.0 s",
    ]


def test_the_time_to_the_end_is_said_at_once_and_then_once_a_minute(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = PlainWatcher()
    watcher.begins(Finding(KNIGHT, Condition.MISSING), 1, 110)
    watcher.forecast(30_000.0)
    clock[0] += 61
    watcher.forecast(20_000.0)
    clock[0] += 10
    watcher.forecast(19_990.0)
    clock[0] += 61
    watcher.forecast(5.0)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "0 of 110 tables are built, about 8 h 20 min to go",
        "0 of 110 tables are built, about 5 h 33 min to go",
    ]


def test_of_less_than_a_minute_nothing_is_said(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    watcher = PlainWatcher()
    watcher.begins(Finding(KNIGHT, Condition.MISSING), 1, 15)
    watcher.forecast(59.0)
    clock[0] += 61
    watcher.forecast(30.0)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_lost_processes_and_failures_are_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    watcher = PlainWatcher()
    watcher.again(KNIGHT, "killed by SIGKILL")
    watcher.failed(BuildError("KNvK", "no luck"))
    assert capsys.readouterr().err.splitlines() == [
        "KNvK: the process that made it was lost (killed by SIGKILL); building it once more",
        "cannot build KNvK: no luck; going on with the tables that do not need it",
    ]


def test_a_terminal_shows_a_bar_for_each_table_at_work(tmp_path: Path) -> None:
    names = ("KNvK", "KBvK")
    shown = shown_on_terminal(120, "build", *names, "--jobs", "2", "--threads", "2", "--data", str(tmp_path))
    assert "tables" in shown
    assert all(name in shown for name in (*names, "1 of 3"))
    assert "3 built, 0 already there" in shown


def test_a_watcher_that_is_closed_says_nothing_more(capsys: pytest.CaptureFixture[str]) -> None:
    """Threads of an interrupted build go on for a moment, and find the processes lost that were ended."""
    watcher = PlainWatcher()
    watcher.again(Material.parse("KNvK"), "killed by SIGKILL")
    assert "was lost" in capsys.readouterr().err
    watcher.close()
    watcher.again(Material.parse("KNvK"), "killed by SIGKILL")
    assert capsys.readouterr().err == ""


def test_the_time_to_go_is_that_of_the_plan_and_of_the_phases(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = PlainWatcher()
    watcher.begins(Finding(BISHOP, Condition.MISSING), 1, 1)
    watcher.expects(BISHOP, 100.0)
    for phase, done in (("levels", 0.2), ("levels", 1.0), ("writing", 1.0), ("writing", 1.0)):
        clock[0] += 10
        watcher.progress(BISHOP, phase, None, done, 0)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "KBvK (1 of 1): levels, 10 %, 10 s, about 90 s to go",
        "KBvK (1 of 1): levels, 20 %, 20 s, about 80 s to go",
        "KBvK (1 of 1): writing, 30 %, 30 s, about 70 s to go",
        "KBvK (1 of 1): writing, 40 %, 40 s, about 60 s to go",
    ]


def test_compiling_is_said_at_once_and_then_now_and_then(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = PlainWatcher()
    for done in range(8):
        watcher.compiles(done, 30)
        clock[0] += 2
    assert capsys.readouterr().err.splitlines() == [f"compiling kernels, once: {done} of 30" for done in (0, 3, 6)]
