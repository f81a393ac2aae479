"""Locks, and names brought to the disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tbgen.system.process import try_lock


def locked_by(path: Path) -> str:
    """What another process says of a lock."""
    code = (
        "import os, sys; from tbgen.system.process import try_lock; "
        "print(try_lock(os.open(sys.argv[1], os.O_RDWR)))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_lock_is_one_process_s_until_it_closes_the_file(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as file:
        assert try_lock(file.fileno())
        assert locked_by(tmp_path / "lock") == "False"
    assert locked_by(tmp_path / "lock") == "True"
