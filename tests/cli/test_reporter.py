"""Progress: silent, in lines, or drawn; and how a build with several tables at work is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tbgen.cli import reporter
from tbgen.cli.build import BuildWatcher
from tbgen.cli.reporter import Reporter, progress, reading
from tbgen.compiled.notice import PACKAGES
from tbgen.library.catalog import Condition, Finding
from tbgen.material import table_named
from tests.cli.terminals import run_on_terminal, shown_on_terminal

KNIGHT = table_named("KNvK")
BISHOP = table_named("KBvK")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(
        reporter, "time", mock.Mock(monotonic=lambda: now[0])
    )  # and not for servers of other tests
    return now


@pytest.mark.parametrize("piped", [True, False])
def test_bars_appear_by_themselves_and_leave_the_output_alone(piped: bool) -> None:
    code = (
        "from tbgen.cli import reporter\n"
        "reporter.QUIET_SECONDS = 0.0\n"
        "with reporter.reporter() as shown:\n"
        "    work = shown.work('at work', 3)\n"
        "    work.advance()\n"
        "    print('x' * 200)\n"
    )
    on_terminal, output = run_on_terminal([sys.executable, "-c", code], 60, piped=piped)
    assert "at work" in on_terminal
    assert ("x" * 200 in output) == piped
    assert ("x" * 200 in on_terminal) == (not piped)


@pytest.mark.parametrize(
    ("total", "as_share", "told"),
    [
        (3, False, ["work, 12 s: 1 of 3", "work, 18 s: 1 of 3", "work, 24 s: KBvK, 1 of 3"]),
        (None, False, ["work, 12 s: 1", "work, 18 s: 1", "work, 24 s: KBvK, 1"]),
        (
            4,
            True,
            [
                "work, 12 s: 25 %, about 36 s to go",
                "work, 18 s: 25 %, about 54 s to go",
                "work, 24 s: KBvK, 25 %, about 72 s to go",
            ],
        ),
        (None, True, ["work, 12 s", "work, 18 s", "work, 24 s: KBvK"]),
    ],
)
def test_long_work_prints_a_line_now_and_then_where_there_is_no_terminal(
    total: int | None,
    as_share: bool,
    told: list[str],
    clock: list[float],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress("work", total, as_share=as_share) as shown:
        for seconds, steps, detail in ((12, 1, ""), (6, 0, ""), (1, 0, "checksum"), (5, 0, "KBvK")):
            clock[0] += seconds
            shown.advance(steps, detail=detail)
    clock[0] += 99
    shown.advance()
    assert capsys.readouterr() == ("", "".join(f"{line}\n" for line in told))


@pytest.mark.parametrize(("packed", "told"), [(b"", ", 50 %, about 18 s to go"), (b"\x1f\x8b", "")])
def test_the_time_that_is_left_is_told_where_the_size_of_a_file_is_known(
    packed: bytes, told: str, tmp_path: Path, clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(packed.ljust(100))

    def parts() -> Iterator[tuple[int, int]]:
        for seconds, size, games in ((12, 20, 1), (6, 30, 2)):
            clock[0] += seconds
            yield size, games

    assert list(reading(str(path), parts(), lambda part: part)) == [(20, 1), (30, 2)]
    assert capsys.readouterr().err.splitlines()[-1] == f"games.pgn, 18 s: 3 games{told}"


def test_the_time_to_the_end_of_a_build_is_told_once_a_minute(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = BuildWatcher(Reporter())
    watcher.begins(Finding(KNIGHT, Condition.MISSING), 1, 110, 30_000)
    for seconds, left in ((0, 30_000), (59, 29_000), (1, 20_000), (10, 19_990)):
        clock[0] += seconds
        watcher.forecast(left)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "tables, 60 s: 0 of 110, about 5 h 33 min to go"
    ]


def test_the_time_to_go_does_not_grow_by_what_is_compiled(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    reporter = Reporter()
    work = reporter.work("solving", 1, as_share=True)
    reporter.tell_of_compiling(PACKAGES["retro"])
    clock[0] += 20 + 10
    work.reach(0.5)
    assert capsys.readouterr().err.splitlines()[1:] == ["solving, 30 s: 50 %, about 10 s to go"]


def test_a_table_at_work_takes_longer_while_the_solver_is_compiled(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = BuildWatcher(Reporter())
    watcher.begins(Finding(BISHOP, Condition.MISSING), 1, 1, 1.0)
    clock[0] += 2
    watcher.tell_of_compiling(PACKAGES["retro"])
    clock[0] += 5
    watcher.progress(BISHOP, "accrued", None, 0.2, 0)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "compiling the solver (once, about 20 s)",
        "KBvK (1 of 1), 7 s: accrued, 33 %, about 14 s to go",
    ]


@pytest.mark.slow
def test_a_terminal_shows_a_bar_for_each_table_at_work(tmp_path: Path) -> None:
    shown = shown_on_terminal(
        120, "build", "KRvKN", "KBvKN", "--jobs", "2", "--threads", "2", "--data", str(tmp_path)
    )
    assert all(text in shown for text in ("KRvKN (", "KBvKN (", "6 built, 0 already there"))


def test_the_time_to_go_is_that_of_the_plan_and_of_the_phases(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = BuildWatcher(Reporter())
    watcher.begins(Finding(BISHOP, Condition.MISSING), 1, 1, 100.0)
    for phase, done in (("accrued", 0.2), ("accrued", 1.0), ("writing", 1.0), ("writing", 1.0)):
        clock[0] += 10
        watcher.progress(BISHOP, phase, None, done, 0)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "KBvK (1 of 1), 10 s: accrued, 10 %, about 90 s to go",
        "KBvK (1 of 1), 20 s: accrued, 20 %, about 80 s to go",
        "KBvK (1 of 1), 30 s: writing, 30 %, about 70 s to go",
        "KBvK (1 of 1), 40 s: writing, 40 %, about 60 s to go",
    ]
