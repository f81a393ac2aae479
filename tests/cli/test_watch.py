"""How a build is shown while it reads what is there."""

from __future__ import annotations

import sys

import pytest

from tbgen.cli import watch
from tbgen.material import Material
from tests.cli.terminals import run_on_terminal

KINGS = Material.parse("KvK")


def test_a_long_look_at_what_is_there_is_told_in_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = watch.PlainWatcher()
    watcher.examines(KINGS, 1, 3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(watch, "_LINE_SECONDS", 0.0)
    watcher.examines(KINGS, 2, 3)
    assert capsys.readouterr().err == "looking at what is there: KvK (2 of 3)\n"


@pytest.mark.parametrize(("seconds", "is_shown"), [(0.0, True), (3600.0, False)])
def test_a_long_look_at_what_is_there_is_shown_on_a_terminal(seconds: float, is_shown: bool) -> None:
    code = (
        "from tbgen.cli import watch\nfrom tbgen.material import Material\n"
        f"watch._QUIET_SECONDS = {seconds}\n"
        "with watch.TerminalWatcher() as watcher:\n    watcher.examines(Material.parse('KvK'), 1, 3)\n"
    )
    shown, _ = run_on_terminal([sys.executable, "-c", code], 80)
    assert ("looking at what is there" in shown) == is_shown
