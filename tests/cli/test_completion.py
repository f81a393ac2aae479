"""What a shell completes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from tbgen import cli
from tbgen.material import all_materials
from tests.cli.test_help import all_commands
from tests.project import ROOT

NAMES = list(cli.COMMANDS)
KINDS = {"IN.pgn": "file", "OUT.pgn": "file", "GAMES.pgn": "file", "FILE": "file", "DIR": "dir"}
"""What a metavar means -> what the shell is asked to complete."""


def completed(line: str) -> list[str]:
    """What the last word of a line may become; `<file>` and `<dir>` where the shell looks."""
    *words, last = line.split(" ")
    found = BashComplete(cli.tbgen, {}, "tbgen", "_TBGEN_COMPLETE").get_completions(words, last)
    return [f"<{item.type}>" if item.type != "plain" else item.value for item in found]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("adj", ["adjudicate"]),
        ("", NAMES),
        ("--v", ["--version"]),
        ("nonsense KB", []),
        ("build KPvKP", ["KPvKP"]),
        ("build KvKB", []),
        ("score --sc", ["--scoring"]),
        ("score --scoring k", ["komi"]),
        ("score st", ["startpos"]),
        ("score --pgn a.pgn b", ["<file>"]),
        ("probe --scoring otb sta", ["startpos"]),
        ("hold startpos --goal d", ["draw"]),
        ("hold startpos --side b", ["black", "both"]),
        ("match -ga", ["-games"]),
        ("match -games 4 -pgno", ["-pgnout"]),
        ("match -pgnout ", ["<file>"]),
        ("match -tb ", ["<dir>"]),
        ("match -games ", []),
        ("match -recover -tbi", ["-tbignore50"]),
    ],
)
def test_words_are_completed(line: str, words: list[str]) -> None:
    assert completed(line) == words


def test_every_material_can_be_built_and_those_that_are_built_can_be_looked_at(
    table_folder: Path,
) -> None:
    assert completed("build ") == [str(material) for material in all_materials()]
    for name in ("list", "verify", "study record"):
        assert completed(f"{name} --data {table_folder} K") == [
            "KvK",
            "KNvK",
            "KBvK",
            "KRvK",
            "KQvK",
            "KPvK",
        ]
        assert completed(f"{name} --data {table_folder / 'missing'} K") == []


def test_what_is_a_file_or_a_folder_is_completed_by_the_shell() -> None:
    """By what is printed of it in the help."""
    for name, command in all_commands():
        for parameter in command.params:
            words = [name] if isinstance(parameter, click.Argument) else [name, parameter.opts[-1]]
            if kind := KINDS.get((parameter.metavar or "").rstrip(".")):
                assert completed(" ".join([*words, "a"])) == [f"<{kind}>"], words


def test_bash_completes_a_material(tmp_path: Path) -> None:
    """The script that the page tells people to use, in a real shell."""
    (tmp_path / "tbgen").write_text(f'#!/bin/sh\nexec {sys.executable} -m tbgen "$@"\n')
    (tmp_path / "tbgen").chmod(0o755)
    script = """
eval "$(tbgen completion bash)"
complete -p tbgen
COMP_WORDS=(tbgen build KQvK) COMP_CWORD=2
_tbgen_completion tbgen
echo "${COMPREPLY[*]}"
"""
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(shutil.which("bash")), "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    registered, words = done.stdout.splitlines()
    assert registered.endswith("-F _tbgen_completion tbgen")
    assert "KQvKR" in words.split()
    assert all(word.startswith("KQvK") for word in words.split())
