"""A sample of the kills that `scripts/kills_everywhere.py` carries out by the thousand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

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
