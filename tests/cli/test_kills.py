"""A sample of the kills that `scripts/kills_everywhere.py` carries out by the thousand."""

from __future__ import annotations

import random
from pathlib import Path

import click
import pytest

from tbgen import cli
from tests.cli.killing import CASES, kill, undisturbed

QUICK = ("copy", "match")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
)
def test_a_command_that_is_killed_leaves_old_files_or_whole_ones(name: str, tmp_path: Path, table_folder: Path) -> None:
    case, draw = CASES[name], random.Random(name)
    peace = undisturbed(tmp_path / "whole", case, table_folder)
    assert peace.files
    kill(tmp_path / "killed", case, table_folder, peace, draw)


def test_every_command_that_writes_is_killed() -> None:
    """Those that have an option for it, and those that write without one."""
    writers = {"build", "match"}
    for name in cli.SUBCOMMANDS:
        command = cli.tbgen.get_command(click.Context(cli.tbgen), name)
        assert command is not None
        if {"output", "plot", "target"} & {parameter.name for parameter in command.params}:
            writers.add(name)
    assert writers == {case.words[0] for case in CASES.values()}
