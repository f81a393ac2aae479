"""The scripts of people and CI: each begins, and says what it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import ROOT

NOT_INSTALLED = ("fuzz.py",)
"""Needs atheris, which has no wheels for every system; mypy checks what it imports from tbgen."""
SCRIPTS = [
    path
    for folder in ("scripts", "proofs")
    for path in sorted((ROOT / folder).glob("*.py"))
    if "argparse" in path.read_text() and path.name not in NOT_INSTALLED
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_what_it_does(script: Path) -> None:
    command = [sys.executable, str(script), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")
