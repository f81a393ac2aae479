"""Remedies name the program as the user's shell finds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "tbgen"
PROBE = ("probe", "8/8/4K3/5Bk1/8/8/8/5N2 w - - 0 1", "--data", "tables")


def remedy(tmp_path: Path, *called: str, path: str) -> str:
    """The command that an error without tables recommends."""
    (tmp_path / "tables").mkdir(exist_ok=True)
    done = subprocess.run(
        [*called, *PROBE],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.partition("build it with: ")[2].strip()


@pytest.mark.parametrize(
    ("called", "path", "expected"),
    [
        ((str(PROGRAM),), "/usr/bin:/bin", f"{PROGRAM} build"),
        ((str(PROGRAM),), f"{PROGRAM.parent}:/usr/bin:/bin", "tbgen build"),
        ((sys.executable, "-m", "tbgen"), "/usr/bin:/bin", f"{sys.executable} -m tbgen build"),
    ],
)
def test_a_remedy_works_where_the_reader_stands(
    tmp_path: Path, called: tuple[str, ...], path: str, expected: str
) -> None:
    assert remedy(tmp_path, *called, path=path) == f"{expected} KBNvK --data tables"
