"""An archive of 100,000 games: flat memory, a bar with an estimate, every game in its place."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli.terminals import run_on_terminal
from tests.project import S18

MOST_MORE_BYTES = 40 << 20
"""What the allocator may keep on top of it where an archive has 82 million bytes more."""


MEASURED = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"""


def adjudicated(path: Path, out: Path) -> tuple[int, str]:
    """The most memory of a run, in bytes, and what it showed on a terminal."""
    command = [
        sys.executable,
        "-c",
        MEASURED,
        sys.executable,
        "-m",
        "tbgen",
        "adjudicate",
        str(path),
        "-o",
        str(out),
    ]
    shown, most = run_on_terminal(command, 120, piped=True)
    return int(most), re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", shown)


@pytest.mark.slow
def test_an_archive_of_any_length_is_decided_in_flat_memory_with_a_bar_and_an_estimate(
    tmp_path: Path,
) -> None:
    text = S18.read_bytes()
    small = tmp_path / "small.pgn"
    large = tmp_path / "large.pgn"
    out = tmp_path / "out.pgn"
    small.write_bytes(text * 1000)
    with large.open("wb") as file:
        file.writelines(text for _ in range(5000))
    few, _ = adjudicated(small, out)
    once = out.read_bytes()[: out.stat().st_size // 1000]
    many, shown = adjudicated(large, out)
    assert many - few < MOST_MORE_BYTES
    assert "100,000 games decided" in shown
    assert re.search(
        r"large\.pgn [━╸╺]+ \d:\d\d:\d\d [\d,]+ games, \d+ %, about \d+ s to go", shown
    )
    with out.open("rb") as file:
        assert all(file.read(len(once)) == once for _ in range(5000))
        assert file.read() == b""
