"""A sample of the kills that `research/kills_everywhere.py` carries out by the thousand."""

from __future__ import annotations

import random
from pathlib import Path

import click
import pytest

from tbgen import cli
from tests.cli.killing import CASES, kill, undisturbed
from tests.cli.test_help import all_commands

QUICK = ("copy", "match")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
)
def test_a_command_that_is_killed_leaves_old_files_or_whole_ones(
    name: str, tmp_path: Path, table_folder: Path
) -> None:
    case = CASES[name]
    draw = random.Random(name)
    peace = undisturbed(tmp_path / "whole", case, table_folder)
    assert peace.files
    kill(tmp_path / "killed", case, table_folder, peace, draw)


READERS = {"completion", "list", "probe", "score", "serve", "solve", "uci"}
"""Commands that write no files."""
READ = {"--data", "--records", "--check", "--list", "--players", "--site", "--syzygy"}
"""Options that name files or folders to be read.

Commands that have no other option write to `--data`.
"""


def test_every_command_that_writes_is_killed() -> None:
    assert {case.words[0] for case in CASES.values()} == set(cli.COMMANDS) - READERS


@pytest.mark.parametrize(
    ("name", "command"), [each for each in all_commands() if each[0] in cli.COMMANDS]
)
def test_every_option_that_names_what_is_written_is_in_a_case_of_its_command(
    name: str, command: click.Command
) -> None:
    tried = {word for case in CASES.values() if case.words[0] == name for word in case.words}
    for option in command.params:
        if option.metavar in ("FILE", "DIR", "OUT.pgn") and not READ & set(option.opts):
            assert tried & set(option.opts), option.opts
