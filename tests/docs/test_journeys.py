"""Each journey, walked from an empty folder.

The commands of a page succeed and print what the page shows.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest
from click.testing import CliRunner

from tbgen import cli
from tbgen.compiled.folders import cache_home
from tests.cli.calls import tbgen
from tests.project import ROOT
from tests.readers.c_reader import compiler

DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.md"))
PAGES += [DOCS / f"{name}.md" for name in ("explorer", "gui", "install")]
STEP = re.compile(
    r"^    \$ (?P<command>.*)\n(?P<shown>(?:    [^$\n].*\n|\n(?=    [^$\n]))*)"
    r"|^Save this as `(?P<name>[\w.-]+)`:\n\n(?P<text>(?:    .*\n|\n)+)",
    re.MULTILINE,
)
"""A command with what it prints, or a file to write."""
PROGRESS = re.compile(r".+, \d+ s: |compiling .+ \(once, about \d+ s\)")
"""A line of progress, which a command prints only on a slow machine."""
_HUNG = 3600
"""Seconds after which a command hangs; compiling on a busy machine has taken ten minutes."""
INSTALLS = ("git", "python3", "~/tbgen-venv/bin/pip")
"""Commands that make a clone and an environment, which a walk has already."""
BUILDS = ("tbgen build --men 3", "cd ~/chess && tbgen build --men 3")
DEAR = (*BUILDS, "tbgen site --records")
"""Beginnings of commands that the slow suite alone carries out."""
SHELL_SIGNS = set("|&;<>$#")
END = "tbgen build --for"
"""A walk of the ordinary suite ends here."""


def unindented(text: str) -> str:
    return re.sub(r"^    ", "", text, flags=re.MULTILINE).rstrip() + "\n"


def is_shown(shown: str, printed: str) -> bool:
    """Whether a command printed what a page shows.

    A line `...` stands for any lines. Spaces and empty lines may differ.
    """
    text = ""
    for line in printed.splitlines():
        if line.strip() and not PROGRESS.match(line):
            text += f"{with_single_spaces(line)}\n"
    pattern = ""
    for line in shown.splitlines():
        row = with_single_spaces(line)
        if row == "...":
            pattern += r"(.*\n)*?"
        elif row:
            pattern += f"{re.escape(row)}\n"
    return re.fullmatch(pattern, text) is not None


def with_single_spaces(line: str) -> str:
    return " ".join(line.split())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a new user, with an empty folder.

    tbgen has no setting but the folder of compiled code.
    """
    for name in list(os.environ):
        if name.startswith("TBGEN_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TBGEN_CACHE", str(cache_home()))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / '.local/bin'}:{os.environ['PATH']}")
    (tmp_path / "chess").mkdir()
    return tmp_path


def install(home: Path) -> None:
    """Do as install.md: a clone, and the program on the path."""
    (home / "tbgen").symlink_to(ROOT)
    for folder in ("tbgen-venv/bin", ".local/bin"):
        (home / folder).mkdir(parents=True)
        (home / folder / "tbgen").symlink_to(Path(sys.executable).parent / "tbgen")


def carried_out(
    command: str, folder: Path, *, in_process: bool
) -> subprocess.CompletedProcess[str]:
    """What a command prints; a plain call of the program needs no shell."""
    if in_process and command.startswith("tbgen ") and not SHELL_SIGNS & set(command):
        words = [os.path.expanduser(word) for word in shlex.split(command)]
        with contextlib.chdir(folder):
            return tbgen(*words[1:], together=True)
    return subprocess.run(
        command, shell=True, cwd=folder, stdout=PIPE, stderr=STDOUT, text=True, timeout=_HUNG
    )


def walk(page: Path, home: Path, left_out: Collection[str]) -> None:
    """Do what a page says."""
    steps = 0
    for step in STEP.finditer(page.read_text("utf-8")):
        if step["name"]:
            (home / "chess" / step["name"]).write_text(unindented(step["text"]))
            continue
        steps += 1
        command = step["command"].replace("ADDRESS", str(ROOT))
        if END in left_out and command.startswith(END):
            return
        if command.startswith(tuple(left_out)):
            continue
        run = carried_out(command, home / "chess", in_process=page.stem != "install")
        assert run.returncode == 0, (command, run.stdout)
        shown = step["shown"]
        if shown.strip():
            assert is_shown(unindented(shown), run.stdout), (command, run.stdout)
    assert steps, "the page has no command"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_journey_prints_what_its_page_shows(
    page: Path, home: Path, table_folder: Path, pytestconfig: pytest.Config
) -> None:
    install(home)
    left_out = list(INSTALLS)
    if not pytestconfig.getoption("--slow"):
        left_out += [*DEAR, END]
        if any(command in page.read_text("utf-8") for command in BUILDS):
            (home / "chess" / "data").symlink_to(table_folder)
    if compiler() is None:
        left_out += ["cc", "./example"]
    walk(page, home, left_out)


@pytest.mark.slow
def test_the_installation_begins_with_nothing(home: Path) -> None:
    walk(DOCS / "install.md", home, ())


def test_the_session_of_the_tutorial_is_what_the_player_says(table_folder: Path) -> None:
    page = (DOCS / "tutorials" / "engine.md").read_text("utf-8")
    asked = re.findall(r"^    > (.*)$", page, re.M)
    shown = re.findall(r"^    < (.*)$", page, re.M)
    command = ["uci", "--data", str(table_folder)]
    run = CliRunner().invoke(cli.tbgen, command, input="\n".join(asked))
    lines = iter(run.stdout.splitlines())
    for line in shown:
        assert line in lines, "the lines come in this order"
