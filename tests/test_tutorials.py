"""The commands of each tutorial run, one after another in one folder, and print what the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tbgen import cli
from tests.project import ROOT

DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.md"))


def words(text: str) -> list[str]:
    """Lines without what sets them in columns, or says what a value is called."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("club.pgn", "six.pgn"):
        shutil.copy(DOCS / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TBGEN_DATA", raising=False)
    for command, shown in re.findall(r"^    \$ tbgen (.*)\n((?:    [^$\n].*\n)*)", page.read_text("utf-8"), re.M):
        done = CliRunner().invoke(cli.tbgen, shlex.split(command), catch_exceptions=False)
        assert done.exit_code == 0, command
        assert [line for line in words(shown) if line not in words(done.output)] == [], command


def test_the_session_of_the_tutorial_is_what_the_player_says(table_folder: Path) -> None:
    session = re.findall(r"^    ([<>]) (.*)$", (DOCS / "tutorials" / "engine.md").read_text("utf-8"), re.M)
    asked = "\n".join(line for way, line in session if way == ">")
    said = iter(CliRunner().invoke(cli.tbgen, ["uci", "--data", str(table_folder)], input=asked).stdout.splitlines())
    assert [line for way, line in session if way == "<" and line not in said] == []
