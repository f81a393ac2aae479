"""Every table of two to four men, as built, is proved by its moves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_every_table_of_up_to_four_men_passes(four_men_folder: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "verify", "--data", str(four_men_folder)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
